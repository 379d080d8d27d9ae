"""pack.py says of the package what maturin says of it, which wrote neither: what `scripts/wheel` makes, and who installs from the sources,
is described as what the gate tests."""

import os
import subprocess
import sys
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest

PYTHON = Path(os.environ["WAVEPIPE_SOURCE"]) / "python"
INSTALLED = distribution("wavepipe")


@pytest.fixture(scope="module")
def maturins(tmp_path_factory):
    """The dist-info that maturin makes of pyproject.toml and Cargo.toml, without a build."""
    folder = tmp_path_factory.mktemp("maturin")
    maturin = [str(Path(sys.executable).with_name("maturin")), "pep517", "write-dist-info", "--interpreter", sys.executable]
    run = subprocess.run([*maturin, "--metadata-directory", str(folder)], cwd=PYTHON, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    made, = folder.iterdir()
    assert made.name == f"wavepipe-{INSTALLED.version}.dist-info"
    return made


def paper(text, but=()):
    """Its fields, and what is below them."""
    paper = Parser().parsestr(text)
    return sorted((k, v) for k, v in paper.items() if k not in but), paper.get_payload().strip()


def test_the_package_is_described_as_maturin_does(maturins):
    assert paper(INSTALLED.read_text("METADATA")) == paper((maturins / "METADATA").read_text())


def test_the_wheel_is_for_whom_maturins_is(maturins):
    ours, theirs = (paper(text, but=["Generator"]) for text in (INSTALLED.read_text("WHEEL"), (maturins / "WHEEL").read_text()))
    assert ours == theirs


def test_pytest_finds_the_plugin_either_way(maturins):
    def points(text):
        return {line.replace(" ", "") for line in text.splitlines() if line}

    assert points(INSTALLED.read_text("entry_points.txt")) == points((maturins / "entry_points.txt").read_text())
