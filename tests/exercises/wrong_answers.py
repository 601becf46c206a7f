"""Typical wrong answers, but for kernels: the exercise, the answer, and a part of the sentence that it must get."""

from shapetracker import ShapeTracker

grid = ShapeTracker.from_shape((4, 6))


def transposed(rows, columns):
    return ShapeTracker.from_shape((rows, columns)).permute((1, 0))


def the_other_way_round(rows, columns):
    return ShapeTracker.from_shape((rows, columns)).permute((1, 0)).flip((0,))


def reshaped(rows, columns):
    return ShapeTracker.from_shape((rows, columns)).reshape((columns, rows))


def step_and_then_turned(n):
    return ShapeTracker.from_shape((n,)).stride((3,)).flip((0,))


def from_the_front(n):
    return ShapeTracker.from_shape((n,)).stride((3,))


def repeated(n, width):
    count = n - width + 1
    return ShapeTracker.from_shape((n,)).shrink(((0, count),)).reshape((count, 1)).expand((count, width))


def two_views(n, width):
    count = n - width + 1
    copies = ShapeTracker.from_shape((n,)).reshape((1, n)).expand((count + 1, n)).reshape(((count + 1) * n,))
    return copies.shrink(((0, count * (n + 1)),)).reshape((count, n + 1)).shrink(((0, count), (0, width)))


