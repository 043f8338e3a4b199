"""Packages beside torch: each expression is run for real and compared. Skipped where a package is not installed."""

from __future__ import annotations

import importlib

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

HEADS = {
    "einops": """
import torch
from torch import nn
from einops import einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
from einops.layers.torch import Rearrange, Reduce
x = torch.randn(2, 3, 8, 8)
packed, sizes = pack([x, x[:, 0]], "b * h w")
net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), Rearrange("b c h w -> b (c h w)"), nn.Linear(256, 5))
""",
    "torchvision": """
import numpy as np
import torch
from PIL import Image
from torchvision import models, ops
from torchvision import transforms as T
from torchvision.models._utils import _make_divisible
from torchvision.transforms import functional as F, v2
from torchvision.utils import make_grid
x = torch.rand(3, 40, 60)
square = torch.rand(3, 32, 32)
last = torch.rand(2, 24, 24, 3).permute(0, 3, 1, 2)
picture = Image.new("RGB", (64, 48))
gray = Image.new("L", (28, 28))
""",
    "timm": """
from functools import partial
import timm
import torch
from timm.layers import calculate_drop_path_rates, create_act_layer, create_conv2d, create_norm_layer, create_pool2d
from timm.layers import get_act_layer, get_norm_layer, to_2tuple, to_ntuple, trunc_normal_tf_, use_fused_attn
from timm.models.registry import register_model
from torch import nn
x = torch.randn(2, 3, 224, 224)
narrow = torch.randn(2, 5, 8)
small = torch.randn(2, 4, 6, 6)

@register_model
def made(pretrained=False, **kwargs):
    return nn.Linear(8, 3 if use_fused_attn() else 2)
""",
    "transformers": """
import torch
from transformers import AutoModel, BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM
from transformers import ViTConfig, ViTModel
ids = torch.randint(0, 50, (2, 7))
bert = BertModel(BertConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37, vocab_size=99))
gpt = GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=99))
llama = LlamaForCausalLM(
    LlamaConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=99)
)
vit = ViTModel(ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37, image_size=32, patch_size=8))

from torch import nn
from transformers import BertPreTrainedModel
from transformers.activations import ACT2FN
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.modeling_utils import PreTrainedModel
from transformers.utils import auto_docstring

class Layer(GradientCheckpointingLayer):
    def __init__(self, width):
        super().__init__()
        self.inner, self.act = nn.Linear(width, width), ACT2FN["gelu"]

    def forward(self, x):
        return self.act(self.inner(x))

@auto_docstring
class Base(PreTrainedModel):
    config_class = BertConfig
    _supports_sdpa = True

@auto_docstring
class Tagger(Base):
    def __init__(self, config):
        super().__init__(config)
        self.words = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config.hidden_size) for _ in range(2))
        self.post_init()

    def forward(self, ids):
        x = self.words(ids) + torch.zeros(self.config.hidden_size, device=self.device, dtype=self.dtype)
        for layer in self.layers:
            x = layer(x)
        return x

class Classifier(BertPreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.bert, self.head = BertModel(config), nn.Linear(config.hidden_size, 3)
        self.post_init()

    def forward(self, ids):
        return self.head(self.bert(ids).last_hidden_state[:, 0])

tagger, classifier = Tagger(bert.config), Classifier(bert.config)
""",
}

