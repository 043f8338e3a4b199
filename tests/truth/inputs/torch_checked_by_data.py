"""What torch computes only of values that it finds right, and parts that begin anywhere."""

import torch

samples = torch.randn(4, 10, requires_grad=True)
correlated = torch.corrcoef(samples * 2)
covered = samples.cov()
weighed = torch.cov(samples, correction=0, fweights=torch.randint(1, 3, (10,)))
window = torch.hann_window(400)
spectrum = torch.stft(torch.randn(2, 1600), 400, 160, window=window, return_complex=True)
wave = torch.istft(spectrum, 400, 160, window=window)
whole = spectrum.istft(400, 160, window=window, length=1600)
pairs = torch.combinations(torch.arange(5))
threes = torch.combinations(torch.randn(5, requires_grad=True), r=3, with_replacement=True)
solution = torch.linalg.lstsq(torch.randn(10, 3), torch.randn(10, 2)).solution
fast = torch.linalg.lstsq(torch.randn(3, 4, 3), torch.randn(3, 4, 3), driver="gels").solution
start = torch.randint(3, ())
part = samples.narrow(1, start, 3)
turned = torch.narrow(samples, 0, start, length=1)
double = samples.to(torch.float64, False, True)
half = samples.to("cpu", torch.float16, True, True)
copied = samples.to(double, False, True)
