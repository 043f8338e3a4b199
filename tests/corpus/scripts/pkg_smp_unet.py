# needs: segmentation-models-pytorch timm huggingface-hub safetensors torchvision pyyaml pillow tqdm
# beside: segmentation_models_pytorch
import torch
import segmentation_models_pytorch as smp

torch.manual_seed(0)
model = smp.Unet(encoder_name="resnet18", encoder_weights=None, in_channels=1, classes=3)
loss_fn = smp.losses.DiceLoss(mode="multiclass", from_logits=True)
x = torch.randn(2, 1, 64, 64)
target = torch.randint(0, 3, (2, 64, 64))
mask = model(x)
loss = loss_fn(mask, target)
loss.backward()
with torch.no_grad():
    model.eval()
    logits = model(x)
    pred = logits.argmax(dim=1)
    tp, fp, fn, tn = smp.metrics.get_stats(pred, target, mode="multiclass", num_classes=3)
    iou = smp.metrics.iou_score(tp, fp, fn, tn, reduction="micro")
print(mask.shape, loss.item(), iou)
