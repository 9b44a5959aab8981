"""Columns of plain text."""

from __future__ import annotations

from subword.columns import WIDTH, aligned, display_width, one_line, wrapped


def test_columns_line_up_in_every_script():
    rows = [["낮은", "5", "e\u0301"], ["newest", "16", "e"]]
    low, newest = aligned(rows)
    assert display_width(low) == display_width(newest)
    assert aligned(rows, ">")[0].startswith("  낮은   5")
    assert aligned(rows, "<<")[0].startswith("낮은    5   ")


def test_lines_are_filled_and_no_wider_than_they_may_be():
    lines = wrapped(["low"] * 40, "  neg")
    assert [display_width(line) for line in lines] == [WIDTH - 3, WIDTH - 3]
    lines = wrapped(["x" * (WIDTH - 7), "y"], "  neg")
    assert lines == ["  neg  " + "x" * (WIDTH - 7), "       y"]


def test_nothing_tears_a_row_apart():
    assert one_line("low\tlower\r\nnewest") == "low lower  newest"
