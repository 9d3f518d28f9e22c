"""Runoff of three cells with a soil and a groundwater store over 24 days."""

import numpy as np

_RNG = np.random.default_rng(2)
RAIN = _RNG.random(24) * (_RNG.random(24) > 0.5)
GAUGE = 0.5 + 0.6 * _RNG.random(24)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    (seepage, quick), ground = parameters["soil"], parameters["ground"][0]
    soil = store = 1.0
    total = 0.0
    for day in range(24):
        top = soil + RAIN[day]
        seep = seepage * top * top / (top + 1.0)
        base = ground * store
        soil, store = top - seep - quick * top, store + seep - base
        total += 0.1 * (3.0 * (quick * top + base) - GAUGE[day]) ** 2
    return float(total)
