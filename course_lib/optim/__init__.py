"""What turns gradients into a better model: the update rule, its step size, its safety net."""
