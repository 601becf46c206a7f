"""The lane explorer: walked by keyboard, pointed at, played, light and dark; Python and browser agree."""

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from notebook_file import PAINTED, write_notebook
from playwright.sync_api import Locator, Page, expect

from gpuemu.widgets import LaneExplorer

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "10_tensor_core_lanes.ipynb"
WATCHED = """
import gpuemu
from ipywidgets import HTML, VBox
seen, explorer = HTML(), gpuemu.explore("CUDA")
explorer.observe(lambda _: setattr(seen, "value", f"{explorer.instruction} {explorer.selection} {explorer.operand}"))
VBox([seen, explorer])
"""
pytestmark = pytest.mark.browser


def explorer(page: Page) -> Locator:
    found = page.locator(".lanewise.lx").first
    found.wait_for()
    found.scroll_into_view_if_needed()
    found.locator(".hit").first.wait_for(state="attached")
    return found


def grid(root: Locator, name: str) -> Locator:
    return root.locator(f'.hit[data-grid="{name}"]')


def middle(root: Locator, name: str, row: int, column: int) -> tuple[float, float]:
    cell = root.evaluate(f"root => root.laneExplorer.rect('{name}', {row}, {column})")
    return cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2


def point_at(page: Page, root: Locator, name: str, row: int, column: int) -> None:
    """Move the mouse to a cell of a grid: A, B, C, or the registers RA, RB, RC."""
    grid(root, name).scroll_into_view_if_needed()
    page.mouse.move(*middle(root, name, row, column))


def says(root: Locator, title: str, sentence: str) -> None:
    expect(root.locator(".head")).to_contain_text(title)
    expect(root.locator(".sub")).to_have_text(sentence)


