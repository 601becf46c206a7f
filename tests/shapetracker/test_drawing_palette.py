"""The palette: what is written on a colour can be read, in both themes; neighbours differ."""

import pytest

from shapetracker.drawing.palette import DARK, LIGHT, STEPS, Mood, Theme, contrast, fill, ramp, tables, theme

PLACES = [step / 64 for step in range(65)]


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_text_on_every_fill_has_contrast_of_at_least_4_5(look: Theme) -> None:
    for place in PLACES:
        for group in range(8):
            assert contrast(fill(group, place, look.name), look.cell_ink) >= 4.5
            assert contrast(fill(group, place, look.name, "hushed"), look.cell_muted) >= 4.5
        assert contrast(ramp(place, look.name), look.cell_ink) >= 4.5
        assert contrast(ramp(place, look.name, "hushed"), look.cell_muted) >= 4.5


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_words_on_paper_and_wash_have_contrast_of_at_least_4_5(look: Theme) -> None:
    for words in (look.ink, look.muted, look.accent, look.error):
        assert contrast(words, look.paper) >= 4.5
        assert contrast(words, look.wash) >= 4.5
    assert contrast(look.rule, look.paper) >= 3.0


def test_the_first_place_is_the_lightest_in_both_themes() -> None:
    for name in ("light", "dark"):
        for group in range(8):
            assert contrast(fill(group, 0.0, name), "#000000") > contrast(fill(group, 1.0, name), "#000000")


def test_groups_differ_at_each_place() -> None:
    for name in ("light", "dark"):
        for place in (0.0, 0.5, 1.0):
            assert len({fill(group, place, name) for group in range(8)}) == 8


def test_a_ninth_group_repeats_the_first_hue() -> None:
    assert fill(8, 0.5) == fill(0, 0.5)


def test_tables_hold_every_mood_of_both_themes() -> None:
    moods: tuple[Mood, ...] = ("full", "hushed", "bare")
    for name in ("light", "dark"):
        fills = tables()[name]["fills"]
        assert [len(fills[mood]) for mood in moods] == [8, 8, 8]  # type: ignore[index]
        assert len(fills["full"][0]) == STEPS  # type: ignore[index]


def test_an_unknown_theme_is_named() -> None:
    with pytest.raises(ValueError, match="theme 'sepia': expected 'light' or 'dark'"):
        theme("sepia")  # type: ignore[arg-type]
