"""Widgets: pictures that people touch. Importing this needs anywidget, which the `notebook` extra brings."""

from gpuemu.widgets.fragment_explorer import FragmentExplorer, explore_fragment
from gpuemu.widgets.lane_explorer import LaneExplorer, explore

__all__ = ["FragmentExplorer", "LaneExplorer", "explore", "explore_fragment"]
