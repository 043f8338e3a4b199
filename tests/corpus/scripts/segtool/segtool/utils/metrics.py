import torch


class ConfusionMatrix:
    def __init__(self, n):
        self.n = n
        self.mat = torch.zeros(n, n, dtype=torch.long)

    def update(self, pred, target):
        k = (target >= 0) & (target < self.n)
        inds = self.n * target[k].view(-1) + pred[k].view(-1)
        self.mat += torch.bincount(inds, minlength=self.n ** 2).reshape(self.n, self.n)

    def iou(self):
        h = self.mat.float()
        diag = torch.diag(h)
        return diag / (h.sum(1) + h.sum(0) - diag).clamp(min=1)

    def accuracy(self):
        h = self.mat.float()
        return (torch.diag(h).sum() / h.sum()).item()
