"""Set two heaters so that a plate reaches wanted temperatures; torch's SGD steps, Warp keeps its arrays and one tape."""
import torch
import warp as wp

PLATES = 4


@wp.kernel
def warm(power: wp.array(dtype=float), share: wp.array2d(dtype=float), temperature: wp.array(dtype=float)):
    i = wp.tid()
    q = share[i, 0] * power[0] + share[i, 1] * power[1]
    temperature[i] = 20.0 * q / (1.0 + 0.2 * q * q)


class Plate:
    def __init__(self):
        self.share = wp.array([[0.9, 0.1], [0.7, 0.2], [0.2, 0.8], [0.1, 0.6]], dtype=float)
        self.power = wp.zeros(2, dtype=float, requires_grad=True)
        self.temperature = wp.zeros(PLATES, dtype=float, requires_grad=True)

    def forward(self, power):
        self.power.assign(power.detach().numpy())
        self.tape = wp.Tape()
        with self.tape:
            wp.launch(warm, dim=PLATES, inputs=[self.power, self.share], outputs=[self.temperature])
        return torch.from_numpy(self.temperature.numpy().copy())

    def backward(self, grad):
        self.temperature.grad.assign(grad.numpy())
        self.tape.backward()
        gradient = torch.from_numpy(self.power.grad.numpy().copy())
        return gradient


plate = Plate()


class Heat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, power):
        return plate.forward(power)

    @staticmethod
    def backward(ctx, grad):
        return plate.backward(grad)


power = torch.tensor([0.7, 1.3], requires_grad=True)
want = torch.tensor([14.0, 12.0, 16.0, 13.0])
optimizer = torch.optim.SGD([power], lr=1e-4)
for epoch in range(60):
    optimizer.zero_grad()
    loss = ((Heat.apply(power) - want) ** 2).sum()
    loss.backward()
    optimizer.step()
print("loss", loss.item(), "power", power.tolist())
