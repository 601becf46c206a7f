"""One lane map in many notations, each read back from its own text and compared with the map before it is given.

Examples
--------
>>> from gpuemu import tensorcores
>>> for notation in notations(tensorcores.instruction("m16n8k16").c): print(notation.name, notation.places)
formula 128
formula back 128
C function 128
View 128
movement operations 128
CuTe layout 128
F2 bases 128
SymPy expression 128
"""

from functools import cache

from gpuemu.tensorcores.lanemap import LaneMap
from gpuemu.tensorcores.notation.base import Notation
from gpuemu.tensorcores.notation.bases import Bases, bases, read_bases
from gpuemu.tensorcores.notation.cute import CuteLayout, cute, read_cute
from gpuemu.tensorcores.notation.formulas import (
    c_function,
    formula,
    formula_back,
    read_c,
    read_formula,
    read_sympy,
    sympy_expression,
)
from gpuemu.tensorcores.notation.movement import movement, read_view, view
from gpuemu.tensorcores.notation.swizzle import Swizzle, read_swizzle, swizzle

__all__ = [
    "Bases",
    "CuteLayout",
    "Notation",
    "Swizzle",
    "bases",
    "c_function",
    "cute",
    "formula",
    "formula_back",
    "movement",
    "notations",
    "read_bases",
    "read_c",
    "read_cute",
    "read_formula",
    "read_swizzle",
    "read_sympy",
    "read_view",
    "swizzle",
    "sympy_expression",
    "view",
]


@cache
def notations(lane_map: LaneMap) -> tuple[Notation, ...]:
    """A lane map in every notation; one that cannot express it says why.

    tinygrad's swizzle speaks of A, B and C at once, so it is a notation of the instruction: `swizzle`.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> found = {x.name: x for x in notations(tensorcores.instruction("m64n96k16").c)}
    >>> found["CuTe layout"].text
    '((4,8,4),(2,2,12)):((128,1,16),(64,8,512))'
    >>> found["F2 bases"].why_not
    'a lane holds 48 elements, no power of two: F2 counts in bits'
    """
    ways = (formula, formula_back, c_function, view, movement, cute, bases, sympy_expression)
    return tuple(way(lane_map) for way in ways)
