"""Fit spring and repulsion strengths of charged beads on a ring to their observed positions."""
import numpy as np
import warp as wp

START = [1.6, 0.25]
N_ITERS = 30
BEADS = 6
STEPS = 10
DT = 0.12


@wp.struct
class Beads:
    pos: wp.array(dtype=wp.vec2)
    force: wp.array(dtype=wp.vec2)


@wp.kernel
def pair_forces(b: Beads, p: wp.array(dtype=float), n: int):
    i, j = wp.tid()
    if i != j:
        d = b.pos[i] - b.pos[j]
        r2 = wp.length_sq(d) + 0.3
        wp.atomic_add(b.force, i, p[1] * d / r2)
        if j == (i + 1) % n or i == (j + 1) % n:
            wp.atomic_add(b.force, i, -p[0] * d)


@wp.kernel
def drift(b: Beads, dt: float, out: Beads):
    i = wp.tid()
    out.pos[i] = b.pos[i] + dt * b.force[i]


@wp.kernel
def mismatch(b: Beads, seen: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(b.pos[i] - seen[i]))


angle = np.linspace(0.0, 2.0 * np.pi, BEADS, endpoint=False)
ring = np.stack([np.cos(angle), 0.7 * np.sin(angle)], axis=1).astype(np.float32)
seen = wp.array(0.55 * ring, dtype=wp.vec2)
force = wp.zeros(BEADS, dtype=wp.vec2, requires_grad=True)
states = []
for _ in range(STEPS + 1):
    b = Beads()
    b.pos = wp.zeros(BEADS, dtype=wp.vec2, requires_grad=True)
    b.force = force
    states.append(b)

params = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    states[0].pos.assign(ring)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for k in range(STEPS):
            states[k].force.zero_()
            wp.launch(pair_forces, dim=(BEADS, BEADS), inputs=[states[k], params, BEADS])
            wp.launch(drift, dim=BEADS, inputs=[states[k], DT, states[k + 1]])
        wp.launch(mismatch, dim=BEADS, inputs=[states[STEPS], seen], outputs=[loss])
    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 0.05 * g)
    if it % 5 == 0:
        print(f"{it} loss {loss.numpy()[0]:.6f} params {params.numpy()}")
