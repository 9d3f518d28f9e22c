"""Calibrate segment stiffness of a cantilever from five load cases; one update per pass over the cases."""
import warp as wp

SEGMENTS = 8


@wp.kernel
def bend(ei: wp.array(dtype=float), load: wp.array(dtype=float), which: int, curvature: wp.array(dtype=float)):
    s = wp.tid()
    arm = 1.0 - (float(s) + 0.5) / float(SEGMENTS)
    curvature[s] = load[which] * arm / ei[s // 4]


@wp.kernel
def tip(curvature: wp.array(dtype=float), load: wp.array(dtype=float), which: int, tip_y: wp.array(dtype=float)):
    s = wp.tid()
    arm = 1.0 - (float(s) + 0.5) / float(SEGMENTS)
    lever = arm + 0.2 * float(which) * arm * arm
    wp.atomic_add(tip_y, 0, curvature[s] * lever / float(SEGMENTS))


@wp.kernel
def case_error(tip_y: wp.array(dtype=float), seen: wp.array(dtype=float), which: int, loss: wp.array(dtype=float)):
    e = tip_y[0] - seen[which]
    loss[0] = 20.0 * e * e


def deflection(ei, case):
    curvature = wp.zeros(SEGMENTS, dtype=float, requires_grad=True)
    tip_y = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(bend, dim=SEGMENTS, inputs=[ei, load, case], outputs=[curvature])
    wp.launch(tip, dim=SEGMENTS, inputs=[curvature, load, case], outputs=[tip_y])
    return tip_y


load = wp.array([0.4, 0.7, 1.0, 1.3, 1.6], dtype=float)
exact = wp.array([2.0, 1.2], dtype=float)
seen = wp.array([deflection(exact, c).numpy()[0] for c in range(5)], dtype=float)
ei = wp.array([1.4, 1.6], dtype=float, requires_grad=True)
for epoch in range(30):
    total = 0.0
    for case in range(5):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(case_error, dim=1, inputs=[deflection(ei, case), seen, case], outputs=[loss])
        tape.backward(loss)
        total += float(loss.numpy()[0])
    ei.assign(ei.numpy() - 0.06 * ei.grad.numpy())
    ei.grad.zero_()
    if epoch % 6 == 0:
        print("epoch", epoch, "loss over all cases", total, "EI", ei.numpy())
