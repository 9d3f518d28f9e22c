"""Nutrient, phytoplankton and zooplankton in a mixed, self-shading water column; two casts are fitted."""

import numpy as np

CELLS, DZ, DT = 20, 2.5, 0.25
Z = DZ * (np.arange(CELLS) + 0.5)
FACE = 1.0 + 6.0 / (1.0 + np.exp((DZ * np.arange(1, CELLS) - 18.0) / 2.5))
CASTS = {
    8: [
        (1.0, np.float64(0.825), np.float64(0.496)),
        (6.0, np.float64(0.876), np.float64(0.652)),
        (11.0, np.float64(0.902), np.float64(1.009)),
        (16.0, np.float64(0.722), np.float64(1.644)),
        (21.0, np.float64(0.498), np.float64(3.035)),
        (29.0, np.float64(0.253), np.float64(4.829)),
        (41.0, np.float64(0.202), np.float64(6.129)),
    ],
    16: [
        (1.0, np.float64(1.13), np.float64(0.258)),
        (6.0, np.float64(1.084), np.float64(0.44)),
        (11.0, np.float64(0.947), np.float64(0.895)),
        (16.0, np.float64(0.746), np.float64(1.654)),
        (21.0, np.float64(0.505), np.float64(2.745)),
        (29.0, np.float64(0.239), np.float64(5.123)),
        (41.0, np.float64(0.168), np.float64(5.874)),
    ],
}


def _mix(c: np.ndarray) -> np.ndarray:
    flux = FACE * np.diff(c)
    return c + DT / DZ**2 * (np.append(flux, 0.0) - np.append(0.0, flux))


def run(parameters: dict[str, np.ndarray], steps: int) -> list[tuple[np.ndarray, np.ndarray]]:
    (mu,), (bite, kept), (clear, self_shade) = parameters["growth"], parameters["grazing"], parameters["optics"]
    n = 0.8 + 5.0 / (1.0 + np.exp((22.0 - Z) / 4.0))
    p = 0.25 + 0.5 * np.exp(-(((Z - 12.0) / 9.0) ** 2))
    z = np.full(CELLS, 0.3)
    states = []
    for k in range(1, steps + 1):
        sun = 160.0 * (0.0, 0.55, 1.0, 0.55)[k % 4] * (1.0 - 0.3 * np.sin(0.4 * k) ** 2)
        light = sun * np.exp(-clear * Z - self_shade * DZ * (np.cumsum(p) - 0.5 * p))
        up = mu * n / (0.6 + n) * light / (22.0 + light) * p
        eaten = bite * p**2 / (0.81 + p**2) * z
        dn, dp, dz = 0.06 * p + 0.12 * z + (1 - kept) * eaten - up, up - 0.06 * p - eaten, kept * eaten - 0.12 * z
        n, p, z = _mix(n + DT * dn), _mix(p + DT * dp), _mix(z + DT * dz)
        states.append((p, n))
    return states


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    states, total, bottles = run(parameters, max(CASTS)), 0.0, 0
    for step, rows in CASTS.items():
        p, n = states[step - 1]
        for depth, phyto, nutrient in rows:
            cell = int(depth / DZ)
            total += (p[cell] - phyto) ** 2 + 0.25 * (n[cell] - nutrient) ** 2
            bottles += 1
    return float(total / bottles)
