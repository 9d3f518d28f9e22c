"""Albedo, haze and gain of a light box from two photographs; torch drives, Warp computes the light transport."""
import numpy as np
import torch
import warp as wp

CELLS, BOUNCES = 6, 5
N_ITERS = 40


@wp.kernel
def bounce(level: wp.array(dtype=float), p: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = level.shape[0]
    around = level[(i + 1) % n] + level[(i + n - 1) % n]
    incoming = 0.4 * level[i] + 0.25 * around + 0.03 * float(i)
    out[i] = p[0] * incoming / (1.0 + p[1] * incoming * incoming)


@wp.kernel
def expose(level: wp.array(dtype=float), p: wp.array(dtype=float), image: wp.array(dtype=float)):
    i = wp.tid()
    image[i] = p[2] * wp.sqrt(level[i] + 0.05)


class Renderer:
    def __init__(self):
        self.level = [wp.zeros(CELLS, dtype=float, requires_grad=True) for _ in range(BOUNCES + 1)]

    def render(self, p, start):
        self.level[0].fill_(start)
        image = wp.zeros(CELLS, dtype=float, requires_grad=True)
        for k in range(BOUNCES):
            wp.launch(bounce, dim=CELLS, inputs=[self.level[k], p], outputs=[self.level[k + 1]])
        wp.launch(expose, dim=CELLS, inputs=[self.level[BOUNCES], p], outputs=[image])
        return image


class Transport(torch.autograd.Function):
    @staticmethod
    def forward(ctx, p, renderer):
        ctx.p = wp.from_torch(p.detach(), requires_grad=True)
        ctx.tape = wp.Tape()
        with ctx.tape:
            ctx.images = [renderer.render(ctx.p, start) for start in (0.3, 1.6)]
        return tuple(wp.to_torch(image).clone() for image in ctx.images)

    @staticmethod
    def backward(ctx, *upstream):
        seeds = {image: wp.from_torch(g.contiguous()) for image, g in zip(ctx.images, upstream)}
        ctx.tape.backward(grads=seeds)
        return wp.to_torch(ctx.p.grad).clone(), None


def main():
    torch.set_num_threads(1)
    renderer = Renderer()
    dark = torch.tensor(np.linspace(0.30, 0.46, CELLS), dtype=torch.float32)
    light = torch.tensor(np.linspace(0.42, 0.55, CELLS), dtype=torch.float32)
    p = torch.tensor([0.8, 0.5, 0.9], requires_grad=True)
    optimizer = torch.optim.Adam([p], lr=0.02)
    for it in range(N_ITERS):
        optimizer.zero_grad()
        night, day = Transport.apply(p, renderer)
        loss = ((night - dark) ** 2).sum() + ((day - light) ** 2).sum()
        loss.backward()
        optimizer.step()
        if it % 5 == 0 or it == N_ITERS - 1:
            print(f"{it:2d} loss {loss.item():.6f} p {p.detach().numpy()}")


if __name__ == "__main__":
    main()
