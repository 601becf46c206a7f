"""The micro-operations between the lanes of a warp, on memory that several lanes change, and out of a loop.

Entries of the table `gpuemu.op_table.OPS`, as those of `gpuemu.uops`. Where a mask may be given, bit i stands for lane
i of the warp; without one, the lanes that are here (those that no IF, loop or BREAK keeps away) take part.
"""

from gpuemu import dtypes
from gpuemu.dtypes import DType, ImageDType
from gpuemu.errors import InstructionError, shown
from gpuemu.op_table import MEMORY, Site, UOps, check_writable, op
from gpuemu.tensorcores import copy_instruction

SHUFFLES = ("up", "down", "xor", "index")
VOTES = ("any", "all", "ballot")

_NUMBERS, _BITS = ("signed", "unsigned", "float"), ("bool", "signed", "unsigned")
ATOMICS: dict[str, tuple[str, ...]] = {
    "add": _NUMBERS,
    "max": _NUMBERS,
    "min": _NUMBERS,
    "and": _BITS,
    "or": _BITS,
    "xor": _BITS,
    "exchange": ("bool", *_NUMBERS),
    "compare-and-swap": ("bool", *_NUMBERS),
}
"""What an ATOMIC may do, and to which kinds of numbers."""


def _choice(site: Site, choices: tuple[str, ...]) -> None:
    if not isinstance(site.line.arg, str) or site.line.arg not in choices:
        site.fail(f"arg is {shown(site.line.arg)}; expected one of {', '.join(map(repr, choices))}")


def _no_image(site: Site) -> None:
    if isinstance(site.dtype, ImageDType):
        site.fail(f"dtype is {site.dtype}; a value is never an image")


@op(UOps.SHUFFLE, "value, number[, mask]", "'up', 'down', 'xor' or 'index'", counts=(2, 3))
def shuffle(site: Site) -> None:
    """The value of another lane of the warp: of the lane number below (up), above (down), with number's bits flipped
    (xor), or of number modulo the warp (index). Where up, down or xor leave the warp, the lane's own value. To read a
    lane that does not take part is an error."""
    _choice(site, SHUFFLES)
    _no_image(site)
    if site.type_of(0) != site.dtype:
        site.fail(f"takes {site.type_of(0)} and gives {site.dtype}; expected one type")
    site.want_scalar_integer(1, "the number of lanes")
    if len(site.operands) == 3:
        site.want_scalar_integer(2, "the mask")


@op(UOps.VOTE, "condition[, mask]", "'any', 'all' or 'ballot'", counts=(1, 2))
def vote(site: Site) -> None:
    """Whether the condition is true (not 0) in any or all of the lanes that take part, a bool; ballot: an integer with
    bit i set where it is true in lane i of the warp."""
    _choice(site, VOTES)
    if site.type_of(0).count != 1 or isinstance(site.type_of(0), ImageDType):
        site.fail(f"the condition is {site.type_of(0)}; expected one value a lane")
    if len(site.operands) == 2:
        site.want_scalar_integer(1, "the mask")
    if site.line.arg != "ballot" and site.dtype != dtypes.bool:
        site.fail(f"{site.line.arg} gives {site.dtype}; expected bool")
    if site.line.arg == "ballot" and (site.dtype.count != 1 or not site.dtype.is_integer):
        site.fail(f"ballot gives {site.dtype}; expected an integer with a bit for each lane, such as uint32")


