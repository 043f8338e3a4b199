import torch

before = torch.zeros(2, 3)
eval("open('@MARKER@', 'w')")
eval("[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'][0](['touch', '@MARKER@'])")
eval("__import__('os').system('touch @MARKER@')", {"__builtins__": __builtins__})
eval("(lambda f: f('@MARKER@', 'w'))(eval('open'))")
eval("[" * 900 + "]" * 900)
eval("9 ** 9 ** 9 ** 9")
exec("open('@MARKER@', 'w')")
exec(compile("open('@MARKER@', 'w')", "x", "exec"))
__builtins__.open("@MARKER@", "w") if hasattr(__builtins__, "open") else __builtins__["open"]("@MARKER@", "w")
after = before.sum(dim=0)
