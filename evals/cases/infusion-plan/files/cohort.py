"""Two wards of patients with their own constants."""
from dataclasses import dataclass

import numpy as np
import warp as wp

from pharmacology import Body


@dataclass
class Ward:
    name: str
    body: Body
    count: int
    target: float            # of the effect, mg/l
    limit: float             # of the plasma concentration, mg/l


def _ward(name, count, target, limit, renal, seed):
    """Draw patients; ``renal`` scales the elimination."""
    rng = np.random.default_rng(seed)
    weight = rng.uniform(52.0, 96.0, count)
    values = {
        "weight": weight,
        "volume": 0.24 * weight * rng.uniform(0.85, 1.2, count),
        "elimination": renal * rng.uniform(0.16, 0.30, count),
        "out": rng.uniform(0.30, 0.55, count),
        "back": rng.uniform(0.25, 0.45, count),
        "onset": rng.uniform(0.5, 0.9, count),
    }
    body = Body()
    for member, array in values.items():
        setattr(body, member, wp.array(array, dtype=float))
    return Ward(name, body, count, target, limit)


def two_wards():
    return [
        _ward("surgical", count=9, target=4.0, limit=7.5, renal=1.0, seed=31),
        _ward("renal", count=6, target=3.2, limit=6.0, renal=0.6, seed=32),
    ]
