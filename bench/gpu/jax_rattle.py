#!/usr/bin/env python3
"""Measures RATTLE in JAX on a device, in doubles: ns per step and trajectory of the pendulum and of the six-node chain.

    python3 bench/gpu/jax_rattle.py [--small]

`plain` is what people write: g and V as functions, their derivatives by JAX, a linear solve from the library, vmap over
a scan, Newton's iteration by a while loop to 1e-12. `plain, fixed` is the same with four corrections and no test.
`spelt out` is what an expert writes: formulas, tridiagonal elimination and three corrections by hand, no vmap.
All start as bench/gpu/rate.cpp does, whose kernels it is compared with.
"""

import math
import sys
import time

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
SMALL = "--small" in sys.argv
NODES, RODS = 6, 5


def pendulum_g(q):
    return jnp.array([(q[0] ** 2 + q[1] ** 2 - 1) / 2])


def pendulum_potential(q):
    return q[1]


def chain_g(q):
    d = q.reshape(NODES, 2)
    d = d[:-1] - d[1:]
    return (jnp.sum(d * d, axis=1) - 1) / 2


def chain_potential(q):
    x = q.reshape(NODES, 2)
    far = x[:-2] - x[2:]
    return 2.5 * jnp.sum(far * far)


def plain_step(g, potential, h, fixed):
    force, jacobian = jax.grad(potential), jax.jacfwd(g)

    def correct(state):
        q, mu, q0, p, G0 = state
        mu = mu + jnp.linalg.solve(h * jacobian(q) @ G0.T, g(q))
        return q0 + h * (p - G0.T @ mu), mu, q0, p, G0

    def step(x):
        q0, p0 = x
        G0 = jacobian(q0)
        p = p0 - h / 2 * force(q0)
        state = (q0 + h * p, jnp.zeros(G0.shape[0]), q0, p, G0)
        if fixed:
            state = jax.lax.fori_loop(0, 4, lambda _, s: correct(s), state)
        else:
            state = jax.lax.while_loop(lambda s: jnp.max(jnp.abs(g(s[0]))) > 1e-12, correct, state)
        q, mu = state[0], state[1]
        p = p - G0.T @ mu - h / 2 * force(q)
        G = jacobian(q)
        return q, p - G.T @ jnp.linalg.solve(G @ G.T, G @ p)

    return step


def plain(g, potential, h, fixed):
    step = plain_step(g, potential, h, fixed)

    def run(q, p, steps):
        def one(q, p):
            return jax.lax.scan(lambda x, _: (step(x), None), (q, p), None, length=steps)[0]

        return jax.vmap(one)(q, p)

    return run


def spelt_pendulum(h):
    def step(_, s):
        x0, y0, px, py = s
        py = py - h / 2
        mu = jnp.zeros_like(x0)
        x, y = x0 + h * px, y0 + h * py
        for _ in range(3):
            mu = mu + (x * x + y * y - 1) / 2 / (h * (x * x0 + y * y0))
            x, y = x0 + h * (px - x0 * mu), y0 + h * (py - y0 * mu)
        px, py = px - x0 * mu, py - y0 * mu - h / 2
        nu = (x * px + y * py) / (x * x + y * y)
        return x, y, px - x * nu, py - y * nu

    def run(q, p, steps):
        x, y, px, py = jax.lax.fori_loop(0, steps, step, (q[:, 0], q[:, 1], p[:, 0], p[:, 1]))
        return jnp.stack([x, y], 1), jnp.stack([px, py], 1)

    return run


