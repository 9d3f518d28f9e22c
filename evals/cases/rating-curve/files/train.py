"""Fit a rating curve in double precision; report the root mean square error on both parts of the record."""
import numpy as np
import warp as wp
from gauge import records
from stage import RatingCurve

RATES = np.array([0.02, 0.004, 0.004])


def train(epochs):
    stage, flow = records(seed=3, count=40)
    held_stage, held_flow = records(seed=8, count=15)
    curve = RatingCurve([2.0, 0.1, 1.4])
    for epoch in range(epochs):
        with wp.Tape() as tape:
            loss = curve.mse(stage, flow)
        tape.backward(loss)
        gradient = curve.p.grad.numpy().copy()
        tape.zero()
        held = curve.mse(held_stage, held_flow).numpy()[0]
        curve.p.assign(curve.p.numpy() - RATES * gradient)
        if epoch % 8 == 0:
            rmse = np.sqrt(loss.numpy()[0])
            print(f"epoch {epoch:2d} rmse {rmse:.4f} validation {np.sqrt(held):.4f} p {curve.p.numpy()}")
    return curve


if __name__ == "__main__":
    train(40)
