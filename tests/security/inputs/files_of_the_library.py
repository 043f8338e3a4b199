import torch

before = torch.zeros(2, 3)
import io
import logging
import shutil
import sqlite3
import tempfile

io.FileIO("@MARKER@", "w")
io.open("@MARKER@", "w")
logging.FileHandler("@MARKER@").emit(logging.LogRecord("", 1, "", 1, "", None, None))
logging.basicConfig(filename="@MARKER@", force=True)
shutil.copy("@FOLDER@/evil.py", "@MARKER@")
sqlite3.connect("@MARKER@").execute("create table t (x)")
tempfile.NamedTemporaryFile(dir="@FOLDER@")
after = before.sum(dim=0)
