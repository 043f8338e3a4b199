"""Files that the file has written itself are read as they were written; of others it is known that they are files."""

import os
import textwrap

import pytest
import torch

TEXTS = """
    import os
    from io import StringIO
    from pathlib import Path
    import torch
    with open("a.txt", "w") as f:
        for i in range(4):
            f.write("line %d of it\\n" % i)
    with open("a.txt", "a") as f:
        f.writelines(["one\\n", "more\\n"])
    words, lines = 0, 0
    with open("./a.txt") as f:
        first = next(f)
        for line in f:
            words += len(line.split())
            lines += 1
    a = torch.zeros(words, lines, len(first))
    b = torch.zeros(len(open("a.txt").read()))
    Path("deep").mkdir(exist_ok=True)
    (Path("deep") / "b.txt").write_text("x y z")
    c = torch.zeros(len(Path("deep/b.txt").read_text().split()))
    os.rename("deep/b.txt", "c.txt")
    d = torch.zeros(len(Path("c.txt").read_text()))
    if os.path.exists("c.txt"):
        e = torch.zeros(2)
    else:
        e = torch.zeros(3)
    g = torch.zeros(len(StringIO("a\\nb\\n").readlines()))
"""
TABLES = """
    import csv, io
    import torch
    with open("t.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["x", "y"])
        w.writerows([[1, 2.5], [3, 4.5], [5, 6.5]])
    with open("t.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    a = torch.tensor([[float(row["x"]), float(row["y"])] for row in rows])
    with open("t.csv") as f:
        reader = csv.reader(f)
        header = next(reader)
        b = torch.tensor([[float(v) for v in row] for row in reader])
    c = torch.zeros(len(header))
    with open("u.csv", "w") as f:
        w = csv.DictWriter(f, fieldnames=["k", "v"], delimiter=";")
        w.writeheader()
        w.writerow({"k": "a", "v": 1})
    d = torch.zeros(len(open("u.csv").read().split(";")))
    e = torch.tensor([int(row[0]) for row in csv.reader(io.StringIO("1,2\\n3,4\\n"))])
"""
OBJECTS = """
    import io, json, os, pickle, tempfile
    import numpy as np
    import torch
    from torch import nn
    net = nn.Linear(3, 4)
    frozen = nn.Linear(3, 4).requires_grad_(False)
    torch.save({"model": net.state_dict(), "n": 3, "args": {"d": 5}, "t": torch.zeros(4, 2).t()}, "m.pt")
    loaded = torch.load("m.pt", map_location="cpu")
    a = loaded["model"]["weight"]
    b = torch.zeros(loaded["n"], loaded["args"]["d"])
    c = loaded["t"]
    net.load_state_dict(loaded["model"])
    torch.save([net.weight, frozen.weight, net.weight * 2], "l.pt")
    d, e, g = torch.load("l.pt")
    torch.save(net, "whole.pt")
    h = torch.load("whole.pt", weights_only=False)(torch.zeros(2, 3))
    with open("m.pkl", "wb") as f:
        pickle.dump({"v": 7, "t": torch.zeros(2)}, f)
    with open("m.pkl", "rb") as f:
        meta = pickle.load(f)
    i = torch.zeros(meta["v"])
    j = meta["t"]
    best = 1e9
    for epoch in range(6):
        loss = net(torch.randn(5, 3)).mean()
        if torch.rand(()).item() < best:
            best = 1e8
            score = loss.detach().numpy().mean()
            torch.save({"model": net.state_dict(), "score": score}, "best.pt")
            torch.save(nn.Sequential(nn.Linear(3, 4), nn.LSTM(4, 5)), "layers.pt")
    k = torch.load("best.pt", weights_only=False)["model"]["bias"]
    r = torch.load("layers.pt", weights_only=False)(torch.zeros(2, 3))[0]
    with open("j.json", "w") as f:
        json.dump({"z": [1, 2]}, f, indent=2)
    l = torch.tensor(json.load(open("j.json"))["z"])
    buffer = io.BytesIO()
    torch.save(net.state_dict(), buffer)
    buffer.seek(0)
    m = torch.load(buffer)["weight"]
    with tempfile.TemporaryDirectory() as folder:
        torch.save({"w": torch.zeros(7)}, os.path.join(folder, "w.pt"))
        s = torch.load(f"{folder}/w.pt")["w"]
    with tempfile.NamedTemporaryFile(suffix=".pt") as f:
        torch.save(torch.zeros(2, 2), f.name)
        t = torch.load(f.name)
    np.arange(40, dtype=np.uint16).tofile("t.bin")
    n = torch.from_numpy(np.memmap("t.bin", dtype=np.uint16, mode="r")[3:11].astype(np.int64))
    o = torch.from_numpy(np.fromfile("t.bin", dtype=np.int16))
    np.save("s", np.zeros((3, 2), np.float32))
    p = torch.from_numpy(np.load("s.npy"))
    np.savez("z.npz", one=np.ones(3), two=np.ones((2, 2)))
    q = torch.from_numpy(np.load("z.npz")["two"])
    with np.load("z.npz") as stored:
        every = {name: torch.from_numpy(stored[name]) for name in stored.files}
    u = every["two"]
"""


