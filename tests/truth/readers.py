"""Readers of what taut writes, after the documents of each format: nothing here is shared with the program.
"""
import ast
import os
import re
import struct
import subprocess
import tempfile
import zlib
import json


class Damaged(Exception):
    pass


def csv(text):
    lines = text.split("\n")
    rows = [[float(word) for word in line.split(",")] for line in lines[1:] if line]
    return lines[0].split(","), rows


def names(items):
    for item in items:
        if isinstance(item, str):
            yield item
        else:
            yield from (
                stem + str(k)
                for k in range(item["from"], item["from"] + item["count"])
                for stem in item["each"]
            )


def trajectory(data):
    """trajectory.taut, plain or compressed."""
    if data[:8] != b"\x89taut\r\n\x1a" or struct.unpack("<II", data[8:16]) != (2, 1):
        raise Damaged("no trajectory")
    at, columns, rows, done = 16, None, [], None
    for number in range(len(data)):
        if at == len(data):
            break
        tag, packed, index, stored, size, crc, header_crc = struct.unpack("<4sIQQQII", data[at : at + 40])
        body = data[at + 40 : at + 40 + stored]
        if zlib.crc32(data[at : at + 36]) != header_crc or zlib.crc32(body) != crc or index != number:
            raise Damaged("chunk %d" % number)
        if packed:
            body = gathered(zlib.decompress(body), size)
        if tag == b"HEAD":
            columns = list(names(json.loads(body)["columns"]))
        elif tag == b"ROWS":
            first, count = struct.unpack("<QQ", body[:16])
            if first != len(rows):
                raise Damaged("samples are missing")
            rows += [list(row) for row in struct.iter_unpack("<%dd" % len(columns), body[16:])]
            if len(rows) != first + count:
                raise Damaged("wrong number of samples")
        elif tag == b"DONE":
            done = json.loads(body)["samples"]
        at += 40 + stored
    if done != len(rows):
        raise Damaged("the end is missing")
    return columns, rows


def gathered(body, size):
    """Puts the bytes of each word together again."""
    words = size // 8
    planes = [body[b * words : (b + 1) * words] for b in range(8)]
    return bytes(byte for word in zip(*planes) for byte in word) + body[8 * words :]


def npy(data):
    if data[:6] != b"\x93NUMPY":
        raise Damaged("no array")
    length = struct.unpack("<H", data[8:10])[0] if data[6] == 1 else struct.unpack("<I", data[8:12])[0]
    begin = (10 if data[6] == 1 else 12) + length
    head = ast.literal_eval(data[begin - length : begin].decode())
    if head["descr"] != "<f8" or head["fortran_order"] or begin % 16:
        raise Damaged("another kind of array")
    rows, columns = head["shape"]
    values = struct.unpack("<%dd" % (rows * columns), data[begin:])
    return [list(values[columns * r : columns * (r + 1)]) for r in range(rows)]


def xyz(text):
    """Extended XYZ: a list of frames, each with its comment and its columns by name."""
    lines, frames, at = text.split("\n"), [], 0
    while at < len(lines) and lines[at]:
        count, comment = int(lines[at]), lines[at + 1]
        keys = {k: v.strip('"') for k, v in re.findall(r'(\w+)=("[^"]*"|\S+)', comment)}
        words = [line.split() for line in lines[at + 2 : at + 2 + count]]
        frame, column, parts = {"keys": keys}, 0, keys["Properties"].split(":")
        for name, kind, width in zip(parts[::3], parts[1::3], map(int, parts[2::3])):
            convert = float if kind == "R" else str
            frame[name] = [[convert(w) for w in row[column : column + width]] for row in words]
            column += width
        if any(len(row) != column for row in words):
            raise Damaged("columns")
        frames.append(frame)
        at += 2 + count
    return frames


def records(data):
    at = 0
    while at < len(data):
        size = struct.unpack("<i", data[at : at + 4])[0]
        if data[at + 4 + size : at + 8 + size] != data[at : at + 4]:
            raise Damaged("record")
        yield data[at + 4 : at + 4 + size]
        at += size + 8


def dcd(data):
    """The header's numbers, and for each frame its cell (or none) and its positions."""
    found = list(records(data))
    if found[0][:4] != b"CORD":
        raise Damaged("no DCD")
    head = struct.unpack("<9if10i", found[0][4:])
    count = struct.unpack("<i", found[2])[0]
    per_frame = 4 if head[10] else 3
    frames = []
    for k in range(3, len(found), per_frame):
        cell = struct.unpack("<6d", found[k]) if head[10] else None
        axes = [struct.unpack("<%df" % count, r) for r in found[k + per_frame - 3 : k + per_frame]]
        frames.append((cell, list(zip(*axes))))
    return {"frames": head[0], "first": head[1], "every": head[2], "steps": head[3], "step": head[9]}, frames


def h5(path, dataset, kind="d"):
    """The numbers of a dataset of HDF5, in the order of the file, and its shape; h5dump, of the library
    itself, reads it.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "raw")
        done = subprocess.run(
            ["h5dump", "-d", dataset, "-b", "LE", "-o", out, path], capture_output=True, text=True
        )
        if done.returncode:
            raise Damaged(done.stderr)
        shape = re.search(r"SIMPLE \{ \( ([\d, ]+) \)", done.stdout)
        with open(out, "rb") as raw:
            data = raw.read()
    return [int(n) for n in shape.group(1).split(",")], [v[0] for v in struct.iter_unpack("<" + kind, data)]


def h5_names(path):
    done = subprocess.run(["h5dump", "-n", path], capture_output=True, text=True)
    return set(re.findall(r"^ (?:dataset|group) +(\S+)", done.stdout, re.MULTILINE))
