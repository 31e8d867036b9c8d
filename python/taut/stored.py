"""What a run left in its folder, read without the library, and how it goes on: docs/guide/trajectory-file.md."""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from ._library import FAILED, STOPPED, call, encode, last_error, path_of, taken
from .errors import Interrupted, ModelError, SolveFailed
from .progress import Progress, Watching
from .result import Result

if TYPE_CHECKING:
    from .arrays import Doubles

__all__ = ["load", "resume"]

_MARK = b"\x89taut\r\n\x1a" + struct.pack("<II", 2, 1)
_HEADER = struct.Struct("<4sIQQQII")
_FIXED = ["energy", "position_residual", "momentum_residual"]  # behind the momenta


def load(folder: Any) -> Result:
    """The samples and the summary that ``run(out=folder)``, or ``taut run --out``, has kept.

    A binary trajectory is mapped into memory, and its rows are copied once into arrays. Of a run that was killed, or goes on,
    this gives what is whole; damage is refused.

    >>> import taut, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     r = taut.Model("pendulum").run(steps=100, every=10, out=folder)
    ...     again = taut.load(folder)
    >>> bool((again.q == r.q).all()), again.summary["steps"], again.coordinates
    (True, 100, ['x', 'y'])
    """
    place = path_of(folder, "load")
    if os.path.exists(os.path.join(place, "ensemble.json")):
        raise ModelError(f"{place} holds an ensemble: `taut export {place} --npy --out ends.npy` makes an array of it")
    if os.path.exists(os.path.join(place, "sampling.json")):
        raise ModelError(f"{place} holds draws: `taut export {place} --npy --out draws.npy` makes an array of them")
    binary, text = (os.path.join(place, name) for name in ("trajectory.taut", "samples.csv"))
    if os.path.exists(binary):
        names, coordinates, table, head = _binary(binary)
    elif os.path.exists(text):
        names, coordinates, table, head = _csv(text)
    else:
        raise ModelError(f"{place} holds no samples of a run: there is neither trajectory.taut nor samples.csv")
    try:
        with open(os.path.join(place, "summary.json"), encoding="utf-8") as file:
            written = file.read()
        summary: Dict[str, Any] = json.loads(written)
    except FileNotFoundError:
        written = ""
        summary = {**head, "error": "the run has not come to its end: this is what it has written so far"}
    n = len(coordinates)
    momenta, more = names[1 + n:1 + 2*n], names[1 + 2*n + len(_FIXED):]
    # Columns have their places: a coordinate may have the name of another column.
    arrays: Dict[str, Any] = {name: table[:, 1 + 2*n + len(_FIXED) + k] for k, name in enumerate(more)}
    arrays.update(t=table[:, 0], q=table[:, 1:1 + n], p=table[:, 1 + n:1 + 2*n], energy=table[:, 1 + 2*n],
                  residual=table[:, 2 + 2*n:4 + 2*n])
    return Result(None, summary, {"coordinates": coordinates, "momenta": momenta, "columns": more}, arrays, written)


def resume(folder: Any, *, previous: bool = False, new_samples: bool = False, checkpoint_every: Optional[float] = None,
           on_failure: Optional[str] = None, on_jump: Optional[str] = None, threads: Optional[int] = None,
           backend: Optional[str] = None, progress: Progress = None) -> Result:
    """Goes on with a run that was killed, stopped or failed, to the bits of one that was not, as ``taut resume``.

    ``folder`` is the ``out`` of the run. The result has all samples of it, those from before too. ``previous`` begins at the
    checkpoint before the last one, ``new_samples`` puts a damaged file of samples aside, ``on_failure="halve"`` takes a step
    that fails in parts.

    Raises SolveFailed and KeyboardInterrupt as :meth:`taut.Model.run` does, with ``.result``.

    >>> import taut, tempfile
    >>> model, folder = taut.Model("pendulum"), tempfile.mkdtemp()
    >>> def stop(fraction, seconds_left):
    ...     raise KeyboardInterrupt
    >>> try:
    ...     r = model.run(steps=2*10**6, every=10**4, backend="interpret", out=folder, progress=stop)
    ... except KeyboardInterrupt:
    ...     r = taut.resume(folder)
    >>> len(r), r.summary["steps"]
    (201, 2000000)
    """
    asked = {"previous": previous or None, "new-samples": new_samples or None, "checkpoint-every": checkpoint_every,
             "on-failure": on_failure, "on-jump": on_jump, "threads": threads, "backend": backend}
    options = encode(json.dumps({key: value for key, value in asked.items() if value is not None}))
    text = c_void_p()
    with Watching(progress, "resume") as watching:
        status = call("taut_run_resume", encode(path_of(folder, "resume")), options, byref(watching.watch), byref(text))
    sentence = last_error() if status in (FAILED, STOPPED) else ""
    if not taken(text):  # it had not begun
        raise (Interrupted if watching.interrupted else SolveFailed)(sentence)
    result = load(folder)
    if watching.interrupted:
        raise Interrupted(sentence or "stopped at the end of the run", result)
    if status in (FAILED, STOPPED):
        raise SolveFailed(sentence, result)
    return result


