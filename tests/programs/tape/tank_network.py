"""Set three pump rates of a tank network: follow a demand and keep the levels away from the rim."""
import warp as wp

START = [0.8, 1.1, 0.5]
N_ITERS = 30
STEPS = 10


@wp.kernel
def fill(level: wp.array(dtype=float), pump: wp.array(dtype=float), demand: wp.array(dtype=float), dt: float,
         out: wp.array(dtype=float)):
    i = wp.tid()
    up = level[wp.max(i - 1, 0)]
    out[i] = level[i] + dt * (pump[i] + 0.2 * (up - level[i]) - demand[i] * wp.sqrt(level[i]))


@wp.kernel
def demand_error(level: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = level[i] - 1.0
    wp.atomic_add(loss, 0, 0.2 * d * d)


@wp.kernel
def rim_barrier(level: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.3 / (1.0 + wp.exp(6.0 * (1.5 - level[i]))))


def rollout(pump, demand):
    level = wp.array([1.2, 0.9, 1.6], dtype=float, requires_grad=True)
    for _ in range(STEPS):
        nxt = wp.zeros(3, dtype=float, requires_grad=True)
        wp.launch(fill, dim=3, inputs=[level, pump, demand, 0.15], outputs=[nxt])
        level = nxt
    return level


demand = wp.array([0.7, 0.6, 0.8], dtype=float)
pump = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        level = rollout(pump, demand)
        wp.launch(demand_error, dim=3, inputs=[level], outputs=[loss])
    wp.launch(rim_barrier, dim=3, inputs=[level], outputs=[loss])
    tape.backward(loss)
    g = pump.grad.numpy().copy()
    tape.zero()
    pump.assign(pump.numpy() - 0.4 * g)
    if it % 5 == 0:
        print("iter", it, "loss", float(loss.numpy()[0]), "pumps", pump.numpy())
