"""A training process that kills itself; run by test_kill.py.

Usage: python killed.py CHECKPOINT LOSSES [never | update STEP | save STEP]
"""

import os
import signal
import sys
from pathlib import Path

import tiny
import torch

from course_lib.training.loop import train
from course_lib.training.state import resume, save


def die(*_):
    # SIGKILL cannot be caught; on Windows, SIGTERM is TerminateProcess, which cannot either.
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def main(checkpoint, losses, moment, at=0):
    torch.set_num_threads(1)
    state = resume(checkpoint) if checkpoint.exists() else tiny.fresh()
    with open(losses, "a", encoding="utf8") as file:
        for record in train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS):
            print(
                record.step, record.train_loss.hex(), record.validation_loss, file=file, flush=True
            )
            if moment == "update" and record.step == at - 1:
                state.model.blocks[1].register_full_backward_hook(die)
            if moment == "save" and record.step == at:
                os.fsync = die
            if record.step % 3 == 0:
                save(state, checkpoint)


main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], *map(int, sys.argv[4:]))
