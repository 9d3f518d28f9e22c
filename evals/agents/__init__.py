"""Who is scored: the harness, an assistant's command line, and scripted agents whose scores are known beforehand."""

from __future__ import annotations

from evals.agents.base import Agent, AgentSpec, Work
from harness.options import UsageError

NAMES = ("engine", "command", "fix", "nothing", "blame-requires-grad", "anthropic")


def make(spec: AgentSpec) -> Agent:
    """The agent of a specification.

    Raises:
        UsageError: there is no such agent, or it cannot work here.
    """
    from evals.agents import anthropic, calibrators, command, engine

    if spec.name == "engine":
        return engine.Engine(spec)
    if spec.name == "command":
        return command.Command(spec)
    if spec.name == "anthropic":
        if problem := anthropic.why_not():
            raise UsageError(problem)
        return anthropic.Assistant(spec)
    found = calibrators.CALIBRATORS.get(spec.name)
    if found is None:
        raise UsageError(f"There is no agent `{spec.name}`; there are {', '.join(NAMES)}.")
    return found()


__all__ = ["NAMES", "Agent", "AgentSpec", "Work", "make"]
