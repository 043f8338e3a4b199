"""Stand-ins for what is never imported: data sets, transforms, pictures, trainers. What they say is what the real ones give."""

import pytest

HEAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split
"""


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    from shapewise.trace.wall import namespaces

    for name in ("torchvision", "PIL", "lightning", "accelerate", "huggingface_hub"):
        monkeypatch.setitem(namespaces._INSTALLED, name, True)


def test_the_beginners_first_lines(trace):
    traced = trace(
        HEAD
        + """
from torchvision import datasets, transforms
transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))])
train = datasets.MNIST("data", train=True, download=True, transform=transform)
for x, y in DataLoader(train, batch_size=64, shuffle=True, drop_last=True):
    break
n = torch.zeros(len(train), 1)
d = train.data
t = train.targets
image, label = train[0]
a, b = random_split(train, [50_000, 10_000])
for c, _ in DataLoader(b, batch_size=100):
    pass
for e, f in DataLoader(datasets.CIFAR10("data", train=False, transform=transforms.ToTensor()), batch_size=500):
    pass
"""
    )
    assert traced.shape("x") == (64, 1, 28, 28)
    assert traced.fact("x").value.dtype == "float32"
    assert traced.shape("y") == (64,)
    assert traced.fact("y").value.dtype == "int64"
    assert traced.shape("n") == (60_000, 1)
    assert (traced.shape("d"), traced.fact("d").value.dtype) == ((60_000, 28, 28), "uint8")
    assert traced.shape("t") == (60_000,)
    assert (traced.shape("image"), traced.fact("image").value.stride[1:]) == ((1, 28, 28), (28, 1))
    assert traced.shape("c") == (100, 1, 28, 28)
    assert traced.shape("e") == (500, 3, 32, 32)


def test_a_label_is_not_a_known_number(trace):
    traced = trace(
        HEAD
        + "from torchvision.datasets import MNIST\nimage, label = MNIST('data')[0]\nz = torch.zeros(label)\none = torch.tensor(label)\n"
    )
    assert traced.shape("z") in (None, (None,))
    assert traced.shape("one") == ()


def test_a_picture_of_unknown_size_has_the_size_that_a_transform_gives_it(trace):
    traced = trace(
        HEAD
        + """
from PIL import Image
from torchvision import transforms as T


