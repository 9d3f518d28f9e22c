"""Locate two buried scatterers from travel-time residuals of several shots along a line."""
import warp as wp

START = [2.0, 1.0, 5.5, 1.6]
N_ITERS = 50
SHOTS = [0.5, 2.5, 4.5, 6.5]
RECEIVERS = 12


@wp.kernel
def arrivals(shot: wp.array(dtype=float), scat: wp.array(dtype=float), trace: wp.array2d(dtype=float), s: int):
    r = wp.tid()
    x = float(r) * 0.65
    total = float(0.0)
    for j in range(2):
        sx = scat[2 * j]
        depth = scat[2 * j + 1]
        down = wp.sqrt((shot[0] - sx) * (shot[0] - sx) + depth * depth)
        up = wp.sqrt((x - sx) * (x - sx) + depth * depth)
        total += 1.0 / (down * up)
    trace[s, r] = total


@wp.kernel
def residual(trace: wp.array2d(dtype=float), ref: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    s, r = wp.tid()
    d = trace[s, r] - ref[s, r]
    wp.atomic_add(loss, 0, d * d)


shot = wp.zeros(1, dtype=float)


def survey(scat, trace):
    for s, x in enumerate(SHOTS):
        shot.assign([x])
        wp.launch(arrivals, dim=RECEIVERS, inputs=[shot, scat], outputs=[trace, s])


reference = wp.zeros((len(SHOTS), RECEIVERS), dtype=float)
survey(wp.array([1.7, 1.2, 5.9, 1.4], dtype=float), reference)

params = wp.array(START, dtype=float, requires_grad=True)
history = []
for it in range(N_ITERS):
    trace = wp.zeros((len(SHOTS), RECEIVERS), dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        survey(params, trace)
        wp.launch(residual, dim=trace.shape, inputs=[trace, reference], outputs=[loss])
    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    history.append(float(loss.numpy()[0]))
    params.assign(params.numpy() - 0.05 * g)
    if it % 10 == 0:
        print("iter", it, "loss", history[-1], "scatterers", params.numpy())
