"""What is made up for parameters, and the sizes that it has."""