class Mine(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 12

    def __getitem__(self, index):
        return self.transform(Image.open(f"{index}.png").convert("RGB")), index


resized = T.Compose([T.Resize(256), T.CenterCrop(224), T.RandomHorizontalFlip(), T.ToTensor()])
for x, y in DataLoader(Mine(resized), batch_size=4):
    pass
as_it_is = T.ToTensor()(Image.open("a.png").convert("RGB"))
gray = T.Compose([T.Grayscale(), T.Resize((28, 28)), T.ToTensor()])(Image.open("a.png"))
"""
    )
    assert traced.shape("x") == (4, 3, 224, 224)
    assert traced.shape("as_it_is") == (3, None, None)
    assert traced.shape("gray") == (1, 28, 28)


def test_a_trainer_calls_the_steps(trace):
    traced = trace(
        HEAD
        + """
import lightning as L


class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Linear(8, 3)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        scores = self.net(batch[0])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


data = TensorDataset(torch.randn(100, 8), torch.randint(0, 3, (100,)))
L.Trainer(max_epochs=1).fit(Lit(), DataLoader(data, 30), DataLoader(data, 50))
"""
    )
    if not __import__("torch").cuda.is_available():
        assert {variant.shape for variant in traced.fact("x").variants} == {(30, 8), (10, 8)}
        assert (traced.shape("loss"), traced.fact("loss").value.requires_grad) == ((), True)
        assert (traced.shape("scores"), traced.fact("scores").value.requires_grad) == ((50, 3), False)


def test_an_accelerator_gives_back_what_it_is_given(trace):
    traced = trace(
        HEAD
        + """
from accelerate import Accelerator
accelerator = Accelerator()
model = nn.Linear(8, 2)
model, optimizer, loader = accelerator.prepare(
    model, torch.optim.SGD(model.parameters(), lr=0.1), DataLoader(TensorDataset(torch.randn(20, 8)), batch_size=10)
)
for (x,) in loader:
    out = model(x.to(accelerator.device))
    accelerator.backward(out.sum())
half = Accelerator(mixed_precision="fp16").prepare(model)(torch.randn(2, 8))
"""
    )
    if not __import__("torch").cuda.is_available():
        assert traced.shape("out") == (10, 2)
    assert not traced.knows("half") or traced.shape("half") is None


def test_a_model_of_the_hub_is_the_model(trace):
    traced = trace(
        HEAD
        + """
from huggingface_hub import PyTorchModelHubMixin, login
login()
class Net(nn.Module, PyTorchModelHubMixin, repo_url="me/net", license="mit"):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layer = nn.Linear(width, 8)
    def forward(self, x):
        return self.layer(x)
net = Net(width=5)
y = net(torch.randn(2, 5))
net.save_pretrained("here")
loaded = Net.from_pretrained("here")
z = loaded(torch.randn(2, 5))
"""
    )
    assert traced.shape("y") == (2, 8)
    assert not traced.knows("z") or traced.shape("z") is None


def test_a_picture_of_an_unknown_path_has_the_size_it_is_given(trace):
    traced = trace(
        """
from PIL import Image
from nowhere import path, side
from torchvision import transforms as T
def tensor(picture):
    return T.ToTensor()(picture.convert("RGB"))
x = tensor(Image.open(path).resize((32, 16)).transpose(Image.FLIP_LEFT_RIGHT))
y = tensor(Image.open(path).resize((8, 4)).transpose(Image.Transpose.ROTATE_90))
z = tensor(Image.open(path).resize((side, side)))
"""
    )
    assert traced.shape("x") == (3, 16, 32) and traced.shape("y") == (3, 8, 4)
    assert traced.shape("z") == (3, None, None)


def test_a_picture_of_several_is_what_all_of_them_are(trace):
    traced = trace("""
import random
import numpy as np
import torch
import torchvision.transforms as T
from PIL import Image
files = [Image.fromarray(np.full((64, 48), 9 * i, dtype=np.uint8)) for i in range(7)]
one = files[random.randint(0, 6)]
a = T.ToTensor()(one)
if one.mode != "RGB":
    rgb = Image.new("RGB", one.size)
    rgb.paste(one)
    one = rgb
b = T.ToTensor()(one)
c = T.ToTensor()(random.choice([files[0], Image.new("L", (48, 32))]))
random.choice(files).thumbnail((10, 10))
d = T.ToTensor()(files[0])
""")
    assert [traced.shape(name) for name in "abcd"] == [
        (1, 64, 48),
        (3, 64, 48),
        (1, None, 48),
        (1, None, None),
    ]


def test_a_condition_tells_the_mode_of_a_picture(trace):
    traced = trace("""
from PIL import Image
from torchvision import transforms as T
from nowhere import path
small, one = T.Compose([T.Resize((8, 8)), T.ToTensor()]), Image.open(path)
other = again = last = one
if one.mode != "RGB":
    one = one.convert("RGB")
a = small(one)
if other.mode == "L":
    b = small(other)
    other = other.convert("RGB")
c = small(other)
if again.mode not in ("RGB", "L"):
    again = again.convert("RGB")
d = small(again)
if last.mode in ("RGBA",):
    last.thumbnail((4, 4))
    e = T.ToTensor()(last)
""")
    assert [traced.shape(name) for name in "abe"] == [(3, 8, 8), (1, 8, 8), (4, None, None)]
    assert all(not traced.knows(name) or traced.shape(name) is None for name in "cd")


def test_a_folder_of_pictures_in_two_crops(trace):
    traced = trace(
        HEAD
        + """
import random
from PIL import ImageFilter
from torchvision import datasets, transforms as T

class Blur:
    def __call__(self, x):
        return x.filter(ImageFilter.GaussianBlur(radius=random.uniform(0.1, 2.0)))

class Two:
    def __init__(self, base):
        self.base = base

    def __call__(self, x):
        return [self.base(x), self.base(x)]

crop = T.Compose([T.RandomResizedCrop(32), T.RandomApply([Blur()], p=0.5), T.ToTensor()])
data = datasets.ImageFolder("train", Two(crop))
for images, y in DataLoader(data, batch_size=8, shuffle=True, drop_last=True):
    q, k = images
for images, y in DataLoader(datasets.ImageFolder("val", crop), batch_size=8):
    last = images
head = nn.Linear(16, len(data.classes))
out = head(torch.randn(8, 16))
n = torch.zeros(len(data), 2)
"""
    )
    assert traced.shape("q") == traced.shape("k") == (8, 3, 32, 32)
    assert traced.shape("last") == (None, 3, 32, 32)
    assert traced.shape("out") == (8, None) and traced.shape("n") == (None, 2)


def test_a_picture_is_resized_to_a_size_that_is_drawn(trace):
    traced = trace(
        HEAD
        + """
import random
from PIL import Image
import torchvision.transforms.functional as F
img = Image.open("a.png").convert("RGB")
w, h = img.size
size = random.choice([56, 64])
img = F.adjust_brightness(F.resize(img, (size, int(size * w / h))), random.uniform(0.5, 1.5))
x = F.normalize(F.to_tensor(img), mean=[0.5] * 3, std=[0.5] * 3)
y = F.to_tensor(F.crop(img, random.randint(0, 5), 3, 32, 24))
z = F.to_tensor(F.resize(img, size))
"""
    )
    assert traced.shape("x") == (3, None, None) == traced.shape("z") and traced.shape("y") == (3, 32, 24)


def test_pictures_of_two_worlds_agree_in_nothing_but_what_is_so():
    from shapewise.trace.worlds import worlds

    looks = (lambda h, w: h * w, min, max, lambda h, w: h + w, lambda h, w: h / w, lambda h, w: abs(h - w))
    sides = [*zip(worlds._HEIGHTS.samples, worlds._WIDTHS.samples)][:2]
    assert all(look(*sides[0]) != look(*sides[1]) for look in looks)
