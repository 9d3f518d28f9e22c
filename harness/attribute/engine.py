"""The search for causes: largest candidate first, a fixed budget, and no cause rather than a misleading one.

Modelled on the explain phase of a test-case reducer: a candidate alone first, then all together, then each left out;
what remains is the smallest set that removes the disagreement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..assess.gradients import Judged
from ..kinds.base import Breadth, Candidate, Proof, finding
from ..schema import Finding, NotAttributed, RuledOut
from .downstream import as_seen_from, downstream
from .laboratory import Laboratory, Treatment
from .mended import mended as mended_program
from .upstream import Upstream

NOTHING = Treatment()
MOST_FIRST = 4
"""Causes tried as the first of two."""
FAIR_EXPERIMENTS = 40
"""Runs of the program under treatment that a search may make however long they take."""


Look = Callable[[Laboratory], list[Candidate]]
Order = Callable[[list[Candidate]], list[Candidate]]
"""The order in which candidates of the same breadth are tried."""


def largest_first(candidates: list[Candidate]) -> list[Candidate]:
    """By the amount of data that the suspected fault touches; equal ones in an order of their own."""
    return sorted(candidates, key=lambda c: (-c.weight, c.kind, str(c.location), c.action))


@dataclass
class Attribution:
    """What explains the disagreements, and what does not."""

    findings: list[Finding] = field(default_factory=list)
    ruled_out: list[RuledOut] = field(default_factory=list)
    not_attributed: NotAttributed | None = None
    undone: Treatment = NOTHING
    """All that the findings say is wrong, undone."""
    mended: Laboratory | None = None
    """The program without these causes, where they kept iterations out of sight."""


@dataclass
class _Accepted:
    candidate: Candidate
    proof: Proof
    parameters: list[str] = field(default_factory=list)


class Search:
    """One search over all disagreements of a program."""

    def __init__(self, lab: Laboratory, looks: list[Look], seconds: float, order: Order = largest_first) -> None:
        self._lab = lab
        self._looks = looks
        self._order = order
        self._candidates = self._ordered([c for look in looks for c in look(lab)])
        self._deadline = lab.session.clock() + seconds
        self._accepted: list[_Accepted] = []
        self._clean: dict[str, str] = {}
        """Kinds whose treatments all left the numbers as they are, and what was done."""
        self._partial: dict[str, str] = {}
        """Kinds with a treatment that changes the numbers: not excluded, whether or not it is a cause of its own."""
        self._unexplained: list[Judged] = []
        self._upstream = Upstream(lab)
        self._looked_upstream: set[str] = set()
        """Parameters before whose severed links other causes were looked for."""
        self._is_supplied = False
        """The measured derivative stands in for what links do not carry: none is to be held fixed."""

    @property
    def accepted(self) -> Treatment:
        """Everything that was found, undone."""
        return self._joined([a.candidate for a in self._accepted])

    @property
    def seconds_left(self) -> float:
        """Of the time for the search."""
        return max(self._deadline - self._lab.session.clock(), 0.0)

    def run(self) -> Attribution:
        """Explain every disagreement, or say that it is not explained."""
        for judged in self._lab.disagreements():
            if judged.problem is None or not self._explain(judged):
                self._unexplained.append(judged)
        return self._result()

    # --- one disagreement -------------------------------------------------------------------------------------
    def _explain(self, judged: Judged) -> bool:
        held = self.accepted
        if self._accepted and self._lab.mends(judged, held):
            self._credit(judged)
            self._explain_left_over(judged, held)
        elif not self._search(judged, held):
            return False
        self._explain_upstream(judged)
        return True

    def _explain_left_over(self, judged: Judged, held: Treatment) -> None:
        """A program mended in all iterations may be wrong here, by what its own earlier iterations leave behind."""
        if self._lab.disagrees_from_start(judged, held):
            self._search(judged, replace(held, from_start=True))

    def _explain_upstream(self, judged: Judged) -> None:
        """A link that is held fixed is proven as it is, and hides what is wrong before it: looked for once."""
        is_done = self._name(judged) in self._looked_upstream or self._lab.is_mended
        if is_done or not self.accepted.holds_links:
            return
        self._looked_upstream.add(self._name(judged))
        supplied = self._upstream.supplied(judged)
        if supplied is None:
            return
        mended = replace(self.accepted, frozen=(), held=()).joined(supplied)
        if not self._lab.agrees(judged, mended):
            self._is_supplied = True
            self._search(judged, mended)
            self._is_supplied = False

    def _search(self, judged: Judged, held: Treatment) -> bool:
        """One cause beside what is held, or several."""
        pool = self._candidates if held == NOTHING else self._revealed(judged, held)
        fresh = [c for c in pool if self._concerns(c, judged)]
        fresh = [c for c in fresh if all(c is not a.candidate for a in self._accepted)]
        narrow = [c for c in fresh if c.breadth < Breadth.ADJOINT]
        effective: list[Candidate] = []
        if self._explain_alone(judged, held, narrow, effective) or self._explain_together(judged, held, effective):
            return True
        if self._explain_once_finite(judged, held):
            return True
        if self._explain_alone(judged, held, [c for c in fresh if c not in narrow], effective):
            return True
        return self._explain_with_hidden(judged, held, effective) or self._explain_together(judged, held, effective)

    def _explain_alone(
        self, judged: Judged, held: Treatment, candidates: list[Candidate], effective: list[Candidate]
    ) -> bool:
        """One cause; those that change the numbers and do not mend them are added to ``effective``."""
        for candidate in candidates:
            if self._is_over():
                break
            changed = self._changes(judged, held, candidate)
            if not changed:
                self._clean.setdefault(candidate.kind, f"{candidate.action}: the numbers stay the same")
                continue
            if self._lab.agrees(judged, held.joined(candidate.treatment)):
                self._accept(judged, held, candidate)
                return True
            self._partial[candidate.kind] = f"{candidate.action}: the numbers change, but do not agree"
            effective.append(candidate)
        return False

    def _explain_once_finite(self, judged: Judged, held: Treatment) -> bool:
        """A gradient that is not finite shows nothing else: first the adjoints that make it so, then what is left."""
        if self._is_finite(judged, held):
            return False
        cures = self._cures(judged, held)
        base = held.joined(self._joined(cures))
        first = len(self._accepted)
        if not cures or not (self._lab.agrees(judged, base) or self._search(judged, base)):
            return False
        hidden = self._accepted[first:]
        others = held.joined(self._joined([a.candidate for a in hidden]))
        for cure in cures:
            self._accept(judged, others.joined(self._joined([c for c in cures if c is not cure])), cure)
        self._accepted[first:] = [*self._accepted[first + len(hidden) :], *hidden]
        return True

    def _cures(self, judged: Judged, held: Treatment) -> list[Candidate]:
        """The fewest of the adjoints that are seen to make a value that is not finite, without which none is left.

        One may only show once another, nearer to the loss, is undone. Empty if the gradient stays as it is.
        """
        found: list[Candidate] = []
        base = held
        while not self._is_finite(judged, base):
            pool = self._candidates if base == NOTHING else self._revealed(judged, base)
            fresh = [c for c in pool if c.makes_nonfinite and not any(_is_same(c, f) for f in found)]
            if not fresh or self._is_over():
                return []
            found += fresh
            base = held.joined(self._joined(found))
        for cure in tuple(found):
            rest = [c for c in found if c is not cure]
            if self._is_finite(judged, held.joined(self._joined(rest))):
                found = rest
        return found

    def _is_finite(self, judged: Judged, applied: Treatment) -> bool:
        gradient = self._lab.gradient(judged, applied)
        return gradient is None or bool(np.all(np.isfinite(gradient)))

    def _is_over(self) -> bool:
        """The time is up, and has been enough for a fair number of experiments: a busy machine finds what an idle one
        does.
        """
        return self._lab.session.clock() > self._deadline and self._lab.experiments >= FAIR_EXPERIMENTS

    def _explain_with_hidden(self, judged: Judged, held: Treatment, effective: list[Candidate]) -> bool:
        """Two causes: one that has an effect alone, and another that may only show once the first is undone."""
        for first in effective[:MOST_FIRST]:
            base = held.joined(first.treatment)
            for second in self._revealed(judged, base):
                if _is_same(second, first):
                    continue
                if self._is_over():
                    return False
                if not self._concerns(second, judged) or not self._changes(judged, base, second):
                    continue
                if self._lab.agrees(judged, base.joined(second.treatment)):
                    self._accept_needed(judged, held, first, second)
                    return True
        return False

    def _accept_needed(self, judged: Judged, held: Treatment, first: Candidate, second: Candidate) -> None:
        """Both, or the second alone where that is enough: what was revealed had not been tried by itself."""
        beside = held.joined(second.treatment)
        if self._lab.agrees(judged, beside):
            self._accept(judged, held, second)
            return
        self._accept(judged, beside, first)
        self._accept(judged, held.joined(first.treatment), second)

    def _revealed(self, judged: Judged, base: Treatment) -> list[Candidate]:
        """All candidates, and those that the recording shows only with some causes undone."""
        known = {(c.kind, str(c.location), c.treatment) for c in self._candidates}
        view = self._lab.under(judged, base)
        if view is None:
            return self._candidates
        found = [c for look in self._looks for c in look(view)]
        fresh = [c for c in found if (c.kind, str(c.location), c.treatment) not in known]
        pool = [*fresh, *self._candidates]
        return self._ordered([c for c in pool if not (self._is_supplied and c.treatment.holds_links)])

    def _ordered(self, candidates: list[Candidate]) -> list[Candidate]:
        return sorted(self._order(candidates), key=lambda c: c.breadth)

    def _explain_together(self, judged: Judged, held: Treatment, effective: list[Candidate]) -> bool:
        """All that had an effect at once, then without each: the smallest set that is needed."""
        if len(effective) < 2 or not self._lab.agrees(judged, held.joined(self._joined(effective))):
            return False
        needed = list(effective)
        for candidate in reversed(effective):
            rest = [c for c in needed if c is not candidate]
            if rest and self._lab.agrees(judged, held.joined(self._joined(rest))):
                needed = rest
        for candidate in needed:
            rest_treatment = held.joined(self._joined([c for c in needed if c is not candidate]))
            self._accept(judged, rest_treatment, candidate)
        return True

    def _accept(self, judged: Judged, rest: Treatment, candidate: Candidate) -> None:
        """Proven: with everything else undone, this candidate alone makes the difference.

        What the other causes leave behind in earlier iterations is no cause of its own: a program mended there does
        not have it.
        """
        if rest != NOTHING and self._lab.mends(judged, rest):
            return
        if candidate.refine is not None:
            refined = candidate.refine(judged, rest)
            self._candidates = [refined if c is candidate else c for c in self._candidates]
            candidate = refined
        without = self._lab.check(judged, rest) if rest != NOTHING else judged.check
        with_treatment = self._lab.check(judged, rest.joined(candidate.treatment))
        assert without is not None
        assert with_treatment is not None
        proof = Proof(judged, without, with_treatment, beside_others=rest != NOTHING or self._lab.is_mended)
        self._accepted.append(_Accepted(candidate, proof, [self._name(judged)]))

    def _credit(self, judged: Judged) -> None:
        """The accepted causes explain this disagreement too."""
        name = self._name(judged)
        for accepted in self._accepted:
            if name not in accepted.parameters and self._matters(judged, accepted.candidate):
                accepted.parameters.append(name)

    # --- experiments --------------------------------------------------------------------------------------------
    def _changes(self, judged: Judged, held: Treatment, candidate: Candidate) -> bool:
        """A treatment that leaves the gradient as it is, and holds no link, explains nothing."""
        return candidate.treatment.holds_links or self._lab.changes(judged, held, candidate.treatment)

    def _matters(self, judged: Judged, candidate: Candidate) -> bool:
        return self._concerns(candidate, judged) and self._changes(judged, NOTHING, candidate)

    def _concerns(self, candidate: Candidate, judged: Judged) -> bool:
        return not candidate.iterations or judged.consumption.iteration in candidate.iterations

    def _joined(self, candidates: list[Candidate]) -> Treatment:
        applied = NOTHING
        for candidate in candidates:
            applied = applied.joined(candidate.treatment)
        return applied

    def _name(self, judged: Judged) -> str:
        return self._lab.source.name(judged.trace.buffers[0])

    # --- the result ---------------------------------------------------------------------------------------------
    def _result(self) -> Attribution:
        findings = [finding(a.candidate, a.proof, a.parameters) for a in self._accepted]
        kinds = {a.candidate.kind for a in self._accepted}
        ruled_out = [
            RuledOut.model_validate({"kind": kind, "why": why})
            for kind, why in self._clean.items()
            if kind not in kinds and kind not in self._partial
        ]
        missing = None
        if self._unexplained:
            names = dict.fromkeys(self._name(j) for j in self._unexplained)
            missing = NotAttributed(
                what=f"The disagreement of {', '.join(f'd(objective)/d({n})' for n in names)} has no proven cause.",
                tried=list({**self._clean, **self._partial}.values()),
            )
        return Attribution(findings, ruled_out, missing, self.accepted)


def _is_same(a: Candidate, b: Candidate) -> bool:
    """The same cause; its treatment may name other events in another recording."""
    return (a.kind, str(a.location), a.action) == (b.kind, str(b.location), b.action)


def attribute(lab: Laboratory, looks: list[Look], seconds: float, order: Order = largest_first) -> Attribution:
    """Search for the causes of every disagreement. What is found must not depend on ``order``."""
    if not lab.disagreements():
        return Attribution()
    search = Search(lab, looks, seconds, order)
    attribution = search.run()
    attribution.mended = mended_program(lab, search.accepted, search.seconds_left)
    behind = _causes_in(attribution.mended, looks, search.seconds_left, order)
    ends = downstream(lab, search.accepted, search.seconds_left)
    behind += [as_seen_from(lab, f) for f in _causes_in(ends, looks, search.seconds_left, order)]
    for found in behind:
        if all((found.kind, found.location) != (f.kind, f.location) for f in attribution.findings):
            attribution.findings.append(found)
    return attribution


def _causes_in(view: Laboratory | None, looks: list[Look], seconds: float, order: Order) -> list[Finding]:
    return Search(view, looks, seconds, order).run().findings if view is not None and view.disagreements() else []
