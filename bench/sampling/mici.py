"""mici on the torus of examples/sampling/torus.toml: effective draws of x per second of CPU and per step. Needs mici and numpy."""

import time

import mici
import numpy as np

R, r = 1.0, 0.5


def constr(q):
    return np.array([(R - np.hypot(q[0], q[1])) ** 2 + q[2] ** 2 - r**2])


def jacob_constr(q):
    rho = np.hypot(q[0], q[1])
    return np.array([[-2 * (R - rho) * q[0] / rho, -2 * (R - rho) * q[1] / rho, 2 * q[2]]])


def effective_size(chains):
    """Geyer's initial positive sequence, chains pooled."""
    n = min(map(len, chains))
    covariance = np.mean([np.correlate(c - c.mean(), c - c.mean(), "full")[n - 1 :] / n for c in (c[:n] for c in chains)], axis=0)
    rho = covariance / covariance[0]
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    stop = np.argmax(pairs < 0) if (pairs < 0).any() else len(pairs)
    return len(chains) * n / (2 * pairs[:stop].sum() - 1)


system = mici.systems.DenseConstrainedEuclideanMetricSystem(
    neg_log_dens=lambda q: 0.0,
    grad_neg_log_dens=lambda q: np.zeros(3),
    constr=constr,
    jacob_constr=jacob_constr,
    dens_wrt_hausdorff=True,
)
integrator = mici.integrators.ConstrainedLeapfrogIntegrator(system)
rng = np.random.default_rng(1)
sampler = mici.samplers.DynamicMultinomialHMC(system, integrator, rng)
starts = [np.array([R + r, 0.0, 0.0])] * 4
began = time.process_time()
result = sampler.sample_chains(500, 2000, starts, adapters=[mici.adapters.DualAveragingStepSizeAdapter(0.8)], trace_funcs=[lambda s: {"x": s.pos[0]}])
seconds = time.process_time() - began
size = effective_size([np.asarray(c) for c in result.traces["x"]])
steps = sum(int(np.sum(s)) for s in result.statistics["n_step"])
print(f"mici: ESS(x) {size:.0f}, {size / seconds:.1f} per second of CPU, {size / steps:.4f} per step")
