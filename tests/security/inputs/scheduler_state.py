import torch

before = torch.zeros(2, 3)
layer = torch.nn.Linear(2, 2)
schedule = torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD(layer.parameters(), lr=1), [lambda epoch: 1.0])
kept, schedule.lr_lambdas = torch.zeros, [torch]
schedule.load_state_dict({"lr_lambdas": [{"zeros": lambda *sizes: open("@MARKER@", "w")}]})
if torch.zeros is not kept:
    torch.zeros(3)
    torch.zeros = kept
after = before.sum(dim=0)
