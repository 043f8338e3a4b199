import numpy as np
import torch

# NumPy array
np_array = np.array([[1., 2.], [3., 4.]])
print(f"NumPy array:\n{np_array}")

# PyTorch tensor from NumPy array
torch_tensor_from_np = torch.from_numpy(np_array)
print(f"PyTorch tensor from NumPy:\n{torch_tensor_from_np}")

# Convert PyTorch tensor back to NumPy array
np_array_from_torch = torch_tensor_from_np.numpy()
print(f"NumPy array from PyTorch:\n{np_array_from_torch}")

# Element-wise addition
a_np = np.array([1, 2, 3])
b_np = np.array([4, 5, 6])
c_np = a_np + b_np
print(f"NumPy element-wise addition: {c_np}")

a_torch = torch.tensor([1, 2, 3])
b_torch = torch.tensor([4, 5, 6])
c_torch = a_torch + b_torch
print(f"PyTorch element-wise addition: {c_torch}")

x = torch.tensor(2.0, requires_grad=True)  # Tell PyTorch to track gradients for x
y = x**2 + 5
z = y * 3
z.backward()  # Compute gradients
print(f"Gradient of z with respect to x: {x.grad}")
g = x.grad

# Create a 4x8 tensor with default float32 data type
x = torch.zeros(4, 8)
print(f"Tensor x:\n{x}")
print(f"Data type of x: {x.dtype}")
print(f"Shape of x: {x.shape}")

# Create an uninitialized tensor
y = torch.empty(2, 2)
print(f"Uninitialized tensor y:\n{y}")

rows, cols = 4, 8
num_elements = rows * cols
element_size_bytes = 4  # for float32 (32 bits)
memory_usage = num_elements * element_size_bytes
print(f"Memory usage for a {rows}x{cols} float32 tensor: {memory_usage} bytes")

x = torch.tensor([[1, 2, 3],
                  [4, 5, 6]])
print(f"Strides of x: {x.stride()}")  # (3, 1) if contiguous
print(f"Is x contiguous? {x.is_contiguous()}")  # True

# Transposing creates a view with different strides
y = x.T  # Equivalent to x.transpose(0, 1)
print(f"Transposed view y:\n{y}")
print(f"Do x and y share storage? {x.storage().data_ptr() == y.storage().data_ptr()}")  # True

y = torch.randn(2, 3).T
z = y.contiguous()
print(f"Contiguous copy z:\n{z}")
print(f"Is z contiguous? {z.is_contiguous()}")  # True

# Create a tensor on CPU
x_cpu = torch.zeros(3, 3)
print(f"x_cpu device: {x_cpu.device}")
if torch.cuda.is_available():
    x_gpu = x_cpu.to('cuda')
    y_gpu = torch.ones(3, 3, device='cuda')
else:
    print("CUDA is not available. Running on CPU.")
