"""Fit three spring constants with torch: each extension comes from a Warp kernel behind an autograd function."""
import torch
import warp as wp


@wp.kernel
def extend(stiffness: wp.array(dtype=float), load: wp.array(dtype=float), x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = load[i] / (0.1 + stiffness[i] * stiffness[i])


load = wp.array([0.5, 0.8, 1.2], dtype=float)


class Extension(torch.autograd.Function):
    @staticmethod
    def forward(ctx, stiffness):
        ctx.stiffness = wp.from_torch(stiffness.detach(), requires_grad=True)
        ctx.x = wp.zeros(3, dtype=float, requires_grad=True)
        ctx.tape = wp.Tape()
        with ctx.tape:
            wp.launch(extend, dim=3, inputs=[ctx.stiffness, load], outputs=[ctx.x])
        return wp.to_torch(ctx.x).clone()

    @staticmethod
    def backward(ctx, grad_x):
        ctx.tape.backward(grads={ctx.x: wp.from_torch(grad_x.contiguous())})
        return wp.to_torch(ctx.stiffness.grad).clone()


stiffness = torch.tensor([0.6, 0.9, 1.1], requires_grad=True)
want = torch.tensor([0.8, 0.7, 0.9])
optimizer = torch.optim.SGD([stiffness], lr=0.1)
for epoch in range(30):
    optimizer.zero_grad()
    loss = ((Extension.apply(stiffness) - want) ** 2).mean()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