def test_notebook_10_is_walked_and_played(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(NOTEBOOK)
    root = explorer(page)
    says(root, "C[3, 6]", "Lane 15 holds it as c0, register r0.")  # a later cell sets the selection

    grid(root, "C").focus()
    page.keyboard.press("ArrowDown")
    says(root, "C[4, 6]", "Lane 19 holds it as c0, register r0.")
    page.keyboard.press("ArrowRight")
    says(root, "C[4, 7]", "Lane 19 holds it as c1, register r1.")
    expect(root.locator("[aria-live]")).to_have_text("C[4, 7]. Lane 19 holds it as c1, register r1.")
    expect(root.locator(".holds")).to_contain_text("4,6  4,7  12,6  12,7")

    page.keyboard.press("r")  # from the matrix to the register of the same element
    page.keyboard.press("ArrowRight")
    says(root, "C[12, 6]", "Lane 19 holds it as c2, register r2.")
    page.keyboard.press("r")
    root.screenshot(path=tmp_path / "walked.png")
    page.keyboard.press("Escape")
    expect(root.locator(".head")).to_have_text("C[m, n] = Σ A[m, k] · B[k, n]")
    assert page.locator(".jp-mod-editMode").count() == 0  # no key went to the notebook


def test_python_and_browser_agree(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(write_notebook(tmp_path / "agree.ipynb", WATCHED, "explorer"))
    root = explorer(page)
    other = page.locator(".lanewise.lx").nth(1)
    other.wait_for()

    point_at(page, root, "A", 3, 10)
    says(root, "A[3, 10]", "Lane 13 holds it as a4, register r2, bits 15:0.")
    expect(page.get_by_text("m16n8k16.f32.f16 (3, 0, 10) a")).to_be_visible()
    expect(other.locator(".head")).to_contain_text("A[3, 10]")  # two views of one widget

    root.get_by_role("radio", name="yours").click()
    root.get_by_label("your m of C").fill("lane // 4 + 8 * (i % 2)")
    expect(root.locator(".yours .bad")).to_have_text("One of the coordinates is not given yet.")
    root.get_by_label("your n of C").fill("2 * (lane % 4) + i % 2")
    expect(root.locator(".yours .bad")).to_have_text("Departs in 64 of 128 places.")
    expect(root.locator(".verdict")).to_contain_text("First at lane 0, element 1 (r1): it holds C[8, 1]")
    root.screenshot(path=tmp_path / "yours.png")
    root.get_by_label("your m of C").fill("lane // 4 + 8 * (i // 2)")
    expect(root.locator(".verdict")).to_have_text("Right, all 128 places.")

    root.get_by_label("Vendor").select_option("AMD")
    expect(root.locator(".facts")).to_have_text("gfx908 · CDNA1 · 64 lanes")
    expect(root.locator("optgroup[label='gfx1100 · RDNA3']")).to_have_count(1)
    root.get_by_label("Instruction").select_option("gfx942.mfma_f32_32x32x8_f16")
    expect(root.locator(".facts")).to_have_text("gfx942 · CDNA3 · 64 lanes")
    point_at(page, root, "C", 5, 3)
    says(root, "C[5, 3]", "Lane 35 holds it as element 1, register v1.")
    expect(page.get_by_text("gfx942.mfma_f32_32x32x8_f16 (5, 3, 0) c")).to_be_visible()

    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_text("Restart Kernel…", exact=True).click()
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    expect(root.locator(".facts")).to_have_text("not connected to Python")
    point_at(page, root, "C", 0, 31)  # the drawing still answers
    says(root, "C[0, 31]", "Lane 31 holds it as element 0, register v0.")


def test_duplicates_in_the_dark(open_file: Callable[..., Page], tmp_path: Path) -> None:
    page = open_file(LaneExplorer("HSA").save(tmp_path / "hsa.html"), theme="dark")
    root = explorer(page)
    expect(root).to_have_attribute("data-theme", "dark")
    point_at(page, root, "A", 5, 3)
    says(root, "A[5, 3]", "Lane 5 holds it as element 3, register v1, bits 31:16; lane 21 holds a copy.")
    root.screenshot(path=tmp_path / "duplicates.png")
    grid(root, "A").focus()
    page.keyboard.press("d")
    says(root, "A[5, 3]", "Lane 21 holds it as element 3, register v1, bits 31:16; lane 5 holds a copy.")
    page.keyboard.press("2")
    expect(root.get_by_role("radio", name="register")).to_have_attribute("aria-checked", "true")


def test_one_element_of_c_is_played(open_file: Callable[..., Page], tmp_path: Path) -> None:
    page = open_file(LaneExplorer("m16n8k16", selection=(12, 6, 0)).save(tmp_path / "play.html"))
    root = explorer(page)
    grid(root, "C").focus()
    page.keyboard.press("Space")
    expect(root.locator(".sub")).to_contain_text("Step k = 3: lane 17 gives A[12, 3], lane 25 gives B[3, 6].")
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    grid(root, "C").focus()
    root.locator(".ledger").focus()
    page.keyboard.press("Home")
    page.keyboard.press("]")
    expect(root.locator(".sub")).to_contain_text("Step k = 1")
    expect(root.locator(".ledger")).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("3")
    expect(root.get_by_role("radio", name="k", exact=True)).to_have_attribute("aria-checked", "true")


def test_the_formula_is_shown_in_every_notation(open_file: Callable[..., Page], tmp_path: Path) -> None:
    page = open_file(LaneExplorer("m16n8k16", selection=(3, 0, 10), operand="a").save(tmp_path / "notations.html"))
    root = explorer(page)
    for notation, text in {
        "Python": "= 13//4 + 4//2%2*8 = 3 + 0 = 3",
        "C": "= lane%4*2 + i/4*8 + i%2;",
        "view": "stride",
        "back": "lane = m%8*4 + k//2%4",
        "movement": "permute 1 3 2 0 4",
        "CuTe": "((4,8),(2,2,2)):((32,1),(16,8,128))",
        "F2": "register = [[0, 1], [8, 0], [0, 8]]",
        "SymPy": "FloorDiv(lane, 4)",
    }.items():
        root.get_by_role("radio", name=notation, exact=True).click()
        expect(root.locator("pre")).to_contain_text(text)


@pytest.mark.parametrize(("theme", "width"), [("light", 1000), ("dark", 700)])
def test_axe_finds_nothing(
    open_file: Callable[..., Page], violations: Callable[[Page], list[str]], tmp_path: Path, theme: str, width: int
) -> None:
    wrong = ["lane // 4 + 8 * (i % 2)", "2 * (lane % 4) + i % 2"]
    page = open_file(LaneExplorer("m16n8k16", formula=wrong).save(tmp_path / "axe.html"), theme=theme, width=width)
    root = explorer(page)
    assert violations(page) == []
    grid(root, "C").focus()
    page.keyboard.press("ArrowDown")
    assert violations(page) == []
    root.get_by_role("radio", name="Python").click()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    root.screenshot(path=tmp_path / "axe.png")


@pytest.mark.parametrize("width", [560, 700, 853, 1000])
@pytest.mark.parametrize("target", ["CUDA", "HSA"])
def test_every_notation_can_be_clicked(open_file: Callable[..., Page], tmp_path: Path, target: str, width: int) -> None:
    page = open_file(LaneExplorer(target, selection=(3, 6, 0)).save(tmp_path / "tabs.html"), width=1100)
    root = explorer(page)
    root.evaluate("(root, width) => { root.style.width = `${width}px`; }", width)
    page.wait_for_function(
        "width => document.querySelector('.lx').laneExplorer.view.layout.width === width - 28", arg=width
    )
    covered = root.evaluate("""root => [...root.querySelectorAll('.foot [role="radio"]')].filter((tab) => {
        tab.scrollIntoView({ block: "center" });
        const b = tab.getBoundingClientRect();
        return b.width && document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2) !== tab;
    }).map((tab) => tab.textContent)""")
    assert covered == []
    root.get_by_role("radio", name="CuTe").click()
    wide = root.evaluate("root => [root, root.querySelector('pre')].map((part) => part.scrollWidth - part.clientWidth)")
    assert wide == [0, 0]
    if width == 560:
        root.screenshot(path=tmp_path / f"narrow-{target}.png")
    root.get_by_role("radio", name="yours").click()
    expect(root.get_by_label("your m of C")).to_have_attribute("placeholder", "row, from lane and i")


def test_a_move_paints_little_on_the_largest_tile(
    open_file: Callable[..., Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_file(LaneExplorer("m64n256k16.f32.f16").save(tmp_path / "large.html"))
    root = explorer(page)
    point_at(page, root, "C", 20, 77)
    says(root, "C[20, 77]", "Lane 50 holds it as c37, register r37.")
    root.screenshot(path=tmp_path / "largest.png")
    ends = root.evaluate(PAINTED, [middle(root, "C", 20 + j, 70 + 3 * j) for j in range(25)])
    moves = root.evaluate("root => root.laneExplorer.view.moves.slice(-25)")
    with capsys.disabled():
        sys.stdout.write(
            f"\nwgmma m64n256: a move takes {median(moves):.1f} ms of script, at most {max(moves):.1f}; "
            f"from the event to after the paint {median(ends):.1f}, at most {max(ends):.1f}\n"
        )
    assert root.evaluate("root => root.laneExplorer.view.painted") < 400  # of 33,792 cells
    point_at(page, root, "B", 0, 77)
    says(root, "B[0, 77]", "It lies in shared memory: no lane holds it.")
