"""The micro-operations: each UOp once, with its sources, its arg, its rules and its meaning.

One decorated function a UOp: the decorator says what the line takes, the docstring what it means, the body checks
a line. The checker of programs, the pictures, the documentation and the engines read the table `OPS`; the
arithmetic of the ALU has a table of its own in `gpuemu.alu`. The table as text: ``print(table())``.
"""

from typing import Any

from gpuemu import dtypes
from gpuemu.alu import ALU_OPS, ALU_RULES, COMPARISONS, SHIFTS, AluOp, BinaryOps, TernaryOps, UnaryOps, arity
from gpuemu.dtypes import DType, ImageDType
from gpuemu.errors import shown
from gpuemu.op_table import (
    MEMORY,
    OPS,
    WRITES,
    Line,
    Op,
    Site,
    Target,
    UOps,
    buffer_name,
    check_line,
    check_writable,
    op,
)
from gpuemu.warp_uops import ATOMICS, SHUFFLES, VOTES

__all__ = [
    "ALU_OPS",
    "ALU_RULES",
    "ATOMICS",
    "OPS",
    "SHUFFLES",
    "VOTES",
    "WRITES",
    "AluOp",
    "BinaryOps",
    "Line",
    "Op",
    "Site",
    "TernaryOps",
    "UOps",
    "UnaryOps",
    "accumulators",
    "arity",
    "buffer_name",
    "check_line",
    "initial_value",
    "table",
]


@op(UOps.DEFINE_GLOBAL, arg="a label: number, or (number, writable)")
def define_global(site: Site) -> None:
    """The next buffer argument, as elements of dtype."""
    arg = site.line.arg
    label = arg[0] if isinstance(arg, tuple) and len(arg) == 2 and isinstance(arg[1], bool) else arg
    if isinstance(label, bool) or not isinstance(label, int | str):
        site.fail(
            f"arg is {shown(arg)}; expected a label such as 0 or 'out', or (0, True) for a buffer that may be written"
        )
    if site.dtype.count != 1:
        site.fail(f"a buffer of {site.dtype}; buffers hold scalars, and a LOAD of {site.dtype} reads them side by side")


@op(UOps.DEFINE_LOCAL, arg="(name, size)")
def define_local(site: Site) -> None:
    """Memory shared by the lanes of one workgroup; its contents are undefined until written (0 where nobody checks)."""
    match site.line.arg:
        case (str(), int(size)) if size > 0 and not isinstance(size, bool):
            pass
        case arg:
            site.fail(f"arg is {shown(arg)}; expected (name, number of elements), such as ('tile', 256)")
    if site.dtype.count != 1 or isinstance(site.dtype, ImageDType):
        site.fail(f"local memory of {site.dtype}; it holds scalars")


@op(UOps.DEFINE_VAR, arg="a label")
def define_var(site: Site) -> None:
    """The next integer of vals."""
    if site.dtype.count != 1 or not site.dtype.is_integer:
        site.fail(f"dtype is {site.dtype}; a launch's vals are integers")


@op(UOps.SPECIAL, arg="(axis, name, size)")
def special(site: Site) -> None:
    """This lane's position: the axis is element 0 (0 is x), the name's first letter says grid (g) or workgroup (l)."""
    match site.line.arg:
        case (0 | 1 | 2, str(name), _) if name[:1] in ("g", "l"):
            pass
        case arg:
            site.fail(
                f"arg is {shown(arg)}; expected (axis 0 to 2, a name that starts with g or l, size): (0, 'gidx0', 16)"
            )
    if site.dtype.count != 1 or not site.dtype.is_integer:
        site.fail(f"dtype is {site.dtype}; a position is an integer, such as int32")


def _check_number(site: Site, value: Any) -> None:
    if not isinstance(value, bool | int | float):
        site.fail(f"the value is {shown(value)}; expected a number")
    if isinstance(site.dtype, ImageDType):
        site.fail(f"dtype is {site.dtype}; a value is never an image")


@op(UOps.CONST, arg="value")
def const(site: Site) -> None:
    """The same value in each lane (each element, for a vector)."""
    _check_number(site, site.line.arg)


@op(UOps.DEFINE_ACC, "its ranges, which may come later", "initial, or (initial, labels…)", counts=None)
def define_acc(site: Site) -> None:
    """An accumulator, set to the initial value when its line is reached, not whenever an inner loop restarts."""
    for source in site.line.sources:
        if site.lines[source].has_value and site.lines[source].uop is not UOps.RANGE:
            site.fail(f"source {source} is {site.lines[source].uop.name}; the sources of an accumulator are its RANGEs")
    _check_number(site, initial_value(site.line))


def initial_value(line: Line) -> Any:
    """The initial value in the arg of a DEFINE_ACC."""
    return line.arg[0] if isinstance(line.arg, tuple) and line.arg else line.arg


