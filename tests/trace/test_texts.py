"""Files and texts that nobody knows: what is made of them has its rank, its dtype and its other dims."""

import pytest

HEAD = """
import torch, torch.nn as nn
with open("input.txt", encoding="utf-8") as f:
    text = f.read()
lines = open("names.txt").read().splitlines()
"""
COUNTER = "from collections import Counter\nc = Counter()\n"
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
        ("ids = [1]\nids.extend(len(w) for w in lines)\nids.append(2)\nz = torch.tensor(ids)", (None,)),
        ("ids = []\nfor w in lines:\n    ids.extend([ord(c) for c in w])\nz = torch.tensor(ids)", (None,)),
        ("z = torch.tensor(sum([[len(w) for w in l.split()] for l in lines], []))", (None,)),
        ("seen = set()\nfor l in lines:\n    seen.update(l.split())\n"
         "stoi = {w: i for i, w in enumerate(sorted(seen))}\nz = torch.tensor([stoi[w] for w in lines[0].split()])", (None,)),
        ("seen = set()\nfor l in lines:\n    seen |= set(l)\nstoi = {c: i for i, c in enumerate(['<pad>'] + sorted(seen))}\n"
         "z = torch.tensor([stoi[c] for c in text])", (None,)),
        ("z = torch.zeros(len({'a', 'b'} | set(text)), len({'a', 'b'} & set(text)))", (None, None)),
        ("s = {'a'}\ns |= set(text)\nz = torch.zeros(len(s))", (None,)),
        (COUNTER + "for l in lines:\n    c.update(l.split())\nitos = ['<pad>'] + [w for w, n in c.most_common(50)]\n"
         "stoi = {w: i for i, w in enumerate(itos)}\nz = torch.tensor([stoi.get(w, 0) for w in text.split()])", (None,)),
        (COUNTER + "c = Counter(w for l in lines for w in l.split())\nz = torch.tensor([n for w, n in c.items() if len(w) > 2])",
         (None,)),
        (COUNTER + "c = Counter(text.split())\nz = torch.tensor([ord(a) for w in c for a in w])", (None,)),
        (COUNTER + "c = Counter(text.split())\nz = torch.tensor([len(max(c, key=c.get))])", (1,)),
        (COUNTER + "c.update(['a', 'b'])\nz = torch.zeros(len(c))", (2,)),
        ("z = torch.tensor(list(dict(zip(lines, range(9))).values()))", (None,)),
        ("from collections import defaultdict\nrows = defaultdict(list)\nfor l in lines:\n    k, x = l.split(',')\n"
         "    rows[k].append(float(x))\nz = torch.tensor(rows['a'])", (None,)),
        ("from collections import defaultdict\nrows = defaultdict(list)\nrows['a'].append([1, 2])\n"
         "rows[text].append(3)\nz = torch.tensor(rows['a'])", None),
        ("from collections import defaultdict\nn = defaultdict(int)\nfor w in lines:\n    n[w] += 1\n"
         "z = torch.tensor(list(n.values()))", (None,)),
        ("from collections import defaultdict\nn = defaultdict(int)\nn[text] += 3\nz = torch.zeros(n['a'])", (None,)),
        ("from collections import defaultdict\nUNK = 0\nn = defaultdict(lambda: UNK, {'a': 1})\n"
         "z = torch.tensor([n[w] for w in lines])", (None,)),
        ("from collections import defaultdict\nn = defaultdict(int, {'a': [1, 2]})\nz = torch.tensor([n[text]])", None),
        ("d = {'a': 1}\nd[thing.k] = 2\nz = torch.zeros(sorted(d)[0])", None),
        ("import re\nz = torch.tensor([len(w) for w in re.findall(r'\\w+', text)])", (None,)),
        ("import re\nz = torch.tensor([[float(a), float(b)] for a, b in re.findall(r'(\\d),(\\d)', text)])", (None, 2)),
        ("import re\nz = torch.tensor([int(re.search(r'\\d+', text).group(0))])", (1,)),
        ("kinds = sorted(set(lines))\nz = torch.tensor([kinds.index(w) for w in lines])", (None,)),
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


