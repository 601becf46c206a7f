"""JupyterLab in headless Chromium, for the tests that touch what a person touches.

The tests skip, with the reason, where Chromium is missing; under `CI=true` a missing Chromium is an error.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

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
EXERCISES = Path(__file__).parents[2] / "notebooks" / "exercises"
SECONDS_TO_START = 150
PATIENCE = 45_000
"""Milliseconds that anything may take to appear: the machine may be slow, shared, and busy."""
QUIET = '{"fetchNews": "false", "checkForUpdates": false, "doNotDisturbMode": true}'  # no question over the notebook

expect.set_options(timeout=PATIENCE)


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


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """What the pages share: JupyterLab's scripts, read once; 1300 × 1000 px."""
    shared = browser.new_context(viewport={"width": 1300, "height": 1000})
    shared.set_default_timeout(PATIENCE)
    yield shared
    shared.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A fresh page; it closes after the test. An error of its scripts fails the test."""
    opened, errors = context.new_page(), []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.close()
    assert not errors


@pytest.fixture
def open_file(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`open_file(path, theme="light", width=1000)` opens an HTML file: an explorer without kernel and notebook.

    `watch` is a script that runs before the page's own.
    """
    contexts, errors = [], []

    def opened(path: Path, *, theme: Literal["light", "dark"] = "light", width: int = 1000, watch: str = "") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.add_init_script(watch)
        page.goto(path.as_uri())
        page.locator(".hit").first.wait_for(state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors


@pytest.fixture(scope="session")
def violations() -> Callable[[Page], list[str]]:
    """`violations(page)`: what axe finds wrong with the page, a line each."""
    axe = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")

    def found(page: Page) -> list[str]:
        page.evaluate(axe)
        results = page.evaluate("axe.run()")
        return [f"{v['id']}: {node['html'][:160]}" for v in results["violations"] for node in v["nodes"]]

    return found


@dataclass(frozen=True)
class Lab:
    """A JupyterLab that serves a folder."""

    address: str
    folder: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab for all tests of this process, with settings of its own."""
    settings, folder = tmp_path_factory.mktemp("settings"), tmp_path_factory.mktemp("notebooks")
    runtime = Path(tempfile.mkdtemp(prefix="lab"))  # holds sockets, whose paths may have some 100 letters at most
    notification = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    notification.parent.mkdir(parents=True)
    notification.write_text(QUIET)
    port, log = free_port(), settings / "jupyter.log"
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(settings / "config"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "IPYTHONDIR": str(settings / "ipython"),
    }
    command = [
        sys.executable,
        *("-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"),
        *("--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--LabApp.user_settings_dir={settings}"),
        *(f"--ServerApp.root_dir={folder}", "--ServerApp.disable_check_xsrf=True"),  # so that a test may stop kernels
    ]
    if os.name != "nt":
        command.append("--KernelManager.transport=ipc")  # kernels that start at once cannot choose the same port
    with log.open("w") as out:
        server = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    end = time.monotonic() + SECONDS_TO_START
    try:
        while not answers(address):
            if server.poll() is not None or time.monotonic() > end:
                pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.25)
        yield Lab(address, folder)
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        shutil.rmtree(runtime, ignore_errors=True)


def answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address + "/api", timeout=1).close()  # noqa: S310 - our own server
    except OSError:
        return False
    return True


@pytest.fixture
def open_notebook(page: Page, lab: Lab, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """`open_notebook(path, run=True, theme="light")` opens a copy of a notebook in JupyterLab and runs its cells."""

    def opened(notebook: Path, *, run: bool = True, theme: str = "light") -> Page:
        folder = lab.folder / request.node.name
        folder.mkdir(exist_ok=True)
        shutil.copy(notebook, folder)
        shutil.copytree(
            EXERCISES, folder / EXERCISES.name, dirs_exist_ok=True
        )  # where a notebook finds them: beside it
        workspace = f"{lab.address}/lab/workspaces/{request.node.name}"  # its own: nothing is open from another test
        page.goto(f"{workspace}/tree/{request.node.name}/{notebook.name}?reset", timeout=2 * PATIENCE)
        page.locator("body[data-jp-theme-light]").wait_for(state="attached", timeout=2 * PATIENCE)
        page.get_by_text("| Idle").wait_for(timeout=2 * PATIENCE)  # before it, running asks to "Select Kernel"
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        choose_theme(page, theme)
        if run:
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).first.click()
        return page

    yield opened
    stop_kernels(lab.address)


def choose_theme(page: Page, theme: str) -> None:
    """The server keeps the theme, so a test asks for its own, whatever the last one had."""
    light = str(theme == "light").lower()
    if page.locator("body").get_attribute("data-jp-theme-light") == light:
        return
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.get_by_text("Theme", exact=True).first.hover()
    page.get_by_text(f"JupyterLab {theme.title()}", exact=True).click()
    page.locator(f"body[data-jp-theme-light={light}]").wait_for(state="attached")


def stop_kernels(address: str) -> None:
    with urllib.request.urlopen(f"{address}/api/sessions") as found:  # noqa: S310 - our own server
        sessions = json.load(found)
    for session in sessions:
        stop = urllib.request.Request(f"{address}/api/sessions/{session['id']}", method="DELETE")  # noqa: S310
        with contextlib.suppress(OSError):  # one that is just restarting; it ends with the server
            urllib.request.urlopen(stop).close()  # noqa: S310
