"""The pages of a verification, and Markdown that can be pasted into an answer: checked with a Markdown parser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from harness.report import verification as pages
from harness.schema import (
    ConstantChange,
    Cost,
    GradientNumbers,
    ProgramNumbers,
    Tool,
    Verification,
    VerifyCheck,
)

GOLD = sorted((Path(__file__).resolve().parents[2] / "gold").glob("*.md"))


def program(path: str, ratio: float, verdict: str) -> ProgramNumbers:
    gradient = GradientNumbers(
        parameter="self.q[0]|a", iteration=1, start="other values 1", autodiff=ratio * 2.0, measured=2.0, interval=1e-3,
        ratio=ratio, verdict="agrees" if ratio == 1.0 else "disagrees",
    )  # fmt: skip
    return ProgramNumbers.model_validate(
        {"path": path, "script": "train.py", "verdict": verdict, "summary": "d(loss)/d(q)", "gradients": [gradient]}
    )


VERIFICATION = Verification(
    tool=Tool(version="0.1.0"),
    verdict="refuted",
    summary="Only numbers were changed (`LR` 0.1 -> 0.01): <b>no</b> fix of __q__ * 2",
    checks=[
        VerifyCheck(name="gradient wrong before", outcome="passed", message="autodiff is 0.5 x | measured"),
        VerifyCheck(name="metric better", outcome="failed", message="loss: 1.0 before, 2.0 after;\nnot better."),
    ],
    before=program("old/train.py", 0.5, "wrong"),
    after=program("new/train.py", 1.0, "correct"),
    constants_changed=[ConstantChange(name="LR", file="train.py", line=3, before="0.1", after="0.01")],
    files_changed=["train.py"],
    diff="--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-LR = 0.1\n+LR = 0.01  # ```\n",
    reproduce=["python -m harness.run verify old new"],
    cost=Cost(seconds=3.0, executions=40),
)


def test_the_text_tells_every_check_and_keeps_to_the_width() -> None:
    text = pages.text(VERIFICATION, width=80)
    assert text.startswith("refuted  Only numbers were changed")
    assert "  failed  metric better: loss: 1.0 before, 2.0 after; not better." in text
    assert "other values 1" in text
    assert "`LR`: 0.1 -> 0.01, train.py:3" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_markdown_holds_the_verdict_the_checks_the_numbers_and_the_difference() -> None:
    text = pages.markdown(VERIFICATION)
    for piece in ("## refuted: ", "**failed**", "0.01", "+LR = 0.01", "python -m harness.run verify old new"):
        assert piece in text


@pytest.mark.parametrize("name", ["verification", *(p.name for p in GOLD)])
def test_markdown_is_well_formed(name: str) -> None:
    """Every table row has as many cells as its head, no HTML, every fence is closed, and headings start at two."""
    text = (
        pages.markdown(VERIFICATION) if name == "verification" else next(p for p in GOLD if p.name == name).read_text()
    )
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    inside = [child for token in tokens for child in token.children or []]
    assert not [t.content for t in tokens + inside if t.type.startswith("html")]
    assert {t.tag for t in tokens if t.type == "heading_open"} <= {"h2", "h3"}
    assert sum(t.type == "fence" for t in tokens) == len(re.findall(r"^`{3,}\w", text, re.MULTILINE))
    widths: list[set[int]] = []
    for position, token in enumerate(tokens):
        if token.type == "table_open":
            widths.append(set())
        elif token.type == "tr_open":
            end = next(p for p in range(position, len(tokens)) if tokens[p].type == "tr_close")
            widths[-1].add(sum(t.type in ("td_open", "th_open") for t in tokens[position:end]))
    assert all(len(w) == 1 for w in widths)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert sum(t.type == "tr_open" for t in tokens) == len(lines) - len(widths), "every row is read as one"
