"""A script in several processes, as torchrun starts them."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def torchrun(n, script, *arguments):
    """Run a script in n processes, without the hook that checks types; wait for its end."""
    paths = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    # A port that is free, and a name that needs no network.
    start = ["--standalone", "--local-addr", "localhost", "--nproc-per-node", str(n)]
    return subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", *start, script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=600, cwd=ROOT,
    )  # fmt: skip
