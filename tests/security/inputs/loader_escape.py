import torch

before = torch.zeros(2, 3)
import importlib.util

spec = importlib.util.spec_from_file_location("evil", "@FOLDER@/evil.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
torch.__spec__.loader.get_data("@FOLDER@/evil.py")
torch.__loader__.__class__("evil", "@FOLDER@/evil.py").load_module()
after = before.sum(dim=0)
