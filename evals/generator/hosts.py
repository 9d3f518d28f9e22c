"""Simulations that faults are put into, each a folder with a description and two templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.options import UsageError

HOSTS = Path(__file__).parent / "hosts"


class Accumulator(BaseModel):
    """An array that launches of one step add to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: Literal["N", "M"]
    dtype: str


class Host(BaseModel):
    """``host.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = ""
    title: str
    docs: tuple[str, ...]
    """First line of the program, one of them."""
    files: tuple[str, ...]
    kernel_files: tuple[str, ...]
    class_names: tuple[str, ...]
    states: dict[str, tuple[str, ...]]
    """Arrays that go from step to step, with names for them; the first is what is read out."""
    dtypes: dict[str, str]
    acc: Accumulator | None
    N: tuple[int, ...]
    """Even numbers of elements of a state."""
    M: Literal["N", "N - 1"]
    """Number of coefficients."""
    steps: tuple[int, int]
    pointwise: bool
    """Element i of the new state depends on element i of the old one alone, so that a kernel can work in place."""
    names: dict[str, tuple[str, ...]]
    floats: dict[str, tuple[float, float]]
    """Constants, drawn between the two with two decimals."""
    what: str
    """What is fitted, in the user's words."""
    subject: str

    @property
    def features(self) -> frozenset[str]:
        """What faults may ask for."""
        found = {"acc": self.acc is not None, "pointwise": self.pointwise, "two-states": len(self.states) > 1}
        return frozenset(name for name, has in found.items() if has)


@cache
def all_hosts() -> dict[str, Host]:
    """All hosts by name."""
    return {folder.parent.name: _load(folder) for folder in sorted(HOSTS.glob("*/host.json"))}


def _load(path: Path) -> Host:
    try:
        host = Host.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UsageError(f"`{path}` is not a valid host: {error}") from None
    return host.model_copy(update={"name": path.parent.name})
