"""Calibrate scale, bias and temperature drift of an accelerometer from a turntable run."""
from descent import Descent
from model import SensorModel
from records import turntable

N_ITERS = 40
RATES = {"scale": 0.002, "bias": 0.004, "drift": 0.0005}
MOMENTUM = 0.4

model = SensorModel(*turntable())
optimizer = Descent(model.parameters, RATES, MOMENTUM)
for it in range(N_ITERS):
    loss = model.evaluate()
    optimizer.step()
    if it % 5 == 0 or it == N_ITERS - 1:
        print(f"{it:2d} loss {loss:.5f} scale {model.scale.numpy()} drift {model.drift.numpy()}")
