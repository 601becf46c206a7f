"""The gallery: every instruction of the catalogue, with its picture and its notations; and the sheets to print."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from gpuemu import tensorcores
from gpuemu.drawing.copies import draw_memory_and_lanes
from gpuemu.drawing.lanes import draw_instruction
from gpuemu.drawing.sheet import sheet
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.notation import notations

NAMES = {
    "sm_70": "NVIDIA Volta (sm_70)",
    "sm_75": "NVIDIA Turing (sm_75)",
    "sm_80": "NVIDIA Ampere (sm_80)",
    "sm_89": "NVIDIA Ada (sm_89)",
    "sm_90": "NVIDIA Hopper (sm_90)",
    "sm_90a": "NVIDIA Hopper, wgmma (sm_90a)",
    "sm_120a": "NVIDIA Blackwell (sm_120a)",
    "gfx908": "AMD CDNA1 (gfx908)",
    "gfx90a": "AMD CDNA2 (gfx90a)",
    "gfx942": "AMD CDNA3 (gfx942)",
    "gfx1100": "AMD RDNA3 (gfx1100)",
    "gfx1200": "AMD RDNA4 (gfx1200)",
    "gfx1250": "AMD gfx1250",
    "apple7": "Apple simdgroup (apple7)",
    "apple10": "Apple neural accelerators (apple10)",
    "xe-hpg": "Intel Xe-HPG",
    "xe-hpc": "Intel Xe-HPC",
}
"""What the architectures are called; one that has no name here goes by its own."""
SHOWN = ("formula", "View", "CuTe layout", "F2 bases", "movement operations")
SHEETS = (
    ("m16n8k16.f32.f16", None, None),
    ("m16n8k8.f32.f16", None, None),
    ("m8n8k4.row.col.f32.f16", None, None),
    ("v_wmma_f32_16x16x16_f16", "gfx1100", 32),
    ("v_wmma_f32_16x16x16_f16", "gfx1200", 32),
    ("v_mfma_f32_16x16x16_f16", None, None),
    ("v_mfma_f32_32x32x8_f16", None, None),
    ("simdgroup.8x8x8", None, None),
    ("dpas.m8n8k16.f16", None, None),
)
"""Those that are worth a wall: name, architecture, lanes. `gpuemu sheet` makes one of any other."""


def write(folder: Path) -> None:
    """A page for each architecture, one for the copies, and their list."""
    folder.mkdir(exist_ok=True)
    catalogue = tensorcores.instructions()
    pages = []
    for arch in dict.fromkeys(instruction.arch for instruction in catalogue):
        found = [instruction for instruction in catalogue if instruction.arch == arch]
        _write_if_new(folder / f"{arch}.md", _page(folder, NAMES.get(arch, arch), alike(found)))
        pages.append(arch)
    _write_if_new(folder / "copies.md", _copies(folder))
    listed = "\n".join([*pages, "copies"])
    intro = (
        "# Gallery\n\nEvery instruction of the catalogue, drawn: which lane holds which element, and the map in every "
        "notation. Instructions whose lanes hold the same elements stand together. No picture and no formula here was "
        "drawn by hand: each is made from the lane map, and the notations are read back and compared with it.\n\n"
    )
    _write_if_new(folder / "index.md", f"{intro}```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n")


def alike(instructions: Iterable[Instruction]) -> list[list[Instruction]]:
    """Instructions in groups: those of one group hold the same elements in the same lanes.

    >>> groups = alike(tensorcores.instructions(arch="sm_80"))
    >>> [instruction.short_name for instruction in groups[0]]
    ['m16n8k8.f16.f16', 'm16n8k8.f32.f16', 'm16n8k8.f32.bf16']
    """
    groups: dict[tuple[object, ...], list[Instruction]] = {}
    for instruction in instructions:
        maps = tuple((operand, m.coordinates().tobytes(), m.elements) for operand, m in instruction.maps.items())
        groups.setdefault((instruction.m, instruction.n, instruction.k, instruction.blocks, *maps), []).append(
            instruction
        )
    return list(groups.values())


def _page(folder: Path, title: str, groups: Sequence[Sequence[Instruction]]) -> str:
    parts = [f"# {title}"]
    for group in groups:
        first = group[0]
        blocks = f", {first.blocks} blocks" if first.blocks > 1 else ""
        names = "\n".join(f"- `{instruction.name}`" for instruction in group)
        parts += [
            f"## {first.short_name}",
            f"{first.m}×{first.n}×{first.k}{blocks}, {first.lanes} lanes. Source of the map: {_plain(first.source)}.",
            names,
            _picture(folder, first),
            _notations(first),
        ]
    return "\n\n".join(parts) + "\n"


def _picture(folder: Path, instruction: Instruction) -> str:
    file = folder / f"{instruction.short_name}.svg"
    _write_if_new(file, draw_instruction(instruction).svg("light"))
    operands = ", ".join(operand.upper() for operand in instruction.maps if operand != "d")
    alt = f"{instruction.short_name}: the lane that holds each element of {operands}, and the elements of each lane"
    return _image(file, alt)


def _image(file: Path, alt: str) -> str:
    return f"```{{image}} {file.name}\n:alt: {alt}\n:class: lanes\n:loading: lazy\n```"


def _notations(instruction: Instruction) -> str:
    rows = []
    for operand, lane_map in instruction.maps.items():
        if operand == "d":
            continue
        found = {row.name: row for row in notations(lane_map)}
        lines = [f"{name}: {found[name].text}" for name in SHOWN if name in found and found[name].text]
        rows.append(f"{operand.upper()}\n" + "\n".join(_indented(line) for line in lines))
    return "```text\n" + "\n".join(rows) + "\n```"


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def _copies(folder: Path) -> str:
    parts = [
        "# ldmatrix and stmatrix",
        "Left of each matrix stands the lane that gives the address of the row, in each cell the lane that gets the "
        "element.",
    ]
    for copy in tensorcores.copy_instructions():
        file = folder / f"{copy.short_name}.svg"
        _write_if_new(file, draw_memory_and_lanes(copy).svg("light"))
        alt = f"{copy.short_name}: which lane gives the address of each row, and which lane gets each element"
        parts += [f"## {copy.short_name}", f"`{copy.name}`", _image(file, alt)]
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    """Without what Markdown would take for markup."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|$" else letter for letter in text).rstrip(".")


def _write_if_new(file: Path, text: str) -> None:
    """Sphinx builds anew what changed; so change only what is different."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def write_sheets(folder: Path) -> list[Path]:
    """The pages to print."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, arch, lanes in SHEETS:
        instruction = tensorcores.instruction(name, arch=arch, lanes=lanes)
        files.append(folder / f"{instruction.short_name}.html")
        _write_if_new(files[-1], sheet(instruction))
    for name in ("ldmatrix.x4", "ldmatrix.x2.trans"):
        files.append(folder / f"{name}.html")
        _write_if_new(files[-1], sheet(tensorcores.copy_instruction(name)))
    return files
