"""The commands of docs/tutorials print what the pages show, timing figures and pure rounding aside."""

import doctest
import glob
import os
import re
import subprocess

import pytest
from conftest import ROOT

PAGES = sorted(glob.glob(os.path.join(ROOT, "docs", "tutorials", "*.md")))
FILE = re.compile(r"`([\w-]+\.toml)`[^`]*?```toml\n(.*?)```", re.S)


def commands_of(text):
    """Commands, and the lines that they print; a line of dots stands for lines left out."""
    found, inside = [], False
    for line in text.splitlines():
        if line.startswith("    $ ./taut "):
            found.append((line[13:], []))
            inside = True
        elif line.startswith("    ") and inside and not line.startswith("    $ "):
            found[-1][1].append(line[4:].rstrip())
        elif line:
            inside = False
    return found


def without_timing(line):
    line = re.sub(r"in [0-9.]+ s \([0-9.e+]+ steps/s\)", "in # s", line)
    line = re.sub(r"in [0-9.]+ s\b.*", "in # s", line)
    line = re.sub(r"[0-9.]+ +done", "# done", line)
    return re.sub(r" +", " ", re.sub(r"-?[0-9.]+e-1[3-9]", "#", line)).strip()


@pytest.mark.parametrize("page", PAGES, ids=os.path.basename)
def test_tutorial(page, tmp_path):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for name, model in FILE.findall(text):
        (tmp_path / name).write_text(model)
    commands = commands_of(text)
    assert commands, "the page shows commands"
    for command, lines in commands:
        ran = subprocess.run(f"'{os.environ['TAUT_PROGRAM']}' {command}", shell=True, cwd=tmp_path, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        printed = [without_timing(line) for line in ran.stdout.splitlines() if line.strip()]
        at, skip = 0, False
        for line in lines:
            if not line.strip():
                continue
            if line.strip() == "...":
                skip = True
                continue
            wanted = without_timing(line)
            while skip and at < len(printed) and printed[at] != wanted:
                at += 1
            skip = False
            assert at < len(printed) and printed[at] == wanted, f"./taut {command}\nshown:   {line}\nprinted:\n{ran.stdout}"
            at += 1


@pytest.mark.parametrize("page", PAGES, ids=os.path.basename)
def test_its_lines_of_python(page):
    assert doctest.testfile(page, module_relative=False).failed == 0
