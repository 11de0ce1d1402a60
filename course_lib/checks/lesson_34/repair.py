"""Lesson 34: an initialisation with the usual bugs, to be repaired."""

import copy
import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_34.repair_mistakes import MISTAKES
from course_lib.checks.lesson_34.tiny_gpt import TinyGPT
from course_lib.checks.run import Case


class _ModelCase(Case):
    """A case whose model is a fresh copy for every call, since it is changed in place."""

    def copies(self):
        return copy.deepcopy(list(self.inputs.values()))


def _stub(model, std, n_layers):
    """Draw all weights with spread std, the writers' smaller for depth; return every spread."""
    def draw(module):
        if isinstance(module, (torch.nn.Linear, torch.nn.Embedding)):
            torch.nn.init.normal_(module.weight, 0.0, std**2)

    for name, weight in model.named_parameters():
        if "proj" in name:
            torch.nn.init.normal_(weight, 0.0, std / math.sqrt(n_layers))
    model.apply(draw)
    return torch.tensor([weight.std().item() for weight in model.parameters()])  # fmt: skip


def _solution(model, std, n_layers):
    def draw(module):
        if isinstance(module, (torch.nn.Linear, torch.nn.Embedding)):
            torch.nn.init.normal_(module.weight, 0.0, std)  # a standard deviation

    model.apply(draw)  # first, or it would draw over the writers
    for name, weight in model.named_parameters():
        if name.endswith("c_proj.weight"):  # not proj_in
            torch.nn.init.normal_(weight, 0.0, std / math.sqrt(2 * n_layers))
    return torch.tensor([weight.std().item() for weight in model.parameters()])


repair_initialise = Exercise(
    name="lesson_34.repair_initialise",
    task=(
        "`model` is a GPT of `n_layers` blocks. Its matrices, in order: `wte.weight`, "
        "`proj_in.weight`, and in each block `h.i.attn.c_attn.weight`, `h.i.attn.c_proj.weight`, "
        "`h.i.mlp.c_fc.weight`, `h.i.mlp.c_proj.weight`. All are to have standard deviation "
        "`std`, but the two of a block that write to the stream, the `c_proj`, the standard "
        "deviation `std` over the root of 2L. The function runs and has four bugs. Repair it. It "
        "returns the standard deviations of all matrices, in this order."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "`normal_` takes a standard deviation, so $\\sigma$ is passed and not its square. "
        "`apply` goes through all modules, so it comes first: what runs last decides. "
        "`\"proj\" in name` also finds `proj_in`, which writes once, not once a block. And each "
        "block writes twice, so it is $2L$ under the root."
    ),
    cases=(
        _ModelCase({"model": TinyGPT(2), "std": 0.02, "n_layers": 2}),
        _ModelCase({"model": TinyGPT(3), "std": 0.1, "n_layers": 3}),
    ),
    mistakes=MISTAKES,
    hints=(
        "Print the spreads of all matrices before and after the call. Which of them have been "
        "drawn twice, and by which line last?",
        "Look up what the third argument of `torch.nn.init.normal_` is, which names hold the four "
        "letters that the loop looks for, and count how often a block adds to the stream.",
        "```python\nmodel.apply(...)                 # everything\n"
        "for name, weight in model.named_parameters():\n"
        "    if name.endswith(...):       # the writers\n        ...\n```",
    ),
    returns=("the standard deviations",),
    rtol=0.1,  # 4096 weights or more: a spread is known to 1.1%
)  # fmt: skip
