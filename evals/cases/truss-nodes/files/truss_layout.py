"""Node positions of a small truss whose bars should all have unit length."""
import numpy as np
import warp as wp

START = [[0.0, 0.1], [1.1, 0.0], [0.6, 0.7], [1.5, 0.9]]
N_ITERS = 40
NODES = 4

joined = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
bar = wp.array(joined, dtype=float)


@wp.kernel
def bar_error(node: wp.array(dtype=wp.vec2), bar: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    d = node[i] - node[j]
    r = wp.sqrt(d[0] * d[0] + d[1] * d[1])
    stretch = r - 1.0
    wp.atomic_add(loss, 0, bar[i, j] * stretch * stretch)


node = wp.array(START, dtype=wp.vec2, requires_grad=True)
losses = []
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(bar_error, dim=(NODES, NODES), inputs=[node, bar], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    node.assign(node.numpy() - 0.05 * node.grad.numpy())
    tape.zero()
    print("layout", it, "loss", losses[-1], "first node", node.numpy()[0])

print("bars")
for i in range(NODES):
    for j in range(i + 1, NODES):
        if joined[i, j]:
            length = np.linalg.norm(node.numpy()[i] - node.numpy()[j])
            print(f"  {i}-{j} {length:.4f}")
print("best", min(losses))
