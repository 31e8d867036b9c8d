"""Any shape, kind, order, stride and byte order of numbers gives values or a sentence, and never a crash."""

import numpy as np
from hypothesis import given, settings, strategies as st

import taut

KINDS = ["f8", "f4", "f2", "i4", "u1", "c16", "U3", "O", "?"]
KINDS += [">" + kind for kind in ("f8", "f4", "i4", "c16")] + ["g"]


@st.composite
def arrays(draw, most=3, least=0):
    """An array of ones, seen through strides that may be large, negative or zero."""
    shape = draw(st.lists(st.integers(0, 3), min_size=least, max_size=most))
    array = np.ones(shape, dtype=draw(st.sampled_from(KINDS)), order=draw(st.sampled_from("CF")))
    if not shape:
        return array
    step = draw(st.sampled_from([1, 2, -1, -2, 0]))
    if step == 0 and array.size:
        return np.broadcast_to(array.flat[0], shape)
    return array[..., ::step or 1]


def gives_values_or_a_sentence(*calls):
    given_values = 0
    for call in calls:
        try:
            call()
            given_values += 1
        except (taut.ModelError, taut.SolveFailed) as error:
            assert len(str(error)) > 20
    return given_values


@settings(max_examples=150, deadline=None)
@given(arrays(), arrays())
def test_values_and_starts(q, p):
    model = taut.Model("pendulum")
    gives_values_or_a_sentence(lambda: model.H(q, p), lambda: model.g(q), lambda: model.G(q), lambda: model.multiplier(q, p),
                               lambda: model.project(q, p), lambda: model.run(steps=1, start=(q, p)))


@settings(max_examples=150, deadline=None)
@given(arrays(), arrays(), arrays(most=2), st.booleans())
def test_tables_of_ensembles(q, p, lengths, with_lengths):
    model = taut.Model("pendulum")
    parameters = {"L": lengths} if with_lengths else None
    gives_values_or_a_sentence(lambda: model.ensemble(q, p, parameters, steps=2), lambda: model.ensemble(q0=q, steps=2),
                               lambda: model.ensemble(p0=p, parameters=parameters, steps=2))


@settings(max_examples=150, deadline=None)
@given(arrays(), arrays())
def test_what_is_written_into_a_stepper(q, p):
    s = taut.Model("pendulum").stepper(step=0.1)

    def write():
        s.q, s.p = q, p
        s.step()

    if not gives_values_or_a_sentence(write):
        gives_values_or_a_sentence(s.restart)  # q alone may have been written: it is refused, and the old one is back
    assert np.isfinite(s.q).all() and abs(s.q @ s.q - 1) < 1e-12 and abs(s.q @ s.p) < 1e-12
    s.step()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.sampled_from([1, 2, -1, -3]), st.sampled_from(["<f8", ">f8", "<f4", ">i4"]),
       st.sampled_from("CF"))
def test_strides_and_byte_orders_change_no_bit(count, step, kind, order):
    model = taut.Model("double-pendulum")
    whole = np.arange(4 * 3 * count).reshape(3 * count, 4) % 7
    given = np.array(whole, dtype=kind, order=order)[::step]
    plain = np.ascontiguousarray(whole[::step], dtype=np.float64)
    for seen, wanted in ((model.H(given, given), model.H(plain, plain)), (model.g(given), model.g(plain)),
                         (model.G(given[:, ::-1]), model.G(plain[:, ::-1].copy())),
                         (model.multiplier(given, given), model.multiplier(plain, plain))):
        assert np.asarray(seen).tobytes() == np.asarray(wanted).tobytes()
    one = np.broadcast_to(plain[0], (5, 4))  # rows without a distance
    assert (model.H(one, one) == model.H(plain[0], plain[0])).all()
    starts = np.broadcast_to(model.start[0], (3, 4))
    ends = model.ensemble(q0=starts, steps=5).q
    assert (ends == ends[0]).all() and (ends[0] == model.ensemble(q0=starts.astype(">f8")[::-1], steps=5).q[0]).all()
