import torch
import torch.nn as nn
import torch.optim as optim
import matplotlib.pyplot as plt

# 1. Data Generation
# We'll generate some synthetic data with a known true relationship
# y = 2x + 1 + noise
true_m = 2.0
true_b = 1.0
num_samples = 100

X = torch.randn(num_samples, 1) * 10  # Random X values, scaled
noise = torch.randn(num_samples, 1) * 2  # Add some noise for realism
y_true = true_m * X + true_b + noise

# 2. Define the Model
# In PyTorch, models are defined by inheriting from nn.Module
class LinearRegression(nn.Module):
    def __init__(self):
        super().__init__()
        # nn.Linear creates two parameters: weight (m) and bias (b)
        # It expects input features, output features
        self.linear = nn.Linear(in_features=1, out_features=1)

    def forward(self, x):
        # The forward pass defines how data flows through the model
        return self.linear(x)

# Instantiate the model
model = LinearRegression()
print(f"Initial model parameters (randomly initialized):\nWeight: {model.linear.weight.item():.4f}, Bias: {model.linear.bias.item():.4f}")

# 3. Define Loss Function and Optimizer
# Loss function: Mean Squared Error (MSE) is common for regression
criterion = nn.MSELoss()

# Optimizer: Stochastic Gradient Descent (SGD)
# It will update the model's parameters (weight and bias) to minimize the loss
optimizer = optim.SGD(model.parameters(), lr=0.01)  # Learning rate is crucial!

# Move model and data to GPU if available
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
X = X.to(device)
y_true = y_true.to(device)

# 4. Training Loop
num_epochs = 500
for epoch in range(num_epochs):
    # Forward pass: Compute predicted y by passing x to the model
    y_pred = model(X)

    # Calculate loss
    loss = criterion(y_pred, y_true)

    # Backward pass: Compute gradients of loss with respect to model parameters
    # This is where PyTorch's autograd system comes into play!
    optimizer.zero_grad()  # Clear previous gradients
    loss.backward()  # Compute gradients
    optimizer.step()  # Update parameters using the gradients

    if (epoch + 1) % 50 == 0:
        print(f'Epoch [{epoch+1}/{num_epochs}], Loss: {loss.item():.4f}')

# 5. Evaluation
# Move model back to CPU for plotting (if trained on GPU)
model.to('cpu')
X_cpu = X.to('cpu')
y_true_cpu = y_true.to('cpu')
predicted_values = model(X_cpu).detach().numpy()  # .detach() stops gradient tracking, .numpy() converts to NumPy

print(f"\nFinal model parameters:\nWeight: {model.linear.weight.item():.4f}, Bias: {model.linear.bias.item():.4f}")
print(f"True parameters:\nWeight: {true_m:.4f}, Bias: {true_b:.4f}")

# 6. Visualization
plt.figure(figsize=(10, 6))
plt.scatter(X_cpu.numpy(), y_true_cpu.numpy(), label='True Data', alpha=0.7)
plt.plot(X_cpu.numpy(), predicted_values, color='red', label='Learned Regression Line')
plt.xlabel('X')
plt.ylabel('y')
plt.title('Linear Regression with PyTorch')
plt.legend()
plt.grid(True)
plt.show()
