"""An index that leaves its axis: the memory has no such element, and the report says which axis it was.

``a[0, 8]`` of an array with rows of 8 would read the first element of the next row. On a GPU nobody notices. Here the
index into memory becomes one that no memory has; in its bits it carries the axis, the axis's size, and the index.
"""

from dataclasses import replace

from gpuemu.errors import Report

_INDEX, _SIZE = 32, 24  # bits of the fields; above them, the axis counted from 1


def code(axis: int, size: int) -> int:
    """The fields of axis and size; a size that does not fit is left out.

    >>> code(1, 8) == (2 << 56) + (8 << 32)
    True
    """
    return (axis + 1) << (_INDEX + _SIZE) | (size if size < 1 << _SIZE else 0) << _INDEX


def explained(report: Report, name: str) -> Report:
    """The report with the axis in words, where its index is such a code; else as it is."""
    if report.kind != "out-of-bounds" or report.index is None or report.index < code(0, 0):
        return report
    axis, size = (report.index >> (_INDEX + _SIZE)) - 1, report.index >> _INDEX & ((1 << _SIZE) - 1)
    index = report.index & ((1 << _INDEX) - 1)
    index -= (index >> (_INDEX - 1)) << _INDEX
    verb = report.cause.split()[0]
    cause = f"{verb} {name} with index {index} on axis {axis}" + (f", which has {size} elements" if size else "")
    fix = (
        "A negative index does not count from the end: guard the access, or check the sign of the offset"
        if index < 0
        else "It would touch an element of another row: guard each axis by its own size"
    )
    return replace(report, index=index, cause=cause, fix=fix)
