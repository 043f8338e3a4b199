import torch
from torch import Tensor
from typing import NamedTuple, Sequence, Optional

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


class Belief(NamedTuple):
    mean: Tensor
    cov: Tensor


class KalmanFilter:
    def __init__(self, A, H, Q, R, mu_0: Optional[Tensor] = None, sigma_0: Optional[Tensor] = None):
        self.A, self.H, self.Q, self.R = A, H, Q, R
        self.state_dim = A.shape[-1]
        self.obs_dim = H.shape[-2]
        self.mu_0 = mu_0 if mu_0 is not None else torch.zeros(self.state_dim)
        self.sigma_0 = sigma_0 if sigma_0 is not None else torch.eye(self.state_dim)

    def predict(self, b: Belief) -> Belief:
        mean = self.A @ b.mean
        cov = self.A @ b.cov @ self.A.T + self.Q
        return Belief(mean, cov)

    def update(self, b: Belief, z: Tensor) -> Belief:
        S = self.H @ b.cov @ self.H.T + self.R
        K = torch.linalg.solve(S, self.H @ b.cov).T
        innovation = z - self.H @ b.mean
        mean = b.mean + K @ innovation
        I_KH = torch.eye(self.state_dim) - K @ self.H
        cov = I_KH @ b.cov @ I_KH.T + K @ self.R @ K.T
        return b._replace(mean=mean, cov=cov)

    def filter(self, zs: Tensor):
        b = Belief(self.mu_0, self.sigma_0)
        means, covs, preds = [], [], []
        for z in zs:
            p = self.predict(b)
            b = self.update(p, z)
            preds.append(p)
            means.append(b.mean)
            covs.append(b.cov)
        return torch.stack(means), torch.stack(covs), preds

    def smooth(self, zs):
        means, covs, preds = self.filter(zs)
        sm, sP = [means[-1]], [covs[-1]]
        for t in range(len(zs) - 2, -1, -1):
            p = preds[t + 1]
            G = covs[t] @ self.A.T @ torch.linalg.inv(p.cov)
            m = means[t] + G @ (sm[0] - p.mean)
            P = covs[t] + G @ (sP[0] - p.cov) @ G.T
            sm.insert(0, m)
            sP.insert(0, P)
        return torch.stack(sm), torch.stack(sP)

    def log_likelihood(self, zs):
        _, _, preds = self.filter(zs)
        mus = torch.stack([self.H @ p.mean for p in preds])
        Ss = torch.stack([self.H @ p.cov @ self.H.T + self.R for p in preds])
        dist = torch.distributions.MultivariateNormal(mus, covariance_matrix=Ss)
        return dist.log_prob(zs).sum()


dt = 0.1
A = torch.tensor([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]], dtype=torch.get_default_dtype())
H = torch.eye(2, 4)
Q = 0.01 * torch.eye(4)
R = 0.25 * torch.eye(2)
T = 25
x = torch.zeros(4)
x[2:] = torch.tensor([1.0, 0.5])
L_q = torch.linalg.cholesky(Q)
L_r = torch.linalg.cholesky(R)
states = torch.empty(T, 4)
obs = torch.empty(T, 2)
for t in range(T):
    x = A @ x + L_q @ torch.randn(4)
    states[t] = x
    obs[t] = H @ x + L_r @ torch.randn(2)
kf = KalmanFilter(A, H, Q, R)
means, covs, preds = kf.filter(obs)
smoothed, smoothed_cov = kf.smooth(obs)
err_raw = (obs - states[:, :2]).norm(dim=1).mean()
err_filt = (means[:, :2] - states[:, :2]).norm(dim=1).mean()
err_smooth = (smoothed[:, :2] - states[:, :2]).norm(dim=1).mean()
ellipse_axes, ellipse_dirs = torch.linalg.eigh(covs[-1][:2, :2])
std = covs.diagonal(dim1=-2, dim2=-1).sqrt()
print(err_raw.item(), err_filt.item(), err_smooth.item(), kf.log_likelihood(obs).item())

# learn the noise scales by gradient
log_q = torch.zeros((), requires_grad=True)
log_r = torch.zeros((), requires_grad=True)
opt = torch.optim.Adam([log_q, log_r], lr=0.1)
for _ in range(3):
    opt.zero_grad()
    model = KalmanFilter(A, H, log_q.exp() * Q, log_r.exp() * R)
    nll = -model.log_likelihood(obs)
    nll.backward()
    opt.step()

# a tour of torch.linalg
M = torch.randn(5, 3)
q, r = torch.linalg.qr(M)
u, s, vh = torch.linalg.svd(M)
rank = torch.linalg.matrix_rank(M)
pinv = torch.linalg.pinv(M)
sol = torch.linalg.lstsq(M, torch.randn(5, 2)).solution
sign, logdet = torch.linalg.slogdet(M.T @ M)
evals, evecs = torch.linalg.eig(torch.randn(4, 4))
P, Lo, Up = torch.linalg.lu(torch.randn(3, 3))
expm = torch.linalg.matrix_exp(torch.zeros(3, 3))
tri = torch.linalg.solve_triangular(r, torch.randn(3, 2), upper=True)
outer = torch.einsum('i,j->ij', s, s)
kron = torch.kron(torch.eye(2), torch.ones(2, 3))
blocks = torch.block_diag(torch.ones(2, 2), torch.zeros(1, 3))
cond = torch.linalg.cond(M)
vander = torch.vander(torch.arange(1., 4.))
cd = torch.cdist(M, M[:2])
print(q.shape, vh.shape, rank, sol.shape, evals.dtype, kron.shape, blocks.shape, cd.shape, log_q.grad)
