"""What is wrong with the fragment that you loaded: the first wrong place, the likely mistake, and its fix.

Examples
--------
A fragment "compiles and runs without errors", and is transposed:

>>> print(check_fragment("m16n8k16", "a", ("2*(lane%4) + i%2 + 8*(i//4)", "lane//4 + 8*(i//2%2)")))
m16n8k16.f32.f16, operand A: 240 of 256 places are wrong.
First at lane 0, element 1 (r0.[31:16]): it holds A[1, 0], and A[0, 1] belongs there.
Likely mistake: Operand A is transposed: A[k, m] lies where A[m, k] belongs, as when row-major data is read by columns.
Fix: Exchange the two strides of the load, or its row_major and col_major: A[m, k] lies at m·16 + k in row-major memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gpuemu import tensorcores
from gpuemu.errors import FragmentError
from gpuemu.tensorcores.checker.fragment import NOTHING, Fragment, Loaded, place_text, read_fragment
from gpuemu.tensorcores.checker.mistakes import Case, Mistake, distant_instructions, likely_mistake, order_of
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import IntArray, LaneMap

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture


@dataclass(frozen=True, slots=True)
class Departure:
    """A place of the fragment that holds the wrong element.

    Attributes
    ----------
    lane, element
        The place.
    holds, expected
        Row and column (and block) of what it holds, and of what belongs there; −1 for nothing.
    """

    lane: int
    element: int
    holds: tuple[int, ...]
    expected: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis:
    """What `check_fragment` found.

    Attributes
    ----------
    instruction, operand
        What the fragment was checked for.
    right
        Whether every place holds what belongs there.
    places, wrong
        How many places the lanes have, and how many of them hold something else.
    first
        The first wrong place, lane by lane; None where all are right.
    mistake
        The likely mistake with its kind, cause and fix; None where all is right.
    order_of_k
        The order of k, where the fragment is right but for that: entry p is the k that is held where p belongs.
        Harmless where the other operand has the same order, as `check_product` finds.
    held
        int64 array (lanes, elements, 2 or 3): the coordinates that were loaded.
    """

    instruction: Instruction
    operand: str
    right: bool
    places: int
    wrong: int
    first: Departure | None
    mistake: Mistake | None
    order_of_k: tuple[int, ...] | None
    held: IntArray = field(compare=False)

    @property
    def lane_map(self) -> LaneMap:
        """The right map."""
        return self.instruction.maps[self.operand]

    def departs(self, lane: int, element: int) -> bool:
        """Whether the place holds something else than it should, or nothing."""
        return bool((self.held[lane, element] != self.lane_map.coordinates()[lane, element]).any())

    def draw(self) -> Picture:
        """The operand and its lanes, with the wrong places marked."""
        from gpuemu.drawing.checks import draw_diagnosis

        return draw_diagnosis(self)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __str__(self) -> str:
        where = f"{self.instruction.short_name}, operand {self.operand.upper()}"
        if self.mistake is None or self.first is None:
            return f"{where}: right, all {self.places} places."
        lane_map, first = self.lane_map, self.first
        expected = "nothing more" if first.element >= lane_map.elements else place_text(lane_map, first.expected)
        lines = [
            f"{where}: {self.wrong} of {self.places} places are wrong.",
            f"First at lane {first.lane}, element {first.element}{self._register()}: it holds "
            f"{place_text(lane_map, first.holds)}, and {expected} belongs there.",
            f"Likely mistake: {self.mistake.cause}",
            f"Fix: {self.mistake.fix}",
        ]
        if self.order_of_k is not None:
            other = {"a": "B", "b": "A"}[self.operand]
            lines.append(f"Only the order of k differs: harmless if {other} has the same order (check_product tells).")
        return "\n".join(lines)

    def _register(self) -> str:
        registers = self.lane_map.registers
        return f" ({registers[self.first.element]})" if self.first and self.first.element < len(registers) else ""

    def __repr__(self) -> str:
        what = "right" if self.mistake is None else f"{self.mistake.kind}, {self.wrong} of {self.places} wrong"
        return f"<{type(self).__name__} {self.instruction.short_name} {self.operand}: {what}>"


@dataclass(frozen=True, slots=True, repr=False)
class ProductDiagnosis:
    """What `check_product` found.

    Attributes
    ----------
    right
        Whether D = A·B + C for every A and B.
    wrong_results
        How many of the `results` elements of D are wrong for general inputs.
    order_of_k
        The order of k that A and B share, where it is not 0, 1, 2 …; it changes no result.
    a, b
        What is to be said about each operand alone.
    """

    right: bool
    results: int
    wrong_results: int
    order_of_k: tuple[int, ...] | None
    a: Diagnosis
    b: Diagnosis

    def __str__(self) -> str:
        if not self.right:
            head = f"{self.a.instruction.short_name}: {self.wrong_results} of {self.results} results are wrong."
            return "\n".join([head, *(str(x) for x in (self.a, self.b) if not x.right)])
        if self.order_of_k is None:
            return f"{self.a.instruction.short_name}: right, all {self.results} results."
        order = ", ".join(map(str, self.order_of_k[:8])) + ", …" * (len(self.order_of_k) > 8)
        return (
            f"{self.a.instruction.short_name}: right, all {self.results} results. A and B have k in one common order, "
            f"{order}: the same products are added in another order, which is harmless."
        )

    def __repr__(self) -> str:
        what = "right" if self.right else f"{self.wrong_results} of {self.results} results wrong"
        return f"<{type(self).__name__} {self.a.instruction.short_name}: {what}>"


def check_fragment(instruction: Instruction | str, operand: str, fragment: Loaded) -> Diagnosis:
    """Compare a fragment with the map of its operand, and say what probably went wrong.

    Parameters
    ----------
    instruction
        An instruction, or a name as `tensorcores.instruction` takes it.
    operand
        ``a``, ``b``, ``c`` or ``d``.
    fragment
        One of three:

        - an index formula: row and column as Python or C text over ``lane`` and ``i`` (the element's number), such as
          ``("lane // 4", "2 * (lane % 4) + i")``, with definitions before them if wanted (``"g = lane >> 2"``);
          a single expression is a row-major index into the operand;
        - an array of coordinates, (lanes, elements, 2): row and column, and a third number, the block, where the
          instruction has several; negative where nothing was filled in;
        - an array (lanes, elements) of what the registers hold after the operand in memory was filled with the
          numbers 0, 1, 2 … row by row; negative or NaN where nothing was filled in.

    Raises
    ------
    FragmentError
        The operand is not held by lanes, is sparse, or the fragment is none of the three.
    InstructionError
        No instruction has that name.

    Examples
    --------
    >>> print(check_fragment("m16n8k16", "c", "lane / 4 + 8 * (i % 2), 2 * (lane % 4) + i % 2"))
    m16n8k16.f32.f16, operand C: 64 of 128 places are wrong.
    First at lane 0, element 1 (r1): it holds C[8, 1], and C[0, 1] belongs there.
    Likely mistake: i // 2 moves nothing instead of 8 rows; i % 2 moves 8 rows and 1 column instead of 1 column.
    Fix: Write m = lane//4 + i//2*8, n = lane%4*2 + i%2.
    >>> check_fragment("m16n8k16", "c", "lane / 4 + 8 * (i >> 1), 2 * (lane & 3) + i % 2").right
    True
    """
    found, lane_map = _operand("check_fragment", instruction, operand)
    call = f"check_fragment({found.short_name}, {lane_map.operand!r})"
    loaded = read_fragment(call, lane_map, fragment)
    if loaded.held.shape[:2] != (lane_map.lanes, lane_map.elements):
        return _of_another_shape(call, found, lane_map, loaded)
    return _diagnose(Case(found, lane_map, loaded.held, loaded.numbered, loaded.meant))


def check_product(instruction: Instruction | str, a: Loaded, b: Loaded) -> ProductDiagnosis:
    """Whether the fragments of A and B give A·B, whatever is in the matrices.

    An order of k that A and B have in common changes no result, and is no mistake.

    Raises
    ------
    FragmentError
        As `check_fragment`; or a fragment has other lanes or elements than its operand.

    Examples
    --------
    The two halves of each register exchanged, in A alone and in both:

    >>> a = ("lane//4 + 8*(i//2%2)", "2*(lane%4) + 1 - i%2 + 8*(i//4)")
    >>> b = ("2*(lane%4) + 1 - i%2 + 8*(i//2)", "lane//4")
    >>> check_product("m16n8k16", a, ("2*(lane%4) + i%2 + 8*(i//2)", "lane//4"))
    <ProductDiagnosis m16n8k16.f32.f16: 128 of 128 results wrong>
    >>> print(check_product("m16n8k16", a, b))
    m16n8k16.f32.f16: right, all 128 results. A and B have k in one common order, 1, 0, 3, 2, 5, 4, 7, 6, …:
    the same products are added in another order, which is harmless.
    """
    diagnoses, seen = {}, {}
    for operand, fragment in (("a", a), ("b", b)):
        diagnosis = check_fragment(instruction, operand, fragment)
        if diagnosis.held.shape[:2] != (diagnosis.lane_map.lanes, diagnosis.lane_map.elements):
            raise FragmentError(f"check_product: {diagnosis}")
        diagnoses[operand] = diagnosis
        seen[operand] = _as_the_unit_sees(diagnosis)
    wrong = _wrong_results(seen["a"], seen["b"])
    found = diagnoses["a"].instruction
    return ProductDiagnosis(
        right=not wrong.any(),
        results=found.blocks * found.m * found.n,
        wrong_results=int(wrong.sum()),
        order_of_k=None if wrong.any() else diagnoses["a"].order_of_k,
        a=diagnoses["a"],
        b=diagnoses["b"],
    )


def _as_the_unit_sees(diagnosis: Diagnosis) -> IntArray:
    """(block, row, column) → the coordinates that lie there, block last; −2 where copies disagree."""
    lane_map = diagnosis.lane_map
    blocks, right = lane_map.blocks > 1, lane_map.coordinates()
    held = (
        diagnosis.held if blocks else np.concatenate([diagnosis.held, np.zeros_like(diagnosis.held[..., :1])], axis=-1)
    )
    at = (right[..., 2] if blocks else np.zeros_like(right[..., 0]), right[..., 0], right[..., 1])
    seen = np.empty((lane_map.blocks, lane_map.rows, lane_map.columns, 3), dtype=np.int64)
    seen[at] = held
    disagree = (seen[at] != held).any(axis=-1)
    seen[tuple(axis[disagree] for axis in at)] = -2
    return seen


def _wrong_results(a: IntArray, b: IntArray) -> npt.NDArray[np.bool_]:
    """Per (block, m, n): whether the products that are added are not A[m, k]·B[k, n] for each k once."""
    blocks, m, k, _ = a.shape
    n = b.shape[2]
    block = np.arange(blocks)[:, None, None]
    a_fits = (a[..., 0] == np.arange(m)[:, None]) & (a[..., 2] == block)
    b_fits = (b[..., 1] == np.arange(n)) & (b[..., 2] == block)
    k_of_a, k_of_b = np.where(a_fits, a[..., 1], -3), np.where(b_fits, b[..., 0], -4)
    every_k = (np.sort(k_of_a, axis=2) == np.arange(k)).all(axis=2)
    same_k = (k_of_a[:, :, None, :] == k_of_b.transpose(0, 2, 1)[:, None, :, :]).all(axis=3)
    right: npt.NDArray[np.bool_] = same_k & every_k[:, :, None]
    return ~right


def _operand(call: str, instruction: Instruction | str, operand: str) -> tuple[Instruction, LaneMap]:
    found = tensorcores.instruction(instruction) if isinstance(instruction, str) else instruction
    lane_map = found.maps.get(str(operand).lower())
    if lane_map is None:
        held = ", ".join(found.maps)
        raise FragmentError(f"{call}({found.short_name}, {operand!r}): the lanes hold {held} of this instruction")
    if lane_map.not_a_view is not None:
        raise FragmentError(f"{call}({found.short_name}, {operand!r}): {lane_map.not_a_view}; check the values instead")
    return found, lane_map


def _diagnose(case: Case) -> Diagnosis:
    wrong = case.wrong
    first = None
    if wrong.any():
        lane, element = (int(x) for x in np.argwhere(wrong)[0])
        first = Departure(lane, element, _tuple(case.held[lane, element]), _tuple(case.right[lane, element]))
    held = case.held.copy()
    held.flags.writeable = False
    axis = {"a": 1, "b": 0}.get(case.lane_map.operand)
    return Diagnosis(
        case.instruction,
        case.lane_map.operand,
        right=first is None,
        places=wrong.size,
        wrong=int(wrong.sum()),
        first=first,
        mistake=None if first is None else likely_mistake(case),
        order_of_k=None if first is None or axis is None else order_of(case, axis),
        held=held,
    )


def _tuple(coordinate: IntArray) -> tuple[int, ...]:
    return tuple(coordinate.tolist())


def _of_another_shape(call: str, found: Instruction, lane_map: LaneMap, loaded: Fragment) -> Diagnosis:
    """A fragment with too few elements or lanes holds nothing in the others; one with too many is another map."""
    held = loaded.held
    elsewhere = distant_instructions(Case(found, lane_map, held, loaded.numbered))
    shape = (lane_map.lanes, lane_map.elements)
    if elsewhere is None and any(have > want for have, want in zip(held.shape, shape, strict=False)):
        raise FragmentError(
            f"{call}: the fragment has {held.shape[0]} lanes × {held.shape[1]} elements, "
            f"expected {shape[0]} × {shape[1]}"
        )
    lanes, elements = (max(have, want) for have, want in zip(held.shape, shape, strict=False))
    padding = ((0, lanes - held.shape[0]), (0, elements - held.shape[1]), (0, 0))
    full = np.pad(held, padding, constant_values=NOTHING)
    right = np.pad(
        lane_map.coordinates(), ((0, lanes - shape[0]), (0, elements - shape[1]), (0, 0)), constant_values=NOTHING
    )
    wrong = (full != right).any(axis=-1)
    lane, element = (int(x) for x in np.argwhere(wrong)[0])
    mistake = elsewhere or Mistake(
        "elements missing",
        f"Each of {held.shape[0]} lanes holds {held.shape[1]} elements; {lane_map.operand.upper()} has {shape[1]} "
        f"in each of {shape[0]} lanes.",
        "Load the rest: the operand's elements, times its copies, divided by the lanes, are what each lane holds.",
    )
    return Diagnosis(
        found,
        lane_map.operand,
        right=False,
        places=wrong.size,
        wrong=int(wrong.sum()),
        first=Departure(lane, element, _tuple(full[lane, element]), _tuple(right[lane, element])),
        mistake=mistake,
        order_of_k=None,
        held=held,
    )
