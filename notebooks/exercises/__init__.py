"""Exercises that say what went wrong: ``from exercises import check, hint``.

In a notebook
-------------
``check(answer, "name")``
    Compares the answer with a hidden one, shows what the answer does and where it first goes wrong, and says why in a
    sentence. ``check(answer, "name", seed=7)`` asks it with other inputs, for a class.
``hint("name")``
    The next hint; each call gives one more.
``ask("name")``
    What is asked, and the code to start from; ``ask("name", seed=7)`` with other inputs.
``results()``
    All exercises that were tried, as JSON text: name, seed, right, attempts, hints; ``results("ada.json")`` also
    writes it to a file. No times.

`check` gives a `Verdict`: in a notebook it is a picture, ``print(verdict)`` is its text, ``verdict.right`` is True or
False, ``verdict.sentence`` says why. It never raises for an answer, whatever the answer is.

>>> from exercises import check
>>> check(15, "address").right
True
>>> print(check(20, "address").sentence)
The row moves the walk by 6 cells, the column by 1; you have them the other way round.

To write one
------------
Put a module into ``exercises/tasks``; every module there is read. An exercise is one definition::

    from exercises.define import define, Mistake, Number

    define(
        name="lanes-of-a-warp",
        notebook="07",
        asked="How many lanes has a warp of NVIDIA?",
        start='mine = None\\ncheck(mine, "lanes-of-a-warp")',
        kind=Number(),
        inputs=lambda rng: {},            # drawn from a numpy Generator that is made from the seed
        wanted=lambda: 32,                # the hidden answer, from the inputs by name
        mistakes=(Mistake("A wave of AMD's CDNA has 64.", gives=lambda: 64),),
        hints=("It is a power of two.", "Five shuffles reach every lane of it."),
    )

The kinds: `Number` (a number, a tuple, a list), `Formula` (an index formula as text), `Views` (a ShapeTracker, a View,
or a function that gives one), `Fragment` (row and column of a tensor core's operand by lane and element), `Matrix` (an
array), `Kernel` (a ``@cuda.jit`` kernel). Each kind's docstring says what `inputs` and `wanted` are to it.

The solution goes into a module of ``notebooks/solutions``, such as ``n07.py``::

    SOLUTIONS = {"lanes-of-a-warp": 32}

and what people answer instead into ``tests/exercises/wrong_answers.py``, with a part of the sentence that it must get::

    ("lanes-of-a-warp", 64, "AMD's CDNA"),

The tests hold all of them against the exercises. Where inputs change with the seed, a
solution is a kernel, a formula or a function; where they are fixed it may be a number.
"""

from exercises.exercise import Exercise, Mistake, Verdict
from exercises.session import ask, check, hint, results

__all__ = ["Exercise", "Mistake", "Verdict", "ask", "check", "hint", "results"]
