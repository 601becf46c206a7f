"""What all tests share: how hypothesis runs, without deadlines and on CI always alike, and the site, built once.

Fresh examples are drawn on people's machines and by `make fuzz`, where a new finding meets somebody who can look at it.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")

ROOT = Path(__file__).parents[1]
SECONDS = 280


def build(target: Path) -> None:
    """Build the site; warnings are errors."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(target / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    (target / "failed.txt").write_text(done.stderr if done.returncode else "")
    (target / "done").touch()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built pages."""
    for package in ("sphinx", "myst_nb", "furo"):
        pytest.importorskip(package, reason="the site needs the docs group")
    base = tmp_path_factory.getbasetemp()
    target = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "lanewise-site"
    try:
        target.mkdir()
    except FileExistsError:  # another worker builds it
        waited_since = time.monotonic()
        while not (target / "done").exists() and time.monotonic() - waited_since < SECONDS:
            time.sleep(0.2)
    else:
        build(target)
    failure = (target / "failed.txt").read_text()
    assert not failure, failure
    return target / "html"
