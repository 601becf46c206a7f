"""The command line: which lane holds which element, in every notation; and what is wrong with a fragment.

``gpuemu list``, ``show``, ``where``, ``convert``, ``check``, ``sheet``; and ``vectors``: does a unit of arithmetic give
the bits that a GPU gave? ``gpuemu COMMAND --help`` says more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuemu import tensorcores
from gpuemu.errors import FragmentError, GpuEmuError, InstructionError, LaneMapError, NotationError
from gpuemu.tensorcores.export import as_csv, as_json
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap
from gpuemu.tensorcores.matrix_copy import MatrixCopy
from shapetracker.errors import ShapeTrackerError

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture

STDOUT = "-"


class OutputError(GpuEmuError, ValueError):
    """An output was asked for that cannot be written."""


NOTATIONS = {
    "python": "formula",
    "back": "formula back",
    "c": "C function",
    "view": "View",
    "movement": "movement operations",
    "cute": "CuTe layout",
    "f2": "F2 bases",
    "sympy": "SymPy expression",
}
"""What `convert --to` takes, and the notation's name; `swizzle` speaks of a whole instruction and stands apart."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 1 for a fragment or a result that is wrong, 2 for a mistake in the call.

    Examples
    --------
    >>> main(["where", "m16n8k16", "--operand", "a", "--row", "3", "--col", "10"])
    A[3, 10]: lane 13, element 4 (r2.[15:0])
    0
    """
    parser = _parser()
    arguments, beyond = parser.parse_known_args(argv)
    if arguments.command is None:
        parser.print_help()
        return 2
    if any(text.startswith("-") for text in beyond) or (beyond and not hasattr(arguments, "rest")):
        parser.error(f"unrecognized arguments: {' '.join(beyond)}")
    try:
        if beyond:  # argparse takes no more of a list once an option has come after it
            arguments.rest += beyond
        _take_operand(arguments)
        return int(arguments.run(arguments))
    except BrokenPipeError:  # the reader, such as `head`, has seen enough; Python would complain again on exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (GpuEmuError, ShapeTrackerError, OSError, UnicodeError) as error:
        print(f"gpuemu {arguments.command}: {error}", file=sys.stderr)
        return 2


def _take_operand(arguments: argparse.Namespace) -> None:
    """An operand that stands by its place, where a command may have one."""
    if getattr(arguments, "operand", "") is None and arguments.rest and arguments.rest[0].lower() in tuple("abcd"):
        arguments.operand = arguments.rest.pop(0).lower()
    if arguments.command in ("show", "convert") and arguments.rest:
        raise LaneMapError(f"{arguments.rest[0]!r} is no operand of {arguments.name}; expected a, b, c or d")


# -- the commands -----------------------------------------------------------------------------------------------------


def _list(arguments: argparse.Namespace) -> int:
    lines: list[tuple[Instruction | MatrixCopy, str]] = []
    parts = arguments.part.lower().split()
    for found in tensorcores.instructions(arguments.vendor, arguments.arch):
        lines.append((found, f"{found.m}×{found.n}×{found.k}" + f" × {found.blocks} blocks" * (found.blocks > 1)))
    for copy in tensorcores.copy_instructions():
        if arguments.vendor in (None, copy.vendor) and arguments.arch in (None, copy.arch):
            lines.append((copy, f"{copy.matrices} × 8×8"))
    lines = [line for line in lines if all(part in f"{line[0].name} {line[0].short_name}".lower() for part in parts)]
    if not lines:
        raise InstructionError(f"no instruction has {arguments.part!r} in its name; gpuemu list shows all")
    widest = max(len(x.short_name) for x, _ in lines)
    for x, size in lines:
        print(f"{x.short_name:{widest}}  {x.vendor:6}  {x.arch:8}  {size:20}  {x.lanes:3} lanes  {x.name}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    found = _instruction_or_copy(arguments)
    maps = _maps(found, arguments.operand)
    if arguments.json is not None:
        _write(arguments.json, json.dumps(as_json(found, maps)) + "\n")
    if arguments.csv is not None:
        _write(arguments.csv, as_csv(maps))
    written = _write_picture(arguments, lambda: _drawn(found, arguments.operand, arguments.by))
    if not written and arguments.json is None and arguments.csv is None:
        print(_drawn(found, arguments.operand, arguments.by))
    return 0


def _where(arguments: argparse.Namespace) -> int:
    found = _instruction_or_copy(arguments)
    maps = _maps(found, arguments.operand)
    row, col = _row_and_column(arguments, found.short_name)
    block = arguments.block
    inside = {x: m for x, m in maps.items() if x != "d" and row < m.rows and col < m.columns and block < m.blocks}
    chosen = maps if arguments.operand else inside
    if not chosen:
        sizes = ", ".join(f"{_title(x)} {m.rows} × {m.columns}" for x, m in maps.items() if x != "d")
        raise LaneMapError(f"no operand has an element at row {row}, column {col}, block {block}: {sizes}")
    for operand, lane_map in chosen.items():
        places = lane_map.where(row, col, block)
        texts = [f"lane {lane}, {_element(lane_map)} {i} ({lane_map.registers[i]})" for lane, i in places]
        name = f"{_title(operand)}[{row}, {col}]" + f" of block {block}" * (lane_map.blocks > 1)
        print(f"{name}: {'; '.join(texts) or 'no lane holds it'}")
    return 0


def _row_and_column(arguments: argparse.Namespace, name: str) -> tuple[int, int]:
    """The two numbers, by their place or by name."""
    given = [*arguments.rest, *(x for x in (arguments.row, arguments.col) if x is not None)]
    named = (arguments.row is None) == (arguments.col is None)
    if len(given) != 2 or not named:
        raise LaneMapError(f"say which row and which column, as in: gpuemu where {name} 3 5")
    try:
        row, col = (_count(str(number)) for number in given)
    except argparse.ArgumentTypeError as error:
        raise LaneMapError(f"row and column {given[0]} {given[1]}: {error}") from None
    return row, col


def _convert(arguments: argparse.Namespace) -> int:
    from gpuemu.tensorcores.notation import notations, swizzle

    found = _instruction_or_copy(arguments)
    if arguments.to == "swizzle" and isinstance(found, Instruction):
        return _print_notation("", swizzle(found))
    codes = []
    for operand, lane_map in _maps(found, arguments.operand).items():
        if operand != "d" or arguments.operand:
            known = {x.name: x for x in notations(lane_map)}
            if arguments.to is not None and NOTATIONS.get(arguments.to) not in known:
                raise NotationError(f"{found.short_name}: {arguments.to} is a notation of A, B and C together")
            wanted = known.values() if arguments.to is None else [known[NOTATIONS[arguments.to]]]
            codes += [_print_notation(f"{_title(operand)}, {x.name}", x) for x in wanted]
    return max(codes) if arguments.to is not None else 0


def _print_notation(title: str, notation: Any) -> int:
    """The text under its title; 2 where the notation cannot express the map."""
    if notation.text is None:
        print(f"# {title or notation.name}: not possible, {notation.why_not}")
        return 2
    print(f"# {title or notation.name}\n{notation.text}")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from gpuemu.tensorcores.checker import check_fragment

    if arguments.operand is None:
        given = f"got {arguments.rest[0]!r}" if arguments.rest else "got none"
        raise FragmentError(f"which operand? {given}; expected a, b, c or d, behind the name or as --operand")
    if (arguments.registers is None) == (not arguments.rest):
        raise FragmentError("give either formulas or --registers FILE")
    loaded = arguments.rest or _registers(arguments.registers)
    diagnosis = check_fragment(_instruction(arguments), arguments.operand, loaded)
    print(diagnosis)
    _write_picture(arguments, diagnosis.draw)
    return 0 if diagnosis.right else 1


def _registers(path: str) -> list[list[float]]:
    """Numbers separated by spaces or commas, one line a lane."""
    text = sys.stdin.read() if path == STDOUT else Path(path).read_text(encoding="utf-8")
    lines = [line.replace(",", " ").split() for line in text.splitlines()]
    try:
        return [[float(number) for number in line] for line in lines if line]
    except ValueError as error:
        raise FragmentError(f"{path}: {error}; expected numbers, one line a lane") from None


def _sheet(arguments: argparse.Namespace) -> int:
    from gpuemu.drawing.sheet import sheet

    _write(arguments.html, sheet(_instruction_or_copy(arguments)))
    return 0


def _vectors(arguments: argparse.Namespace) -> int:
    from gpuemu.tensorcores.arithmetic.recorded import compare

    sets = compare(arguments.folder, arguments.unit)
    for one in sets:
        print(one)
    rows, same = (sum(getattr(one, count) for one in sets) for count in ("rows", "same"))
    print(f"{same} of {rows} results in {len(sets)} sets to the bit")
    return 0 if same == rows else 1


# -- what they share --------------------------------------------------------------------------------------------------


def _instruction(arguments: argparse.Namespace) -> Instruction:
    return tensorcores.instruction(arguments.name, arch=arguments.arch, lanes=arguments.lanes)


def _instruction_or_copy(arguments: argparse.Namespace) -> Instruction | MatrixCopy:
    if not arguments.name.startswith(("ldmatrix", "stmatrix")):
        return _instruction(arguments)
    copy = tensorcores.copy_instruction(arguments.name)
    if arguments.arch not in (None, copy.arch) or arguments.lanes not in (None, copy.lanes):
        raise InstructionError(
            f"{copy.short_name}: its architecture here is {copy.arch}, the first, with {copy.lanes} lanes"
        )
    return copy


def _title(operand: str) -> str:
    """A, B, C, D; what a matrix copy moves has a whole word."""
    return operand.upper() if len(operand) == 1 else operand


def _maps(instruction: Instruction | MatrixCopy, operand: str | None) -> dict[str, LaneMap]:
    """The maps of one operand or of all; D's is that of C."""
    maps = instruction.maps
    if operand is None:
        return maps
    if operand not in maps:
        raise LaneMapError(f"{instruction.short_name}: no lane map of {operand}; there are {', '.join(maps)}")
    return {operand: maps[operand]}


