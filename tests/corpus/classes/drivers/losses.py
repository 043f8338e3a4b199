import torch

from losses import *  # noqa

for batch, channels, height, width in ((2, 3, 16, 20), (4, 1, 24, 18), (3, 2, 13, 28)):
    a, b = torch.rand(batch, channels, height, width), torch.rand(batch, channels, height, width)
    FocalLoss()(a, b.round())
    DiceLoss()(a, b.round())
    SSIM(channel=channels)(a, b)
    GramLoss()(a, b)
    TotalVariation()(a)
    psnr(a, b)

for batch, classes, dim in ((8, 10, 32), (5, 7, 20), (12, 4, 16)):
    target = torch.randint(0, classes, (batch,))
    logits = torch.randn(batch, classes)
    LabelSmoothingCrossEntropy()(logits, target)
    DistillationLoss()(logits, torch.randn(batch, classes), target)
    ArcFace(dim, classes)(torch.randn(batch, dim), target)
    accuracy(logits, target, topk=(1, 3))
    confusion_matrix(logits.argmax(1), target, classes)
    x, y, z = torch.randn(3, batch, dim)
    NTXentLoss()(x, y)
    TripletLoss()(x, y, z)

for n, m in ((6, 9), (11, 4), (7, 13)):
    generalized_box_iou(box_cxcywh_to_xyxy(torch.rand(n, 4)), box_cxcywh_to_xyxy(torch.rand(m, 4)))
