"""Rest positions of a bead chain: strain is taken against the beads before they relax."""
import warp as wp

START = [[0.0, 0.0, 0.1], [0.9, 0.1, 0.0], [2.1, -0.1, 0.2], [2.9, 0.2, 0.1]]
N_ITERS = 25
BEADS = 4


@wp.kernel
def relax(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a = wp.max(i - 1, 0)
    b = wp.min(i + 1, 3)
    out[i] = 0.5 * x[i] + 0.25 * (x[a] + x[b])


@wp.kernel
def strain(x: wp.array(dtype=wp.vec3), reference: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    u = x[i] - reference[i]
    goal = wp.vec3(float(i), 0.0, 0.0)
    wp.atomic_add(loss, 0, wp.dot(u, u) + 0.3 * wp.length_sq(x[i] - goal))


beads = wp.array(START, dtype=wp.vec3, requires_grad=True)
losses = []
for it in range(N_ITERS):
    relaxed = wp.zeros(BEADS, dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        reference = wp.clone(beads)
        wp.launch(relax, dim=BEADS, inputs=[beads], outputs=[relaxed])
        wp.launch(strain, dim=BEADS, inputs=[relaxed, reference], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    beads = wp.array(beads.numpy() - 0.2 * beads.grad.numpy(), dtype=wp.vec3, requires_grad=True)
    print(f"chain {it} loss {losses[-1]:.5f}")

ends = beads.numpy()[-1] - beads.numpy()[0]
print("end to end", ends)
print("best loss", min(losses))
