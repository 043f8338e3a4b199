# needs: scipy
import torch
import torch.nn as nn
import torch.nn.functional as F
from scipy.optimize import linear_sum_assignment


class NestedTensor:
    def __init__(self, tensors, mask):
        self.tensors, self.mask = tensors, mask

    def decompose(self):
        return self.tensors, self.mask


def nested_tensor_from_list(images):
    max_size = [max(s) for s in zip(*[img.shape for img in images])]
    batch_shape = [len(images)] + max_size
    b, c, h, w = batch_shape
    tensor = torch.zeros(batch_shape, dtype=images[0].dtype)
    mask = torch.ones((b, h, w), dtype=torch.bool)
    for img, pad, m in zip(images, tensor, mask):
        pad[:img.shape[0], :img.shape[1], :img.shape[2]].copy_(img)
        m[:img.shape[1], :img.shape[2]] = False
    return NestedTensor(tensor, mask)


class PositionEmbeddingSine(nn.Module):
    def __init__(self, feats=16, temperature=10000):
        super().__init__()
        self.feats, self.temperature = feats, temperature

    def forward(self, mask):
        not_mask = ~mask
        y_embed = not_mask.cumsum(1, dtype=torch.float32)
        x_embed = not_mask.cumsum(2, dtype=torch.float32)
        dim_t = torch.arange(self.feats, dtype=torch.float32)
        dim_t = self.temperature ** (2 * (dim_t // 2) / self.feats)
        pos_x, pos_y = x_embed[:, :, :, None] / dim_t, y_embed[:, :, :, None] / dim_t
        pos_x = torch.stack((pos_x[..., 0::2].sin(), pos_x[..., 1::2].cos()), dim=4).flatten(3)
        pos_y = torch.stack((pos_y[..., 0::2].sin(), pos_y[..., 1::2].cos()), dim=4).flatten(3)
        return torch.cat((pos_y, pos_x), dim=3).permute(0, 3, 1, 2)


class DETR(nn.Module):
    def __init__(self, num_classes=5, hidden=32, queries=10):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 16, 7, 4, 3), nn.ReLU(), nn.Conv2d(16, 32, 3, 4, 1), nn.ReLU())
        self.pos = PositionEmbeddingSine(hidden // 2)
        self.input_proj = nn.Conv2d(32, hidden, 1)
        self.transformer = nn.Transformer(hidden, 4, 1, 1, 64, batch_first=True)
        self.query_embed = nn.Embedding(queries, hidden)
        self.class_embed = nn.Linear(hidden, num_classes + 1)
        self.bbox_embed = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 4))

    def forward(self, samples):
        x, mask = samples.decompose()
        feats = self.backbone(x)
        mask = F.interpolate(mask[None].float(), size=feats.shape[-2:]).to(torch.bool)[0]
        pos = self.pos(mask)
        src = (self.input_proj(feats) + pos).flatten(2).permute(0, 2, 1)
        queries = self.query_embed.weight.unsqueeze(0).repeat(len(src), 1, 1)
        hs = self.transformer(src, queries, src_key_padding_mask=mask.flatten(1), memory_key_padding_mask=mask.flatten(1))
        return {"pred_logits": self.class_embed(hs), "pred_boxes": self.bbox_embed(hs).sigmoid()}


def box_cxcywh_to_xyxy(x):
    xc, yc, w, h = x.unbind(-1)
    return torch.stack([xc - 0.5 * w, yc - 0.5 * h, xc + 0.5 * w, yc + 0.5 * h], dim=-1)


def generalized_iou(a, b):
    area_a = (a[:, 2:] - a[:, :2]).prod(1)
    area_b = (b[:, 2:] - b[:, :2]).prod(1)
    lt, rb = torch.max(a[:, None, :2], b[:, :2]), torch.min(a[:, None, 2:], b[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(2)
    union = area_a[:, None] + area_b - inter
    hull = (torch.max(a[:, None, 2:], b[:, 2:]) - torch.min(a[:, None, :2], b[:, :2])).clamp(min=0).prod(2)
    return inter / union - (hull - union) / hull


@torch.no_grad()
def match(outputs, targets):
    bs, num_queries = outputs["pred_logits"].shape[:2]
    out_prob = outputs["pred_logits"].flatten(0, 1).softmax(-1)
    out_bbox = outputs["pred_boxes"].flatten(0, 1)
    tgt_ids = torch.cat([v["labels"] for v in targets])
    tgt_bbox = torch.cat([v["boxes"] for v in targets])
    cost_class = -out_prob[:, tgt_ids]
    cost_bbox = torch.cdist(out_bbox, tgt_bbox, p=1)
    cost_giou = -generalized_iou(box_cxcywh_to_xyxy(out_bbox), box_cxcywh_to_xyxy(tgt_bbox))
    C = (5 * cost_bbox + cost_class + 2 * cost_giou).view(bs, num_queries, -1).cpu()
    sizes = [len(v["boxes"]) for v in targets]
    indices = [linear_sum_assignment(c[i]) for i, c in enumerate(C.split(sizes, -1))]
    return [(torch.as_tensor(i, dtype=torch.int64), torch.as_tensor(j, dtype=torch.int64)) for i, j in indices]


def criterion(outputs, targets, num_classes=5):
    indices = match(outputs, targets)
    batch_idx = torch.cat([torch.full_like(src, i) for i, (src, _) in enumerate(indices)])
    src_idx = torch.cat([src for src, _ in indices])
    target_classes_o = torch.cat([t["labels"][J] for t, (_, J) in zip(targets, indices)])
    logits = outputs["pred_logits"]
    target_classes = torch.full(logits.shape[:2], num_classes, dtype=torch.int64)
    target_classes[batch_idx, src_idx] = target_classes_o
    weight = torch.ones(num_classes + 1)
    weight[-1] = 0.1
    loss_ce = F.cross_entropy(logits.transpose(1, 2), target_classes, weight)
    src_boxes = outputs["pred_boxes"][batch_idx, src_idx]
    target_boxes = torch.cat([t["boxes"][i] for t, (_, i) in zip(targets, indices)], dim=0)
    loss_bbox = F.l1_loss(src_boxes, target_boxes, reduction="none").sum() / len(target_boxes)
    giou = torch.diag(generalized_iou(box_cxcywh_to_xyxy(src_boxes), box_cxcywh_to_xyxy(target_boxes)))
    return {"ce": loss_ce, "bbox": loss_bbox, "giou": (1 - giou).mean()}


torch.manual_seed(0)
images = [torch.rand(3, 64, 80), torch.rand(3, 72, 64)]
targets = [{"labels": torch.tensor([1, 3]), "boxes": torch.rand(2, 4) * 0.4 + 0.2}, {"labels": torch.tensor([0]), "boxes": torch.rand(1, 4) * 0.4 + 0.2}]
model = DETR()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(2):
    outputs = model(nested_tensor_from_list(images))
    losses = criterion(outputs, targets)
    loss = sum(losses[k] * w for k, w in {"ce": 1, "bbox": 5, "giou": 2}.items())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
probas = outputs["pred_logits"].softmax(-1)[0, :, :-1]
keep = probas.max(-1).values > 0.1
print(keep.sum(), box_cxcywh_to_xyxy(outputs["pred_boxes"][0, keep]).shape)
