"""Solutions of the lane explorer's tasks."""

SOLUTIONS = {
    "who-holds-c": (14, 3),
    "lanes-of-row-5": (20, 21, 22, 23),
    "which-register": (1, 0),
    "three-lanes": (6, 10, 5),
    "first-wrong-lane": 16,
}