EXPRESSIONS = {
    "einops": """
rearrange(x, "b c h w -> b h w c") | rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4) | repeat(x[:, 0], "b h w -> b h w k", k=2)
reduce(x, "b c h w -> b c", "mean") | rearrange([x, x], "n b c h w -> (n b) c h w") | Rearrange("b c h w -> b (c h w)")(x) | net(x) | Reduce("b c h w -> b c", "max")(x)
einsum(x, x, "b c h w, b d h w -> b c d") | packed | unpack(packed, sizes, "b * h w")[1] | torch.zeros(parse_shape(x, "b c _ _")["c"])
""",
    "torchvision": """
T.ToTensor()(picture) | T.ToTensor()(gray) | T.ToTensor()(np.zeros((10, 12, 3), dtype=np.uint8)) | T.ToTensor()(np.zeros((10, 12))) | T.PILToTensor()(picture)
T.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))(x) | T.Resize(20)(x) | T.Resize((20, 30))(x) | T.Resize(32)(square) | T.Resize([16])(x) | T.CenterCrop(20)(x) | T.CenterCrop((50, 30))(x)
T.RandomCrop(32, padding=4)(square) | T.RandomCrop(16)(x) | T.RandomResizedCrop(24)(x) | T.Pad(3)(x) | T.Pad((1, 2))(x) | T.Grayscale()(x) | T.Grayscale(3)(picture).size[0] * x | T.ColorJitter(0.1)(x) | T.ColorJitter(0.1, hue=0.2)(x) | T.Grayscale(3)(x)
T.Resize(20)(last) | T.RandomResizedCrop(24)(last) | T.GaussianBlur(3)(last) | T.RandomResizedCrop(24)(T.ColorJitter(0.1, hue=0.2)(x)) | T.Resize((9, 7))(T.ColorJitter(hue=0.2)(last)) | T.RandomHorizontalFlip()(last)
T.RandomHorizontalFlip()(x) | T.RandomRotation(10)(x) | T.ConvertImageDtype(torch.float64)(x) | T.Lambda(lambda t: t[0])(x) | T.FiveCrop(8)(x)[2] | T.RandomErasing()(x) | T.GaussianBlur(3)(x)
T.Compose([T.Resize(32), T.CenterCrop(28), T.ToTensor(), T.Normalize([0.5], [0.5])])(picture) | T.Compose([T.RandomCrop(20), T.ToTensor()])(picture) | T.Resize(20)(T.ToPILImage()(x)).height * x
v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Resize((32, 32))])(picture) | v2.Resize(16)(x) | v2.CenterCrop(16)(x) | v2.Normalize([0.5], [0.5])(x) | v2.RandomHorizontalFlip(1.0)(x)
F.resize(x, [10, 10]) | F.to_tensor(picture) | F.hflip(x) | F.crop(x, 1, 2, 10, 12) | F.normalize(x, [0.5], [0.5]) | F.pad(x, 2) | F.center_crop(x, 8) | F.rgb_to_grayscale(x) | torch.from_numpy(np.array(picture)) | T.ToTensor()(picture.resize((10, 20)))
models.resnet18()(torch.randn(2, 3, 64, 64)) | models.vgg11().features(torch.randn(1, 3, 64, 64)) | models.mobilenet_v2(num_classes=7)(torch.randn(2, 3, 64, 64)) | models.resnet18().layer1(torch.randn(1, 64, 8, 8)) | models.resnet.BasicBlock(8, 8)(torch.randn(1, 8, 4, 4)) | models.__dict__["resnet18"](num_classes=3)(torch.randn(2, 3, 64, 64))
ops.box_iou(torch.rand(5, 4), torch.rand(7, 4)) | make_grid(torch.rand(16, 3, 32, 32), nrow=4) | torch.zeros(_make_divisible(27 * 0.75, 8)) | models.segmentation.fcn_resnet50(weights=None, weights_backbone=None).eval()(torch.randn(1, 3, 64, 64))["out"]
""",
    "timm": """
timm.create_model("resnet18")(x) | timm.create_model("vit_tiny_patch16_224", num_classes=10)(x) | timm.create_model("resnet18", features_only=True)(x)[1] | timm.create_model("resnet18", num_classes=0)(x) | timm.create_model("resnet18").forward_features(x)
get_norm_layer("layernorm")(8)(narrow) | get_norm_layer("layernorm2d")(4)(small) | get_norm_layer(partial(nn.LayerNorm, eps=1e-6))(8)(narrow) | create_norm_layer("batchnorm2d", 4)(small) | get_act_layer("gelu")()(narrow)
create_conv2d(4, 6, 3, stride=2, padding="same")(small) | create_conv2d(4, 4, 3, depthwise=True)(small) | create_act_layer("relu")(narrow) | create_pool2d("max", 2, 2)(small) | trunc_normal_tf_(nn.Parameter(torch.zeros(3, 4)))
torch.zeros(len(calculate_drop_path_rates(0.1, 12))) | torch.zeros(len(calculate_drop_path_rates(0.1, [2, 3], stagewise=True)[1])) | torch.zeros(to_2tuple(3)) | torch.zeros(to_ntuple(4)(2)) | torch.zeros(to_ntuple(2)([2, 3])) | made()(narrow)
""",
    "transformers": """
bert(ids).last_hidden_state | bert(ids)[1] | bert(ids, attention_mask=torch.ones_like(ids)).pooler_output | bert(input_ids=ids, output_hidden_states=True).hidden_states[1] | gpt(ids).logits | gpt(ids, labels=ids).loss | llama(ids).logits
vit(torch.randn(2, 3, 32, 32)).last_hidden_state | AutoModel.from_config(bert.config)(ids)[0] | torch.zeros(bert.config.hidden_size) | bert.embeddings(ids) | bert.get_input_embeddings()(ids)
tagger(ids) | classifier(ids) | torch.zeros(len(list(tagger.parameters()))) | tagger.words(ids)
""",
}

ONLY_DATA: set[str] = {"v2.RandomHorizontalFlip(1.0)(x)"}


def cases(package):
    return [case.strip() for line in EXPRESSIONS[package].strip().splitlines() for case in line.split(" | ")]


def facts(tensor):
    return (
        tuple(tensor.shape),
        str(tensor.dtype).removeprefix("torch."),
        tensor.stride(),
        tensor.requires_grad,
    )


@pytest.fixture(params=HEADS)
def package(request):
    try:
        importlib.import_module(request.param)
    except (ImportError, RuntimeError):
        pytest.skip(f"{request.param} is not installed")
    return request.param


