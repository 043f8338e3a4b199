"""Hugging Face: what tokenizers give, whatever is installed, and models of checkpoints by their names, where transformers is."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace

import pytest

from shapewise.trace.neighbours import packages
from shapewise.trace.neighbours.hugging import checkpoints

TOKENS = """
import torch
from transformers import AutoProcessor, AutoTokenizer
bert, gpt = AutoTokenizer.from_pretrained("bert-base-uncased"), AutoTokenizer.from_pretrained("gpt2")
other = AutoTokenizer.from_pretrained(open("name").read())
one = bert("hello world", return_tensors="pt")["input_ids"]
flat = bert("hello world", return_tensors="pt").input_ids.squeeze(0)
two = bert(["hello world", "how"], padding=True, return_tensors="pt")
types = two.token_type_ids
fixed = bert(["hello", "how"], padding="max_length", max_length=16, truncation=True, return_tensors="pt")["input_ids"]
cut = bert(["hello", "how"], padding="max_length", max_length=16, return_tensors="pt")["input_ids"]
listed = torch.tensor(bert(["a", "b", "c"], max_length=12, padding="max_length", truncation=True)["input_ids"])
encoded = torch.tensor([bert.encode("hello world")])
words = bert(["hello", "world"], is_split_into_words=True, return_tensors="pt")["input_ids"]
ids = gpt(["hello", "a b"], return_tensors="pt", padding=True).to("cpu")
length = ids["input_ids"].shape[1]
again = ids["attention_mask"]
moved = {name: value.sum(1) for name, value in ids.items()}["input_ids"]
table = torch.nn.Embedding(len(bert), 8).weight
unlike = gpt(["hello", "a b"], return_tensors="pt")
answers = torch.zeros(len(bert.batch_decode(fixed)))
maybe = other("hello", return_tensors="pt", padding="max_length", max_length=9, truncation=True)["token_type_ids"]
see, hear = AutoProcessor.from_pretrained("google/vit-base-patch16-224"), AutoProcessor.from_pretrained("openai/whisper-tiny")
both = AutoProcessor.from_pretrained("openai/clip-vit-base-patch32")
pixels = see([torch.zeros(3, 50, 60).byte(), torch.zeros(3, 9, 9).byte()], return_tensors="pt")["pixel_values"]
lone = see(images=torch.zeros(3, 50, 60).byte(), return_tensors="pt").pixel_values
sounds = hear(torch.zeros(16_000).numpy(), sampling_rate=16_000, return_tensors="pt").input_features
pair = both(text=["a cat", "a dog"], images=torch.zeros(3, 50, 60).byte(), return_tensors="pt", padding=True)
looks, says = pair["pixel_values"], pair["input_ids"]
larger = see(images=torch.zeros(3, 50, 60).byte(), return_tensors="pt", size={"height": 384, "width": 384})
sure = other("hello", return_tensors="pt", padding="max_length", max_length=9, truncation=True)["input_ids"]
"""
"""A real tokenizer made of a few words gives the same: 2 texts, 4 tokens in the longer one with those around it."""


def test_what_a_tokenizer_gives(trace, monkeypatch, tmp_path):
    if importlib.util.find_spec("transformers") is None:  # what stands in for it needs none of it
        found = packages.PACKAGES["transformers"]
        monkeypatch.setitem(packages.PACKAGES, "transformers", replace(found, imported=False))
        (tmp_path / "transformers.py").touch()
        monkeypatch.syspath_prepend(tmp_path)
    traced = trace(TOKENS)
    shapes = {
        "one": (1, None),
        "flat": (None,),
        "types": (2, None),
        "fixed": (2, 16),
        "cut": (2, None),
        "listed": (3, 12),
        "encoded": (1, None),
        "words": (1, None),
        "again": (2, "length"),
        "moved": (2,),
        "table": (30_522, 8),
        "answers": (2,),
        "sure": (1, 9),
        "pixels": (2, 3, 224, 224),
        "lone": (1, 3, 224, 224),
        "sounds": (1, 80, 3000),
        "looks": (1, 3, 224, 224),
        "says": (2, None),
    }
    assert {name: traced.shape(name) for name in shapes} == shapes
    assert (
        not traced.failures()
        and not traced.knows("unlike")
        and not traced.knows("maybe")
        and not traced.knows("larger")
    )


@pytest.mark.parametrize(
    "name", ["../bert-base-uncased", "/etc/passwd", "a/../gpt2", "a/b/gpt2", "./gpt2", "", "gpt2\0", None, 3]
)
def test_a_name_leads_nowhere_but_to_the_hub(name):
    assert checkpoints.known(name) is None


def test_the_cache_of_the_hub_is_read_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--some--net"
    revision = "0" * 40
    (folder / "snapshots" / revision).mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(revision)
    config = folder / "snapshots" / revision / "config.json"

    def read(text: str) -> checkpoints.Checkpoint | None:
        config.write_text(text)
        return checkpoints.known("some/net")

    said = {"model_type": "bert", "hidden_size": 32, "torch_dtype": "float16", "architectures": ["X"]}
    assert read(json.dumps(said)) == checkpoints.Checkpoint("bert", {"hidden_size": 32}, "float16")
    made = read(json.dumps({**said, "auto_map": {"AutoModel": "code.Net"}}))
    assert made is not None and made.own_code
    for text in ("[" * 100_000, "{}", "[]", '{"model_type": 3}', "not json", '"' + "a" * 2_000_000 + '"'):
        assert read(text) is None
    (folder / "refs" / "main").write_text("../../elsewhere")
    assert read(json.dumps(said)) is None


def test_every_configuration_of_the_table_is_one_of_transformers():
    transformers = pytest.importorskip("transformers")
    for name, checkpoint in checkpoints.TABLE.items():
        made = transformers.AutoConfig.for_model(checkpoint.kind, **checkpoint.options)
        assert made.model_type == checkpoint.kind, name


MODELS = """
import torch
from torch import nn
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from transformers import BertConfig, BertModel, BertPreTrainedModel

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
encoded = tokenizer(["hello world", "how are you"], padding=True, return_tensors="pt")
hidden = AutoModel.from_pretrained("bert-base-uncased")(**encoded).last_hidden_state
scores = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=4)(torch.zeros(8, 16).long()).logits
config = AutoConfig.from_pretrained("google/electra-small-discriminator", num_labels=5)
few = AutoModelForSequenceClassification.from_pretrained("google/electra-small-discriminator", config=config)(torch.zeros(8, 16).long()).logits
half = AutoModelForCausalLM.from_pretrained("HuggingFaceTB/SmolLM2-135M", dtype=torch.bfloat16).lm_head.weight
small = BertModel.from_pretrained("bert-base-uncased", config=BertConfig(num_hidden_layers=1))(torch.zeros(2, 5).long()).pooler_output
nowhere = BertModel.from_pretrained("somebody/something", config=BertConfig(num_hidden_layers=1))(torch.zeros(2, 5).long())
lm = AutoModelForCausalLM.from_pretrained("distilgpt2")
text = lm.generate(torch.zeros(3, 7).long(), max_new_tokens=20)
width = torch.zeros(lm.config.n_embd)
wrong = BertModel.from_pretrained("gpt2")
packed = AutoModel.from_pretrained("gpt2", load_in_8bit=True)
beside = AutoModel.from_pretrained("./gpt2")

class Tagger(BertPreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.bert = BertModel(config)
        self.out = nn.Linear(config.hidden_size, config.num_labels)

    def forward(self, input_ids):
        return self.out(self.bert(input_ids).last_hidden_state)

tags = Tagger.from_pretrained("bert-base-cased", num_labels=9)(torch.zeros(2, 5).long())
"""


def test_models_of_checkpoints(trace):
    pytest.importorskip("transformers")
    traced = trace(MODELS)
    for name, shape in {
        "hidden": (2, None, 768),
        "text": (3, None),
        "small": (2, 768),
        "scores": (8, 4),
        "few": (8, 5),
        "half": (49_152, 576),
        "width": (768,),
        "tags": (2, 5, 9),
    }.items():
        assert traced.shape(name) == shape, name
    assert not traced.failures()
