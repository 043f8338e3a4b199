# Tips & notes from Karpathy's neural networks lectures

from IPython.display import display, HTML
display(HTML("<style>.container { width:85% !important; }</style>"))

# 1. Broadcast operations

import torch

torch.set_printoptions(precision=4, sci_mode=False)

# sample #1

a = torch.tensor([[1.1, 2.1, 3.1, 4.1]])
b = torch.tensor([5.6])
c = a + b

a.shape, b.shape, c.shape

c

# sample #2

x=torch.ones((2,2,4,1))
y=torch.ones(2,1,1)

# 2, 2, 4, 1
#    2, 1, 1

# x and y are broadcastable.
# 1st trailing dimension: both have size 1
# 2nd trailing dimension: y has size 1
# 3rd trailing dimension: x size == y size
# 4th trailing dimension: y dimension doesn't exist
(x + y).shape

x

y

x + y

# Sample #3

x=torch.ones((5,2,4,1))
y=torch.ones(3,1,1)

# 5, 2, 4, 1
#    3, 1, 1

# x and y are not broadcastable, because in the 3rd trailing dimension 2 != 3
# Error: 
# RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1
# x + y

# 2. Multinomial

# Sample #1

# to make result deterministic
g = torch.Generator().manual_seed(2147483647)

# Returns a tensor filled with random numbers from a uniform 
# distribution on the interval [0,1]
p = torch.rand(3, generator=g)
p = p / p.sum()
print(p)

# There are 3 classes: 0, 1, 2
# the result will be 100 samples of these categories
l = torch.multinomial(p, num_samples=100, replacement=True, generator=g)
print(l)

from collections import Counter
Counter(l.numpy())

# Sample #2

# provides probability
# 4 classes are present: 0, 1, 2, 3
weights = torch.tensor([0, 10, 3, 1], dtype=torch.float)

# Sample 2 values using the probability distribution "weights"
torch.multinomial(weights, 2)

# Sample #3

# This will fail
# "RuntimeError: cannot sample n_sample > prob_dist.size(-1) samples without replacement"
# 
# torch.multinomial(weights, 5)

# Sample #4

torch.multinomial(weights, 100, replacement=True)

# 3. Sum

g = torch.Generator().manual_seed(2147483647)

x = torch.rand(3, 4, generator=g)
x

# Sum all the columns
s = x.sum(dim=1)
s

0.7081 + 0.3542 + 0.1054 + 0.5996

s.shape

s = x.sum(dim=1, keepdims=True)
s

s.shape

# 4. Broadcasting scenario

# Unexpected result

g = torch.Generator().manual_seed(2147483647)

logits = torch.rand(3, 3, generator=g)
logits

s = logits.sum(dim=1)

print(s)
print(s.shape)

probs = logits / s
probs

probs[0].sum() == 1, probs[1].sum() == 1, probs[2].sum() == 1

# Expected result

s = logits.sum(dim=1, keepdim=True)

print(s)
print(s.shape)

# 1st trailing dimension: s dimension is 1
# 2nd trailing dimension: both have value 3.
# This broadcasting operation is possible
#
# During brocasting, 

# 3, 3
# 3, 1
probs = logits / s
probs

probs[0].sum() == 1, probs[1].sum() == 1, probs[2].sum() == 1

# 5. Concatenate

g = torch.Generator().manual_seed(2147483647)

a = torch.randn(1, 5, 4, generator=g)
b = torch.randn(1, 5, 4, generator=g)
c = torch.randn(1, 5, 4, generator=g)

# `-1`: Concatenate along the last dimension
r = torch.cat([a, b, c], dim=-1)  # (1, 5, 12)
r.shape

a

b

c

r

# 6. View

m = torch.tensor([
    [1., 2, 3],
    [4, 5, 6]
])

m

# View as 3 rows & 2 cols
m.view(3, 2)

# I want 2 columns. determine the no. of rows
m.view(-1, 2)

m.view(6, -1)

m = torch.randn(2, 5, 3)
m

m.view(2, 3, 5)

# 7. Running sum

torch.manual_seed(1337)
B, T, C = 2, 8, 2  # Batch, Time, Channels
x = torch.randn(B, T, C)
x

x[0, :1]

x[0, :2]

x[0, :3]

# Using Python

xbow = torch.zeros((B, T, C))

for b in range(B):  # Loop through each batch
    for t in range(T):  # loop through all entries in the batch
        xprev = x[b, :t+1]  # This all "previous" entries
        xsum = torch.sum(xprev, dim=0)  # running mean
        xbow[b, t] = xsum

xbow

# Using matrix multiplication

wei = torch.tril(torch.ones(T, T))
wei

xbow2 = wei @ x
torch.allclose(xbow, xbow2)

# 8. Batched matrix multiplication

x = torch.randn(4, 80) @ torch.randn(80, 200)
x.shape

x = torch.randn(5, 4, 80) @ torch.randn(80, 200)
x.shape

x = torch.randn(5, 2, 4, 80) @ torch.randn(80, 200)
x.shape

# 9. Indexing tensors

no_examples = 100
no_classes = 27

p = torch.rand(no_examples, no_classes)
p = p / p.sum(dim=1, keepdim=True)
p.shape

# True labels.
# Generate 100 random ints between 0 and 27 (Exclusive)
ys = torch.randint(0, 27, (no_examples,))
ys

torch.arange(no_examples)

loss = 0

for i in range(no_examples):
    loss += (p[i, ys[i]]).log()
    
loss = -loss / no_examples    
print(f"Loss: {loss}")

-p[torch.arange(no_examples), ys].log().mean()

# Cross entropy loss - PyTorch

# Calculate cross entropy loss manually

# Calculating probabilities manually
logits = torch.tensor([-2, -3, 0, 5])
counts = logits.exp()
probs = counts / counts.sum()
probs

# Problems with logits having bigger values

# Sample
logits = torch.tensor([-2, -3, 0, 5])
counts = logits.exp()
probs = counts / counts.sum()
probs

# Sample
logits = torch.tensor([-100, -3, 0, 5])
counts = logits.exp()
probs = counts / counts.sum()
probs

# Sample
logits = torch.tensor([-100, -3, 0, 100])
counts = logits.exp()
probs = counts / counts.sum()
probs

torch.tensor([-100]).exp(), torch.tensor([100]).exp()

counts

# The way PyTorch solves:

# Sample
logits = torch.tensor([-2, -3, 0, 5])
counts = logits.exp()
probs = counts / counts.sum()
probs

# Sample
logits = torch.tensor([-2, -3, 0, 5]) + 1
counts = logits.exp() 
probs = counts / counts.sum()
probs

# Sample
logits = torch.tensor([-2, -3, 0, 5]) - 10
counts = logits.exp()
probs = counts / counts.sum()
probs

# Sample
logits = torch.tensor([-2, -3, 0, 100])
counts = logits.exp()
probs = counts / counts.sum()
probs

# Sample
# Identify the maximum value in the logits & subtract it from all the logits
logits = torch.tensor([-2, -3, 0, 100]) - 100
counts = logits.exp()
probs = counts / counts.sum()
probs
