"""Loops: what is known of them when they are run to their end, and when they are cut off."""

HEAD = "import torch, somewhere\nfrom torch import nn\nt = torch.zeros(2, 3)\nnet = nn.Linear(3, 3)\n"


def test_layers_that_a_zipped_or_numbered_loop_appends_are_all_there(trace):
    traced = trace(
        HEAD
        + """
sizes = [3, 4, 5, 6, 7]
layers = nn.ModuleList()
for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
    layers.append(nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, b), nn.LayerNorm(b)))
x = t
for layer in layers:
    x = layer(x)
y = x
"""
    )
    assert traced.shape("y") == (2, 7)


def test_a_loop_whose_end_nobody_knows_is_followed_for_a_while(trace):
    traced = trace(
        HEAD
        + """
x = torch.zeros(2, 16)
while x.size(1) > 1:
    x = torch.relu(nn.Linear(x.size(1), x.size(1) // 2)(x)) + 1
y = x
"""
    )
    assert traced.shape("y") == (2, 1)


def test_a_loop_that_is_new_in_each_round_does_not_cost_the_rest_of_the_file(trace):
    traced = trace(
        HEAD
        + """
x = torch.zeros(2, 1)
for i in range(1000):
    y = x
    for _ in range(20):
        y = (y + 1) * 2
    x = torch.cat([x, y[:, :1]], 1)
z = torch.zeros(4)
"""
    )
    assert traced.shape("z") == (4,)
    assert not traced.log.notes
