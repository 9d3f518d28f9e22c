"""Size three parachutes so that each probe lands at the wanted speed."""
import model
import warp as wp

START = [0.8, 1.5, 2.5]
N_ITERS = 40
STEPS = 15
DT = 0.05

area = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    probe = model.make_probe(area)
    probe.height.fill_(20.0)
    probe.speed.assign([4.0, 3.0, 5.0])
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for s in range(STEPS):
            wp.launch(model.descend, dim=3, inputs=[probe, 0.3 + 0.01 * s, DT])
        wp.launch(model.touchdown_cost, dim=3, inputs=[probe, 2.0], outputs=[loss])
    tape.backward(loss)
    g = area.grad.numpy().copy()
    area.grad.zero_()
    area.assign(area.numpy() - 0.2 * g)
    print(f"{it:2d} loss {loss.numpy()[0]:.5f} areas {area.numpy()}")
