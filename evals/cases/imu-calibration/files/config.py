"""Settings of the calibration."""

DELTA = 0.35            # where residuals turn from squared to linear, in m/s^2
N_ITERS = 40
RATES = {"scale": 0.002, "bias": 0.004, "drift": 0.0005}
MOMENTUM = 0.4
