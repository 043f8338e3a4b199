"""Files and texts that nobody knows: what is made of them has its rank, its dtype and its other dims."""

import pytest

HEAD = """
import torch, torch.nn as nn
with open("input.txt", encoding="utf-8") as f:
    text = f.read()
lines = open("names.txt").read().splitlines()
"""
VOCABULARY = """
chars = sorted(list(set(text)))
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for ch, i in stoi.items()}
encode = lambda s: [stoi[c] for c in s]
"""


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        (VOCABULARY + "z = torch.tensor(encode(text), dtype=torch.long)", (None,)),
        (VOCABULARY + "z = nn.Embedding(len(chars), 32)(torch.zeros(4, 8, dtype=torch.long))", (4, 8, 32)),
        (VOCABULARY + "d = torch.tensor(encode(text))\ni = torch.randint(len(d) - 8, (4,))\n"
         "z = torch.stack([d[j : j + 8] for j in i])", (4, 8)),
        ("ids = {}\nfor w in text.split():\n    if w not in ids:\n        ids[w] = len(ids)\n"
         "z = torch.tensor([ids[w] for w in lines[0].split()]).view(1, -1)", (1, None)),
        ("rows = []\nfor line in open('x.csv'):\n    a, b, c = line.strip().split(',')\n"
         "    rows.append((float(a), float(b), int(c)))\nz = torch.tensor(rows)", (None, 3)),
        ("z = torch.tensor([float(x) for x in lines])", (None,)),
        ("z = torch.zeros(max(len(w) for w in lines), 3)", (None, 3)),
        ("counts = {}\nfor w in lines:\n    counts[w] = counts.get(w, 0) + 1\n"
         "z = torch.tensor([c for w, c in counts.items()])", (None,)),
        ("words = ['<s>'] + lines[:5]\nz = torch.tensor([len(w) for w in words])", (None,)),
        ("xs = []\nfor w in lines:\n    context = [0] * 3\n    for ch in w + '.':\n        xs.append(context)\n"
         "        context = context[1:] + [ord(ch)]\nz = torch.tensor(xs)", (None, 3)),
        ("z = torch.tensor([['a', 'b', 'c', 'd'].index(lines[0])])", (1,)),
        ("z = torch.zeros(['a', 'b', 'c', 'd'].index(lines[0]) // 4)", (0,)),
        ("z = torch.zeros(['a', 'b', 'c', 'd'].index(lines[0]))", (None,)),
        ("z = torch.tensor(list(map(int, lines)))", (None,)),
        ("with open('w.bin', 'rb') as f:\n    z = torch.tensor(f.read())", None),
        ("z = torch.tensor(list(thing.read()))", None),
        ("z = torch.zeros(text.count('a') // 100_000 + 1)", (None,)),
    ],
)  # fmt: skip
def test_what_is_made_of_a_text(trace, code, shape):
    traced = trace(HEAD + "import thing\n" + code + "\n")
    assert traced.shape("z") == shape
    assert traced.failures() == []


def test_numbers_read_from_a_text_have_their_type(trace):
    traced = trace(
        HEAD + "a = torch.tensor([float(x) for x in lines])\nb = torch.tensor([int(x) for x in lines])\n"
    )
    assert (traced.fact("a").value.dtype, traced.fact("b").value.dtype) == ("float32", "int64")


@pytest.mark.parametrize(
    "change",
    ["ids.update(thing)", "ids[text] = 'a word'", "ids = thing(ids)"],
)
def test_a_vocabulary_holds_only_what_was_put_there(trace, change):
    code = f"ids = {{}}\nfor w in lines:\n    ids[w] = 1\n{change}\nz = torch.tensor([ids['a']])\n"
    assert trace(HEAD + "import thing\n" + code).shape("z") is None


def test_texts_in_a_batch(trace):
    traced = trace("""
        import re, torch
        from torch.utils.data import DataLoader
        reviews = [("pos", "A wonderful film."), ("neg", "Awful."), ("pos", "Probably my favourite.")]
        vocabulary = {"<pad>": 0, "a": 1, "film": 2, **{str(number): number for number in range(100)}}
        def tokens(text):
            return re.sub(r"[^a-z ]", "", text.lower()).split()
        def collate(batch):
            labels, ids = [], []
            for label, text in batch:
                labels.append(1.0 if label == "pos" else 0.0)
                ids.append(torch.tensor([vocabulary.get(word, 0) for word in tokens(text)]))
            return torch.tensor(labels), torch.nn.utils.rnn.pad_sequence(ids, batch_first=True)
        for y, x in DataLoader(reviews, batch_size=3, shuffle=True, collate_fn=collate):
            z = x
    """)
    assert (traced.shape("y"), traced.shape("z")) == ((3,), (3, None))
    assert traced.fact("z").value.dtype == "int64"