def holds(said, real):
    """Whether all that is said is so; None says nothing (the stride of a dim of one, say)."""
    if isinstance(said, tuple):
        return len(said) == len(real) and all(a is None or holds(a, b) for a, b in zip(said, real))
    return said == real


def test_what_is_said_is_what_is(package, trace):
    names: dict[str, object] = {"__name__": __name__}
    exec(HEADS[package], names)
    traced = trace(HEADS[package] + "".join(f"y{n} = {case}\n" for n, case in enumerate(cases(package))))
    said = {
        fact.name: tuple(
            getattr(fact.value, name, None) for name in ("shape", "dtype", "stride", "requires_grad")
        )
        for fact in traced.facts
        if fact.kind == "binding"
    }
    wrong = []
    for number, case in enumerate(cases(package)):
        real, ours = facts(eval(case, names)), said.get(f"y{number}")
        if ours is None or ours[0] != real[0] or not holds(ours, real):
            wrong.append((case, ours, real))
    assert not wrong, "\n".join(map(str, wrong))


def test_what_an_error_left_unknown_is_no_second_error():
    """einops looks its recipes up by `x.ndim`: an unknown is no key, and that is no fault of the file's."""
    from types import SimpleNamespace

    from shapewise.trace.refusals.failures import failed
    from shapewise.trace.unknowns.unknown import Unknown

    outcome = failed(
        SimpleNamespace(run=SimpleNamespace(spoiled=0)),
        "nn.Sequential()",
        KeyError(Unknown("this fails")),
        (),
    )
    assert outcome.failure is None and isinstance(outcome.result, Unknown)


def test_what_is_called_in_parts_is_a_function_of_the_file_s_own():
    from shapewise.trace.neighbours.hugging.bases import apply_chunking_to_forward
    from shapewise.trace.unknowns.unknown import Lost

    class Callable:
        __func__ = len
        __call__ = exec

    for called in (exec, eval, print, Callable(), Callable):
        with pytest.raises(Lost):
            apply_chunking_to_forward(called, 0, 0, "1/0")


def test_a_picture_of_a_file_has_sides_that_nobody_knows(trace):
    pytest.importorskip("torchvision")
    traced = trace(
        """
        import numpy as np
        import torch
        from PIL import Image
        from torchvision import datasets
        from torchvision import transforms as T
        picture = Image.open("cat.jpg").convert("RGB")
        x = T.ToTensor()(picture)
        y = torch.nn.Conv2d(3, 16, 3)(x.unsqueeze(0))
        z = T.Resize(64)(x)
        cut = T.Compose([T.Resize(256), T.CenterCrop(224), T.ToTensor()])(picture)
        planes = torch.from_numpy(np.array(picture)).permute(2, 0, 1)
        whole = torch.nn.functional.interpolate(y, size=(8, 8))
        canvas = torch.zeros(picture.height, picture.width)
        small, label = datasets.FakeData(10, (3, 20, 30), transform=T.ToTensor())[0]
        """
    )
    assert [traced.shape(name) for name in ("x", "z", "planes")] == [(3, None, None)] * 3
    assert (traced.shape("y"), traced.shape("whole")) == ((1, 16, None, None), (1, 16, 8, 8))
    assert (traced.shape("cut"), traced.shape("canvas")) == ((3, 224, 224), (None, None))
    assert traced.shape("small") == (3, 20, 30)
    assert traced.failures() == []


def test_how_many_boxes_are_found_only_data_decides(trace, monkeypatch):
    pytest.importorskip("torchvision")
    monkeypatch.setattr(
        "torchvision.extension._assert_has_ops", lambda: None
    )  # those of a card do not load here
    traced = trace(
        """
        import torch
        from torchvision.models import detection
        from torchvision.ops import batched_nms, nms

        def sparse():
            return detection.retinanet_resnet50_fpn(weights=None, weights_backbone=None, num_classes=2)

        model = sparse()
        images = [torch.rand(3, 120, 160), torch.rand(3, 100, 140)]
        targets = [{"boxes": torch.rand(2, 4), "labels": torch.ones(2, dtype=torch.int64)} for _ in images]
        loss = sum(model(images, targets).values())
        found = sparse().eval()(images)
        boxes, scores = found[0]["boxes"], found[0]["scores"]
        best = boxes[nms(boxes, scores, 0.5)]
        left = torch.rand(5000, 4)[batched_nms(torch.rand(5000, 4), torch.rand(5000), torch.ones(5000), 0.5)]
        wrong = nms(torch.rand(3, 5), torch.rand(3), 0.5)
        """
    )
    assert [traced.shape(name) for name in ("loss", "boxes", "scores")] == [(), (None, 4), (None,)]
    assert [traced.shape(name) for name in ("best", "left")] == [(None, 4)] * 2
    assert traced.failures() == [(16, "boxes should have 4 elements in dimension 1, got 5")]
