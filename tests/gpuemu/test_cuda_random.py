"""Random kernels of integers, run by Python lane by lane and by the front end: the numbers must be the same."""

import linecache
from itertools import count

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu import cuda

NAMES = ("a", "b", "c")
NUMBERS = st.integers(-5, 9).map(str)
FILES = count()
LANES = 6


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """An integer expression of the variables, the lane i and the elements of x."""
    leaves = st.one_of(st.sampled_from((*NAMES, "i")), NUMBERS, st.sampled_from([f"x[i, {k}]" for k in range(3)]))
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(leaves)
    left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    form = draw(
        st.sampled_from(
            [
                *("({l} + {r})", "({l} - {r})", "({l} * {r}) % 97", "({l} // (abs({r}) + 1))", "({l} % 7 - {r})"),
                *("({l} if {r} > 2 else {r})", "min({l}, {r})", "max({l}, {r})", "-({l})", "abs({l} ^ {r})"),
                *("({l} < {r})", "({l} and {r})", "({l} or {r})", "(not {l})", "helper({l}, {r})"),
                *("(0 <= {l} < 3 and x[i, {l}] > {r})", "(x[i, {l}] if 0 <= {l} < 3 else {r})"),
                *("(a := {l} - {r})", "(x[i, -1] + {l})", "({l}, {r})[1]", "len(x[i, {l} % 4:{r} % 5])"),
                *("pair({l}, {r})[0]", "(7, 3, 5)[({l} + {r}) % 3]"),
            ]
        )
    )
    return form.format(l=left, r=right)


@st.composite
def statements(draw: st.DrawFn, depth: int, in_loop: bool) -> list[str]:
    """Some lines of a body; loops end."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["assign", "assign", "augment", "store", "swap", "tuple"]
        kinds += ["if", "for", "while", "return"] if depth else []
        kinds += ["break", "continue"] if in_loop else []
        kind = draw(st.sampled_from(kinds))
        name = draw(st.sampled_from(NAMES))
        value = draw(expressions(depth=2))
        if kind == "assign":
            lines.append(f"{name} = {value}")
        elif kind == "augment":
            lines.append(f"{name} {draw(st.sampled_from(['+', '-', '^']))}= {value}")
        elif kind == "store":
            lines.append(f"out[i, {draw(st.integers(0, 2))}] += ({value}) % 1000")
        elif kind == "swap":
            lines.append(f"{name}, b = b, {value}")
        elif kind == "tuple":
            lines += [f"both = {value}, both[0]", f"{name} = both[1]"]
        elif kind == "return":
            lines += [f"if {value} > 4:", "    return"]
        elif kind in ("break", "continue"):
            lines += [f"if {value} > 1:", f"    {kind}"]
        else:
            body = draw(statements(depth - 1, in_loop or kind != "if"))
            if kind == "if":
                lines += [f"if {value}:", *indented(body)]
                if draw(st.booleans()):
                    lines += ["else:", *indented(draw(statements(depth - 1, in_loop)))]
            elif kind == "for":
                start, step = draw(NUMBERS), draw(st.sampled_from(["1", "2", "-1", "3"]))
                counter = draw(st.sampled_from(["j", "k", name]))
                over = [
                    *(f"{counter} in range({start}, abs({value}) % 5, {step})", f"{counter} in (3, {name}, -1)"),
                    *(f"{counter} in x[i, {start}:{name}]", f"{counter} in x[i, ::{step}]"),
                    *(
                        f"q, {counter} in enumerate(x[i, {name}:], {start})",
                        f"q, (r, {counter}) in enumerate(((1, 2), (a, 4)))",
                    ),
                    f"q, {counter} in zip(range({start}, 6, 2), x[i, 1:])",
                ]
                lines += [f"for {draw(st.sampled_from(over))}:", *indented(body)]
            else:
                turns = f"turns{draw(st.integers(0, 99))}"
                lines += [f"{turns} = 0", f"while {turns} < abs({value}) % 4:", f"    {turns} += 1", *indented(body)]
    return lines


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def defined(source: str) -> dict[str, object]:
    """What the source defines; its lines can be looked up, as those of a notebook's cell."""
    name = f"<random kernel {next(FILES)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    found: dict[str, object] = {}
    exec(compile(source, name, "exec"), found)  # noqa: S102 (our own text)
    return found


HELPER = """
def pair(p, q=2):
    if p < q:
        return q, p
    return p, q


def helper(p, q):
    if p > q:
        return p - q
    for n in range(3):
        p += n
        if p > 5:
            return n - q
    return p
"""


@settings(max_examples=25, deadline=None)
@given(statements(2, False), st.integers(0, 2**31))
def test_random_kernels_mean_what_python_means(body, seed):
    start = ["i = lane(1)", "a, b, c = i, 2, x[i, 0] - 3", "both = a, b"]
    source = HELPER + "\n".join(["", "def kernel(out, x):", *indented([*start, *body, "out[i, 2] += a - b + c"])])
    x = np.random.default_rng(seed).integers(-9, 10, (LANES, 3))
    wanted = np.zeros((LANES, 3), np.int64)
    scope = defined(source)
    for i in range(LANES):
        scope["lane"] = lambda _, i=i: i
        scope["kernel"](Plain(wanted), Plain(x))
    scope = defined(source)
    scope["lane"] = cuda.grid
    scope |= {name: cuda.jit(device=True)(scope[name]) for name in ("helper", "pair")}
    found = np.zeros((LANES, 3), np.int64)
    cuda.jit(scope["kernel"])[1, LANES](found, x)
    assert found.tolist() == wanted.tolist(), source


class Plain:
    """An array whose elements are Python's integers."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __getitem__(self, index: tuple[int, int | slice]) -> int | list[int]:
        row, column = index
        if isinstance(column, slice):
            return self.array[int(row)].tolist()[column]
        return int(self.array[int(row), int(column)])

    def __setitem__(self, index: tuple[int, int], value: int) -> None:
        self.array[tuple(map(int, index))] = value
