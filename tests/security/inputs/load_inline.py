import torch

before = torch.zeros(2, 3)
import torch.utils.cpp_extension

torch.utils.cpp_extension.subprocess.run(["touch", "@MARKER@"])
torch.utils.cpp_extension.load_inline("evil", cpp_sources="#include <fstream>", build_directory="@FOLDER@")
after = before.sum(dim=0)