@op(UOps.ATOMIC, "buffer, index[, compare], value[, gate]", "what to do: " + ", ".join(ATOMICS), counts=(3, 4, 5))
def atomic(site: Site) -> None:
    """Changes one element by the value, one lane after the other, and gives what was there before: 0 where the gate is
    false. Lanes take turns in the order of their numbers, workgroups in the order of theirs. Compare-and-swap puts the
    value where the element has the bits of compare."""
    _choice(site, tuple(ATOMICS))
    held, swaps = site.type_of(0), site.line.arg == "compare-and-swap"
    if site.operands[0].uop not in MEMORY or isinstance(held, ImageDType):
        site.fail(f"its first source is {site.operands[0].uop.name}; expected a buffer or local memory of scalars")
    if len(site.operands) not in ((4, 5) if swaps else (3, 4)):
        site.fail(f"{site.line.arg} has {len(site.operands)} sources with a value; expected {3 + swaps} or {4 + swaps}")
    site.want_scalar_integer(1, "the index")
    values = [site.type_of(k) for k in range(2, 3 + swaps)]
    if any(dtype != held for dtype in [*values, site.dtype]):
        given = ", ".join(map(str, values))
        site.fail(f"{site.line.arg} of {given} on a buffer of {held} gives {site.dtype}; expected {held}: CAST first")
    if held.kind not in ATOMICS[site.line.arg]:
        allowed = " or ".join(ATOMICS[site.line.arg])
        site.fail(f"{site.line.arg} on a buffer of {held}; it is defined for {allowed} numbers")
    if len(site.operands) == 4 + swaps and site.type_of(3 + swaps).count != 1:
        site.fail(f"the gate is {site.type_of(3 + swaps)}; expected one value a lane")
    check_writable(site)


@op(UOps.WARP_BARRIER, "[mask]", counts=(0, 1), value=False)
def warp_barrier(site: Site) -> None:
    """All lanes of the warp, or those of the mask, arrive before any of them goes on."""
    if site.operands:
        site.want_scalar_integer(0, "the mask")


def _check_loop(site: Site) -> None:
    if site.operands and site.operands[0].uop is not UOps.RANGE:
        site.fail(f"its source is {site.operands[0].uop.name}; expected the RANGE of the innermost loop, or none")


@op(UOps.BREAK, "[the range]", counts=(0, 1), value=False)
def break_(site: Site) -> None:
    """The lanes that are here leave the innermost loop; the others go on."""
    _check_loop(site)


@op(UOps.CONTINUE, "[the range]", counts=(0, 1), value=False)
def continue_(site: Site) -> None:
    """The lanes that are here do no more in this iteration of the innermost loop."""
    _check_loop(site)


def _check_copy(site: Site, kind: str, fragment: DType) -> None:
    """The type of a lane's registers in a copy of 8×8 matrices between local memory and a warp."""
    try:
        copy = copy_instruction(site.line.arg) if isinstance(site.line.arg, str) else None
    except InstructionError as error:
        site.fail(str(error))
    if copy is None or copy.kind != kind:
        site.fail(f"arg is {shown(site.line.arg)}; expected the name of an {kind}, such as '{kind}.x4'")
    buffer, held = site.operands[0], site.type_of(0)
    if buffer.uop is not UOps.DEFINE_LOCAL or held.itemsize != 2:
        site.fail(f"{kind} on {buffer.uop.name} of {held}; expected local memory of a type of 16 bits")
    site.want_scalar_integer(1, "the index of a row")
    if fragment != held.vec(2 * copy.matrices):
        site.fail(f"a lane holds {fragment}; expected {held.vec(2 * copy.matrices)}: two elements of each matrix")


@op(UOps.LDMATRIX, "local memory, index of a row", "the name of an ldmatrix", counts=(2,))
def ldmatrix(site: Site) -> None:
    """8×8 matrices of 16-bit elements from local memory to a warp: lane 8i + r gives where row r of matrix i starts, a
    multiple of 8 elements, and each lane gets two neighbours of each matrix."""
    _check_copy(site, "ldmatrix", site.dtype)


@op(UOps.STMATRIX, "local memory, index of a row, value", "the name of an stmatrix", counts=(3,), value=False)
def stmatrix(site: Site) -> None:
    """8×8 matrices of 16-bit elements from a warp to local memory: the inverse of LDMATRIX."""
    _check_copy(site, "stmatrix", site.type_of(2))
