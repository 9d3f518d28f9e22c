"""Thrust of a row of fins: two force components are summed per body and matched to a balance."""
import warp as wp

START = [0.3, 0.5, 0.2, 0.6]
N_ITERS = 30
FINS = 4

body = wp.array([0, 0, 1, 1], dtype=int)
balance = wp.array([[0.9, 0.4], [0.7, 0.6]], dtype=wp.vec2)


@wp.kernel
def fin_force(pitch: wp.array(dtype=float), body: wp.array(dtype=int), total: wp.array(dtype=wp.vec2)):
    f = wp.tid()
    total[body[f]].x += wp.cos(pitch[f]) * 0.5
    total[body[f]].y += wp.sin(pitch[f]) * 0.8


@wp.kernel
def balance_error(total: wp.array(dtype=wp.vec2), balance: wp.array(dtype=wp.vec2), pitch: wp.array(dtype=float),
                  loss: wp.array(dtype=float)):
    b = wp.tid()
    d = total[b] - balance[b]
    wp.atomic_add(loss, 0, wp.dot(d, d) + 0.02 * pitch[b] * pitch[b])


pitch = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    total = wp.zeros(2, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(fin_force, dim=FINS, inputs=[pitch, body], outputs=[total])
        wp.launch(balance_error, dim=2, inputs=[total, balance, pitch], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    pitch.assign(pitch.numpy() - 0.1 * pitch.grad.numpy())
    tape.zero()
    print("fins", it, losses[-1])
