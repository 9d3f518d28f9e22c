"""Places in the user's files."""

from __future__ import annotations

from pydantic import PositiveInt

from harness.schema.model import Model


class Location(Model):
    """A line of the user's code."""

    file: str
    """Relative to the script's folder where possible, with forward slashes."""
    line: PositiveInt
    end_line: PositiveInt | None = None
    function: str | None = None
    """The kernel or Python function that the line belongs to."""
    snippet: str = ""
    """The source text of the line or lines, without the common indentation."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Related(Location):
    """A further place that takes part in a finding."""

    role: str
    """What happens there, for example "writer", "reader" or "backward"."""
