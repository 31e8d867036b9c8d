"""What is not meant so is said in words, and not computed."""

import os
import pickle
import shutil

import numpy as np
import pytest
from conftest import ROOT

import taut

TORUS = os.path.join(ROOT, "examples", "sampling", "torus.toml")


@pytest.mark.parametrize("name", ["q", "p", "lambda", "residual"])
def test_a_quantity_with_the_name_of_a_block_is_refused(name, pendulum, tmp_path):
    # The name would give the coordinates of all, and not the quantity.
    with pytest.raises(taut.ModelError, match=f"samples have another column `{name}`"):
        pendulum.run(steps=2, quantities={name: "x*p_y"})
    with pytest.raises(taut.ModelError, match="another column"):
        taut.Model(text=pendulum.to_toml() + f'\n[quantities]\n{name} = "x*p_y"\n')


def test_a_column_that_is_called_as_an_array_is_the_column(pendulum):
    model = taut.Model(TORUS, set={"quantities.draws": "2*x", "quantities.statistics": "3*x"})
    d = model.sample(50, warmup=50, chains=2)
    assert (d["draws"] == 2*d["x"]).all() and (d["statistics"] == 3*d["x"]).all()
    assert d.array.shape == (2, 50, len(d.names)) and (d.array[:, :, 0] == d["x"]).all()
    assert (d.to_pandas()["x"].loc[1].to_numpy() == d["x"][1]).all() and d.to_pandas().index.names == ["chain", "draw"]
    e = pendulum.ensemble(vary={"p_y": [0.0, 0.1]}, steps=10, quantities={"ends": "2*x", "values": "3*x", "samples": "4*x"})
    for name, factor in (("ends", 2), ("values", 3), ("samples", 4)):
        assert e[name].tolist() == (factor*e["x"]).tolist(), name


def test_times_that_the_run_does_not_come_to_are_named(pendulum):
    r = pendulum.run(step=0.1, until=1.0, at=[5.0, 0.5, -1.0])
    assert [row["time"] for row in r.at] == [0.5]
    assert r.summary["warnings"] == ["the run goes from t = 0 to 1: there is no state at t = 5, -1, which `at` asks for."]
    assert "warnings" not in pendulum.run(step=0.1, until=1.0, at=[0.0, 1.0]).summary


@pytest.mark.parametrize("step", [0.1, 0.3, 0.07, -0.1, 1e-3])
def test_a_time_of_the_mesh_is_found_whatever_its_rounding(step, pendulum):
    times = [float(f"{k*step:.12g}") for k in range(61)]  # as people write them: 2.1, which is not 7*0.3
    r = pendulum.run("rattle", step=step, steps=60, every=1, at=times)
    assert [row["time"] for row in r.at] == times and "warnings" not in r.summary
    # Each is made by one step from the mesh point before, without the sums that carry the rounding of all steps.
    np.testing.assert_allclose([row["q"] for row in r.at], r.q, rtol=0, atol=1e-15)
    for count in range(1, 61):  # the last step too
        assert [row["time"] for row in pendulum.run("rattle", step=step, steps=count, at=[times[count]]).at] == [times[count]]


def test_numbers_that_are_none_are_refused(pendulum):
    masked = np.ma.masked_array([1.0, 0.0], mask=[True, False])
    for wrong in (lambda: pendulum.g(masked), lambda: pendulum.H(masked, [0, 0]), lambda: pendulum.run(steps=1, start=(masked, [0, 0]))):
        with pytest.raises(taut.ModelError, match="masked|no number|finite"):
            wrong()
    assert pendulum.g(np.ma.masked_array([1.0, 0.0], mask=[False, False])).tolist() == [0.0]
    for wrong in (lambda: pendulum.g([10**400, 0]), lambda: pendulum.run(steps=1, start={"x": 10**400}),
                  lambda: pendulum.run(steps=1, parameters={"L": 10**400}), lambda: taut.Model("pendulum", parameters={"L": 10**400})):
        with pytest.raises(taut.ModelError):
            wrong()
    stepper = pendulum.stepper(step=0.1)
    saved = stepper.save()
    stepper.step(3)
    for wrong in (3, "abc", None, [1, 2], b"", saved[:-1]):
        with pytest.raises(taut.ModelError):
            stepper.restore(wrong)
    stepper.restore(bytearray(saved))
    assert stepper.t == 0


