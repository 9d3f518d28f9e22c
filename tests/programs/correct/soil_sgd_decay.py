"""Fit a polynomial moisture retention curve with SGD, momentum and weight decay."""
import numpy as np
import warp as wp
import warp.optim

ORDER, POINTS = 5, 25


@wp.kernel
def horner(c: wp.array(dtype=float), s: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    value = float(0.0)
    for k in range(5):
        value = value * s[i] + c[4 - k]
    y[i] = value


@wp.kernel
def huber(y: wp.array(dtype=float), t: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    e = wp.abs(y[i] - t[i])
    if e < 0.3:
        wp.atomic_add(loss, 0, 0.5 * e * e)
    else:
        wp.atomic_add(loss, 0, 0.3 * (e - 0.15))


def make_data():
    s = np.linspace(-1.0, 1.0, POINTS, dtype=np.float32)
    moisture = 0.5 + 0.4 * np.tanh(2.0 * s)
    moisture[[4, 17]] += 0.9
    return wp.array(s, dtype=float), wp.array(moisture.astype(np.float32), dtype=float)


s, moisture = make_data()
coef = wp.array([0.1, 0.0, -0.1, 0.2, 0.1], dtype=float, requires_grad=True)
optimizer = warp.optim.SGD([coef], lr=0.02, momentum=0.6, weight_decay=0.01, nesterov=False)
y = wp.zeros(POINTS, dtype=float, requires_grad=True)
for epoch in range(60):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(horner, dim=POINTS, inputs=[coef, s], outputs=[y])
        wp.launch(huber, dim=POINTS, inputs=[y, moisture], outputs=[loss])
    tape.backward(loss=loss)
    optimizer.step([coef.grad])
    tape.zero()
    if epoch % 15 == 0:
        print("epoch", epoch, "loss", loss.numpy()[0], "coefficients", coef.numpy())
