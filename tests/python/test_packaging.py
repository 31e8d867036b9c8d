"""The recipes of packaging/ can be read, say whether they were tried, and build what this project has."""

import ast
import json
import os
import re
import shutil
import subprocess

import pytest
import yaml
from conftest import ROOT

FOLDER = os.path.join(ROOT, "packaging")
RECIPES = ["conda-forge/recipe.yaml", "spack/package.py", "vcpkg/vcpkg.json", "vcpkg/portfile.cmake", "homebrew/taut.rb",
           "debian/control", "debian/rules"]


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


CMAKE = text_of("CMakeLists.txt")
VERSION = re.search(r"project\(taut VERSION ([0-9.]+)", CMAKE)[1]


@pytest.mark.parametrize("recipe", RECIPES)
def test_its_first_line_says_whether_it_was_tried(recipe):
    lines = text_of("packaging/" + recipe).splitlines()
    first = lines[1] if lines[0].startswith("#!") else lines[0]
    said = re.search(r"\b(Tried|Untried): \w", first)
    assert said, first
    table = [line for line in text_of("packaging/README.md").splitlines() if f"`{recipe.split('/')[0]}`" in line]
    assert table and table[0].rstrip("| ").split("|")[-1].strip() == said[1].lower()


@pytest.mark.parametrize("recipe", RECIPES)
def test_its_options_and_targets_are_those_of_the_project(recipe):
    options = set(re.findall(r"\bTAUT_[A-Z_]+\b", text_of("packaging/" + recipe)))
    known = set(re.findall(r"(?:option|set)\((TAUT_[A-Z_]+)", CMAKE + text_of("cli/CMakeLists.txt")))
    assert options <= known, options - known


def test_conda_forge():
    recipe = yaml.safe_load(text_of("packaging/conda-forge/recipe.yaml"))
    assert recipe["context"]["version"] == VERSION and recipe["package"]["name"] == "taut"
    assert {"build", "host", "run"} == set(recipe["requirements"])


def test_spack():
    tree = ast.parse(text_of("packaging/spack/package.py"))
    (package,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    calls = [node.value for node in package.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    assert [ast.literal_eval(c.args[0]) for c in calls if c.func.id == "version"] == [VERSION]


def test_vcpkg(tmp_path):
    port = json.loads(text_of("packaging/vcpkg/vcpkg.json"))
    assert port["version"] == VERSION and port["license"] == "Apache-2.0"
    # CMake reads the whole file, and calls functions that do nothing.
    called = sorted(set(re.findall(r"^(vcpkg_\w+)\(", text_of("packaging/vcpkg/portfile.cmake"), re.M)))
    script = "".join(f"function({name})\nendfunction()\n" for name in called)
    script += f'set(CURRENT_PACKAGES_DIR "{tmp_path}")\ninclude("{FOLDER}/vcpkg/portfile.cmake")\n'
    (tmp_path / "try.cmake").write_text(script)
    subprocess.run(["cmake", "-P", str(tmp_path / "try.cmake")], check=True)
    assert "vcpkg_cmake_install" in called


def test_homebrew():
    text = text_of("packaging/homebrew/taut.rb")
    assert f'version "{VERSION}"' in text
    if shutil.which("ruby"):
        subprocess.run(["ruby", "-c", os.path.join(FOLDER, "homebrew", "taut.rb")], check=True, stdout=subprocess.DEVNULL)
    # Every block has its end, with or without a Ruby to ask.
    opened = re.findall(r"^ *(?:class|def|test do)\b", text, re.M)
    assert len(opened) == len(re.findall(r"^ *end$", text, re.M))


def test_debian():
    paragraphs = [p for p in re.sub(r"^#.*\n", "", text_of("packaging/debian/control"), flags=re.M).split("\n\n") if p.strip()]
    names = []
    for paragraph in paragraphs:
        fields = re.findall(r"^([A-Z][A-Za-z-]*): (.*)", paragraph, re.M)
        assert len(dict(fields)) == len(fields)
        names.append(dict(fields).get("Package", "source"))
    made = re.findall(r"^ *deb (\S+)", text_of("package"), re.M)
    assert names == ["source", *made], "the packages are those of ./package"
    needed = set(re.search(r"Build-Depends: (.*)", paragraphs[0])[1].split(", "))
    run = text_of("packages.txt").split("# [run]")[1].split("# [")[0]
    assert {line.split()[0] for line in run.splitlines() if line.strip()} <= needed