@op(UOps.RANGE, "start, end", "a label", counts=(2,))
def range_(site: Site) -> None:
    """A counted loop, end excluded; a zero-trip loop runs no iteration."""
    for operand, what in enumerate(("the start", "the end")):
        site.want_scalar_integer(operand, what)
        if site.type_of(operand) != site.dtype:
            site.fail(f"counts in {site.dtype}, and {what} is {site.type_of(operand)}; CAST it first")


@op(UOps.ENDRANGE, "the range", counts=(1,), value=False)
def endrange(site: Site) -> None:
    """The end of the loop's body: back to the RANGE."""
    if site.operands[0].uop is not UOps.RANGE:
        site.fail(f"its source is {site.operands[0].uop.name}; expected the RANGE that it ends")


@op(UOps.IF, "condition", counts=(1,), value=False)
def if_(site: Site) -> None:
    """Lanes whose condition is false do nothing until ENDIF."""
    if site.type_of(0).count != 1:
        site.fail(f"the condition is {site.type_of(0)}; expected one value a lane")


@op(UOps.ENDIF, "the if", value=False)
def endif(site: Site) -> None:
    """The end of what the IF guards."""
    if not any(site.lines[source].uop is UOps.IF for source in site.line.sources):
        site.fail("needs the IF that it ends as its source")


@op(UOps.BARRIER, value=False)
def barrier(site: Site) -> None:
    """All lanes of the workgroup arrive before any goes on."""


def _check_access(site: Site, verb: str) -> DType:
    """The type that the buffer's elements have in a register."""
    buffer, held = site.operands[0], site.type_of(0)
    if buffer.uop not in MEMORY:
        site.fail(f"{verb} a buffer, and its first source is {buffer.uop.name}; expected DEFINE_GLOBAL or DEFINE_LOCAL")
    if not isinstance(held, ImageDType):
        site.want_scalar_integer(1, "the index")
        return held
    if site.type_of(1) != dtypes.int32.vec(2):
        site.fail(f"the position in an image is {site.type_of(1)}; expected int32x2, (x, y)")
    return dtypes.float32.vec(4)


@op(UOps.LOAD, "buffer, index[, gate, alternative]", counts=(2, 4))
def load(site: Site) -> None:
    """The buffer's element at the index, or consecutive ones for a vector; the alternative, and no access made, where
    the gate is false."""
    held = _check_access(site, "reads")
    if held.count > 1 and site.dtype != held:
        site.fail(f"reads an image as {site.dtype}; expected {held}")
    if site.dtype.scalar() != held.scalar() or isinstance(site.dtype, ImageDType):
        site.fail(f"reads {site.dtype} from a buffer of {held}; load {held.scalar()} and CAST it")
    if len(site.operands) == 4:
        if site.type_of(2).count != 1:
            site.fail(f"the gate is {site.type_of(2)}; expected one value a lane")
        if site.type_of(3) not in (site.dtype, site.dtype.scalar()):
            site.fail(f"the alternative is {site.type_of(3)}; expected {site.dtype}, as what is loaded")


@op(UOps.STORE, "buffer, index, value[, gate]", counts=(3, 4), value=False)
def store(site: Site) -> None:
    """Writes the value to the buffer at the index, a vector to consecutive elements; nothing where the gate is false.
    A gate of another type than bool is true where it is not 0."""
    held, value = _check_access(site, "writes"), site.type_of(2)
    if (held.count > 1 and value != held) or value.scalar() != held.scalar() or isinstance(value, ImageDType):
        site.fail(f"writes {value} into a buffer of {held}; CAST the value to {held} first")
    check_writable(site)
    if len(site.operands) == 4 and site.type_of(3).count != 1:
        site.fail(f"the gate is {site.type_of(3)}; expected one value a lane")


@op(UOps.CAST, "value(s)", counts=None)
def cast(site: Site) -> None:
    """Conversion, elementwise; several scalars to one vector is a CAST too."""
    counts = [site.type_of(k).count for k in range(len(site.operands))]
    if counts != [site.dtype.count] and (counts != [1] * site.dtype.count):
        given = ", ".join(str(site.type_of(k)) for k in range(len(counts))) or "nothing"
        site.fail(f"{given} to {site.dtype}; expected a vector of {site.dtype.count}, or {site.dtype.count} scalars")
    for k in range(len(counts)):
        if isinstance(site.type_of(k), ImageDType):
            site.fail("takes an image; LOAD from it first")


@op(UOps.BITCAST, "value", counts=(1,))
def bitcast(site: Site) -> None:
    """The same bits, read as another type."""
    if site.type_of(0).itemsize != site.dtype.itemsize or site.type_of(0).count != site.dtype.count:
        site.fail(f"{site.type_of(0)} to {site.dtype}; both must have as many elements of the same size")


