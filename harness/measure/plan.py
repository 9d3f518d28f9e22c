"""How thorough a check can be within a budget."""

from __future__ import annotations

from dataclasses import dataclass

from harness.measure import policy
from harness.measure.problem import Budget


@dataclass(frozen=True)
class Plan:
    """How thorough a budget allows to be."""

    steps: tuple[float, ...]
    directions: int
    repeats: int
    has_noise_table: bool
    has_extras: bool
    """Zero-set and gradient directions, wider ladders and confirmation."""

    @classmethod
    def within(cls, budget: Budget, size: int, repeats_made: int) -> Plan:
        """The full plan takes about 46 runs, 12 more to confirm, up to 200 where the objective is rough.

        Under 52: a noise table and two directions of three rungs around the float32 optimum. Under
        20: no noise table, the floor is then 4 ulps. Under 12: two rungs a direction.
        """
        directions = 2 if size == 1 else budget.directions
        if budget.max_evaluations >= 52:
            return cls(policy.LADDER, directions, max(0, policy.REPEATS - 1 - repeats_made), True, True)
        short = policy.SHORT_LADDER if budget.max_evaluations >= 12 else policy.SHORT_LADDER[:2]
        return cls(short, min(2, directions), 0, budget.max_evaluations >= 20, budget.max_evaluations >= 20)
