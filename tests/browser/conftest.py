"""JupyterLab in headless Chromium, for the tests that touch what a person touches.

The tests skip, with the reason, where Chromium is missing; under `CI=true` a missing Chromium is an error.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
FLAGS = [
    "--no-sandbox",  # as root, as in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECONDS_TO_START = 150
QUIET = '{"fetchNews": "false", "checkForUpdates": false, "doNotDisturbMode": true}'  # no question over the notebook


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark this folder's tests, and skip them where there is no Chromium."""
    here = Path(__file__).parent
    for item in items:
        if here not in item.path.parents:
            continue
        item.add_marker(pytest.mark.browser)
        if CHROMIUM is None and os.environ.get("CI") != "true":
            item.add_marker(pytest.mark.skip(reason="needs Chromium (apt-get install chromium)"))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of this process."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page of 1300 × 1000 px; it closes after the test."""
    context = browser.new_context(viewport={"width": 1300, "height": 1000})
    yield context.new_page()
    context.close()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Callable[[Path], str]]:
    """`lab(folder)` serves the folder in JupyterLab, with settings of its own, and gives the address."""
    servers = []

    def start(folder: Path) -> str:
        port = free_port()
        settings = tmp_path / f"settings{port}"
        notification = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
        notification.parent.mkdir(parents=True)
        notification.write_text(QUIET)
        log = (settings / "jupyter.log").open("w")
        environment = {
            **os.environ,
            "JUPYTER_CONFIG_DIR": str(settings / "config"),
            "JUPYTER_RUNTIME_DIR": str(settings / "runtime"),
            "IPYTHONDIR": str(settings / "ipython"),
        }
        command = [
            sys.executable,
            *("-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"),
            *("--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--LabApp.user_settings_dir={settings}"),
            f"--ServerApp.root_dir={folder}",
        ]
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        servers.append((server, log))
        address = f"http://127.0.0.1:{port}"
        end = time.monotonic() + SECONDS_TO_START
        while True:
            try:
                urllib.request.urlopen(address + "/api", timeout=1).close()  # noqa: S310 - our own server
                return address
            except OSError:
                if server.poll() is not None or time.monotonic() > end:
                    pytest.fail(f"JupyterLab did not start:\n{Path(log.name).read_text()[-2000:]}")
                time.sleep(0.25)

    yield start
    for server, log in servers:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
        log.close()


@pytest.fixture
def open_notebook(page: Page, lab: Callable[[Path], str], tmp_path: Path) -> Callable[..., Page]:
    """`open_notebook(path, run=True, theme="light")` opens a copy of a notebook in JupyterLab and runs its cells."""

    def opened(notebook: Path, *, run: bool = True, theme: str = "light") -> Page:
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        shutil.copy(notebook, folder)
        address = lab(folder)
        page.goto(f"{address}/lab/tree/{notebook.name}?reset")
        page.get_by_text("| Idle").wait_for(timeout=90_000)  # running a cell earlier opens a "Select Kernel" dialog
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        if theme == "dark":
            page.get_by_role("menuitem", name="Settings", exact=True).click()
            page.get_by_text("Theme", exact=True).first.hover()
            page.get_by_text("JupyterLab Dark", exact=True).click()
            page.locator("body[data-jp-theme-light=false]").wait_for(state="attached")
        if run:
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).first.click()
        return page

    return opened
