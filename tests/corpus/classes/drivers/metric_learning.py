import torch
from metric_learning import ArcFace, BatchHardTriplet, ContrastiveLoss, EmbeddingNet, TripletLoss, TripletNet, pdist, recall_at_k
for b, e, k in ((6, 10, 4), (8, 12, 5), (10, 14, 7)):
    net = EmbeddingNet(1, e)
    x = torch.randn(b, 1, 28, 28)
    net(x), net.get_embedding(x)
    a, p, n = TripletNet(net)(x, x, x)
    label = torch.arange(b) % 2
    ContrastiveLoss(1.0)(a, p, label)
    TripletLoss()(a, p, n)
    pdist(a)
    BatchHardTriplet()(a, label)
    ArcFace(e, k)(a, torch.randint(0, k, (b,)))
    recall_at_k(a, label, 2)
