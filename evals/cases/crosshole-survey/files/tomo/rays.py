"""The survey: shots in one borehole, hydrophones in the other, straight rays in between, picked travel times."""
from dataclasses import dataclass

import numpy as np
import warp as wp

WIDTH, DEPTH = 60.0, 90.0      # m
SHOTS, PHONES = 8, 10


@dataclass
class RaySet:
    """Rays that are used for the same purpose."""

    shot: wp.array             # vec2: x, z in m
    phone: wp.array
    time: wp.array             # ms

    @property
    def count(self):
        return self.time.shape[0]


@dataclass
class Survey:
    fitted: RaySet
    held_out: RaySet
    width: float
    depth: float


def background(x, z):
    """Slowness of the site in s/km: faster with depth, a wet lens in the middle, a dry one at the left."""
    layered = 0.72 - 0.0026 * z
    lens = 0.16 * np.exp(-(((x - 34.0) / 13.0) ** 2) - ((z - 42.0) / 11.0) ** 2)
    dry = 0.10 * np.exp(-(((x - 10.0) / 9.0) ** 2) - ((z - 68.0) / 12.0) ** 2)
    return layered + lens - dry


def travel_time(shot, phone, samples=200):
    """Along the straight line, in ms."""
    t = (np.arange(samples) + 0.5) / samples
    x = shot[0] + t * (phone[0] - shot[0])
    z = shot[1] + t * (phone[1] - shot[1])
    return float(np.hypot(phone[0] - shot[0], phone[1] - shot[1]) * np.mean(background(x, z)))


def crosshole_survey(noise, seed=17):
    """Rays between all shots and phones; every fifth one is held out."""
    rng = np.random.default_rng(seed)
    ends = [
        ((0.0, 6.0 + 78.0 * a / (SHOTS - 1)), (WIDTH, 4.0 + 82.0 * b / (PHONES - 1)))
        for a in range(SHOTS)
        for b in range(PHONES)
    ]
    times = np.array([travel_time(s, p) for s, p in ends]) + noise * rng.normal(size=len(ends))
    # A dead channel, found in the field notes: its picks are on the second arrival.
    times[[13, 47]] += 1.8
    groups = [[k for k in range(len(ends)) if (k % 5 == 2) == out] for out in (False, True)]
    fitted, held_out = (
        RaySet(
            shot=wp.array([ends[k][0] for k in group], dtype=wp.vec2),
            phone=wp.array([ends[k][1] for k in group], dtype=wp.vec2),
            time=wp.array(times[group], dtype=float),
        )
        for group in groups
    )
    return Survey(fitted, held_out, WIDTH, DEPTH)
