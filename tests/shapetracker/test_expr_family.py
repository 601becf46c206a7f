"""Index expressions as views make them: each simplified form is right, and hardly ever is a shorter one known."""

import json
from pathlib import Path

from shapetracker.equivalence import equivalent
from shapetracker.expr import Expr, parse

FAMILY = json.loads((Path(__file__).parent.parent / "data" / "index_expressions.json").read_text())


def built(record: dict[str, dict[str, list[int]]]) -> Expr:
    """The expression of a record, as it was written."""
    return parse(str(record["text"]), {name: (ends[0], ends[1]) for name, ends in record["ranges"].items()})


def test_each_simplified_form_has_the_same_values() -> None:
    for record in FAMILY:
        e = built(record)
        assert equivalent(e, e.simplify()), record["text"]


def test_at_most_one_in_twenty_is_longer_than_the_shortest_known_form() -> None:
    longer = [r["text"] for r in FAMILY if built(r).simplify().operations() > r["fewest"]]
    assert len(longer) * 20 <= len(FAMILY), longer


def test_simplifying_a_copy_again_changes_nothing() -> None:
    for record in FAMILY:
        simplified = built(record).simplify()
        text, names = simplified.render(), {v.name: (v.min, v.max) for v in simplified.variables()}
        del simplified
        assert parse(text, names).simplify().render() == text
