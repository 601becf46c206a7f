"""Notebook 19: windows."""

from exercises.define import Mistake, Number, define

define(
    name="window-strides",
    notebook="19",
    asked="An image is 9×9. What are the four strides of its windows of 3×3 that move by 2, down and across?",
    start='mine = None  # four numbers\ncheck(mine, "window-strides")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (18, 2, 9, 1),
    mistakes=(
        Mistake("These are windows that move by 1.", lambda: (9, 1, 9, 1)),
        Mistake(
            "A step within the window is a step of the image; only the places of the windows are 2 apart.",
            lambda: (18, 2, 18, 2),
        ),
        Mistake("You have the places last; they come first.", lambda: (9, 1, 18, 2)),
        Mistake("A row of the image has 9 elements; a window's row has 3.", lambda: (6, 2, 3, 1)),
    ),
    hints=("One step down in the image is 9.", "The window moves by two rows, or two columns."),
)

define(
    name="how-many-windows",
    notebook="19",
    asked="How many windows of 3×3 has an image of 9×9 with a padding of 1 all around and steps of 2?",
    start='mine = None  # a number\ncheck(mine, "how-many-windows")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 25,
    mistakes=(
        Mistake("That is without padding: four places down, four across.", lambda: 16),
        Mistake("That is with steps of 1.", lambda: 81),
        Mistake("That is one axis; there are two.", lambda: 5),
        Mistake("That is without padding and with steps of 1.", lambda: 49),
        Mistake(
            "Padded it is 11 long; the last window starts at 8, which is the fifth place: 0, 2, 4, 6, 8.", lambda: 36
        ),
        Mistake("Windows may overlap: they move by 2, not by their own width.", lambda: 9),
    ),
    hints=("Padded it is 11×11.", "(11 − 3) // 2 + 1 places along each axis."),
)
