"""The program under investigation, as the user starts it."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Program:
    """A script or a module; it is started in the root of the workspace."""

    script: str | None
    """Relative to the root."""
    module: str | None = None
    arguments: tuple[str, ...] = ()
    overrides: dict[str, str] = field(default_factory=dict)
    """Constants to replace while it loads, as with ``--set``."""
    python: str = sys.executable
    metric: str | None = None
    """Pattern of a line that it prints with the user's own number, for the verification."""

    @property
    def words(self) -> list[str]:
        """For the command line of a diagnosis, without the program's own arguments."""
        named = [self.script] if self.script else ["-m", str(self.module)]
        return [*named, *(f"--set={name}={value}" for name, value in self.overrides.items())]

    @property
    def command(self) -> list[str]:
        """As the user would start it."""
        return ["python", *([self.script] if self.script else ["-m", str(self.module)]), *self.arguments]

    def as_dict(self) -> dict[str, Any]:
        """For the state of the run."""
        return {**asdict(self), "arguments": list(self.arguments)}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Program:
        """The reverse of `as_dict`."""
        return Program(**{**data, "arguments": tuple(data["arguments"])})
