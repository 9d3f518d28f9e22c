"""Every example report in every format, against the files beside this one. Refresh: pytest tests/gold --update-gold."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_reports import EXAMPLES

from harness.report import FORMATS, ReportFormat, render

FOLDER = Path(__file__).parent
SUFFIXES = {"text": "txt", "json": "json", "markdown": "md", "sarif": "sarif", "html": "html"}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_report_renders_as_its_gold_file(name: str, format: ReportFormat, update_gold: bool) -> None:
    rendered = render(EXAMPLES[name](), format)
    gold = FOLDER / f"{name}.{SUFFIXES[format]}"
    if update_gold:
        gold.write_text(rendered, encoding="utf-8")
    assert rendered == gold.read_text(encoding="utf-8")


def test_every_gold_file_belongs_to_an_example() -> None:
    expected = {f"{name}.{suffix}" for name in EXAMPLES for suffix in SUFFIXES.values()}
    found = {path.name for path in FOLDER.iterdir() if path.suffix not in (".py", "") and path.is_file()}
    assert found == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_text_fits_80_columns_and_is_ascii(name: str) -> None:
    text = render(EXAMPLES[name](), "text")
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80


def test_first_lines_name_verdict_parameter_place_and_ratio() -> None:
    first, second = render(EXAMPLES["overwritten-field"](), "text").splitlines()[:2]
    assert first.startswith("wrong  d(loss)/d(params), relax_field_before_backward.py:42")
    assert "0.817 x" in first + second
