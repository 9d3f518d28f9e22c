"""Bring the tip of a three-joint arm to a point; servos take positions in whole ticks."""
import numpy as np
import warp as wp

LINKS = wp.constant(3)
TICKS_PER_TURN = 256.0
N_ITERS = 20


@wp.func
def servo(angle: float, per_turn: float):
    ticks = wp.round(angle * per_turn / 6.2831853)
    return ticks * 6.2831853 / per_turn


@wp.kernel
def forward_kinematics(joint: wp.array(dtype=float), length: wp.array(dtype=float), per_turn: float,
                       tip: wp.array(dtype=wp.vec2)):
    a = float(0.0)
    p = wp.vec2(0.0, 0.0)
    for k in range(3):
        a += servo(joint[k], per_turn)
        p += length[k] * wp.vec2(wp.cos(a), wp.sin(a))
    tip[0] = p


@wp.kernel
def reach(tip: wp.array(dtype=wp.vec2), goal: wp.vec2, loss: wp.array(dtype=float)):
    loss[0] = wp.length_sq(tip[0] - goal)


length = wp.array([0.8, 0.6, 0.4], dtype=float)
joint = wp.array([0.31, 0.52, -0.23], dtype=float, requires_grad=True)
for it in range(N_ITERS):
    tip = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(forward_kinematics, dim=1, inputs=[joint, length, TICKS_PER_TURN], outputs=[tip])
        wp.launch(reach, dim=1, inputs=[tip, wp.vec2(0.6, 1.3)], outputs=[loss])
    tape.backward(loss)
    joint.assign(joint.numpy() - 0.1 * joint.grad.numpy())
    tape.zero()
    if it % 5 == 0:
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} tip {np.round(tip.numpy()[0], 4)} joints {joint.numpy()}")
