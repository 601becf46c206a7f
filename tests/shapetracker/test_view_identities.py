"""Stacks of views over variables: asked at a position that is written in digits, the divisions cancel, for every size.

Each is an identity of the kind ``(i*N + j) // N = i``, with the sizes N and M as variables.
"""

import pytest

from shapetracker import ShapeTracker, Variable
from shapetracker.equivalence import equivalent
from shapetracker.expr import as_expr

N, M = Variable("N", 1, 5), Variable("M", 1, 4)
I, J, K = Variable("i", 0, 4), Variable("j", 0, 4), Variable("k", 0, 4)

IDENTITIES = {
    "a transposed matrix, read as rows of N": (
        ShapeTracker.from_shape((N, M)).permute((1, 0)).reshape((N * M,)),
        J * N + I,
        [I < N, J < M],
        I * M + J,
        1,
    ),
    "channels last, from channels first": (
        ShapeTracker.from_shape((3, N, M)).permute((1, 2, 0)).reshape((N * M * 3,)),
        (I * M + J) * 3 + K,
        [I < N, J < M, K < 3],
        K * N * M + I * M + J,
        1,
    ),
    "a row before each matrix row is padding": (
        ShapeTracker.from_shape((N, M)).pad(((0, 0), (1, 0))).reshape((N * (M + 1),)),
        I * (M + 1) + J,
        [I < N, J < M + 1],
        I * M + J - 1,
        J >= 1,
    ),
    "every second row": (
        ShapeTracker.from_shape((N * 2, M)).stride((2, 1)).reshape((N * M,)),
        I * M + J,
        [I < N, J < M],
        I * M * 2 + J,
        1,
    ),
    "each row M times": (
        ShapeTracker.from_shape((N, 1)).expand((N, M)).reshape((N * M,)),
        I * M + J,
        [I < N, J < M],
        I,
        1,
    ),
    "the same M values in each row": (
        ShapeTracker.from_shape((1, M)).expand((N, M)).reshape((N * M,)),
        I * M + J,
        [I < N, J < M],
        J,
        1,
    ),
    "a window of N rows that starts at row 1": (
        ShapeTracker.from_shape((N + 2, M)).permute((1, 0)).shrink(((0, M), (1, N + 1))).reshape((N * M,)),
        J * N + I,
        [I < N, J < M],
        (I + 1) * M + J,
        1,
    ),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_divisions_cancel_for_every_size(name):
    tracker, position, assuming, index, valid = IDENTITIES[name]
    found = tracker.expr_idxs([position])
    assert any(sign in found[0].render() for sign in ("//", "%")), "nothing to cancel"
    holds = as_expr(1)
    for assumption in assuming:
        holds = holds * assumption
    for part, wanted in zip(found, (index, valid), strict=True):
        assert part.simplify(assuming=assuming) is as_expr(wanted).simplify(assuming=assuming)
        verdict = equivalent((part - wanted) * holds, 0)
        assert verdict.equal
        assert verdict.method in ("exhaustive", "identical")


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_say_what_the_bound_views_read(name):
    tracker, position, assuming, index, valid = IDENTITIES[name]
    for n in range(1, 6):
        for m in range(1, 5):
            table = tracker.bind({N: n, M: m}).gather(range(40 * 5), fill=-1)
            for i in range(n):
                for j in range(m):
                    at = {"N": n, "M": m, "i": i, "j": j, "k": 1}

                    def value(e, at=at):
                        e = as_expr(e)
                        return e.evaluate({v.name: at[v.name] for v in e.variables()})

                    if all(value(assumption) for assumption in assuming):
                        assert table[value(position)] == (value(index) if value(valid) else -1)
