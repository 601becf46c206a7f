"""Explorers: pictures that people touch. They need the `notebook` extra; the rest of the package does not."""

from typing import TYPE_CHECKING, Any

from shapetracker.errors import ShapeTrackerError

if TYPE_CHECKING:
    from shapetracker.widgets.view_explorer import ViewExplorer


def explore(subject: Any = (4, 6)) -> "ViewExplorer":
    """The view explorer: see `shapetracker.widgets.view_explorer.explore`.

    Raises
    ------
    ShapeTrackerError
        When anywidget is not installed.

    Examples
    --------
    >>> explore((4, 6))
    ViewExplorer('ShapeTracker.from_shape((4, 6))')
    """
    try:
        from shapetracker.widgets import view_explorer
    except ModuleNotFoundError as missing:
        raise ShapeTrackerError(
            f"explore: {missing.name} is not installed; the explorers need pip install 'lanewise[notebook]'"
        ) from missing
    return view_explorer.explore(subject)
