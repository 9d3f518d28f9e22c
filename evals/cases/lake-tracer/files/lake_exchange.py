"""Tracer release in four connected lakes: choose the release that reproduces a later survey."""
import warp as wp
import warp.sparse as sp

START = [1.0, 0.4, 0.2, 0.6]
N_ITERS = 20
MONTHS = 3

rows = wp.array([0, 0, 1, 1, 1, 2, 2, 3, 3], dtype=int)
cols = wp.array([0, 1, 0, 1, 2, 1, 2, 2, 3], dtype=int)
share = wp.array([0.8, 0.1, 0.2, 0.7, 0.2, 0.2, 0.7, 0.1, 1.0], dtype=float)
exchange = sp.bsr_from_triplets(4, 4, rows, cols, share)
survey = wp.array([0.5, 0.6, 0.4, 0.9], dtype=float)


@wp.kernel
def survey_error(tracer: wp.array(dtype=float), survey: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = tracer[i] - survey[i]
    wp.atomic_add(loss, 0, d * d)


@wp.kernel
def release_cost(release: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.05 * release[i] * release[i])


release = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        tracer = release
        for _ in range(MONTHS):
            nxt = wp.zeros(4, dtype=float, requires_grad=True)
            sp.bsr_mv(exchange, tracer, nxt)
            tracer = nxt
        wp.launch(survey_error, dim=4, inputs=[tracer, survey], outputs=[loss])
        wp.launch(release_cost, dim=4, inputs=[release], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    release.assign(release.numpy() - 0.2 * release.grad.numpy())
    tape.zero()
    print(f"month fit {it} loss {losses[-1]:.6f} release {release.numpy()}")
