import torch

before = torch.zeros(2, 3)
# 20000 times: x@N@ = [@N@, '@N@', before]
after = torch.zeros(3)
