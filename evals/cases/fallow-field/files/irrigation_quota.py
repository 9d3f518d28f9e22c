"""Share canal water among fields: crop factors are tuned so that the satisfied fraction meets a plan."""
import numpy as np
import warp as wp

START = [0.9, 1.4, 0.7, 1.1]
N_ITERS = 30
FIELDS = 4


@wp.struct
class Canal:
    supply: wp.array(dtype=float)
    sown: wp.array(dtype=float)


@wp.kernel
def satisfied(canal: Canal, crop: wp.array(dtype=float), fraction: wp.array(dtype=float)):
    f = wp.tid()
    demand = canal.sown[f] * crop[f] * crop[f]
    fraction[f] = wp.min(canal.supply[f] / demand, 1.0)


@wp.kernel
def plan_error(fraction: wp.array(dtype=float), plan: wp.array(dtype=float), crop: wp.array(dtype=float),
               loss: wp.array(dtype=float)):
    f = wp.tid()
    d = fraction[f] - plan[f]
    wp.atomic_add(loss, 0, d * d + 0.05 * crop[f] * crop[f])


canal = Canal()
canal.supply = wp.array([0.5, 0.9, 0.4, 0.6], dtype=float)
canal.sown = wp.array([1.2, 0.8, 0.0, 1.0], dtype=float)       # third field lies fallow this year
plan = wp.array([0.7, 0.8, 1.0, 0.6], dtype=float)
crop = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    fraction = wp.zeros(FIELDS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(satisfied, dim=FIELDS, inputs=[canal, crop], outputs=[fraction])
        wp.launch(plan_error, dim=FIELDS, inputs=[fraction, plan, crop], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    crop.assign(crop.numpy() - 0.1 * crop.grad.numpy())
    tape.zero()
    print("season", it, "loss", losses[-1], np.round(crop.numpy(), 3))
