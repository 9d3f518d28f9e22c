"""Findings that the recording shows by itself, without an experiment."""

from __future__ import annotations

from .assess.gradients import Assessment
from .record.events import Recording
from .schema import Finding
from .trace.consumption import Consumptions
from .trace.source import Source


def observations(
    recording: Recording, consumptions: Consumptions, assessment: Assessment, source: Source
) -> list[Finding]:
    """What was seen."""
    return []
