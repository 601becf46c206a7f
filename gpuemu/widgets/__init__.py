"""Widgets: pictures that people touch. Importing this needs anywidget, which the `notebook` extra brings."""

from gpuemu.widgets.lane_explorer import LaneExplorer, explore

__all__ = ["LaneExplorer", "explore"]
