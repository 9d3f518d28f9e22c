"""Turn three dipoles so that the field on a line of probes is uniform."""
import field
import numpy as np
import warp as wp
from warp.optim import SGD

START = [0.2, 0.0, 0.5, -0.1, 0.1, 0.4, 0.3, 0.0, 0.6]

site = wp.array([[-1.0, 0.0, 0.0], [0.0, 0.2, 0.0], [1.0, -0.1, 0.0]], dtype=wp.vec3)
probe = wp.array([[x, 0.0, 1.2] for x in np.linspace(-0.8, 0.8, 7)], dtype=wp.vec3)
moment = wp.array(np.array(START, dtype=np.float32).reshape(3, 3), dtype=wp.vec3, requires_grad=True)
optimizer = SGD([moment], lr=0.05)

for it in range(30):
    tape = wp.Tape()
    value = field.evaluate(moment, site, probe, wp.vec3(0.0, 0.0, 0.5), tape)
    optimizer.step([moment.grad])
    print("iter", it, "loss", value)
print("moments", moment.numpy())
