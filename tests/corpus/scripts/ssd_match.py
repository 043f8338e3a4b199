import itertools
import random
from math import sqrt
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

random.seed(0)
torch.manual_seed(0)


def cxcy_to_xy(cxcy):
    return torch.cat([cxcy[:, :2] - cxcy[:, 2:] / 2, cxcy[:, :2] + cxcy[:, 2:] / 2], 1)


def xy_to_cxcy(xy):
    return torch.cat([(xy[:, 2:] + xy[:, :2]) / 2, xy[:, 2:] - xy[:, :2]], 1)


def find_jaccard_overlap(set_1, set_2):
    lower_bounds = torch.max(set_1[:, :2].unsqueeze(1), set_2[:, :2].unsqueeze(0))
    upper_bounds = torch.min(set_1[:, 2:].unsqueeze(1), set_2[:, 2:].unsqueeze(0))
    dims = torch.clamp(upper_bounds - lower_bounds, min=0)
    intersection = dims[:, :, 0] * dims[:, :, 1]
    areas_1 = (set_1[:, 2] - set_1[:, 0]) * (set_1[:, 3] - set_1[:, 1])
    areas_2 = (set_2[:, 2] - set_2[:, 0]) * (set_2[:, 3] - set_2[:, 1])
    union = areas_1.unsqueeze(1) + areas_2.unsqueeze(0) - intersection
    return intersection / union


class Boxes(Dataset):
    def __init__(self, n=24, size=64):
        self.items = []
        for _ in range(n):
            k = random.randint(1, 4)
            xy = torch.rand(k, 2) * 0.6
            wh = torch.rand(k, 2) * 0.3 + 0.1
            boxes = torch.cat([xy, xy + wh], dim=1)
            labels = torch.randint(1, 4, (k,))
            self.items.append((torch.rand(3, size, size), boxes, labels))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def collate_fn(self, batch):
        images, boxes, labels = list(), list(), list()
        for b in batch:
            images.append(b[0])
            boxes.append(b[1])
            labels.append(b[2])
        images = torch.stack(images, dim=0)
        return images, boxes, labels


