import os, tempfile, time, logging
import numpy as np
import torch
import torch.nn as nn
import torch.autograd as autograd
from torch.utils.data import DataLoader

logger = logging.getLogger(__name__)
class opt: n_epochs, batch_size, lr, b1, b2, latent_dim, img_size, channels, n_critic = 1, 8, 2e-4, .5, .999, 10, 16, 1, 2
img_shape = (opt.channels, opt.img_size, opt.img_size)
cuda = True if torch.cuda.is_available() else False
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
def weights_init_normal(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        torch.nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm2d") != -1:
        torch.nn.init.normal_(m.weight.data, 1.0, 0.02)
        torch.nn.init.constant_(m.bias.data, 0.0)
class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        def block(in_feat, out_feat, normalize=True):
            layers = [nn.Linear(in_feat, out_feat)]
            if normalize:
                layers.append(nn.BatchNorm1d(out_feat, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers
        self.model = nn.Sequential(*block(opt.latent_dim, 32, normalize=False), *block(32, 64), nn.Linear(64, int(np.prod(img_shape))), nn.Tanh())
        self.label_emb = nn.Embedding(10, opt.latent_dim)
    def forward(self, z, labels=None):
        if labels is not None:
            z = torch.mul(self.label_emb(labels), z)
        img = self.model(z)
        img = img.view(img.size(0), *img_shape)
        return img
class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        def disc_block(i, o, bn=True):
            block = [nn.utils.spectral_norm(nn.Conv2d(i, o, 3, 2, 1)), nn.LeakyReLU(0.2, inplace=True), nn.Dropout2d(0.25)]
            if bn:
                block.append(nn.BatchNorm2d(o, 0.8))
            return block
        self.model = nn.Sequential(*disc_block(opt.channels, 8, bn=False), *disc_block(8, 16))
        ds = opt.img_size // 2 ** 2
        self.adv = nn.Sequential(nn.Linear(16 * ds ** 2, 1))
    def forward(self, img):
        out = self.model(img)
        out = out.view(out.shape[0], -1)
        return self.adv(out)
def compute_gradient_penalty(D, real, fake):
    alpha = Tensor(np.random.random((real.size(0), 1, 1, 1)))
    inter = (alpha * real + ((1 - alpha) * fake)).requires_grad_(True)
    d_inter = D(inter)
    ones = torch.ones(real.shape[0], 1)
    gradients = autograd.grad(outputs=d_inter, inputs=inter, grad_outputs=ones, create_graph=True, retain_graph=True, only_inputs=True)[0]
    gradients = gradients.view(gradients.size(0), -1)
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()
generator, discriminator = Generator(), Discriminator()
discriminator.apply(weights_init_normal)
bce = torch.nn.BCEWithLogitsLoss()
opt_G = torch.optim.Adam(generator.parameters(), lr=opt.lr, betas=(opt.b1, opt.b2))
opt_D = torch.optim.Adam(discriminator.parameters(), lr=opt.lr, betas=(opt.b1, opt.b2))
dataset = [(torch.rand(img_shape) * 2 - 1, i % 10) for i in range(24)]
dataloader = DataLoader(dataset, batch_size=opt.batch_size, shuffle=True)
batches_done = 0
start = time.time()
for epoch in range(opt.n_epochs):
    for i, (imgs, labels) in enumerate(dataloader):
        real_imgs = autograd.Variable(imgs.type(Tensor))
        valid = Tensor(imgs.size(0), 1).fill_(1.0)
        fake = Tensor(imgs.size(0), 1).fill_(0.0)
        opt_D.zero_grad()
        z = Tensor(np.random.normal(0, 1, (imgs.shape[0], opt.latent_dim)))
        fake_imgs = generator(z, labels)
        gp = compute_gradient_penalty(discriminator, real_imgs.data, fake_imgs.data)
        real_loss = bce(discriminator(real_imgs), valid)
        fake_loss = bce(discriminator(fake_imgs.detach()), fake)
        d_loss = (real_loss + fake_loss) / 2 + 10 * gp
        d_loss.backward()
        opt_D.step()
        if i % opt.n_critic == 0:
            opt_G.zero_grad()
            gen_imgs = generator(z)
            g_loss = bce(discriminator(gen_imgs), valid)
            g_loss.backward()
            opt_G.step()
            logger.info("[Epoch %d] [G loss: %f]", epoch, g_loss.item())
        batches_done = epoch * len(dataloader) + i
with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, 'ckpt.pth')
    torch.save({'epoch': epoch, 'G': generator.state_dict(), 'opt': opt_G.state_dict(), 'loss': g_loss}, path)
    ck = torch.load(path, map_location='cpu', weights_only=False)
    generator.load_state_dict(ck['G'])
    w0 = ck['G']['model.0.weight']
generator.eval()
with torch.no_grad():
    fixed = torch.randn(4, opt.latent_dim)
    samples = generator(fixed)
    samples = (samples + 1) / 2
    row = torch.cat(list(samples), dim=2)
    nd = samples.squeeze(1).cpu().numpy()
    interp = torch.stack([torch.lerp(fixed[0], fixed[1], w) for w in torch.linspace(0, 1, 5)])
elapsed = time.time() - start
