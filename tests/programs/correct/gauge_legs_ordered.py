"""Assimilate tide gauges: friction and inflow of a canal, one tape per leg and one per gauge reading."""
import warp as wp

START = [0.5, 0.8]
N_ITERS = 30
LEGS, STEPS, CELLS = 4, 5, 6
READINGS = [0.45, 0.62, 0.70, 0.74]


@wp.kernel
def canal(h: wp.array(dtype=float), p: wp.array(dtype=float), dt: float, out: wp.array(dtype=float)):
    i = wp.tid()
    up = h[wp.max(i - 1, 0)]
    inflow = float(0.0)
    if i == 0:
        inflow = p[1]
    out[i] = h[i] + dt * (inflow + 0.8 * (up - h[i]) - p[0] * h[i] * wp.abs(h[i]))


@wp.kernel
def gauge(h: wp.array(dtype=float), reading: float, loss: wp.array(dtype=float)):
    d = h[2] - reading
    loss[0] = d * d


def leg(h, p):
    tape = wp.Tape()
    with tape:
        for _ in range(STEPS):
            nxt = wp.zeros_like(h)
            wp.launch(canal, dim=CELLS, inputs=[h, p, 0.3], outputs=[nxt])
            h = nxt
    return tape, h


p = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    begin = wp.full(CELLS, 0.2, dtype=float, requires_grad=True)
    legs, loss_sum = [], 0.0
    for reading in READINGS:
        tape, end = leg(begin, p)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        gauge_tape = wp.Tape()
        with gauge_tape:
            wp.launch(gauge, dim=1, inputs=[end, reading], outputs=[loss])
        legs.append((begin, tape, end, gauge_tape, loss))
        loss_sum += float(loss.numpy()[0])
        begin = wp.clone(end)

    p.grad.zero_()
    later = None
    for begin, tape, end, gauge_tape, loss in reversed(legs):
        if later is not None:
            end.grad.assign(later)
        gauge_tape.backward(loss)
        tape.backward()
        later = begin.grad
    p.assign(p.numpy() - 0.3 * p.grad.numpy())
    if it % 5 == 0:
        print("iter", it, "loss", loss_sum, "friction, inflow", p.numpy())
