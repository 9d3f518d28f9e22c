"""Sentences on which the skill should wake up, and near misses on which it should not."""

from __future__ import annotations

import json

from pages_of_the_skill import ROOT


def test_half_of_the_sentences_are_near_misses() -> None:
    sentences = json.loads((ROOT / "evals" / "triggers.json").read_text(encoding="utf-8"))["sentences"]
    assert len(sentences) == 30
    assert sum(s["should_trigger"] for s in sentences) == 15
    assert len({s["text"] for s in sentences}) == 30
    assert all(len(s["text"].split()) > 5 and s["why"] for s in sentences)
