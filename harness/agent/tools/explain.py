"""`explain`."""

from __future__ import annotations

from pydantic import Field

from harness.agent.tools.base import Bench, Input, Tool, ToolRefused
from harness.options import UsageError


class Explain(Input):
    """Input."""

    kind: str | None = Field(None, max_length=100, description="Name of a kind; without it, all of them in a line each")


def _run(_: Bench, given: Explain) -> str:
    from harness.command.explain import explain

    try:
        return explain([given.kind] if given.kind else [])
    except UsageError as error:
        raise ToolRefused(str(error)) from None


TOOL = Tool("explain", "What a kind of finding means: causes, proof, limits, a bad and a good program.", Explain, _run)
