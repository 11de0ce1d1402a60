import sys
from pathlib import Path

# tiny.py stands beside the tests that share it; importlib mode does not put it on the path.
sys.path.insert(0, str(Path(__file__).parent))
