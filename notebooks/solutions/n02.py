"""Solutions of notebook 02."""

from shapetracker import ShapeTracker

grid = ShapeTracker.from_shape((4, 6))

SOLUTIONS = {
    "quarter-turn": grid.permute((1, 0)).flip((1,)),
    "every-second-row": grid.stride((-2, 1)).pad(((0, 0), (1, 0))),
}

WRONG = [
    ("quarter-turn", grid.permute((1, 0)), "a transpose and a flip"),
    ("quarter-turn", grid.reshape((6, 4)), "keeps the order in memory"),
    ("every-second-row", grid.stride((2, 1)).flip((0,)).pad(((0, 0), (1, 0))), "order of the steps"),
    ("every-second-row", grid.stride((-2, 1)), "column is missing"),
]
