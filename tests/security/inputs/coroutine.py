import torch

before = torch.zeros(2, 3)
class Awaited:
    def __await__(self):
        open("@MARKER@", "w")
        yield


async def run():
    async with Context():
        await Awaited()


class Context:
    async def __aenter__(self):
        open("@MARKER@", "w")

    async def __aexit__(self, *details):
        open("@MARKER@", "w")


try:
    run().send(None)
except StopIteration:
    pass
after = before.sum(dim=0)
