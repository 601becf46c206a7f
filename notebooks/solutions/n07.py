"""Solutions of notebook 07."""

SOLUTIONS = {
    "who-does-it": lambda lanes, element: divmod(element, lanes),
    "how-many-workgroups": lambda n, lanes: (-(-n // lanes), -n % lanes),
    "after-one-shuffle": lambda values: [value + values[lane ^ 4] for lane, value in enumerate(values)],
}

WRONG = [
    ("who-does-it", lambda lanes, element: (element % lanes, element // lanes), "Exchanged"),
    ("how-many-workgroups", lambda n, lanes: (n // lanes, 0), "Rounded down"),
    ("how-many-workgroups", lambda n, lanes: (-(-n // lanes), n % lanes), "the others have none"),
    ("after-one-shuffle", lambda values: [v + (i ^ 4) for i, v in enumerate(values)], "not its number"),
    ("after-one-shuffle", lambda values: [sum(values)] * 8, "that takes three steps"),
]
