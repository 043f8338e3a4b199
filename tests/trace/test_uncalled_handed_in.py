"""What a constructor is handed of the file's own: layers, and classes of layers, as its own calls and words have it."""

from __future__ import annotations

from shown import shapes

from shapewise.trace.uncalled.definitions import Definitions


def test_a_layer_is_made_where_an_annotation_says_of_which_class(trace):
    found = shapes(
        """
        class Encoder(nn.Module):
            def __init__(self, vocab, width):
                super().__init__()
                self.width = width
                self.embedding = nn.Embedding(vocab, width)
                self.rnn = nn.GRU(width, width, batch_first=True)
            def forward(self, tokens):
                out, last = self.rnn(self.embedding(tokens))
                return out, last[-1]

        class Base(nn.Module):
            def forward(self, x):
                raise NotImplementedError

        class Tagger(nn.Module):
            def __init__(self, encoder: Encoder, base: Base, tags):
                super().__init__()
                self.encoder, self.base = encoder, base
                self.head = nn.Linear(encoder.width, tags)
            def forward(self, tokens):
                out, last = self.encoder(tokens)
                scores = self.head(out)
                based = self.base(scores)
                return scores

        class Model(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear(width, width)
            def forward(self, x):
                return self.fc(x)

        class Average(nn.Module):
            def __init__(self, model, start: Encoder, classes):
                super().__init__()
                self.model, self.start = model, start
                self.fc = nn.Linear(start.width, classes)
            def forward(self, tokens, x):
                out, last = self.start(tokens)
                logits = self.fc(last)
                return self.model(x)
        """
    )
    assert found["Tagger.forward:tokens"] == ("B", "D")
    assert found["Tagger.forward:out"] == ("B", "D", None)  # its width is no word of a tagger's
    assert found["Tagger.forward:scores"] == ("B", "D", "tags")
    assert found["Average.forward:logits"] == ("B", "classes")
    assert "Tagger.forward:based" not in found and "Average.forward:<return>" not in found


def test_a_class_is_the_one_that_the_files_own_functions_hand_in(trace):
    found = shapes(
        """
        class Block(nn.Module):
            expansion = 1
            def __init__(self, inner, width, stride):
                super().__init__()
                self.conv = nn.Conv2d(inner, width, 3, stride, 1)
            def forward(self, x):
                return self.conv(x)

        class ResNet(nn.Module):
            def __init__(self, block, blocks, classes):
                super().__init__()
                self.inner = 64
                self.stem = nn.Conv2d(3, 64, 3, 1, 1)
                self.layer = self._stage(block, 128, blocks[0])
                self.fc = nn.Linear(128 * block.expansion, classes)
            def _stage(self, block, width, count):
                layers = []
                for stride in [2] + [1] * (count - 1):
                    layers.append(block(self.inner, width, stride))
                    self.inner = width * block.expansion
                return nn.Sequential(*layers)
            def forward(self, image):
                stem = self.stem(image)
                maps = self.layer(stem)
                pooled = maps.mean((2, 3))
                return self.fc(pooled)

        def _resnet(block, blocks, **more):
            return ResNet(block, blocks, **more)

        def resnet18(classes):
            return _resnet(Block, [2], classes=classes)

        def resnet34(classes):
            return _resnet(Block, [3], classes=classes)
        """
    )
    assert found["ResNet.forward:image"] == ("B", 3, "H", "W")
    assert found["ResNet.forward:maps"] == ("B", 128, "(H - 1)//2 + 1", "(W - 1)//2 + 1")
    assert found["ResNet.forward:<return>"] == ("B", "classes")


def test_what_goes_together_by_habit(trace):
    found = shapes(
        """
        class Attention(nn.Module):
            def __init__(self, image_size=224, patch_size=16, dim=768):
                super().__init__()
                self.patches = (image_size // patch_size) ** 2
                self.table = nn.Parameter(torch.zeros(1, self.patches + 1, dim))
            def forward(self, q, k, v):
                q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
                scores = torch.matmul(q / 8, k.transpose(2, 3))
                return torch.matmul(scores.softmax(-1), v)

        class Residual(nn.Module):
            def __init__(self, dim, kernel_size, padding):
                super().__init__()
                self.conv = nn.Conv1d(dim, dim, kernel_size, padding=padding)
            def forward(self, x):
                return x + self.conv(x)

        class Policy(nn.Module):
            def __init__(self, input_shape: "Tuple[int]", actions):
                super().__init__()
                self.conv = nn.Conv2d(input_shape[0], 8, 3)
                seen = self.conv(torch.zeros(1, *input_shape))
                self.head = nn.Linear(8, actions)
            def forward(self, x):
                return self.head(self.conv(x).mean((2, 3)))
        """
    )
    assert found["Attention.__init__:self.table"] == (1, "patches + 1", "dim")
    heads = found["Attention.forward:scores"]
    assert len(heads) == 4 and all(isinstance(dim, str) for dim in heads)
    assert found["Attention.forward:<return>"][:3] == heads[:3]
    assert found["Residual.forward:x"] == found["Residual.forward:<return>"] == ("B", "dim", "D")
    assert found["Policy.forward:<return>"] == ("B", "actions")


def test_what_was_found_out_hangs_on_the_functions_that_hand_a_class_in():
    text = """
class Block: ...
class Other: ...
class ResNet:
    def __init__(self, block): ...
def _resnet(block):
    return ResNet(block)
def resnet18():
    return _resnet(Block)
"""
    before, now = (
        Definitions(one, {}, None) for one in (text, text.replace("_resnet(Block)", "_resnet(Other)"))
    )
    assert now.key("ResNet") != before.key("ResNet") and now.key("Block") == before.key("Block")


def test_a_layer_of_which_the_base_computes_nothing_is_the_one_that_is_derived(trace):
    found = shapes(
        """
        class Operator(nn.Module):
            def forward(self, q, k, v):
                raise NotImplementedError
        class Dot(Operator):
            def forward(self, q, k, v):
                w = (q @ k.transpose(-2, -1)).softmax(-1)
                return w @ v
        class Attention(nn.Module):
            def __init__(self, operator: Operator, width):
                super().__init__()
                self.operator = operator
                self.q = nn.Linear(width, width)
                self.out = nn.Linear(width, width)
            def forward(self, x):
                q = self.q(x)
                y = self.operator(q, q, q)
                return self.out(y)
        class Layer(nn.Module):
            def __init__(self, attn_opt, width):
                super().__init__()
                self.attention = Attention(attn_opt, width)
            def forward(self, x):
                z = self.attention(x)
                return z
        """
    )
    assert found["Attention.forward:y"][-1] == "width"


def test_what_an_object_is_called_for_is_nobodys_layer(trace):
    found = shapes(
        """
        class Branch(nn.Module):
            def __init__(self, backbone):
                super().__init__()
                self.backbone = backbone
                self.last = nn.Conv2d(backbone.widths[4], backbone.widths[2], 1)
            def forward(self, image):
                maps = self.backbone.forward(image)
                coarse = maps[4]
                out = self.last(coarse)
                return out
        """
    )
    assert found.get("Branch.forward:coarse") is None  # not a part of the image
