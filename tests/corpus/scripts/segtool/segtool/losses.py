import torch
from torch import nn
from torch.nn import functional as F


class SoftDice(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, logits, target):
        probs = logits.softmax(dim=1)
        onehot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).to(probs.dtype)
        dims = (0, 2, 3)
        inter = (probs * onehot).sum(dims)
        card = (probs + onehot).sum(dims)
        dice = (2 * inter + self.smooth) / (card + self.smooth)
        return 1 - dice.mean()


class Focal(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits, target):
        logp = F.log_softmax(logits, dim=1)
        ce = F.nll_loss(logp, target, reduction="none")
        pt = logp.gather(1, target.unsqueeze(1)).squeeze(1).exp()
        return ((1 - pt) ** self.gamma * ce).mean()


class Combo(nn.Module):
    def __init__(self, alpha=0.5):
        super().__init__()
        self.alpha = alpha
        self.dice, self.focal = SoftDice(), Focal()

    def forward(self, logits, target):
        d = self.dice(logits, target)
        f = self.focal(logits, target)
        return self.alpha * d + (1 - self.alpha) * f


_LOSSES = {"dice": SoftDice, "focal": Focal, "combo": Combo, "ce": nn.CrossEntropyLoss}


def build_loss(name, **kwargs):
    return _LOSSES[name](**kwargs)
