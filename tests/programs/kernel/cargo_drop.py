"""Release point and speed of cargo that slides, lands and skids: hit four pallets."""
import warp as wp

START = [[1.0, 0.75], [1.4, 0.42], [0.8, 1.2], [1.7, 0.95]]
N_ITERS = 30
DROPS = 4


@wp.struct
class Cargo:
    pos: wp.vec2
    vel: wp.vec2


@wp.func
def advance(cargo: Cargo, dt: float):
    out = Cargo()
    out.vel = cargo.vel + dt * wp.vec2(0.0, -3.0)
    out.pos = cargo.pos + dt * out.vel
    if out.pos[1] < 0.0:
        out.vel[0] = out.vel[0] - 0.25 * out.vel[0] * out.vel[0]
        out.vel[1] = -0.4 * out.vel[1]
    return out


@wp.kernel
def drop(release: wp.array(dtype=wp.vec2), place: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    cargo = Cargo()
    cargo.pos = wp.vec2(0.0, 0.5)
    cargo.vel = release[i]
    for _ in range(12):
        cargo = advance(cargo, 0.1)
    place[i] = cargo.pos


@wp.kernel
def miss(place: wp.array(dtype=wp.vec2), pallet: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(place[i] - pallet[i]))


release = wp.array(START, dtype=wp.vec2, requires_grad=True)
pallet = wp.array([[1.2, 0.1], [1.0, 0.1], [0.9, 0.0], [1.5, 0.1]], dtype=wp.vec2)
losses = []
for it in range(N_ITERS):
    place = wp.zeros(DROPS, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(drop, dim=DROPS, inputs=[release], outputs=[place])
        wp.launch(miss, dim=DROPS, inputs=[place, pallet], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    release.assign(release.numpy() - 0.05 * release.grad.numpy())
    tape.zero()
    print(it, "total miss", losses[-1])
