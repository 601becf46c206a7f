"""The README's commands are there and do what it says; its Python examples run as doctests."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [
    shlex.split(line.removeprefix("$ "), comments=True)
    for block in BLOCKS
    for line in block.splitlines()
    if line.startswith("$ ")
]


def commands(name: str) -> list[list[str]]:
    return [words for words in COMMANDS if words[0] == name]


@pytest.mark.parametrize("words", commands("gpuemu"), ids=shlex.join)
def test_gpuemu_command_answers(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True)
    expected = 1 if words[1] == "check" else 0  # the README's formula is a wrong one
    assert done.returncode == expected, done.stderr
    assert done.stdout


@pytest.mark.parametrize("words", commands("make"), ids=shlex.join)
def test_make_target_is_there(words: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [word for word in words[1:] if "=" not in word]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_what_pip_installs_is_defined() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for words in commands("pip"):
        extras = re.findall(r"\[(.*?)\]", words[-1])
        assert extras
        assert set(extras) <= set(project["optional-dependencies"])


def test_every_command_is_of_a_kind_that_is_tested() -> None:
    assert COMMANDS
    assert {words[0] for words in COMMANDS} <= {"gpuemu", "make", "pip", "jupyter"}
    assert all((ROOT / words[-1]).is_dir() for words in commands("jupyter"))
