"""The names of the arithmetic: what each ALU op computes, and on which kinds of numbers.

`ALU_RULES` is to the ALU what `gpuemu.uops.OPS` is to the UOps: checks, pictures and documentation read it. How numpy
computes them is `gpuemu.machine.arithmetic`.
"""

from dataclasses import dataclass
from enum import Enum, auto


class UnaryOps(Enum):
    """Arithmetic of one operand."""

    EXP2 = auto()
    LOG2 = auto()
    SIN = auto()
    SQRT = auto()
    NEG = auto()


class BinaryOps(Enum):
    """Arithmetic of two operands."""

    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()
    MAX = auto()
    MOD = auto()
    CMPLT = auto()
    CMPEQ = auto()
    CMPNE = auto()
    XOR = auto()
    AND = auto()
    OR = auto()
    SHL = auto()
    SHR = auto()


class TernaryOps(Enum):
    """Arithmetic of three operands."""

    WHERE = auto()
    MULACC = auto()


AluOp = UnaryOps | BinaryOps | TernaryOps
ALU_OPS: dict[str, AluOp] = {op.name: op for kind in (UnaryOps, BinaryOps, TernaryOps) for op in kind}
COMPARISONS = frozenset({BinaryOps.CMPLT, BinaryOps.CMPEQ, BinaryOps.CMPNE})
SHIFTS = frozenset({BinaryOps.SHL, BinaryOps.SHR})


def arity(op: AluOp) -> int:
    """How many operands an ALU op takes.

    >>> arity(TernaryOps.WHERE)
    3
    """
    return 1 if isinstance(op, UnaryOps) else 2 if isinstance(op, BinaryOps) else 3


@dataclass(frozen=True, slots=True)
class AluRule:
    """What an ALU op computes, and on which kinds of numbers."""

    meaning: str
    kinds: tuple[str, ...]


_FLOAT, _INTEGER = ("float",), ("signed", "unsigned")
_BITS, _ALL = ("bool", *_INTEGER), ("bool", *_INTEGER, "float")

ALU_RULES: dict[AluOp, AluRule] = {
    UnaryOps.EXP2: AluRule("2 to the power x", _FLOAT),
    UnaryOps.LOG2: AluRule("the logarithm of x to the base 2", _FLOAT),
    UnaryOps.SIN: AluRule("the sine of x in radians; nan at ±inf", _FLOAT),
    UnaryOps.SQRT: AluRule("the square root of x", _FLOAT),
    UnaryOps.NEG: AluRule("−x; not x for bool", _ALL),
    BinaryOps.ADD: AluRule("x + y; or for bool", _ALL),
    BinaryOps.SUB: AluRule("x − y; exclusive or for bool", _ALL),
    BinaryOps.MUL: AluRule("x · y; and for bool", _ALL),
    BinaryOps.DIV: AluRule("x / y; for integers truncated as in C, and y = 0 is an error", _ALL),
    BinaryOps.MAX: AluRule("the larger; a number beats nan, +0 beats −0; or for bool", _ALL),
    BinaryOps.MOD: AluRule(
        "the remainder of the truncated quotient, with the sign of x; integer y = 0 is an error", _ALL
    ),
    BinaryOps.CMPLT: AluRule("x < y, a bool", _ALL),
    BinaryOps.CMPEQ: AluRule("x = y, a bool", _ALL),
    BinaryOps.CMPNE: AluRule("x ≠ y, a bool", _ALL),
    BinaryOps.XOR: AluRule("exclusive or, bit by bit", _BITS),
    BinaryOps.AND: AluRule("and, bit by bit", _BITS),
    BinaryOps.OR: AluRule("or, bit by bit", _BITS),
    BinaryOps.SHL: AluRule("x shifted left by y bits; 0 where y is the width or more, or negative", _INTEGER),
    BinaryOps.SHR: AluRule(
        "x shifted right by y bits, keeping the sign; 0 (−1 for x < 0) where y is not below the width", _INTEGER
    ),
    TernaryOps.WHERE: AluRule("y where x is true (not 0), else z", _ALL),
    TernaryOps.MULACC: AluRule("x · y + z, each step rounded", _ALL),
}
