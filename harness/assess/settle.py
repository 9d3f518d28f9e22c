"""What differences of the whole program leave open, settled by the other oracles where they can.

A gradient whose chain is complete, whose backward pass ran on the recorded contents, and whose every adjoint is right
by itself is right, however chaotic the program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..execute.session import Session
from ..measure import ArrayCheck
from ..record.events import Recording
from .completeness import Completeness, completeness
from .flow import Step
from .gradients import Assessment, Judged
from .local import LaunchCheck, LocalResult, check_launches, results, sampled
from .replay import Replay, replay

Progress = Callable[[str], None]

UNSETTLED_REASONS = ("no-objective", "not-reached", "not-differentiable", "nonfinite_gradient", "domain_error", "crash")
"""Reasons that speak of the gradient or the program itself, not of what differences can resolve."""


@dataclass
class Settlement:
    """What the local and replay oracles found about one consumed gradient."""

    completeness: Completeness
    replay: Replay | None = None
    kernels: list[LocalResult] = field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """Complete, clean, and right in every kernel."""
        is_clean = self.replay is not None and self.replay.is_clean
        return self.completeness.is_complete and is_clean and all(k.status == "agrees" for k in self.kernels)

    @property
    def explanation(self) -> str:
        """One sentence: what was checked, or the first thing that stands in the way."""
        if self.is_settled:
            worst = max((k.residual_rel for k in self.kernels), default=0.0)
            count = len(self.kernels)
            subject = "the adjoint of its one kernel agrees" if count == 1 else f"its {count} kernels' adjoints agree"
            return (
                f"Single launches were checked instead: {subject} with differences within {worst:.1g}, backward on the "
                f"recorded contents gives the same gradient, and all {len(self.completeness.steps)} operations between "
                "the parameter and the objective are recorded."
            )
        return f"The check of single launches does not decide either: {self._obstacle()}."

    def _obstacle(self) -> str:
        if self.completeness.holes:
            return self.completeness.holes[0].why
        for status, text in (("disagrees", "disagrees with differences"), ("undecided", "is undecided")):
            for kernel in self.kernels:
                if kernel.status == status:
                    return f"the adjoint of `{kernel.kernel}` {text}"
        size = self.replay.difference_rel if self.replay is not None else None
        change = "gives another gradient" if size is None else f"changes the gradient by {size:.1%}"
        return f"backward on the recorded contents {change}"


def settle(session: Session, recording: Recording, assessment: Assessment, progress: Progress = lambda _: None) -> None:
    """Give undecided checks to the local and replay oracles; changes ``assessment``."""
    if not assessment.is_deterministic or not session.can_fork:
        return
    checked: dict[int, LaunchCheck] = {}
    for judged in assessment.judged:
        if not _is_open(judged):
            continue
        progress("single launches")
        settlement = examine(session, recording, judged, checked)
        judged.settlement = settlement
        if settlement.is_settled:
            judged.oracle, judged.unsettled = "local", judged.check
            judged.check = _decided(judged.check, settlement)


def _decided(check: ArrayCheck, settlement: Settlement) -> ArrayCheck:
    """The check with the numbers of the launch that agrees least in place of those that decided nothing."""
    launches = [c for kernel in settlement.kernels for c in kernel.launches if c.status == "agrees"]
    worst = max(launches, key=lambda c: c.residual_rel or 0.0)
    directions = [d for p in worst.pairs for d in p.check.directions]
    shown = max(directions, key=lambda d: d.residual_rel, default=None)
    visible = [d.visible_error for c in launches for p in c.pairs for d in p.check.directions]
    return replace(
        check, status="agrees", reason=None, confidence="measured", next_step=None, half_width=None, alpha=None,
        autodiff=shown.autodiff if shown else None, measured=shown.measured if shown else None,
        h=shown.h if shown else None, eps_f=None, eps_f_in_ulps=None, growth=False,
        ratio=shown.autodiff / shown.measured if shown and shown.measured else None,
        smallest_visible_error=max(visible, default=None),
    )  # fmt: skip


def _is_open(judged: Judged) -> bool:
    check = judged.check
    is_about_resolution = (judged.reason or check.reason) not in UNSETTLED_REASONS
    return check.status == "undecided" and is_about_resolution and not check.nonfinite_count


def examine(
    session: Session, recording: Recording, judged: Judged, checked: dict[int, LaunchCheck] | None = None
) -> Settlement:
    """All three parts, the cheap ones first; stops at the first that fails. ``checked`` remembers launches."""
    checked = {} if checked is None else checked
    settlement = Settlement(completeness(recording, judged.consumption))
    if not settlement.completeness.is_complete:
        return settlement
    settlement.kernels = _kernels(session, recording, settlement.completeness, checked)
    if settlement.kernels and all(k.status == "agrees" for k in settlement.kernels):
        settlement.replay = replay(session, recording, judged.consumption)
    return settlement


def _kernels(
    session: Session, recording: Recording, chain: Completeness, checked: dict[int, LaunchCheck]
) -> list[LocalResult]:
    """Every kernel on the path, judged by the arrays on the path alone."""
    events = [e.seq for e in sampled([s.event for s in chain.launches])]
    checked.update(check_launches(session, recording, [e for e in events if e not in checked], session.limits.seconds))
    steps = {s.event.seq: s for s in chain.launches}
    unreached = [seq for seq in events if seq not in checked]
    missing = [LaunchCheck(seq, steps[seq].event.name, "undecided", "not-reached", None) for seq in unreached]
    own = [_on_path(checked[seq], steps[seq]) for seq in events if seq in checked]
    return results([*own, *missing], recording)


def _on_path(check: LaunchCheck, step: Step) -> LaunchCheck:
    return check.among({t.path for t in step.sources}, {t.path for t in step.results})