def spelt_chain(h):
    def rods(q):
        return [(q[2 * i] - q[2 * i + 2], q[2 * i + 1] - q[2 * i + 3]) for i in range(RODS)]

    def dot(a, b):
        return a[0] * b[0] + a[1] * b[1]

    def kick(q, p, time_):
        p = list(p)
        for i in range(NODES - 2):
            for k in range(2):
                pull = 5 * time_ * (q[2 * i + k] - q[2 * i + 4 + k])
                p[2 * i + k] = p[2 * i + k] - pull
                p[2 * i + 4 + k] = p[2 * i + 4 + k] + pull
        return p

    def along(d, by, p):
        p = list(p)
        for i in range(RODS):
            for k in range(2):
                p[2 * i + k] = p[2 * i + k] - d[i][k] * by[i]
                p[2 * i + 2 + k] = p[2 * i + 2 + k] + d[i][k] * by[i]
        return p

    def solve(a, b, r):
        upper, r = [], list(r)
        for i in range(RODS):
            lower = -dot(a[i], b[i - 1]) if i > 0 else 0.0
            pivot = 1 / (2 * dot(a[i], b[i]) - (lower * upper[i - 1] if i > 0 else 0.0))
            upper.append(-dot(a[i], b[i + 1]) * pivot if i + 1 < RODS else 0.0)
            r[i] = (r[i] - (lower * r[i - 1] if i > 0 else 0.0)) * pivot
        for i in range(RODS - 2, -1, -1):
            r[i] = r[i] - upper[i] * r[i + 1]
        return r

    def step(_, s):
        q0, p = list(s[:12]), list(s[12:])
        before = rods(q0)
        p = kick(q0, p, h / 2)
        mu = [jnp.zeros_like(q0[0])] * RODS
        q = [a + h * b for a, b in zip(q0, p)]
        for _ in range(3):
            now = rods(q)
            by = solve(now, before, [(dot(d, d) - 1) / 2 for d in now])
            mu = [a + b / h for a, b in zip(mu, by)]
            q = [a + h * b for a, b in zip(q0, along(before, mu, p))]
        now = rods(q)
        p = kick(q, along(before, mu, p), h / 2)
        speed = [dot(now[i], (p[2 * i] - p[2 * i + 2], p[2 * i + 1] - p[2 * i + 3])) for i in range(RODS)]
        return tuple(q) + tuple(along(now, solve(now, now, speed), p))

    def run(q, p, steps):
        s = tuple(q[:, k] for k in range(12)) + tuple(p[:, k] for k in range(12))
        s = jax.lax.fori_loop(0, steps, step, s)
        return jnp.stack(s[:12], 1), jnp.stack(s[12:], 1)

    return run


def start(name, slots):
    spread = jnp.arange(slots, dtype=jnp.float64) / slots
    if name == "pendulum":
        zero = jnp.zeros(slots)
        return jnp.stack([zero, zero - 1], 1), jnp.stack([spread, zero], 1)
    height = math.sqrt(3) / 2
    at = [value for n in range(NODES) for value in (0.5 * n, 0.0 if n % 2 == 0 else height)]
    p = jnp.zeros((slots, 12)).at[:, 0].set(-height * spread).at[:, 1].set(0.5 * spread)
    return jnp.tile(jnp.array(at), (slots, 1)), p


def measure(name, way, run, g, slots, steps):
    if SMALL:
        slots, steps = 64, 20
    run = jax.jit(run, static_argnums=2)
    q, p = start(name, slots)
    began = time.perf_counter()
    jax.block_until_ready(run(q, p, steps))
    first = time.perf_counter() - began
    best = math.inf
    for _ in range(3):
        began = time.perf_counter()
        end = jax.block_until_ready(run(q, p, steps))
        best = min(best, time.perf_counter() - began)
    off = float(jnp.max(jnp.abs(jax.vmap(g)(end[0]))))
    print(
        f"JAX {jax.__version__}, {name}, {way}: {1e9 * best / (slots * steps):.4g} ns, max |g| {off:.1e}, "
        f"{slots} trajectories, {steps} steps, first call {first:.2g} s",
        flush=True,
    )


def main():
    print(f"JAX on {jax.devices()[0]}")
    h = 0.05
    measure("pendulum", "spelt out", spelt_pendulum(h), pendulum_g, 1 << 20, 2000)
    measure("pendulum", "plain", plain(pendulum_g, pendulum_potential, h, False), pendulum_g, 1 << 20, 200)
    measure("pendulum", "plain, fixed", plain(pendulum_g, pendulum_potential, h, True), pendulum_g, 1 << 20, 200)
    h = 0.02
    measure("chain", "spelt out", spelt_chain(h), chain_g, 1 << 18, 200)
    measure("chain", "plain", plain(chain_g, chain_potential, h, False), chain_g, 1 << 18, 20)
    measure("chain", "plain, fixed", plain(chain_g, chain_potential, h, True), chain_g, 1 << 18, 20)


if __name__ == "__main__":
    main()