def _element(lane_map: LaneMap) -> str:
    return "element" if lane_map.not_a_view is None else "group"


def _drawn(found: Instruction | MatrixCopy, operand: str | None, by: Any) -> Picture:
    if isinstance(found, MatrixCopy):
        if by != "lane":
            raise OutputError(f"--by {by}: {found.short_name} is shown by lane")
        return found.draw()
    return found.maps[operand].draw(by=by) if operand else found.draw(by=by)


def _write_picture(arguments: argparse.Namespace, draw: Callable[[], Picture]) -> bool:
    """Write the picture in the forms that were asked for; whether any was."""
    wanted = {form: path for form in ("html", "svg") if (path := getattr(arguments, form)) is not None}
    for form, path in wanted.items():
        if path == STDOUT:
            print(draw().html() if form == "html" else draw().svg())
        elif path.endswith(f".{form}"):
            draw().save(path)
        else:
            raise OutputError(f"--{form} {path}: the file's name must end in .{form}")
    return bool(wanted)


def _write(path: str, text: str) -> None:
    if path == STDOUT:
        sys.stdout.write(text)
    else:
        Path(path).write_text(text, encoding="utf-8")


# -- the arguments ----------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gpuemu", description="Tensor-core lane maps of four vendors, and their arithmetic."
    )
    parser.add_argument("--version", action="version", version=f"gpuemu of lanewise {version('lanewise')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    command = _command(commands, "list", _list, "the instructions of the catalogue")
    command.add_argument("part", nargs="?", default="", metavar="PART", help="those with this in the name: mxf4")
    command.add_argument("--vendor", help="nvidia, amd, apple or intel")
    command.add_argument("--arch", help="such as sm_80 or gfx942")

    command = _command(commands, "show", _show, "the lanes and registers of an instruction, or of one operand")
    _add_name(command)
    _add_operand(command)
    command.add_argument("rest", nargs="*", metavar="OPERAND", help="a, b, c or d, or --operand; else all")
    command.add_argument("--by", choices=("lane", "register", "k"), default="lane", help="what the numbers say")
    _add_forms(command, "html", "svg", "json", "csv")

    command = _command(commands, "where", _where, "who holds the element at a row and a column")
    _add_name(command)
    _add_operand(command)
    words = "or --operand OPERAND --row ROW --col COL; without an operand, those of all that have the place"
    command.add_argument("rest", nargs="*", metavar="[OPERAND] ROW COL", help=words)
    for axis in ("row", "col"):
        command.add_argument(f"--{axis}", type=_count, help=argparse.SUPPRESS)
    command.add_argument("--block", type=_count, default=0)

    command = _command(commands, "convert", _convert, "the lane maps in another notation")
    _add_name(command)
    _add_operand(command)
    command.add_argument("rest", nargs="*", metavar="OPERAND", help="a, b, c or d, or --operand; else all")
    command.add_argument("--to", choices=(*NOTATIONS, "swizzle"), help="one notation; else all")

    command = _command(commands, "check", _check, "what is wrong with a fragment; exits with 1 if anything is")
    _add_name(command)
    _add_operand(command)
    example = "c 'lane/4 + 8*(i/2)' '2*(lane%%4) + i%%2'"
    words = f"a, b, c or d (or --operand); row and column from lane and i, in Python or C: {example}"
    command.add_argument("rest", nargs="*", metavar="OPERAND FORMULA", help=words)
    command.add_argument("--registers", metavar="FILE", help="registers filled from numbered elements, a line a lane")
    _add_forms(command, "html", "svg")

    command = _command(commands, "sheet", _sheet, "one page to print")
    _add_name(command)
    command.add_argument("--html", metavar="FILE", required=True)

    command = _command(commands, "vectors", _vectors, "recorded dot products of a GPU against a unit of arithmetic")
    command.add_argument("folder", metavar="FOLDER", help="INDEX.json and the .npz files with a, b, c, d that it lists")
    command.add_argument("--unit", metavar="NAME", help="one unit for all sets, such as A100; else that of each GPU")
    return parser


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
    about = f"{words[0].upper()}{words[1:]}."
    command: argparse.ArgumentParser = commands.add_parser(name, help=words, description=about)
    command.set_defaults(run=run)
    return command


def _add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="a name, a short name, or parts of one: m16n8k16.bf16")
    command.add_argument("--arch", help="where a name is not enough: such as gfx1100")
    command.add_argument("--lanes", type=_count, help="where a name is not enough: 32 or 64")


def _add_operand(command: argparse.ArgumentParser) -> None:
    command.add_argument("--operand", choices=tuple("abcd"), type=str.lower)


def _add_forms(command: argparse.ArgumentParser, *forms: str) -> None:
    for form in forms:
        command.add_argument(f"--{form}", nargs="?", const=STDOUT, metavar="FILE", help=f"as {form.upper()}; to FILE")


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 up")
    return number


if __name__ == "__main__":
    sys.exit(main())
