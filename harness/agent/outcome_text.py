"""The result of a run for people."""

from __future__ import annotations

import textwrap

from harness.agent.outcome import Outcome

_WIDTH = 100


def render(outcome: Outcome) -> str:
    """Plain text: what was measured, what was claimed, the patch, what it took, what to do next."""
    lines = [_wrapped(outcome.summary, "")]
    if outcome.ended != "submitted":
        lines.append(_wrapped(f"Ended: {outcome.ended}, {outcome.ended_detail}", ""))
    if outcome.report is not None:
        lines += ["", "Measured on the original program", _wrapped(_measured(outcome))]
    for why in outcome.not_measured:
        lines.append(_wrapped(why))
    if outcome.submission is not None:
        lines += ["", "The model's words, not measured", _wrapped(outcome.submission.summary)]
    if outcome.claims:
        lines += ["", "Claimed, and what holds"]
        lines += [
            _wrapped(f"{claim.state:13}  {claim.what} `{claim.claimed}`: {claim.because}") for claim in outcome.claims
        ]
    if outcome.verification is not None:
        lines += ["", f"Verification of the fix: {outcome.verification.verdict}"]
        lines += [
            _wrapped(f"{check.outcome:14}  {check.name}: {check.message}") for check in outcome.verification.checks
        ]
    if outcome.patch:
        lines += ["", "Patch", outcome.patch.rstrip("\n")]
    if outcome.other_changes:
        lines += ["", _wrapped(f"Not in the patch: {', '.join(outcome.other_changes)}", "")]
    if outcome.applied:
        lines += ["", _wrapped(f"Applied to {', '.join(outcome.applied)}; the old files are in the run's folder.", "")]
    lines += ["", _usage(outcome), f"Run: {outcome.run_folder}"]
    if outcome.next_steps:
        lines += ["", "Next", *(f"  {step}" for step in outcome.next_steps)]
    return "\n".join(lines) + "\n"


def _measured(outcome: Outcome) -> str:
    assert outcome.report is not None
    found = [f"{f.kind} [{f.confidence}] {f.location or ''}".strip() for f in outcome.report.findings]
    return f"{outcome.report.verdict}: {outcome.report.summary}" + (f" Findings: {'; '.join(found)}." if found else "")


def _usage(outcome: Outcome) -> str:
    used = outcome.usage
    tokens = used.input_tokens + used.cache_write_tokens + used.cache_read_tokens
    return (
        f"{outcome.model}: {used.replies} replies, {tokens:,} tokens in ({used.cache_read_tokens:,} from the cache), "
        f"{used.output_tokens:,} out, ${used.cost:.4f}, {used.seconds:.0f} s"
    )


def _wrapped(text: str, indent: str = "  ") -> str:
    return textwrap.fill(
        " ".join(text.split()) if "  " not in text else text, _WIDTH, initial_indent=indent,
        subsequent_indent=indent + "  ", break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