class SSD(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.n_classes = n_classes
        self.c1 = nn.Sequential(nn.Conv2d(3, 16, 3, stride=4, padding=1), nn.ReLU())
        self.c2 = nn.Sequential(nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU())
        self.c3 = nn.Sequential(nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.ReLU())
        self.rescale = nn.Parameter(torch.FloatTensor(1, 32, 1, 1))
        nn.init.constant_(self.rescale, 20)
        n_boxes = {"c2": 2, "c3": 3}
        self.loc2, self.loc3 = (
            nn.Conv2d(32, n_boxes["c2"] * 4, 3, padding=1),
            nn.Conv2d(32, n_boxes["c3"] * 4, 3, padding=1),
        )
        self.cl2, self.cl3 = (
            nn.Conv2d(32, n_boxes["c2"] * n_classes, 3, padding=1),
            nn.Conv2d(32, n_boxes["c3"] * n_classes, 3, padding=1),
        )
        self.priors_cxcy = self.create_prior_boxes()

    def forward(self, image):
        batch_size = image.size(0)
        f2 = self.c2(self.c1(image))
        norm = f2.pow(2).sum(dim=1, keepdim=True).sqrt()
        f2 = f2 / norm * self.rescale
        f3 = self.c3(f2)
        locs, scores = [], []
        for f, l, c in [(f2, self.loc2, self.cl2), (f3, self.loc3, self.cl3)]:
            loc = l(f).permute(0, 2, 3, 1).contiguous()
            locs.append(loc.view(batch_size, -1, 4))
            sc = c(f).permute(0, 2, 3, 1).contiguous()
            scores.append(sc.view(batch_size, -1, self.n_classes))
        return torch.cat(locs, dim=1), torch.cat(scores, dim=1)

    def create_prior_boxes(self):
        fmap_dims = {"c2": 8, "c3": 4}
        scales = {"c2": 0.2, "c3": 0.5}
        ratios = {"c2": [1.0, 2.0], "c3": [1.0, 2.0, 0.5]}
        prior_boxes = []
        for fmap in list(fmap_dims.keys()):
            for i in range(fmap_dims[fmap]):
                for j in range(fmap_dims[fmap]):
                    cx, cy = (j + 0.5) / fmap_dims[fmap], (i + 0.5) / fmap_dims[fmap]
                    for ratio in ratios[fmap]:
                        prior_boxes.append([cx, cy, scales[fmap] * sqrt(ratio), scales[fmap] / sqrt(ratio)])
        prior_boxes = torch.FloatTensor(prior_boxes)
        prior_boxes.clamp_(0, 1)
        return prior_boxes

    def detect(self, locs, scores, min_score=0.2, max_overlap=0.5, top_k=10):
        out_boxes, out_labels, out_scores = [], [], []
        scores = F.softmax(scores, dim=2)
        for i in range(locs.size(0)):
            decoded = cxcy_to_xy(locs[i] * 0.1 + self.priors_cxcy)
            img_boxes, img_labels, img_scores = [], [], []
            for c in range(1, self.n_classes):
                class_scores = scores[i][:, c]
                above = class_scores > min_score
                n_above = above.sum().item()
                if n_above == 0:
                    continue
                class_scores = class_scores[above]
                boxes = decoded[above]
                class_scores, sort_ind = class_scores.sort(dim=0, descending=True)
                boxes = boxes[sort_ind]
                overlap = find_jaccard_overlap(boxes, boxes)
                suppress = torch.zeros((n_above), dtype=torch.bool)
                for box in range(boxes.size(0)):
                    if suppress[box] == 1:
                        continue
                    suppress = torch.max(suppress, overlap[box] > max_overlap)
                    suppress[box] = 0
                img_boxes.append(boxes[~suppress])
                img_labels.append(torch.LongTensor((~suppress).sum().item() * [c]))
                img_scores.append(class_scores[~suppress])
            if len(img_boxes) == 0:
                img_boxes.append(torch.FloatTensor([[0.0, 0.0, 1.0, 1.0]]))
                img_labels.append(torch.LongTensor([0]))
                img_scores.append(torch.FloatTensor([0.0]))
            img_boxes = torch.cat(img_boxes, dim=0)
            img_labels = torch.cat(img_labels, dim=0)
            img_scores = torch.cat(img_scores, dim=0)
            if img_scores.size(0) > top_k:
                img_scores, order = img_scores.sort(dim=0, descending=True)
                img_scores = img_scores[:top_k]
                img_boxes = img_boxes[order][:top_k]
                img_labels = img_labels[order][:top_k]
            out_boxes.append(img_boxes)
            out_labels.append(img_labels)
            out_scores.append(img_scores)
        return out_boxes, out_labels, out_scores


class MultiBoxLoss(nn.Module):
    def __init__(self, priors_cxcy, threshold=0.5, neg_pos_ratio=3, alpha=1.0):
        super().__init__()
        self.priors_cxcy, self.priors_xy = priors_cxcy, cxcy_to_xy(priors_cxcy)
        self.threshold, self.neg_pos_ratio, self.alpha = threshold, neg_pos_ratio, alpha
        self.smooth_l1, self.ce = nn.L1Loss(), nn.CrossEntropyLoss(reduction="none")

    def forward(self, predicted_locs, predicted_scores, boxes, labels):
        batch_size = predicted_locs.size(0)
        n_priors = self.priors_cxcy.size(0)
        n_classes = predicted_scores.size(2)
        true_locs = torch.zeros((batch_size, n_priors, 4), dtype=torch.float)
        true_classes = torch.zeros((batch_size, n_priors), dtype=torch.long)
        for i in range(batch_size):
            n_objects = boxes[i].size(0)
            overlap = find_jaccard_overlap(boxes[i], self.priors_xy)
            overlap_for_each_prior, object_for_each_prior = overlap.max(dim=0)
            _, prior_for_each_object = overlap.max(dim=1)
            object_for_each_prior[prior_for_each_object] = torch.LongTensor(range(n_objects))
            overlap_for_each_prior[prior_for_each_object] = 1.0
            label_for_each_prior = labels[i][object_for_each_prior]
            label_for_each_prior[overlap_for_each_prior < self.threshold] = 0
            true_classes[i] = label_for_each_prior
            true_locs[i] = xy_to_cxcy(boxes[i][object_for_each_prior]) - self.priors_cxcy
        positive = true_classes != 0
        loc_loss = self.smooth_l1(predicted_locs[positive], true_locs[positive])
        n_positives = positive.sum(dim=1)
        n_hard = self.neg_pos_ratio * n_positives
        conf_all = self.ce(predicted_scores.view(-1, n_classes), true_classes.view(-1))
        conf_all = conf_all.view(batch_size, n_priors)
        conf_pos = conf_all[positive]
        conf_neg = conf_all.clone()
        conf_neg[positive] = 0.0
        conf_neg, _ = conf_neg.sort(dim=1, descending=True)
        hardness_ranks = torch.LongTensor(range(n_priors)).unsqueeze(0).expand_as(conf_neg)
        hard_negatives = hardness_ranks < n_hard.unsqueeze(1)
        conf_hard = conf_neg[hard_negatives]
        conf_loss = (conf_hard.sum() + conf_pos.sum()) / n_positives.sum().float()
        return conf_loss + self.alpha * loc_loss


dataset = Boxes()
loader = DataLoader(dataset, batch_size=4, shuffle=True, collate_fn=dataset.collate_fn)
model = SSD(4)
criterion = MultiBoxLoss(model.priors_cxcy)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
for epoch in range(2):
    for i, (images, boxes, labels) in enumerate(loader):
        predicted_locs, predicted_scores = model(images)
        loss = criterion(predicted_locs, predicted_scores, boxes, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
model.eval()
with torch.no_grad():
    locs, scores = model(images)
    det_boxes, det_labels, det_scores = model.detect(locs, scores)
for b, s in zip(det_boxes, det_scores):
    print(b.shape, s.shape)
