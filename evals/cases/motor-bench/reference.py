"""A DC motor with a warming winding, four dyno runs; robust residuals of current and of the speed column as it is."""

import numpy as np

NOMINAL = np.array([0.042, 9.0e-5, 6.0e-5, 4.0e-3, 0.9])
DT = 2.0e-3
RUNS: list[tuple[list[float], list[float], list[float]]] = [
    (
        [12, 12, 12, 12, 12, 12, 12, 12],
        [
            np.float64(10.237),
            np.float64(9.106),
            np.float64(6.963),
            np.float64(5.08),
            np.float64(3.81),
            np.float64(2.888),
            np.float64(2.132),
            np.float64(1.711),
        ],
        [
            np.float64(484.9),
            np.float64(1083.5),
            np.float64(1544.2),
            np.float64(1883.7),
            np.float64(2136.1),
            np.float64(2307.4),
            np.float64(2429.4),
            np.float64(2523.9),
        ],
    ),
    (
        [3, 5, 7, 9, 11, 13, 15, 17],
        [
            np.float64(2.608),
            np.float64(3.991),
            np.float64(5.003),
            np.float64(5.653),
            np.float64(6.172),
            np.float64(6.584),
            np.float64(6.941),
            np.float64(7.183),
        ],
        [
            np.float64(121.3),
            np.float64(346.6),
            np.float64(638.5),
            np.float64(982.8),
            np.float64(1357.8),
            np.float64(1758.0),
            np.float64(2172.3),
            np.float64(2606.0),
        ],
    ),
    (
        [14, 14, 14, 14, -10, -10, -10, -10],
        [
            np.float64(11.915),
            np.float64(10.565),
            np.float64(8.028),
            np.float64(5.954),
            np.float64(-15.973),
            np.float64(-14.633),
            np.float64(-11.02),
            np.float64(-8.102),
        ],
        [
            np.float64(556.2),
            np.float64(1261.4),
            np.float64(1807.3),
            np.float64(2213.8),
            np.float64(1516.5),
            np.float64(511.4),
            np.float64(-279.9),
            np.float64(-859.7),
        ],
    ),
    (
        [16, 16, 16, 8, 8, 4, 4, 4],
        [
            np.float64(13.629),
            np.float64(12.057),
            np.float64(9.202),
            np.float64(0.039),
            np.float64(-0.902),
            np.float64(-4.077),
            np.float64(-3.419),
            np.float64(-2.424),
        ],
        [
            np.float64(644.7),
            np.float64(1445.9),
            np.float64(2067.6),
            np.float64(2206.5),
            np.float64(2126.3),
            np.float64(1885.6),
            np.float64(1611.3),
            np.float64(1404.3),
        ],
    ),
]
PER_ROW = 8


def simulate(constants: np.ndarray, volts: list[float]) -> np.ndarray:
    """Current and speed at the end of each row's voltage."""
    k, inertia, viscous, coulomb, cold = constants
    i = w = warm = 0.0
    track = []
    for v in volts:
        for _ in range(PER_ROW):
            ohm = cold * (1.0 + 0.0039 * warm)
            after = i + DT * (v - ohm * i - k * w) / 8.0e-3
            torque = k * after - viscous * w - coulomb * w / np.hypot(w, 4.0)
            i, w, warm = after, w + DT * torque / inertia, warm + DT * (ohm * i * i - 0.35 * warm) / 14.0
        track.append((i, w))
    return np.array(track)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    constants = NOMINAL * np.exp(parameters["theta"])
    total = 0.0
    for volts, current, speed in RUNS:
        track = simulate(constants, volts)
        a, b = (track[:, 0] - np.array(current)) / 1.5, (track[:, 1] - np.array(speed)) / 40.0
        total += np.mean(np.sqrt(1.0 + a * a) + np.sqrt(1.0 + b * b) - 2.0)
    return float(total)