def test_samples_that_no_memory_holds_are_refused(pendulum):
    with pytest.raises(taut.ModelError, match="larger `every`"):
        pendulum.run(steps=10**15, every=1)
    # An event may end the run at any time.
    assert len(pendulum.run(steps=10**15, every=1, events="when=x, do=stop")) < 10**4


def test_pickles_of_draws_come_back():
    d = taut.Model(TORUS).sample(60, warmup=50, chains=2)
    again = pickle.loads(pickle.dumps(d))
    assert (again.array == d.array).all() and again.names == d.names and again.summary == d.summary
    assert (again["phi"] == d["phi"]).all() and len(again) == 60 and repr(again) == repr(d)
    for name, values in d.statistics.items():
        assert np.array_equal(again.statistics[name], values, equal_nan=True)
    assert pickle.dumps(again) == pickle.dumps(d)
    assert again.to_xarray().attrs == d.to_xarray().attrs
    with pytest.raises(KeyError):
        again["w"]
    broken = bytearray(pickle.dumps(d))
    broken[len(broken) // 2] ^= 1
    with pytest.raises(taut.ModelError, match="damaged"):
        pickle.loads(bytes(broken))


@pytest.mark.parametrize("name", ["c60", "water-box"])
def test_a_pickle_of_a_model_has_its_files(name, tmp_path):
    model = taut.Model(name)
    again = pickle.loads(pickle.dumps(model))
    assert again.description["start"] == model.description["start"] and again.description["name"] == model.description["name"]
    assert again.run(steps=2).summary["q"] == model.run(steps=2).summary["q"]
    folder = tmp_path / "gone"
    folder.mkdir()
    for file in [name + ".toml", *model.description["files"]]:
        shutil.copy(os.path.join(ROOT, "examples", file), folder)
    packed = pickle.dumps(taut.Model(folder / (name + ".toml")))
    shutil.rmtree(folder)
    twice = pickle.loads(pickle.dumps(pickle.loads(packed)))
    assert twice.description["start"] == model.description["start"]


def test_warnings_of_a_sampling_are_shown():
    d = taut.Model(TORUS).sample(10, warmup=10, chains=2)
    assert d.summary["warnings"] and all(sentence in repr(d) for sentence in d.summary["warnings"])
    assert "Warning:" in d._repr_html_()


def test_none_among_numbers_is_refused(pendulum):
    """NumPy takes None for NaN, and a NaN for an answer."""
    stepper = pendulum.stepper("rattle", 0.01)

    def put():
        stepper.q = [None, 0.0]

    for wrong in (lambda: pendulum.H([1.0, None], [0, 0]), lambda: pendulum.g(np.array([1.0, None])), put,
                  lambda: pendulum.project([1.0, 0.0], [0.0, None]), lambda: pendulum.stepper("rattle", 0.01, q=[1.0, None]),
                  lambda: pendulum.run(steps=1, start={"x": None}), lambda: pendulum.run(steps=1, start=([1.0, None], [0, 0])),
                  lambda: pendulum.run(steps=1, parameters={"L": None}),
                  lambda: pendulum.ensemble(vary={"p_y": [0.1, None]}, steps=1)):
        with pytest.raises(taut.ModelError):
            wrong()


def test_what_takes_q_and_p_says_so(pendulum):
    for call in (pendulum.H, pendulum.multiplier, pendulum.project):
        with pytest.raises(taut.ModelError, match="takes q and p"):
            call([1.0, 0.0], None)


def test_a_text_in_the_place_of_a_name_is_told_apart(pendulum):
    with pytest.raises(taut.ModelError, match=r"taut\.Model\(text=\.\.\.\)"):
        taut.Model(pendulum.to_toml())


def test_texts_that_end_in_their_middle_are_refused(pendulum, tmp_path, monkeypatch):
    # A text of C ends at the character 0: a run wrote into another folder than the one that was named.
    monkeypatch.chdir(tmp_path)
    for wrong in (lambda: pendulum.run(steps=1, out="a\0b"), lambda: pendulum.run("rattle\0", steps=1),
                  lambda: taut.Model("pendulum", set={"title": "a\0b"}), lambda: pendulum.run(steps=1, report="a\0b"),
                  lambda: pendulum.run(steps=1, out=""), lambda: pendulum.run("", steps=1), lambda: taut.load("a\0b")):
        with pytest.raises(taut.ModelError, match="number 0|path of nothing|empty"):
            wrong()
    assert os.listdir(tmp_path) == []
    assert taut.Model("pendulum", set={"title": "a\\u0000b"}).title == "a\\u0000b"  # six characters, and none of them 0


def test_paths_may_be_bytes_and_what_is_no_path_is_named(pendulum, tmp_path):
    place = os.fsencode(tmp_path / "r")
    pendulum.run(steps=10, out=place, report=os.fsencode(tmp_path / "page.html"))
    assert len(taut.load(place)) > 0 and (tmp_path / "page.html").exists()
    assert taut.Model(b"pendulum").title == pendulum.title
    for wrong, name in ((lambda: pendulum.run(steps=1, out=5), "out"), (lambda: pendulum.run(steps=1, report=5), "report"),
                        (lambda: taut.load(5), "load"), (lambda: taut.resume(None), "resume"),
                        (lambda: taut.Model(text="x", folder=5), "folder")):
        with pytest.raises(taut.ModelError, match=f"{name} is .*the path of a file or a folder is wanted"):
            wrong()


def test_values_without_an_order_or_behind_a_mask_are_refused(pendulum):
    made = dict(mass=1.0, potential="y", start={"x": 1.0})
    with pytest.raises(taut.ModelError, match="order"):
        taut.Model(coordinates={"x", "y"}, **made)  # two runs of Python would have two models
    with pytest.raises(taut.ModelError, match="order"):
        pendulum.run(steps=1, start=({1.0, 0.0}, [0, 0]))
    with pytest.raises(taut.ModelError, match="parameter L has masked values"):
        taut.Model(coordinates="x y", parameters={"L": np.ma.masked}, **made)
    for wrong in ("1", True, np.ma.masked, None):
        with pytest.raises(taut.ModelError, match="among them|masked"):
            pendulum.H(np.array([wrong, 2.0], dtype=object), [0, 0])
    for value, words in ((lambda: pendulum.run(steps=1, parameters={"L": None}), "parameter L is None"),
                         (lambda: pendulum.run(step=10**400), "step is a number of 401 digits"),
                         (lambda: pendulum.ensemble(parameters=[1.0]), "parameters is"),
                         (lambda: pendulum.compare(5), "methods is 5"), (lambda: pendulum.orbit(0.0), "a period is positive"),
                         (lambda: taut.Model(coordinates="x", mass=1.0, potential="x", run={"step": None}), "run.step: None")):
        with pytest.raises(taut.ModelError, match=words):
            value()


@pytest.mark.parametrize("value, words", [
    (None, "returned nothing"), ("3", "dtype <U1"), (True, "dtype bool"), (1j, "dtype complex128"), (np.ma.masked, "masked"),
    ([1.0, 2.0], "gave 2 numbers")])
def test_what_a_function_gives_is_a_number(value, words):
    model = taut.Model(coordinates="x y", mass=1.0, potential=lambda q: value, start={"x": 1.0}, callback=True)
    with pytest.raises(taut.ModelError, match=words):
        model.run("verlet", step=0.01, steps=2)


def test_a_number_of_sympy_is_a_step(pendulum):
    import sympy

    r = pendulum.run(step=sympy.Rational(1, 10), steps=3)
    assert r.summary["step"] == 0.1 and "x" in r and "energy" in r and "z" not in r and 5 not in r