@pytest.mark.parametrize(
    ("code", "shape", "dtype"),
    [
        ("z = torch.from_numpy(np.frombuffer(open('a', 'rb').read(), dtype=np.int16).astype(np.float32))", (None,), "float32"),
        ("z = torch.from_numpy(np.fromfile('a.bin', dtype=np.uint8).reshape(-1, 28, 28))", (None, 28, 28), "uint8"),
        ("z = torch.from_numpy(np.frombuffer(thing.raw, '<i2', 10).copy())", (10,), "int16"),
        ("z = torch.frombuffer(bytearray(open('a', 'rb').read()), dtype=torch.int16)", (None,), "int16"),
        ("z = torch.frombuffer(thing.raw, dtype=torch.float64, count=4)", (4,), "float64"),
        ("z = torch.zeros(len([n for n in os.listdir('a') if n.endswith('.png')]), 3)", (None, 3), "float32"),
        ("names = [os.path.basename(p).split('_')[0] for p in sorted(glob.glob(os.path.join('a', '*.wav')))]\n"
         "kinds = sorted(set(names))\nz = torch.tensor([kinds.index(n) for n in names])", (None,), "int64"),
        ("stem, ending = os.path.splitext(thing.path)\nz = torch.tensor([ord(c) for c in stem])", (None,), "int64"),
    ],
)  # fmt: skip
def test_what_is_made_of_files_and_their_names(trace, code, shape, dtype):
    traced = trace("import glob, os, thing, torch\nimport numpy as np\n" + code + "\n")
    assert (traced.shape("z"), traced.fact("z").value.dtype) == (shape, dtype)
    assert traced.failures() == []


@pytest.mark.parametrize("read", ["np.frombuffer(thing.raw, thing.dtype)", "np.genfromtxt('a.csv')"])
def test_of_a_file_no_more_is_known_than_its_reader_says(trace, read):
    assert not trace(f"import thing, torch\nimport numpy as np\nz = torch.from_numpy({read})\n").knows("z")


def test_what_is_like_nothing_known_is_not_held_to_be_like_what_is(trace):
    """A list that got items from elsewhere, gone over by a comprehension."""
    traced = trace(
        HEAD + "import thing\nxs = [torch.zeros(2)]\nxs.extend(thing.more)\nys = [x for x in xs]\nz = ys[1]\n"
    )
    assert not traced.knows("z") or traced.shape("z") is None


def test_padded_columns_of_texts_that_chance_picks(trace):
    traced = trace(
        """
        import itertools, random, torch
        lines = ["a b c", "a d", "c c c e", "b"]
        ids = {word: at for at, word in enumerate(sorted(set(" ".join(lines).split())))}
        rows = [[ids[word] for word in random.choice(lines).split()] for _ in range(5)]
        columns = list(itertools.zip_longest(*rows, fillvalue=0))
        x = torch.LongTensor(columns)
        scores = torch.rand(5)
        mask = torch.BoolTensor([[1 if one else 0 for one in column] for column in columns])
        picked = scores.masked_select(mask[0])
        """
    )
    assert (traced.shape("x"), traced.shape("picked")) == ((None, 5), (None,))
    assert traced.failures() == []


def test_a_tokenizer_over_a_text_of_the_file_is_followed_to_its_end(trace):
    text = "the quick brown fox jumps over the lazy dog . " * 12
    code = f"""
import re, torch
from collections import defaultdict
text = {text!r}
words = defaultdict(int)
for word in text.split():
    words[" ".join(word) + " </w>"] += 1
merges = []
for _ in range(30):
    pairs = defaultdict(int)
    for word, count in words.items():
        parts = word.split()
        for at in range(len(parts) - 1):
            pairs[parts[at], parts[at + 1]] += count
    if not pairs:
        break
    best = max(pairs, key=pairs.get)
    merges.append(best)
    pattern = re.compile(re.escape(" ".join(best)))
    words = {{pattern.sub("".join(best), word): count for word, count in words.items()}}
symbols = sorted({{part for word in words for part in word.split()}})
table = torch.zeros(len(symbols), len(merges))
"""
    real: dict[str, object] = {}
    exec(code, real)
    assert trace(code).shape("table") == tuple(real["table"].shape)


def test_windows_at_random_places_of_a_text_are_as_long_as_it_says(trace):
    traced = trace(
        """
        import torch
        words = open("words.txt").read().split()
        data = torch.tensor([len(word) for word in words])
        at = torch.randint(len(data) - 129, (4,))
        x = torch.stack([data[i : i + 128] for i in at])
        for i in range(0, len(data), 16):
            part = data[i : i + 16]
        """
    )
    assert (traced.shape("x"), traced.shape("data")) == ((4, 128), (None,))


def test_a_text_that_nobody_knows_beside_a_mask_gives_lists_of_numbers(trace):
    traced = trace(
        "import random, torch, numpy as np\n"
        "ids = [ord(c) for c in random.choice(['some words', 'and others'])]\n"
        "kept, left = [], []\n"
        "for token, is_noise in zip(ids, np.random.rand(len(ids)) > 0.5):\n"
        "    (left if is_noise else kept).append(token)\n"
        "    if is_noise:\n        left.append(7)\n"
        "kept.append(1)\n"
        "t = torch.tensor(kept)\n"
        "u = torch.tensor([row for row, one in zip(ids, np.zeros((4, 3)))])\n"
    )
    assert (traced.shape("t"), traced.fact("t").value.dtype) == ((None,), "int64")
    assert traced.shape("u") == (None,)
