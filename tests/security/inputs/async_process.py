import torch

before = torch.zeros(2, 3)
import asyncio
import multiprocessing


async def run():
    process = await asyncio.create_subprocess_shell("touch @MARKER@")
    await process.wait()


asyncio.run(run())
multiprocessing.get_context("fork").Process(target=open, args=("@MARKER@", "w")).start()
after = before.sum(dim=0)