@op(UOps.PHI, "accumulator, value[, its loops]", counts=None)
def phi(site: Site) -> None:
    """The accumulator takes the value; where the first source is a GEP of a vector accumulator, that element does.
    A use of the accumulator, or of its PHI, reads the present value; what GEP, CAST or ALU took from it earlier stays.
    """
    if len(site.operands) < 2:
        site.fail(f"has {len(site.operands)} sources with a value; expected accumulator, value[, its loops]")
    for extra in site.operands[2:]:
        if extra.uop is not UOps.RANGE:
            site.fail(f"source {extra.uop.name} after the value; expected the RANGEs of its loops")
    if site.number not in site.accumulators:
        site.fail(f"its first source is {site.operands[0].uop.name}; expected DEFINE_ACC, its PHI, or a GEP of one")
    if not site.type_of(0) == site.type_of(1) == site.dtype:
        site.fail(f"puts {site.type_of(1)} into an accumulator of {site.type_of(0)} as {site.dtype}; expected one type")


def accumulators(lines: tuple[Line, ...]) -> dict[int, Target]:
    """For each line that stands for an accumulator (or one element of it): which, and the element, None for all.

    These are the accumulator itself, its PHIs, and a GEP of one of them.
    """
    found: dict[int, Target] = {}
    for number, line in enumerate(lines):
        if line.uop is UOps.DEFINE_ACC:
            found[number] = number, None
        elif line.uop in (UOps.PHI, UOps.GEP):
            below = next((source for source in line.sources if lines[source].has_value), None)
            accumulator, element = found.get(below, (None, None)) if below is not None else (None, None)
            if accumulator is not None and line.uop is UOps.PHI:
                found[number] = accumulator, element
            elif accumulator is not None and element is None:
                found[number] = accumulator, line.arg
    return found


@op(UOps.GEP, "vector", "the element", counts=(1,))
def gep(site: Site) -> None:
    """One element of a vector."""
    vector, element = site.type_of(0), site.line.arg
    if not isinstance(element, int) or isinstance(element, bool) or not 0 <= element < vector.count:
        site.fail(f"element {shown(element)} of {vector}; expected 0 to {vector.count - 1}")
    if site.dtype != vector.scalar() or isinstance(vector, ImageDType):
        site.fail(f"an element of {vector} as {site.dtype}; expected {vector.scalar()}")


@op(UOps.ALU, "1 to 3 values", "an op of UnaryOps, BinaryOps or TernaryOps, or its name", counts=None)
def alu(site: Site) -> None:
    """Arithmetic in the dtype of the result, elementwise; comparisons work in the operands' dtype and give bool."""
    name, wanted = site.line.arg.name, arity(site.line.arg)
    if len(site.operands) != wanted:
        site.fail(f"{name} has {len(site.operands)} sources with a value; expected {wanted}")
    types = [site.type_of(k) for k in range(wanted)]
    if any(isinstance(t, ImageDType) for t in types):
        site.fail(f"{name} takes an image; LOAD from it first")
    if any(t.count != site.dtype.count for t in types):
        site.fail(f"{name} of {', '.join(map(str, types))} gives {site.dtype}: all must have as many elements")
    _check_alu_types(site, types)


def _check_alu_types(site: Site, types: list[DType]) -> None:
    operation, name, result = site.line.arg, site.line.arg.name, site.dtype
    if operation in COMPARISONS:
        if types[0] != types[1]:
            site.fail(f"{name} compares {types[0]} with {types[1]}; CAST one of them first")
        if result.scalar() != dtypes.bool:
            site.fail(f"{name} gives {result}; expected bool")
        result = types[0]
    same = types[1:] if operation is TernaryOps.WHERE else types[:1] if operation in SHIFTS else types
    if any(t != result for t in same):
        site.fail(f"{name} of {', '.join(map(str, types))} gives {result}; expected one type, so CAST first")
    if result.kind not in ALU_RULES[operation].kinds or (operation in SHIFTS and not types[1].is_integer):
        allowed = " or ".join(ALU_RULES[operation].kinds)
        site.fail(f"{name} of {', '.join(map(str, types))}; it is defined for {allowed} numbers")


@op(
    UOps.WMMA,
    "a, b, c (vectors)[, index | scale a, scale b]",
    "an instruction's name, or the seed's tuple",
    counts=(3, 4, 5),
)
def wmma(site: Site) -> None:
    """D = A·B + C across the instruction's group of lanes; each lane gives and gets its fragments. Where A is sparse,
    the index says where among four positions each two of its values stand, four bits for the two. Where B is local
    memory (wgmma), the index is the first element of B in it. Where A and B come with block scales, a product counts
    scale A · scale B times."""
    if site.type_of(2).count != site.dtype.count:
        site.fail(f"C is {site.type_of(2)} and D is {site.dtype}; both fragments have as many elements")


def table() -> str:
    """The table of the UOps as text, one a line: name, sources, arg, meaning.

    >>> print(table().splitlines()[4])
    CONST | – | value | The same value in each lane (each element, for a vector).
    """
    return "\n".join(f"{e.uop.name} | {e.sources} | {e.arg} | {e.meaning}" for e in (OPS[uop] for uop in UOps))
