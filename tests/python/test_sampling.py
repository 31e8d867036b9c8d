"""Draws and free energies through Python."""

import json
import os
import subprocess

import numpy as np
import pytest
from conftest import ROOT

import taut

TORUS = os.path.join(ROOT, "examples", "sampling", "torus.toml")


def test_the_same_draws_as_the_program():
    words = ["--draws", "200", "--warmup", "100", "--chains", "3", "--seed", "5", "--json"]
    printed = subprocess.run([os.environ["TAUT_PROGRAM"], "sample", TORUS, *words], stdout=subprocess.PIPE, check=True).stdout
    wanted = json.loads(printed)
    d = taut.Model(TORUS).sample(200, warmup=100, chains=3, seed=5, threads=2)
    for key in ("sha256", "mean", "rhat", "ess_bulk", "rejections", "step"):
        assert d.summary[key] == wanted[key]
    assert d.array.shape == (3, 200, 4) and (d.array[:, :, 0] == d["x"]).all()
    assert d["x"].mean() == pytest.approx(wanted["mean"]["x"], rel=1e-12)
    on_torus = (1 - np.hypot(d["x"], d["y"]))**2 + d["z"]**2 - 0.25
    assert abs(on_torus).max() < 1e-14


def test_xarray_has_the_draws():
    xarray = pytest.importorskip("xarray")
    d = taut.Model(TORUS).sample(50, warmup=50, chains=2)
    data = d.to_xarray()
    assert isinstance(data, xarray.Dataset) and dict(data.sizes) == {"chain": 2, "draw": 50}
    assert (data["phi"].values == d["phi"]).all() and data.attrs["sha256"] == d.summary["sha256"]
    assert float(data["x"].mean(("chain", "draw"))) == pytest.approx(d.summary["mean"]["x"])


def test_a_density_may_be_a_function_or_an_expression():
    import sympy

    common = dict(coordinates="x y z", mass=1.0, potential="0", constraints=["x^2 + y^2 + z^2 - 1"], start={"z": 1.0})
    model = taut.Model(**common)
    found = [model.sample(100, warmup=50, chains=2, density=density, measure="surface", kernel="hmc(4)").summary["sha256"]
             for density in ("1.8*z", lambda q: 1.8*q[2], 1.8*sympy.Symbol("z"))]
    assert len(set(found)) == 1


def test_wrong_input_is_refused_in_words(pendulum):
    with pytest.raises(taut.ModelError, match="with respect to which measure"):
        pendulum.sample(10)
    with pytest.raises(taut.ModelError, match="the option draws is 0"):
        taut.Model(TORUS).sample(0)
    with pytest.raises(taut.ModelError, match="Did you mean"):
        taut.Model(TORUS).sample(10, kernel="nut")
    with pytest.raises(KeyError, match="no column"):
        taut.Model(TORUS).sample(10, warmup=10)["w"]
    with pytest.raises(taut.ModelError, match="depend on each other"):
        taut.Model(TORUS).free_energy("(1 - sqrt(x^2 + y^2))^2 + z^2", [0.25], draws=10, temperature=1.0)