WRONG = [
    # notebook 00
    ("first-address", 15, "before it was transposed"),
    ("first-address", 14, "6 cells, not 4"),
    ("first-address", 5, "first multiplied by its stride"),
    ("first-address", 24, "addresses 0 to 23"),
    ("first-lane", 8, "count in pairs"),
    ("first-lane", 4, "two pairs further"),
    ("first-lane", 32, "lanes 0 to 31"),
    # notebook 01
    ("address", 20, "the other way round"),
    ("address", 60, "counted bytes"),
    ("address", 11, "the number of rows"),
    ("address", 5, "added the two indices"),
    ("address", 30, "The row alone"),
    ("address", -1, "0 to 23"),
    ("from-the-end", lambda n: (-(-n // 3), -3, n), "one before the end"),
    ("from-the-end", lambda n: (n // 3, -3, n - 1), "Round up"),
    ("turn", transposed, "This is the transpose"),
    ("turn", the_other_way_round, "turned the other way round"),
    ("turn", reshaped, "reshape keeps the order along the line"),
    ("turn", ShapeTracker.from_shape((2, 2)), "The shape is (2, 2)"),
    # notebook 02
    ("quarter-turn", grid.permute((1, 0)), "a transpose and a flip"),
    ("quarter-turn", grid.reshape((6, 4)), "keeps the order in memory"),
    ("every-second-row", grid.stride((2, 1)).flip((0,)).pad(((0, 0), (1, 0))), "order of the steps"),
    ("every-second-row", grid.stride((-2, 1)), "column is missing"),
    # notebook 03
    ("window-of-padding", lambda n, total, window: (-2, 2, n + 2), "mask of the whole padded row"),
    ("window-of-padding", lambda n, total, window: (-1, 1, n), "The end is not inside"),
    ("is-there-anything", "r >= 1 and c <= 4", "the end is not inside"),
    ("is-there-anything", "r >= 1", "The columns are missing"),
    ("blur-two", lambda n: n, "The first two positions read nothing"),
    # notebook 04
    ("column-by-column", "t", "row after row"),
    ("column-by-column", "t % 5 * 3 + t // 5", "t is cut into threes"),
    ("column-by-column", "t // 3 * 5 + t % 3", "it is the row that counts 5 times"),
    ("column-by-column", "t / 3", "integer division is written //"),
    ("floor-and-remainder", lambda n: (-(n // 5), -(n % 5)), "This is what C says"),
    ("first-carry", lambda n: n - 1, "nothing is carried yet"),
    ("first-carry", 1, "+ 1 is still below"),
    ("first-carry", lambda n: 2 * n, "It goes wrong earlier"),
    # notebook 05
    ("middle-digit", "n // 4 % 3", "You exchanged the sizes"),
    ("middle-digit", "n // 3", "through all blocks"),
    ("shortest", "(i * 3 + j) % 3", "it takes 3 operations; 0 are enough"),
    ("shortest", "i", "i moves whole blocks"),
    ("range-of-the-rule", lambda n: n, "one less"),
    ("range-of-the-rule", 0, "for larger ones too"),
    ("range-of-the-rule", 100, "starts again at 0"),
    # notebook 06
    ("stride-that-merges", lambda rows, columns: 2 * rows, "The right size counts"),
    ("stride-that-merges", lambda rows, columns: columns, "they are 2 apart"),
    ("odd-step", lambda rows, columns: -(rows - 1) * columns, "head of the same one"),
    ("odd-step", lambda rows, columns: (rows - 1) * columns - 1, "negative"),
    ("odd-step", 1, "stands at its foot"),
    ("how-many-shapes", 8, "merging rarely"),
    ("how-many-shapes", 5, "border after 4 elements"),
    ("how-many-shapes", 0, "need not change at all"),
    # notebook 07
    ("who-does-it", lambda lanes, element: (element % lanes, element // lanes), "Exchanged"),
    ("how-many-workgroups", lambda n, lanes: (n // lanes, 0), "Rounded down"),
    ("how-many-workgroups", lambda n, lanes: (-(-n // lanes), n % lanes), "the others have none"),
    ("after-one-shuffle", lambda values: [v + (i ^ 4) for i, v in enumerate(values)], "not its number"),
    ("after-one-shuffle", lambda values: [sum(values)] * 8, "that takes three steps"),
    # notebook 08
    ("address-of-b-transposed", "k * 8 + column", "Exchange the two strides"),
    ("address-of-b-transposed", "column * 8 + k", "5 further, not 8"),
    ("loads-of-the-launch", lambda m, n, k: m * k + k * n, "again and again"),
    ("loads-of-the-launch", lambda m, n, k: m * n * k, "two loads in each round"),
    ("loads-of-the-launch", lambda m, n, k: m * n, "how many lanes there are"),
    # notebook 09
    ("steps-and-barriers", lambda n: (n - 1, n), "a tree halves the lanes"),
    ("steps-and-barriers", lambda n: (n.bit_length() - 1,) * 2, "one more before the first"),
    ("order-decides", lambda n: (1,) + (2,) * (n - 1), "if the lanes run downwards"),
    ("accumulator", lambda start, end: 3 * end, "it goes into the sum, once"),
    # notebook 10
    ("who-holds-b", (9, 3), "a map of its own"),
    ("who-holds-b", (13, 0), "k = 10 is 8 further"),
    ("who-holds-b", 13, "2 numbers in a tuple"),
    ("b-by-lane", "lane // 4, lane % 4 * 2 + i % 2", "2 columns instead of 2 rows"),
    ("b-by-lane", 7, "a text"),
    ("rdna3-copies", (5,), "held twice"),
    # notebook 11
    ("cute-strides", (16, 2, 8, 128, 1), "slowest digit first"),
    ("from-bits", (5, 13), "exchanged"),
    ("from-bits", "13, 5", "A text was given"),
    # notebook 12
    ("row-addresses", "lane % 16 * 16 + lane // 16 * 8", "24 halves long"),
    ("row-addresses", "lane // 4 * 24 + lane % 4 * 2", "not who gets the data"),
    ("row-addresses", "lane % 16 * 24", "8 columns on"),
    ("free-pitches", (16, 32, 48, 64), "worst"),
    ("free-pitches", (8, 16, 24), "two rows meet in one"),
    ("free-pitches", (8, 24), "there are more"),
    # notebook 13
    ("fragment-strides", (1280, 16, 16, 2, 8, 128, 1), "80 long"),
    ("empty-places", 1536, "take off"),
    ("empty-places", 80, "none can be cut"),
    # notebook 14
    ("tests-that-notice", (3, 4), "transposed load"),
    ("tests-that-notice", (1, 3, 4), "and nothing else"),
    ("tests-that-notice", (2, 3, 4), "The identity notices too"),
    ("tests-that-notice", (1, 2, 4), "row 8 holds eights"),
    ("tests-that-notice", (0, 1), "All ones notices nothing"),
    ("tests-that-notice", 4, "numbers in a tuple"),
    ("repair-c", "lane/4 + 8*(i % 2), 2*(lane % 4) + i/2", "wrong order"),
    # notebook 15
    ("where-half-stops", 65504, "largest half"),
    ("where-half-stops", 4094, "one more step"),
    ("where-half-stops", 1024, "Up to 1024"),
    ("where-half-stops", 4098, "never comes to 4098"),
    ("exact-integers", 2048, "far above"),
    ("exact-integers", 128, "2 to the power 22"),
    ("exact-integers", 181, "for the sign"),
    ("exact-integers", 16, "not a number of bits"),
    ("exact-integers", 200, "exact with 200"),
    ("exact-integers", 300, "With 300, a sum may be"),
    ("exact-integers", (128, 256), "a number is asked for"),
    # notebook 16
    ("mfma-place", (5, 8), "in one run"),
    ("c-of-rdna4", "i * 2 + lane // 16, lane % 16", "lane 0"),
    # notebook 19
    ("window-strides", (18, 2, 18, 2), "step of the image"),
    ("how-many-windows", 16, "without padding"),
    ("how-many-windows", 36, "the fifth place"),
    ("how-many-windows", 9, "may overlap"),
    # try_lanes
    ("who-holds-c", (14, 1), "lower half of C"),
    ("who-holds-c", (14, 2), "left neighbour"),
    ("who-holds-c", (46, 1), "lanes 0 to 31"),
    ("lanes-of-row-5", (20,), "columns 0 and 1 alone"),
    ("lanes-of-row-5", (5,), "pieces of row 1"),
    ("which-register", (2, 0), "down by 8 rows first"),
    ("three-lanes", (5, 5, 5), "step 13 needs others"),
    ("first-wrong-lane", 4, "It is right"),
    ("first-wrong-lane", 9, "Lane 9 is right"),
    ("first-wrong-lane", 20, "not the first"),
    # try_views
    ("thirds", from_the_front, "begins at the front"),
    ("thirds", step_and_then_turned, "not at the last of all"),
    ("windows", two_views, "with 2 views; one is enough"),
    ("windows", repeated, "A row repeats one element"),
]
