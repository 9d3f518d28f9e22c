"""Three infusions, switched once per tick, into patients of two wards: target of the effect, toxic limit, cost."""

import numpy as np

TICKS, DT, HOURS, SEEN = 72, 0.25, 2.5, 8


def _ward(count: int, renal: float, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    weight = rng.uniform(52.0, 96.0, count)
    volume = 0.24 * weight * rng.uniform(0.85, 1.2, count)
    return [weight, volume, renal * rng.uniform(0.16, 0.30, count), rng.uniform(0.30, 0.55, count),
            rng.uniform(0.25, 0.45, count), rng.uniform(0.5, 0.9, count)]  # fmt: skip


WEIGHT, VOLUME, ELIMINATION, OUT, BACK, ONSET = (
    np.concatenate(pair) for pair in zip(_ward(9, 1.0, 31), _ward(6, 0.6, 32), strict=True)
)
TARGET, LIMIT = np.repeat([4.0, 3.2], [9, 6]), np.repeat([7.5, 6.0], [9, 6])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    rate, start = parameters["rate"], parameters["start"]
    central, tissue, effect = np.zeros(15), np.zeros(15), np.zeros(15)
    seen = []
    for tick in range(TICKS):
        on = (tick * DT >= start) & (tick * DT < start + HOURS)
        central = central + DT * np.sum(rate[on]) * WEIGHT
        moved = OUT * central - BACK * tissue
        cleared = ELIMINATION * central / (1.0 + 0.08 * central / VOLUME)
        effect = effect + DT * ONSET * (central / VOLUME - effect)
        if tick >= SEEN:
            over = np.logaddexp(0.0, 20.0 * (central / VOLUME - LIMIT)) / 20.0
            seen.append(np.mean((effect - TARGET) ** 2 + 4.0 * over))
        central, tissue = central - DT * (moved + cleared), tissue + DT * moved
    return float(np.mean(seen) + 0.02 * HOURS * np.sum(rate**2))
