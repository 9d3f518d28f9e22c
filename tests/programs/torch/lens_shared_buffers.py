"""Focus a lens for two colours with torch's Adam; the Warp part keeps its buffers, and both colours go through them."""
import torch
import warp as wp

RAYS = 6


@wp.kernel
def trace(shape: wp.array(dtype=float), height: wp.array(dtype=float), index: float, slope: wp.array(dtype=float)):
    i = wp.tid()
    h = height[i]
    slope[i] = -(index - 1.0) * (shape[0] * h + shape[1] * h * h * h)


@wp.kernel
def spot(slope: wp.array(dtype=float), height: wp.array(dtype=float), miss: wp.array(dtype=float)):
    i = wp.tid()
    e = height[i] + 4.0 * slope[i]
    miss[i] = e * e


height = wp.array([-0.9, -0.6, -0.3, 0.3, 0.6, 0.9], dtype=float)
slope = wp.zeros(RAYS, dtype=float, requires_grad=True)


class Spot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, shape, index):
        ctx.shape = wp.from_torch(shape.detach().clone(), requires_grad=True)
        ctx.miss = wp.zeros(RAYS, dtype=float, requires_grad=True)
        ctx.tape = wp.Tape()
        with ctx.tape:
            wp.launch(trace, dim=RAYS, inputs=[ctx.shape, height, index], outputs=[slope])
            wp.launch(spot, dim=RAYS, inputs=[slope, height], outputs=[ctx.miss])
        return wp.to_torch(ctx.miss).clone()

    @staticmethod
    def backward(ctx, grad_miss):
        ctx.tape.backward(grads={ctx.miss: wp.from_torch(grad_miss.contiguous())})
        gradient = torch.from_numpy(ctx.shape.grad.numpy().copy())
        ctx.tape.zero()
        return gradient, None


shape = torch.tensor([0.3, 0.05], requires_grad=True)
optimizer = torch.optim.Adam([shape], lr=0.02)
for epoch in range(40):
    optimizer.zero_grad()
    loss = Spot.apply(shape, 1.48).sum() + 2.0 * Spot.apply(shape, 1.62).sum()
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print(epoch, loss.item(), shape.tolist())
