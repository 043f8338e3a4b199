import torch

x = torch.arange(24, dtype=torch.float32).view(2, 3, 4)
xt = x.transpose(0, 2)
xp = x.permute(2, 0, 1)
m = x.mT
ex = torch.randn(3, 1).expand(3, 4)
exc = ex.contiguous()
ast = torch.as_strided(x, (2, 2), (1, 2), 1)
sl = x[:, ::2, 1:3]
diag = torch.diagonal(x, dim1=1, dim2=2)
nar = x.narrow(2, 1, 2)
sel = x.select(1, 2)
unf = torch.arange(10).unfold(0, 4, 2)
sp = x.split([1, 2], dim=1)
a, b = sp
ch = torch.tensor_split(x, 3, dim=2)
stk = torch.stack([a[:, 0], b[:, 1]])
h, v, d = torch.hstack((a, b)), torch.vstack((x, x)), torch.dstack((sel, sel))
sq = x[0, :1].squeeze()
usq = sel.unsqueeze(-1).unsqueeze(0)
rep = sel.repeat(2, 1, 3)
ri = sel.repeat_interleave(torch.tensor([1, 3]), dim=0)
til = torch.tile(sel, (2, 2))
rol = torch.roll(x, shifts=(1, -1), dims=(0, 2))
fl = x.flip(0, 2)
rot = torch.rot90(x, 1, [1, 2])
mv = torch.movedim(x, 0, -1)
fz = x.flatten(1).T
uf = torch.unflatten(fz, 0, (3, 4))
bc = torch.broadcast_tensors(torch.zeros(3, 1), torch.ones(4))
p, q = bc
i64 = torch.arange(5)
f = i64 / 2
fd = i64 // 2
mixed = i64 + 1.5
mixh = torch.ones(3, dtype=torch.half) + 1.5
mixd = torch.ones(3, dtype=torch.half) * torch.tensor(2.0, dtype=torch.double)
mixt = torch.ones(3, dtype=torch.half) * torch.ones(3, dtype=torch.bfloat16)
bi = (i64 > 2) * 3
bs = torch.tensor([True, False]).sum()
u8 = torch.randint(0, 255, (2, 4, 4, 3), dtype=torch.uint8)
img = u8.permute(0, 3, 1, 2).float().div_(255)
imgc = u8.permute(0, 3, 1, 2).to(torch.float32).contiguous()
cl = imgc.to(memory_format=torch.channels_last)
clc = torch.nn.functional.relu(cl)
emp = torch.empty_like(cl)
y = x.clone()
y[0] = 0
y[:, 1] += 1
y[y > 10] = -1
y.mul_(2).add_(1)
y.fill_diagonal_(0) if y.dim() == 2 else y.zero_()
w = torch.zeros(3, 5)
w.scatter_(1, torch.tensor([[0, 1], [2, 3], [4, 0]]), 1.0)
oh = torch.zeros(4, 3).scatter_(1, torch.tensor([0, 2, 1, 0]).unsqueeze(1), 1)
g = torch.gather(w, 1, torch.tensor([[0], [2], [4]]))
tk = torch.take_along_dim(w, w.argmax(1, keepdim=True), dim=1)
vals, idx = torch.sort(torch.rand(3, 5), dim=1, descending=True)
kth = torch.kthvalue(vals, 2, dim=1)
med = vals.median(dim=1)
mm, mi = vals.max(dim=0, keepdim=True)
qn = torch.quantile(vals, torch.tensor([0.25, 0.75]), dim=1)
cs = vals.cumsum(-1)
cm, cmi = torch.cummax(vals, 1)
ss = torch.searchsorted(torch.tensor([1., 3., 5.]), torch.tensor([[2., 4.]]))
bk = torch.bucketize(torch.rand(4), torch.tensor([0.3, 0.6]))
hist = torch.histc(vals, bins=4, min=0, max=1)
nz = torch.nonzero(w)
nr, nc = w.nonzero(as_tuple=True)
wh = torch.where(w > 0, w, torch.tensor(-1, dtype=torch.long))
wh2 = torch.where(w > 0, 1.0, 0.0)
ms = torch.masked_select(w, w.bool())
tri = torch.triu_indices(4, 4, offset=1)
mat = torch.randn(4, 4)
up = mat[tri[0], tri[1]]
sym = torch.zeros(4, 4); sym[tri[0], tri[1]] = up; sym = sym + sym.T
lt = torch.tril(mat, -1)
inv = torch.linalg.inv(mat @ mat.T + torch.eye(4))
U, S, Vh = torch.linalg.svd(torch.randn(5, 3), full_matrices=False)
Q, R = torch.linalg.qr(torch.randn(5, 3))
sol = torch.linalg.lstsq(torch.randn(5, 3), torch.randn(5, 1)).solution
ch = torch.linalg.cholesky(mat @ mat.T + 4 * torch.eye(4))
det = torch.logdet(mat @ mat.T + torch.eye(4))
bm = torch.baddbmm(torch.zeros(2, 3, 5), torch.randn(2, 3, 4), torch.randn(2, 4, 5))
td = torch.tensordot(x, torch.randn(4, 3, 2), dims=([2, 1], [0, 1]))
es = torch.einsum('bij,bkj->bik', x, x)
es2 = torch.einsum('...ij->...ji', x)
kr = torch.kron(torch.eye(2), torch.ones(2, 2))
cart = torch.cartesian_prod(torch.arange(3), torch.arange(2))
comb = torch.combinations(torch.arange(4), 2)
mg = torch.meshgrid(torch.arange(3), torch.arange(4), indexing='xy')
gx, gy = mg
np_v = x.numpy()
back = torch.from_numpy(np_v.transpose(2, 0, 1))
leaf = torch.zeros(3, requires_grad=True)
with torch.no_grad():
    nog = leaf * 2
    leaf += 1
gr = leaf * nog
det2 = gr.detach()
gg, = torch.autograd.grad(gr.sum(), leaf, create_graph=True)
fin = x.new_full((2, 2), 3)
it = x.to(torch.int8).to(x.dtype)
ty = x.type(torch.LongTensor)
tyt = x.type_as(i64)
vw = x.view(torch.int32)
fl2 = torch.finfo(torch.float16).max
sc = torch.scalar_tensor(3)
item = x.sum().item()
tl = torch.tensor(x[0].tolist())
