"""From call sites and allocations to names and lines of the user's source."""

from __future__ import annotations

import ast
import functools
import linecache
import os
from dataclasses import dataclass

from ..record.events import Recording
from ..record.reported import ARRAY, IN_FUNCTION


@dataclass(frozen=True)
class Place:
    """One line of the user's code."""

    file: str
    line: int
    function: str

    @property
    def snippet(self) -> str:
        """The text of the line."""
        return linecache.getline(self.file, self.line).strip()


class Source:
    """Names and places for one recording."""

    def __init__(self, recording: Recording, program_folder: str) -> None:
        self.recording = recording
        self.folder = os.path.join(os.path.abspath(program_folder), "")

    def places(self, site: int) -> list[Place]:
        """Frames of a site, innermost first."""
        return [Place(file, line, function) for file, line, function in self.recording.sites[site]]

    def place(self, site: int) -> Place | None:
        """The line to show for a site: the innermost one inside the program's folder, else the innermost."""
        frames = self.places(site)
        own = [p for p in frames if os.path.abspath(p.file).startswith(self.folder) and self.is_users(p.file)]
        return next(iter(own or frames), None)

    def is_users(self, file: str) -> bool:
        """True for a file of the user's, as against an installed package."""
        return "site-packages" not in os.path.abspath(file).split(os.sep)

    def relative(self, file: str) -> str:
        """Path relative to the program's folder where it lies below it, with forward slashes."""
        absolute = os.path.abspath(file)
        shown = absolute[len(self.folder) :] if absolute.startswith(self.folder) else absolute
        return shown.replace(os.sep, "/")

    def name(self, buffer: str) -> str:
        """Name of an array, from the assignment that made it: ``gains``, ``self.q``, ``states[3]``."""
        if buffer.endswith(".grad"):
            return f"{self.name(buffer[: -len('.grad')])}.grad"
        info = self.recording.buffers.get(buffer)
        if info is None:
            return buffer
        ordinal = int(buffer.replace("~", "#").rpartition("#")[2])
        for place in self.places(info["site"]):
            name = _assigned_name(place.file, place.line, ordinal)
            if name is not None:
                return name
        return self._name_in_use(buffer)

    def scalar_name(self, scalar: str) -> str:
        """A reported scalar as the user knows it: the variable, or the name of the array it was read from."""
        if scalar.startswith(ARRAY):
            return self.name(f"{scalar[len(ARRAY) :]}#0")
        return scalar.partition(IN_FUNCTION)[0]

    def _name_in_use(self, buffer: str) -> str:
        """Failing an assignment, what the first operation that touches the array calls it."""
        for event in self.recording.events:
            for touch in event.touches:
                if touch.buffer == buffer and touch.path not in ("array", "src", "dest"):
                    return touch.path
        return "array"


@functools.lru_cache(maxsize=64)
def _statements(file: str) -> list[ast.stmt]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def _assigned_name(file: str, line: int, ordinal: int) -> str | None:
    holding = [
        s for s in _statements(file)
        if isinstance(s, (ast.Assign, ast.AnnAssign)) and s.lineno <= line <= (s.end_lineno or s.lineno)
    ]  # fmt: skip
    if not holding:
        return None
    statement = max(holding, key=lambda s: s.lineno)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    value = statement.value
    if isinstance(target, (ast.Tuple, ast.List)):
        matched = _matching_element(target, value, line)
        if matched is None:
            return None
        target, value = matched
    name = ast.unparse(target)
    if isinstance(value, (ast.ListComp, ast.List)):
        return f"{name}[{ordinal}]"
    return name


def _matching_element(
    target: ast.Tuple | ast.List, value: ast.expr | None, line: int
) -> tuple[ast.expr, ast.expr] | None:
    """The element of ``a, b = x, y`` that stands on the line, if only one does."""
    if not isinstance(value, (ast.Tuple, ast.List)) or len(value.elts) != len(target.elts):
        return None
    on_line = [
        (t, v) for t, v in zip(target.elts, value.elts, strict=True) if v.lineno <= line <= (v.end_lineno or v.lineno)
    ]
    return on_line[0] if len(on_line) == 1 else None
