"""Pickles: text and checksummed state.

A pickle of this package calls one function, :func:`restore`, with texts and bytes. It checks their SHA-256 before it
looks at them, and builds nothing but the types of this package.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Dict, Tuple

from .errors import ModelError

if TYPE_CHECKING:
    from .arrays import Doubles
    from .ensemble import Ensemble
    from .model import Model
    from .result import Result
    from .sampling import Draws
    from .stepper import Stepper

__all__ = ["restore", "packed_draws", "packed_ensemble", "packed_model", "packed_result", "packed_stepper"]

_FORMAT = 1


def _packed(header: "Dict[str, Any]", body: bytes = b"") -> "Tuple[str, bytes, str]":
    text = json.dumps({"format": _FORMAT, **header})
    return text, body, _digest(text, body)


def _digest(text: str, body: bytes) -> str:
    return hashlib.sha256(len(text).to_bytes(8, "little") + text.encode("utf-8") + body).hexdigest()


def packed_model(model: "Model") -> "Tuple[str, bytes, str]":
    return _packed(model._pickled())


def packed_stepper(stepper: "Stepper") -> "Tuple[str, bytes, str]":
    from .options import plain

    options = {key: plain(value, key) for key, value in stepper._options.items() if key != "start"}
    return _packed({"model": stepper.model._pickled(), "options": options}, stepper.save())


def packed_result(result: "Result") -> "Tuple[str, bytes, str]":
    columns = result.columns
    names = ["t", "q", "p", "energy", "lambda", "residual", *columns["columns"]]
    shapes: Dict[str, Any] = {}
    body = []
    for name in names:
        if name in shapes:
            continue
        try:
            array = result._array(name)
        except ModelError:  # the method gives no multipliers, for example
            continue
        body.append(_bytes_of(array, name, shapes))
    return _packed({"summary": result.summary, "text": result._text, "columns": columns, "arrays": shapes}, b"".join(body))


def packed_ensemble(ensemble: "Ensemble") -> "Tuple[str, bytes, str]":
    shapes: Dict[str, Any] = {}
    body = []
    for name in ("ends", "values", "samples"):
        if name == "samples" and not ensemble.columns["sample_columns"]:
            continue
        body.append(_bytes_of(ensemble._view(name), name, shapes))
    return _packed({"summary": ensemble.summary, "columns": ensemble.columns, "failures": list(ensemble.failures),
                    "coordinates": ensemble.q.shape[1], "arrays": shapes}, b"".join(body))


def packed_draws(draws: "Draws") -> "Tuple[str, bytes, str]":
    shapes: Dict[str, Any] = {}
    body = b"".join(_bytes_of(draws._view(name), name, shapes) for name in ("draws", "statistics"))
    return _packed({"summary": draws.summary, "columns": draws._columns, "arrays": shapes}, body)


def _bytes_of(array: "Doubles", name: str, shapes: "Dict[str, Any]") -> bytes:
    import numpy as np

    shapes[name] = list(array.shape)
    return np.ascontiguousarray(array, dtype="<f8").tobytes()


def restore(kind: str, text: str, body: bytes, digest: str) -> Any:
    """Makes an object of this package from what a pickle holds, if its checksum is right."""
    if not (isinstance(text, str) and isinstance(body, bytes) and isinstance(digest, str)) or _digest(text, body) != digest:
        raise ModelError("this pickle is damaged: its checksum does not fit its contents")
    header = json.loads(text)
    if header.get("format") != _FORMAT:
        raise ModelError(f"this pickle has the format {header.get('format')}, and this version of taut reads {_FORMAT}")
    if kind == "model":
        return _model(header)
    if kind == "stepper":
        stepper = _model(header["model"]).stepper(**header["options"])
        stepper.restore(body)
        return stepper
    if kind == "result":
        return _result(header, body)
    if kind == "ensemble":
        return _ensemble(header, body)
    if kind == "draws":
        from .sampling import Draws

        return Draws(None, header["summary"], header["columns"], _arrays(header, body))
    raise ModelError(f"a pickle of the kind {kind!r} is not known")


def _model(header: "Dict[str, Any]") -> "Model":
    from .model import Model

    return Model._of_files(header["text"], header["name"], header["set"], header.get("files") or {})


def _arrays(header: "Dict[str, Any]", body: bytes) -> "Dict[str, Any]":
    import numpy as np

    arrays: Dict[str, Any] = {}
    at = 0
    for name, shape in header["arrays"].items():
        count = 1
        for length in shape:
            count *= length
        arrays[name] = np.frombuffer(body, dtype="<f8", count=count, offset=at).reshape(shape)
        at += 8 * count
    return arrays


def _ensemble(header: "Dict[str, Any]", body: bytes) -> "Ensemble":
    from .ensemble import Ensemble

    arrays = _arrays(header, body)
    arrays["q"] = arrays["ends"][:, :header["coordinates"]]
    return Ensemble(None, header["summary"], header["columns"], header["failures"], arrays)


def _result(header: "Dict[str, Any]", body: bytes) -> "Result":
    from .result import Result

    arrays = _arrays(header, body)
    columns = header["columns"]
    for key, block in (("coordinates", "q"), ("momenta", "p")):
        for k, name in enumerate(columns[key]):
            arrays.setdefault(name, arrays[block][:, k])
    return Result(None, header["summary"], columns, arrays, header.get("text", ""))