def _listed(items: "List[Any]") -> "Iterator[str]":
    for item in items:
        if isinstance(item, str):
            yield item
        else:
            yield from (stem + str(k) for k in range(item["from"], item["from"] + item["count"]) for stem in item["each"])


def _binary(path: str) -> "Tuple[List[str], List[str], Doubles, Dict[str, Any]]":
    import numpy as np

    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if file.read(len(_MARK)) != _MARK:
            raise ModelError(f"{path} is no trajectory of this layout")
        data = memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
    head: Dict[str, Any] = {}
    names: List[str] = []
    parts: List[Any] = []
    at, number = len(_MARK), 0
    while at + _HEADER.size <= size:
        tag, packed, given, stored, whole, crc, header_crc = _HEADER.unpack_from(data, at)
        body = data[at + _HEADER.size:at + _HEADER.size + stored]
        if zlib.crc32(data[at:at + _HEADER.size - 4]) != header_crc or given != number:
            raise ModelError(f"{path} is damaged at byte {at}: `taut show` says what can be read")
        if len(body) < stored:
            break  # the chunk that was being written
        if zlib.crc32(body) != crc:
            raise ModelError(f"{path} is damaged between the bytes {at} and {at + stored}: `taut show` says what can be read")
        at, number = at + _HEADER.size + stored, number + 1
        if packed:
            body = memoryview(_unpacked(zlib.decompress(body), whole))
        if tag == b"HEAD":
            head = json.loads(bytes(body))
            names = list(_listed(head["columns"]))
        elif tag == b"ROWS":
            parts.append(np.frombuffer(body, dtype="<f8", offset=16).reshape(-1, len(names)))
    if not names:
        raise ModelError(f"{path} has no beginning that is whole")
    table: Doubles = parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, len(names))), *parts])
    table.flags.writeable = False
    about = {key: head[key] for key in ("title", "method", "step", "every") if key in head}
    return names, list(_listed(head["coordinates"])), table, {"model": head["model"], **about}


def _unpacked(planes: bytes, size: int) -> bytes:
    """Words of 8 bytes from their first bytes, their second bytes, and so on."""
    import numpy as np

    words = size // 8
    body = np.frombuffer(planes, dtype=np.uint8, count=8*words).reshape(8, words).T.tobytes()
    return body + planes[8*words:]


def _csv(path: str) -> "Tuple[List[str], List[str], Doubles, Dict[str, Any]]":
    import numpy as np

    with open(path, encoding="utf-8") as file:
        names = file.readline().rstrip("\n").split(",")
        lines = [line for line in file if line.endswith("\n")]  # the last one may be half written
    n = next((k for k in range(len(names)//2) if names[1 + 2*k:4 + 2*k] == _FIXED), 0)
    if names[0] != "t" or n == 0:
        raise ModelError(f"{path} has no columns of a run in its first line")
    try:
        table: Doubles = np.loadtxt(lines, delimiter=",", ndmin=2) if lines else np.empty((0, len(names)))
    except ValueError as error:
        raise ModelError(f"{path} is damaged: {error}") from None
    if table.shape[1] != len(names):
        raise ModelError(f"{path} has rows of {table.shape[1]} numbers and {len(names)} names")
    table.flags.writeable = False
    return names, names[1:1 + n], table, {}
