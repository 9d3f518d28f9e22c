"""Friction velocity and roughness of a boundary layer from a rake of velocity probes."""
import warp as wp

START = [0.8, 0.6]
N_ITERS = 30

height = wp.array([0.0, 0.5, 1.0, 4.0, 15.0, 40.0, 90.0], dtype=float)
probe = wp.array([0.0, 0.4, 0.8, 2.9, 7.1, 8.6, 9.7], dtype=float)


@wp.kernel
def profile(height: wp.array(dtype=float), flow: wp.array(dtype=float), u: wp.array(dtype=float)):
    i = wp.tid()
    y = flow[0] * height[i]
    inner = y
    outer = 2.44 * wp.log(y) + 5.0
    u[i] = flow[1] * (outer if y > 11.0 else inner)


@wp.kernel
def probe_error(u: wp.array(dtype=float), probe: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = u[i] - probe[i]
    wp.atomic_add(loss, 0, d * d)


flow = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    u = wp.zeros(7, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(profile, dim=7, inputs=[height, flow], outputs=[u])
        wp.launch(probe_error, dim=7, inputs=[u, probe], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    flow.assign(flow.numpy() - 0.001 * flow.grad.numpy())
    tape.zero()
    print("rake", it, "loss", losses[-1], flow.numpy())

print("friction velocity", flow.numpy()[0])
print("roughness", flow.numpy()[1])
