"""The place where the harness's own assistant joins: it has to become an `Agent` here and nowhere else."""

from __future__ import annotations

import importlib.util

from evals.agents.base import Agent, AgentSpec
from harness.options import UsageError


def make(spec: AgentSpec) -> Agent:
    """The assistant that works through the Anthropic API.

    Raises:
        UsageError: this version of the harness has none.
    """
    if importlib.util.find_spec("harness.agent") is None:
        raise UsageError(
            "The agent `anthropic` needs the harness's own assistant, which this version does not have. "
            "Use --agent command with an assistant's command line instead."
        )
    raise UsageError(f"The agent `{spec.name}` is not connected to the harness's assistant yet; use --agent command.")
