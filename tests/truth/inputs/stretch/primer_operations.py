import torch

# Simple matrix multiplication
matrix_a = torch.randn(16, 32)
matrix_b = torch.randn(32, 2)
result = matrix_a @ matrix_b  # or torch.matmul(matrix_a, matrix_b)
print(f"Shape of result: {result.shape}")

# Batched matrix multiplication
batch_size = 4
sequence_length = 10
hidden_dim_in = 64
hidden_dim_out = 128
batched_input = torch.randn(batch_size, sequence_length, hidden_dim_in)
weight_matrix = torch.randn(hidden_dim_in, hidden_dim_out)
batched_output = batched_input @ weight_matrix
print(f"Shape of batched output: {batched_output.shape}")

A = torch.randn(2, 3)  # Example: A = (rows, cols)
B = torch.randn(3, 4)  # Example: B = (cols, new_cols)
C = torch.einsum("ij,jk->ik", A, B)
print(f"EinSum for matrix multiplication result:\n{C.shape}")

batch = 2
seq_len_1 = 5
seq_len_2 = 7
hidden_dim = 8
X = torch.randn(batch, seq_len_1, hidden_dim)  # "bsh" (batch, sequence, hidden)
Y = torch.randn(batch, seq_len_2, hidden_dim)  # "bth" (batch, sequence, hidden)
result = torch.einsum("bsh,bth->bst", X, Y)

tensor = torch.randn(3, 4, 5)  # (batch, seq, hidden)
sum_result = torch.einsum("bsh->bs", tensor)
print(f"EinSum sum result shape: {sum_result.shape}")

B = 64  # Batch size (number of data points)
D = 512  # Input dimension
K = 256  # Output dimension
flops = 2 * B * D * K
print(f"FLOPs for a linear model forward pass: {flops}")
