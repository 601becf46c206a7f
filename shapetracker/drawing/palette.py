"""The colours: hue names a group, lightness the place inside it, in a light and a dark theme.

The colours are built in OKLCH (Ottosson, "A perceptual color space for image processing", 2020): a cylinder whose
lightness is even to the eye, so that "one step lighter" looks the same in every hue. The eight hues are in the
spirit of Okabe and Ito's set: neighbours lie on opposite sides of the blue-yellow axis, which every common kind of
colour blindness keeps. More than eight groups repeat the hues; the number in the cell tells them apart.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

ThemeName = Literal["light", "dark"]
Mood = Literal["full", "hushed", "bare"]
"""full: at rest. hushed: not what is pointed at, its number still legible. bare: hushed where no number is shown."""

HUES = (250, 68, 205, 40, 300, 108, 348, 155)
"""Degrees: blue, orange, cyan, vermilion, violet, yellow, pink, green."""

LIFTS = (0.015, 0.005, 0.035, -0.035, -0.04, 0.035, 0.0, -0.02)
"""Lightness added to each hue: the pairs that one kind of eye confuses (blue and violet) part in lightness."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours that carry no data, and the text colours of filled cells."""

    name: ThemeName
    paper: str
    ink: str
    muted: str
    hair: str
    rule: str
    accent: str
    error: str
    wash: str
    cell_ink: str
    cell_muted: str


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#16181b",
    muted="#586069",
    hair="#dfe2e5",
    rule="#8b939b",
    accent="#0b5cad",
    error="#b3261e",
    wash="#f4f5f6",
    cell_ink="#131517",
    cell_muted="#586069",
)
DARK = Theme(
    name="dark",
    paper="#111316",
    ink="#eef0f2",
    muted="#a3abb3",
    hair="#2b3036",
    rule="#727b84",
    accent="#82bbf6",
    error="#ff9d8f",
    wash="#1a1d21",
    cell_ink="#f7f8f9",
    cell_muted="#a3abb3",
)


def theme(name: ThemeName) -> Theme:
    """The theme of that name.

    Raises
    ------
    ValueError
        When the name is neither "light" nor "dark".

    Examples
    --------
    >>> theme("light").paper
    '#ffffff'
    """
    themes = {"light": LIGHT, "dark": DARK}
    if name not in themes:
        raise ValueError(f"theme {name!r}: expected 'light' or 'dark'")
    return themes[name]


def _encode(linear: float) -> float:
    """The sRGB transfer curve (IEC 61966-2-1)."""
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def _decode(encoded: float) -> float:
    return encoded / 12.92 if encoded <= 0.04045 else ((encoded + 0.055) / 1.055) ** 2.4


def _oklab_to_srgb(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """Ottosson's matrices (bottosson.github.io/posts/oklab), from OKLab to encoded sRGB, not yet clipped."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _encode(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _encode(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _encode(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


@lru_cache(maxsize=8192)
def oklch(lightness: float, chroma: float, hue: float) -> str:
    """The sRGB colour of an OKLCH triple; chroma shrinks until the colour exists in sRGB.

    Parameters
    ----------
    lightness : float
        0 (black) to 1 (white).
    chroma : float
        0 is grey; the strongest sRGB colours reach about 0.3.
    hue : float
        Degrees.

    Examples
    --------
    >>> oklch(0.9, 0.12, 250)
    '#c7e1fd'
    >>> oklch(1.0, 0.0, 0)
    '#ffffff'
    """
    angle = math.radians(hue)
    while True:
        chroma = max(chroma, 0.0)
        rgb = _oklab_to_srgb(lightness, chroma * math.cos(angle), chroma * math.sin(angle))
        if chroma == 0.0 or all(-0.0005 <= channel <= 1.0005 for channel in rgb):
            return "#" + "".join(f"{math.floor(255 * min(1.0, max(0.0, channel)) + 0.5):02x}" for channel in rgb)
        chroma -= 0.003


@lru_cache(maxsize=8192)
def fill(group: int, place: float, name: ThemeName = "light", mood: Mood = "full") -> str:
    """The fill of a cell: hue by its group, lightness by its place in the group (0 lightest, 1 deepest).

    Examples
    --------
    >>> fill(0, 0.0), fill(0, 1.0), fill(8, 0.0)  # the ninth group has the first hue again
    ('#c7e1fd', '#5c9ee1', '#c7e1fd')
    >>> fill(1, 0.0, "dark")
    '#905b16'
    """
    hue, lift, light = HUES[group % 8], LIFTS[group % 8], name == "light"
    if mood == "bare":
        return oklch(0.945 - 0.02 * place, 0.035, hue) if light else oklch(0.30 - 0.03 * place, 0.05, hue)
    if mood == "hushed":
        return oklch(0.978 - 0.012 * place, 0.016, hue) if light else oklch(0.235 - 0.02 * place, 0.022, hue)
    if light:
        return oklch(0.885 + (0.67 - 0.885) * place + lift, 0.12, hue)
    return oklch(0.515 + (0.375 - 0.515) * place + lift * 0.8, 0.105, hue)


@lru_cache(maxsize=8192)
def ramp(place: float, name: ThemeName = "light", mood: Mood = "full") -> str:
    """The fill of an ordered value such as k: one hue, pale at 0 and deep at 1.

    Examples
    --------
    >>> ramp(0.0), ramp(1.0)
    ('#d9f5fa', '#3d9dce')
    """
    light = name == "light"
    if mood == "bare":
        return oklch(0.95 - 0.04 * place, 0.03, 230) if light else oklch(0.31 - 0.06 * place, 0.03, 230)
    if mood == "hushed":
        return oklch(0.975, 0.012, 230) if light else oklch(0.235, 0.018, 230)
    first, last = (0.95, 0.66) if light else (0.53, 0.30)
    return oklch(first + (last - first) * place, 0.03 + 0.085 * place, 235 - 25 * (1 - place))


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of "#rrggbb", 0 to 255.

    Examples
    --------
    >>> channels("#0b5cad")
    (11, 92, 173)
    """
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio").

    Examples
    --------
    >>> round(contrast("#000000", "#ffffff"), 1)
    21.0
    """

    def luminance(colour: str) -> float:
        red, green, blue = (_decode(channel / 255) for channel in channels(colour))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


STEPS = 17
"""Lightnesses of each hue that a widget gets: more than an eye tells apart inside one group."""


def tables() -> dict[str, dict[str, object]]:
    """Every colour that a widget draws with, by theme: tokens, and for each mood the fills and the ramp.

    `fills[mood][group][step]` and `ramp[mood][step]`, steps 0 to `STEPS - 1`. A widget looks colours up, so the
    palette is written once, here.

    Examples
    --------
    >>> tables()["light"]["fills"]["full"][0][0]
    '#c7e1fd'
    """
    moods: tuple[Mood, ...] = ("full", "hushed", "bare")
    places = [step / (STEPS - 1) for step in range(STEPS)]
    return {
        look.name: {
            "tokens": {key: getattr(look, key) for key in Theme.__dataclass_fields__ if key != "name"},
            "fills": {m: [[fill(g, t, look.name, m) for t in places] for g in range(8)] for m in moods},
            "ramp": {m: [ramp(t, look.name, m) for t in places] for m in moods},
        }
        for look in (LIGHT, DARK)
    }
