"""Heads and necks for detection, and video."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class FPN(nn.Module):
    def __init__(self, in_channels_list, out_channels):
        super().__init__()
        self.inner_blocks = nn.ModuleList()
        self.layer_blocks = nn.ModuleList()
        for in_channels in in_channels_list:
            self.inner_blocks.append(nn.Conv2d(in_channels, out_channels, 1))
            self.layer_blocks.append(nn.Conv2d(out_channels, out_channels, 3, padding=1))

    def forward(self, features):
        last_inner = self.inner_blocks[-1](features[-1])
        results = [self.layer_blocks[-1](last_inner)]
        for idx in range(len(features) - 2, -1, -1):
            inner_lateral = self.inner_blocks[idx](features[idx])
            feat_shape = inner_lateral.shape[-2:]
            inner_top_down = F.interpolate(last_inner, size=feat_shape, mode="nearest")
            last_inner = inner_lateral + inner_top_down
            results.insert(0, self.layer_blocks[idx](last_inner))
        return results


class RetinaHead(nn.Module):
    def __init__(self, in_channels, num_anchors, num_classes):
        super().__init__()
        self.num_classes = num_classes
        self.num_anchors = num_anchors
        self.conv = nn.Sequential(nn.Conv2d(in_channels, in_channels, 3, padding=1), nn.ReLU())
        self.cls_logits = nn.Conv2d(in_channels, num_anchors * num_classes, 3, padding=1)
        self.bbox_reg = nn.Conv2d(in_channels, num_anchors * 4, 3, padding=1)

    def forward(self, x):
        t = self.conv(x)
        cls_logits = self.cls_logits(t)
        N, _, H, W = cls_logits.shape
        cls_logits = cls_logits.view(N, -1, self.num_classes, H, W)
        cls_logits = cls_logits.permute(0, 3, 4, 1, 2)
        cls_logits = cls_logits.reshape(N, -1, self.num_classes)
        bbox = self.bbox_reg(t)
        bbox = bbox.view(N, -1, 4, H, W).permute(0, 3, 4, 1, 2).reshape(N, -1, 4)
        return cls_logits, bbox


class YOLOLayer(nn.Module):
    def __init__(self, anchors, num_classes, img_dim=416):
        super().__init__()
        self.anchors = anchors
        self.num_anchors = len(anchors)
        self.num_classes = num_classes
        self.img_dim = img_dim

    def forward(self, x):
        num_samples = x.size(0)
        grid_size = x.size(2)
        prediction = x.view(num_samples, self.num_anchors, self.num_classes + 5, grid_size, grid_size)
        prediction = prediction.permute(0, 1, 3, 4, 2).contiguous()
        xy = torch.sigmoid(prediction[..., 0:2])
        wh = prediction[..., 2:4]
        conf = torch.sigmoid(prediction[..., 4])
        cls = torch.sigmoid(prediction[..., 5:])
        grid = torch.arange(grid_size).repeat(grid_size, 1)
        grid_x = grid.view([1, 1, grid_size, grid_size]).float()
        grid_y = grid.t().view([1, 1, grid_size, grid_size]).float()
        stride = self.img_dim / grid_size
        anchors = torch.tensor([(a_w / stride, a_h / stride) for a_w, a_h in self.anchors])
        anchor_wh = anchors.view((1, self.num_anchors, 1, 1, 2))
        box_x = xy[..., 0] + grid_x
        box_y = xy[..., 1] + grid_y
        box_wh = torch.exp(wh) * anchor_wh
        boxes = torch.cat((box_x.unsqueeze(-1), box_y.unsqueeze(-1), box_wh), -1)
        output = torch.cat(
            (
                boxes.view(num_samples, -1, 4) * stride,
                conf.view(num_samples, -1, 1),
                cls.view(num_samples, -1, self.num_classes),
            ),
            -1,
        )
        return output


class DETRHead(nn.Module):
    def __init__(self, num_classes, hidden_dim=64, nheads=4, num_layers=1, num_queries=20):
        super().__init__()
        self.conv = nn.Conv2d(3, hidden_dim, 8, stride=8)
        self.transformer = nn.Transformer(hidden_dim, nheads, num_layers, num_layers, dim_feedforward=hidden_dim * 2)
        self.linear_class = nn.Linear(hidden_dim, num_classes + 1)
        self.linear_bbox = nn.Linear(hidden_dim, 4)
        self.query_pos = nn.Parameter(torch.rand(num_queries, hidden_dim))
        self.row_embed = nn.Parameter(torch.rand(50, hidden_dim // 2))
        self.col_embed = nn.Parameter(torch.rand(50, hidden_dim // 2))

    def forward(self, inputs):
        h = self.conv(inputs)
        H, W = h.shape[-2:]
        pos = torch.cat(
            [
                self.col_embed[:W].unsqueeze(0).repeat(H, 1, 1),
                self.row_embed[:H].unsqueeze(1).repeat(1, W, 1),
            ],
            dim=-1,
        ).flatten(0, 1).unsqueeze(1)
        src = pos + 0.1 * h.flatten(2).permute(2, 0, 1)
        queries = self.query_pos.unsqueeze(1).repeat(1, src.size(1), 1)
        out = self.transformer(src, queries).transpose(0, 1)
        return {"pred_logits": self.linear_class(out), "pred_boxes": self.linear_bbox(out).sigmoid()}


class Conv3DBlock(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.spatial = nn.Conv3d(in_channels, out_channels, (1, 3, 3), padding=(0, 1, 1))
        self.temporal = nn.Conv3d(out_channels, out_channels, (3, 1, 1), padding=(1, 0, 0))
        self.bn = nn.BatchNorm3d(out_channels)
        self.pool = nn.MaxPool3d((1, 2, 2))

    def forward(self, clip):
        y = self.spatial(clip)
        y = self.temporal(y)
        y = F.relu(self.bn(y))
        return self.pool(y)


class CNNLSTM(nn.Module):
    """Frames through a CNN, their features through an LSTM."""

    def __init__(self, num_classes, feature_dim=48, hidden_size=32):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, feature_dim))
        self.lstm = nn.LSTM(feature_dim, hidden_size, batch_first=True)
        self.fc = nn.Linear(hidden_size, num_classes)

    def forward(self, frames):
        batch_size, timesteps, C, H, W = frames.size()
        c_in = frames.view(batch_size * timesteps, C, H, W)
        c_out = self.cnn(c_in)
        r_in = c_out.view(batch_size, timesteps, -1)
        r_out, (h_n, h_c) = self.lstm(r_in)
        r_out2 = self.fc(r_out[:, -1, :])
        return r_out2


class KeypointHead(nn.Module):
    def __init__(self, in_channels, num_keypoints):
        super().__init__()
        self.deconv = nn.ConvTranspose2d(in_channels, in_channels // 2, 4, stride=2, padding=1)
        self.out = nn.Conv2d(in_channels // 2, num_keypoints, 1)

    def forward(self, x):
        heat = self.out(F.relu(self.deconv(x)))
        b, k, h, w = heat.shape
        prob = heat.view(b, k, h * w).softmax(dim=-1).view(b, k, h, w)
        ys = torch.arange(h, dtype=prob.dtype)
        xs = torch.arange(w, dtype=prob.dtype)
        y = (prob.sum(dim=3) * ys).sum(dim=2)
        x = (prob.sum(dim=2) * xs).sum(dim=2)
        return torch.stack([x, y], dim=-1), heat
