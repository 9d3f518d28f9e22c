"""Calibrate scale, bias and temperature drift of an accelerometer from a turntable run."""
import config
from descent import Descent
from model import SensorModel
from records import turntable

model = SensorModel(*turntable())
optimizer = Descent(model.parameters, config.RATES, config.MOMENTUM)
for it in range(config.N_ITERS):
    loss = model.evaluate()
    optimizer.step()
    if it % 5 == 0 or it == config.N_ITERS - 1:
        print(f"{it:2d} loss {loss:.5f} scale {model.scale.numpy()} drift {model.drift.numpy()}")
