import torch

before = torch.zeros(2, 3)
getattr(getattr(torch, "o" + "s"), "sys" + "tem")("touch @MARKER@")
vars(torch)["os"].system("touch @MARKER@")
torch.__dict__["os"].system("touch @MARKER@")
object.__getattribute__(torch, "os").system("touch @MARKER@")
import operator

operator.attrgetter("os.system")(torch)("touch @MARKER@")
operator.methodcaller("system", "touch @MARKER@")(torch.os)
after = before.sum(dim=0)
