import argparse
import copy
import time
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--temperature", "-T", type=float, default=4.0)
    p.add_argument("--alpha", type=float, default=0.7)
    p.add_argument("--hint", nargs="+", default=["layer2"])
    return p.parse_args()


class AverageMeter(object):
    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)
        batch_size = target.size(0)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        res = []
        for k in topk:
            correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)
            res.append(correct_k.mul_(100.0 / batch_size))
        return res


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != self.expansion * planes:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_planes, planes, 1, stride, bias=False), nn.BatchNorm2d(planes)
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        out = F.relu(out)
        return out


class ResNet(nn.Module):
    def __init__(self, block, widths, blocks, num_classes=10):
        super().__init__()
        self.in_planes = widths[0]
        self.conv1 = nn.Conv2d(3, widths[0], 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(widths[0])
        self.layer1 = self._make_layer(block, widths[0], blocks[0], 1)
        self.layer2 = self._make_layer(block, widths[1], blocks[1], 2)
        self.linear = nn.Linear(widths[1] * block.expansion, num_classes)

    def _make_layer(self, block, planes, n, stride):
        strides = [stride] + [1] * (n - 1)
        layers = []
        for stride in strides:
            layers.append(block(self.in_planes, planes, stride))
            self.in_planes = planes * block.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.layer2(self.layer1(out))
        out = F.avg_pool2d(out, 4)
        out = out.view(out.size(0), -1)
        return self.linear(out)


def get_features(store, name):
    def hook(module, inp, out):
        store[name] = out

    return hook


class DistillLoss(nn.Module):
    def __init__(self, T, alpha):
        super().__init__()
        self.T, self.alpha = T, alpha
        self.kl = nn.KLDivLoss(reduction="batchmean")

    def forward(self, s, t, y):
        soft = self.kl(F.log_softmax(s / self.T, dim=1), F.softmax(t / self.T, dim=1)) * (self.T**2)
        hard = F.cross_entropy(s, y, label_smoothing=0.1)
        return self.alpha * soft + (1 - self.alpha) * hard


def rkd_distance(s, t):
    def pdist(e):
        e_square = e.pow(2).sum(dim=1)
        prod = e @ e.t()
        res = (e_square.unsqueeze(1) + e_square.unsqueeze(0) - 2 * prod).clamp(min=1e-12).sqrt()
        res = res.clone()
        res[range(len(e)), range(len(e))] = 0
        return res

    with torch.no_grad():
        t_d = pdist(t)
        mean_td = t_d[t_d > 0].mean()
        t_d = t_d / mean_td
    d = pdist(s)
    mean_d = d[d > 0].mean()
    d = d / mean_d
    return F.smooth_l1_loss(d, t_d)


def train_epoch(loader, student, teacher, s_feats, t_feats, regressors, criterion, opt, args):
    losses, top1 = AverageMeter("loss"), AverageMeter("acc")
    student.train()
    teacher.eval()
    for images, target in loader:
        with torch.no_grad():
            t_out = teacher(images)
        s_out = student(images)
        loss = criterion(s_out, t_out, target)
        for name in args.hint:
            r = regressors[name](s_feats[name])
            loss = loss + F.mse_loss(r, t_feats[name].detach())
        s_emb = s_feats["layer2"].mean(dim=(2, 3))
        t_emb = t_feats["layer2"].mean([2, 3])
        loss = loss + rkd_distance(s_emb, t_emb)
        acc1, acc5 = accuracy(s_out, target, topk=(1, 5))
        losses.update(loss.item(), images.size(0))
        top1.update(acc1[0], images.size(0))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return losses.avg, top1.avg


def main():
    args = parse()
    torch.manual_seed(0)
    teacher = ResNet(BasicBlock, [16, 32], [2, 2])
    student = ResNet(BasicBlock, [8, 16], [1, 1])
    for p in teacher.parameters():
        p.requires_grad_(False)
    s_feats, t_feats, regressors = {}, {}, nn.ModuleDict()
    for name in args.hint:
        getattr(student, name).register_forward_hook(get_features(s_feats, name))
        getattr(teacher, name).register_forward_hook(get_features(t_feats, name))
        regressors[name] = nn.Conv2d(16, 32, 1)
    data = TensorDataset(torch.randn(96, 3, 8, 8), torch.randint(0, 10, (96,)))
    loader = DataLoader(data, args.batch_size, shuffle=True)
    params = list(student.parameters()) + list(regressors.parameters())
    opt = torch.optim.SGD(params, 0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    best_acc, best = 0, None
    for epoch in range(args.epochs):
        start = time.time()
        loss, acc = train_epoch(
            loader,
            student,
            teacher,
            s_feats,
            t_feats,
            regressors,
            DistillLoss(args.temperature, args.alpha),
            opt,
            args,
        )
        sched.step()
        if acc > best_acc:
            best_acc, best = acc, copy.deepcopy(student.state_dict())
        print(f"{epoch} {loss:.3f} {acc:.1f} {time.time() - start:.1f}s")
    x = torch.randn(1, 3, 8, 8)
    probs = student(x).softmax(-1)
    print(probs.sum(), sum(p.numel() for p in student.parameters()))


if __name__ == "__main__":
    main()
