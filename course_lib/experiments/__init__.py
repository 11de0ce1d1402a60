"""The measurements that lessons run: pure functions, numbers in, tensors and small records out."""
