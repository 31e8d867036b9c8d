"""The notebooks of docs/notebooks run from top to bottom, and show what they promise."""

import glob
import os

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOKS = sorted(glob.glob(os.path.join(ROOT, "docs", "notebooks", "*.ipynb")))


def shown(notebook, kind):
    return [output["data"][kind] for cell in notebook.cells for output in cell.get("outputs", [])
            if kind in output.get("data", {})]


def executed(path, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.path.join(ROOT, "python"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    assert not shown(notebook, "text/plain"), "a notebook is kept without its outputs"
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    return notebook


def test_there_are_five():
    assert len(NOTEBOOKS) == 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=os.path.basename)
def test_notebook(path, tmp_path, monkeypatch):
    notebook = executed(path, tmp_path, monkeypatch)
    assert shown(notebook, "text/html"), "a notebook shows tables and figures"
    if os.path.basename(path) == "pendulum.ipynb":
        assert any("<svg" in page for page in shown(notebook, "text/html"))
        assert any("srcdoc=" in page for page in shown(notebook, "text/html"))
        assert any("aligned" in page for page in shown(notebook, "text/latex"))


def test_a_notebook_that_is_wrong_fails(tmp_path, monkeypatch):
    from nbclient.exceptions import CellExecutionError

    path = tmp_path / "wrong.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("assert 1 == 2")]), str(path))
    with pytest.raises(CellExecutionError):
        executed(str(path), tmp_path, monkeypatch)
