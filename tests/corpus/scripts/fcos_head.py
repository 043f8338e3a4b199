import math
from typing import Dict, List

import torch
import torch.nn.functional as F
from torch import nn


def sigmoid_focal_loss(inputs, targets, alpha=0.25, gamma=2.0, reduction="sum"):
    p = torch.sigmoid(inputs)
    ce_loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    p_t = p * targets + (1 - p) * (1 - targets)
    loss = ce_loss * ((1 - p_t) ** gamma)
    if alpha >= 0:
        alpha_t = alpha * targets + (1 - alpha) * (1 - targets)
        loss = alpha_t * loss
    if reduction == "mean":
        loss = loss.mean()
    elif reduction == "sum":
        loss = loss.sum()
    return loss


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(boxes1, boxes2):
    area1, area2 = box_area(boxes1), box_area(boxes2)
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (area1[:, None] + area2 - inter)


def nms(boxes, scores, threshold):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0]
        keep.append(i)
        if order.numel() == 1:
            break
        ious = box_iou(boxes[i].unsqueeze(0), boxes[order[1:]]).squeeze(0)
        order = order[1:][ious <= threshold]
    return torch.stack(keep)


class Backbone(nn.Module):
    def __init__(self, channels=(16, 32, 64)):
        super().__init__()
        stages, c_in = [], 3
        for c in channels:
            stages.append(nn.Sequential(nn.Conv2d(c_in, c, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU(inplace=True)))
            c_in = c
        self.stages = nn.ModuleList(stages)

    def forward(self, x):
        feats = {}
        for i, stage in enumerate(self.stages):
            x = stage(x)
            feats[f"c{i + 1}"] = x
        return feats


class FPN(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(c, out_channels, 1) for c in in_channels)
        self.output = nn.ModuleList(nn.Conv2d(out_channels, out_channels, 3, padding=1) for _ in in_channels)

    def forward(self, feats: Dict[str, torch.Tensor]) -> List[torch.Tensor]:
        laterals = [lat(f) for lat, f in zip(self.lateral, feats.values())]
        for i in range(len(laterals) - 1, 0, -1):
            up = F.interpolate(laterals[i], size=laterals[i - 1].shape[-2:], mode="nearest")
            laterals[i - 1] = laterals[i - 1] + up
        return [out(l) for out, l in zip(self.output, laterals)]


class Head(nn.Module):
    def __init__(self, channels, num_classes, prior=0.01):
        super().__init__()
        tower = []
        for _ in range(2):
            tower += [nn.Conv2d(channels, channels, 3, padding=1), nn.GroupNorm(8, channels), nn.ReLU()]
        self.tower = nn.Sequential(*tower)
        self.cls_logits = nn.Conv2d(channels, num_classes, 3, padding=1)
        self.bbox_pred = nn.Conv2d(channels, 4, 3, padding=1)
        self.centerness = nn.Conv2d(channels, 1, 3, padding=1)
        self.scales = nn.ParameterList([nn.Parameter(torch.tensor(1.0)) for _ in range(3)])
        nn.init.constant_(self.cls_logits.bias, -math.log((1 - prior) / prior))

    def forward(self, features):
        logits, boxes, centers = [], [], []
        for scale, f in zip(self.scales, features):
            t = self.tower(f)
            logits.append(self.cls_logits(t).flatten(2).transpose(1, 2))
            boxes.append(F.relu(self.bbox_pred(t) * scale).flatten(2).permute(0, 2, 1))
            centers.append(self.centerness(t).flatten(1))
        return torch.cat(logits, 1), torch.cat(boxes, 1), torch.cat(centers, 1)


def make_locations(features, strides):
    locations = []
    for f, s in zip(features, strides):
        h, w = f.shape[-2:]
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        locations.append(torch.stack((xs.reshape(-1), ys.reshape(-1)), dim=1) * s + s // 2)
    return torch.cat(locations).float()


class FCOS(nn.Module):
    strides = (2, 4, 8)

    def __init__(self, num_classes=4):
        super().__init__()
        self.num_classes = num_classes
        self.backbone, self.fpn = Backbone(), FPN((16, 32, 64), 32)
        self.head = Head(32, num_classes)

    def forward(self, images, targets=None):
        feats = self.fpn(self.backbone(images))
        cls, reg, ctr = self.head(feats)
        locations = make_locations(feats, self.strides)
        if targets is not None:
            return self.losses(locations, cls, reg, ctr, targets)
        return self.postprocess(locations, cls, reg, ctr)

    def losses(self, locations, cls, reg, ctr, targets):
        all_labels, all_reg = [], []
        for target in targets:
            boxes, labels = target["boxes"], target["labels"]
            ltrb = torch.cat([locations[:, None] - boxes[None, :, :2], boxes[None, :, 2:] - locations[:, None]], dim=2)
            inside = ltrb.min(dim=2).values > 0
            areas = box_area(boxes)[None].repeat(len(locations), 1)
            areas[~inside] = float("inf")
            min_area, index = areas.min(dim=1)
            matched = labels[index].clone()
            matched[min_area == float("inf")] = self.num_classes
            all_labels.append(matched)
            all_reg.append(ltrb[torch.arange(len(locations)), index])
        labels, reg_t = torch.stack(all_labels), torch.stack(all_reg)
        pos = labels != self.num_classes
        one_hot = F.one_hot(labels, self.num_classes + 1)[..., :-1].float()
        num_pos = max(pos.sum().item(), 1)
        loss_cls = sigmoid_focal_loss(cls, one_hot) / num_pos
        pos_reg, pos_t = reg[pos], reg_t[pos]
        loss_box = F.smooth_l1_loss(pos_reg, pos_t, reduction="sum") / num_pos
        lr, tb = pos_t[:, [0, 2]], pos_t[:, [1, 3]]
        ctr_t = torch.sqrt((lr.min(-1)[0] / lr.max(-1)[0]) * (tb.min(-1)[0] / tb.max(-1)[0]))
        loss_ctr = F.binary_cross_entropy_with_logits(ctr[pos], ctr_t.clamp(0, 1), reduction="sum") / num_pos
        return {"cls": loss_cls, "box": loss_box, "ctr": loss_ctr}

    def postprocess(self, locations, cls, reg, ctr, topk=50):
        results = []
        scores = cls.sigmoid() * ctr.sigmoid().unsqueeze(-1)
        for s, r in zip(scores, reg):
            conf, labels = s.max(dim=1)
            conf, idx = conf.topk(topk)
            boxes = torch.cat([locations[idx] - r[idx, :2], locations[idx] + r[idx, 2:]], dim=1)
            keep = nms(boxes, conf, 0.6)
            results.append({"boxes": boxes[keep], "scores": conf[keep], "labels": labels[idx][keep]})
        return results


torch.manual_seed(0)
model = FCOS()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
images = torch.rand(2, 3, 64, 64)
targets = [
    {"boxes": torch.tensor([[4.0, 4.0, 30.0, 28.0], [20.0, 10.0, 60.0, 50.0]]), "labels": torch.tensor([0, 2])},
    {"boxes": torch.tensor([[10.0, 12.0, 40.0, 44.0]]), "labels": torch.tensor([3])},
]
for it in range(3):
    losses = model(images, targets)
    loss = sum(losses.values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(it, {k: round(v.item(), 3) for k, v in losses.items()})
model.eval()
with torch.no_grad():
    detections = model(images)
for det in detections:
    print(det["boxes"].shape, det["scores"][:3], det["labels"].unique())