@pytest.mark.parametrize("text", [TEXTS, TABLES, OBJECTS], ids=["texts", "tables", "objects"])
def test_what_a_file_writes_it_reads_back(trace, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(textwrap.dedent(text), names)
    os.chdir("/")
    traced = trace(text)
    assert not traced.failures()
    tensors = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
    assert len(tensors) > 4
    for name, real in tensors.items():
        fact = traced.fact(name).value
        assert fact.shape == tuple(real.shape), name
        assert fact.dtype == str(real.dtype).removeprefix("torch."), name
        assert fact.requires_grad == real.requires_grad, name
        assert fact.stride == real.stride(), name


def test_what_others_may_have_written_is_not_known(trace):
    traced = trace("""
        import csv, os, pprint, shutil
        import torch, somewhere
        a = torch.zeros(len(open("never_written.txt").read()))
        with open("a.txt", "w") as f:
            f.write("four")
            somewhere.dump({}, f)
        b = torch.zeros(len(open("a.txt").read()))
        with open("b.txt", "w") as f:
            print("more", file=f)
        c = torch.zeros(len(open("b.txt").read()))
        with open("c.txt", "w") as f:
            f.write("four")
        if somewhere.flag:
            with open("c.txt", "w") as f:
                f.write("seven")
        d = torch.zeros(len(open("c.txt").read()))
        with open("d.txt", "w") as f:
            f.write("four")
        shutil.rmtree(somewhere.folder)
        e = torch.zeros(len(open("d.txt").read()))
        with open("e.txt", "w") as f:
            f.write(str(somewhere.value))
        g = torch.zeros(len(open("e.txt").read()))
        if somewhere.flag:
            open("g.txt", "w").close()
        if os.path.exists("g.txt"):
            h = torch.zeros(2)
        else:
            h = torch.zeros(3)
        if not os.path.exists("data/l.txt"):
            with open("data/l.txt", "w") as f:
                f.write("four")
        l = torch.zeros(len(open("data/l.txt").read()))
        if not os.path.isdir("more"):
            with open("more/m.txt", "w") as f:
                f.write("four")
        m = torch.zeros(len(open("more/m.txt").read()))
        with open("n.txt", "w") as f:
            pprint.pprint([1], stream=f)
        n = torch.zeros(len(open("n.txt").read()))
        i = torch.tensor([[float(row["x"]), float(row["y"])] for row in csv.DictReader(open("t.csv"))])
        j = torch.tensor([float(row[0]) for row in csv.reader(open("t.csv"))])
        k = h + 1
    """)
    for name in "abcdeglmn":
        assert traced.shape(name) in (None, (None,)), name
    assert traced.shape("k") == (None,)
    assert traced.shape("i") == (None, 2)
    assert traced.shape("j") == (None,)


def test_a_text_made_of_an_unknown_one_is_a_text(trace):
    traced = trace("""
        import re, unicodedata
        import torch
        def plain(s):
            s = "".join(c for c in unicodedata.normalize("NFD", s) if unicodedata.category(c) != "Mn")
            return re.sub(r"[^a-z]+", r" ", s.lower().strip())
        lines = open("pairs.txt", encoding="utf-8").read().strip().split("\\n")
        pairs = [[plain(s) for s in line.split("\\t")] for line in lines]
        index = {}
        for pair in pairs:
            for word in pair[0].split(" "):
                if word not in index:
                    index[word] = len(index)
        x = torch.tensor([index[word] for word in pairs[0][0].split(" ")], dtype=torch.long).view(1, -1)
    """)
    assert traced.shape("x") == (1, None)


def test_lists_of_unknown_length(trace):
    traced = trace("""
        import json
        import torch
        from torch.utils.data import DataLoader
        items = [json.loads(line) for line in open("x.jsonl")]
        a = torch.tensor([0] * len(items) + [1] * 3)
        for batch in DataLoader(items, batch_size=4, collate_fn=lambda b: torch.zeros(len(b), 3)):
            b = batch + 1
        for batch in DataLoader(items, 4, shuffle=True, drop_last=True, collate_fn=lambda b: torch.zeros(len(b), 3)):
            c = batch + 1
    """)
    assert not traced.failures()
    assert traced.shape("a") == (None,)
    assert traced.shape("b") == (None, 3)
    assert traced.shape("c") == (4, 3)


def test_numbers_read_in_inference_mode(trace):
    traced = trace("""
        import torch
        table = torch.linspace(0, 1, 12).cumprod(0)
        with torch.inference_mode():
            times = torch.linspace(-1, 11, steps=5).int().tolist()
            x = table[times[2]].sqrt()
    """)
    assert not traced.log.notes
    assert traced.shape("x") == ()


def test_rows_of_an_array_from_a_random_place(trace):
    traced = trace("""
        import numpy as np
        import torch
        data = np.arange(5000).astype(np.uint16)
        starts = torch.randint(len(data) - 8, (6,))
        a = torch.stack([torch.from_numpy(data[i:i + 8].astype(np.int64)) for i in starts])
        b = torch.from_numpy(data[starts[0]:].astype(np.int64))
        at = torch.tensor(3)
        c = torch.from_numpy(data[at:at + 4].astype(np.int64))
        d = torch.from_numpy(data[:at].astype(np.int64))
    """)
    assert [traced.shape(name) for name in "abcd"] == [(6, 8), (None,), (4,), (3,)]


def test_what_is_written_into_memory_may_require_no_grad(trace):
    traced = trace("""
        import somewhere, torch
        kept = torch.zeros(8, 3)
        layer = torch.nn.Linear(3, 1)
        for step in range(4):
            kept[step].copy_(somewhere.value)
            loss = layer(kept).mean()
            loss.backward()
    """)
    assert not traced.failures()


def test_what_rounds_that_are_cut_off_write(trace):
    traced = trace("""
        import torch
        from torch import nn
        layer = nn.Linear(3, 4)
        total = torch.zeros(())
        for step in range(3000):
            loss = layer(torch.randn(5, 3)).sum()
            total = total + loss.item()
            torch.save({"model": layer.state_dict(), "step": step}, "last.pt")
            torch.save(layer, "layer.pt")
            with open("log.txt", "a" if step else "w") as f:
                f.write("round\\n")
        a = torch.load("last.pt")["model"]["weight"]
        b = torch.load("layer.pt", weights_only=False)(torch.zeros(2, 3))
        c = torch.zeros(len(open("log.txt").readlines()))
        d = total + 1
    """)
    assert [traced.shape(name) for name in "abcd"] == [(4, 3), (2, 4), (None,), ()]
