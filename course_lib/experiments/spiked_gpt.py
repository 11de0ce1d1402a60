"""A small GPT in the middle of its training; something goes wrong; seven ways to go on (lesson 44).

The task is to repeat twelve letters, of which one in ten is smudged in the repetition.  So the
loss has a floor above 0, and gradients never die down.
"""

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from course_lib.config import require_whole
from course_lib.experiments.copy_task import LENGTH, N_LETTERS, Texts, copier_config, copy_texts
from course_lib.experiments.watched_attention import WatchedAttention
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.models.gpt import GPT
from course_lib.optim.clipping import clip_by_global_norm
from course_lib.optim.spike_guard import SpikeGuard

CORRUPTED, GROWTH, OVERFLOW, RATE = INJURIES = (
    "corrupted batches",
    "output logits grow",
    "overflow in the scores",
    "rate too high",
)
NOTHING, CLIP, SKIP, LOWER, REWIND, REWIND_LOWER, QK_NORM = REMEDIES = (
    "nothing",
    "clip",
    "skip",
    "lower the rate",
    "rewind",
    "rewind + lower",
    "qk-norm",
)
# No remedies but tests: the high rate is for all parameters but these.  The second has as many.
# In the third, queries and keys also grow, as they do by themselves at the high rate.
CALM_QK, CALM_VO, CALM_GROWN_QK = TESTS = (
    "usual rate for q and k",
    "usual rate for v and out",
    "usual rate for q and k, both grown",
)
CALM_PART = {CALM_QK: "q and k", CALM_VO: "v and out", CALM_GROWN_QK: "q and k"}
N_STEPS, ONSET, NOTICED = 80, 21, 31  # the injury begins; somebody lowers the rate or rewinds
LR, BATCH, SMUDGED = 3e-3, 8, 0.1
PARTS = ("q and k", "v and out", "the rest")


def smudged_texts(generator: torch.Generator) -> Texts:
    """Texts of the copy task; in the repetition one letter in ten is drawn anew."""
    token_ids, targets = copy_texts(generator, BATCH)
    smudged = torch.rand(BATCH, LENGTH, generator=generator) < SMUDGED
    fresh = torch.randint(N_LETTERS, (BATCH, LENGTH), generator=generator)
    repeated = torch.where(smudged, fresh, targets[:, LENGTH - 1 :])
    token_ids, targets = token_ids.clone(), targets.clone()
    token_ids[:, LENGTH:], targets[:, LENGTH - 1 :] = repeated[:, :-1], repeated
    return token_ids, targets


@dataclass(frozen=True)
class Checkpoint:
    """A model and its optimiser's state; whoever goes on from it takes a copy."""

    model: GPT
    optimizer: dict


@dataclass(frozen=True)
class SpikeStep:
    """One step of all runs, before the update; NaN where a run has ended.

    Attributes:
        losses: on clean texts.
        norms: of the gradient that is trained on.
        scores: the largest product of a query and a key.
        batch_losses: on the batch that is trained on, corrupted or not.
    """

    step: int
    losses: dict[str, float]
    norms: dict[str, float]
    scores: dict[str, float]
    batch_losses: dict[str, float]


@dataclass(frozen=True)
class Healthy:
    """Two models that were trained alike, without and with qk-norm, and their usual norm."""

    plain: Checkpoint
    qk_norm: Checkpoint
    usual_norm: float
    seed: int


def healthy_models(n_steps: int = 160, seed: int = 0) -> Healthy:
    """Train both models until they have learnt the task."""
    require_whole(20, n_steps=n_steps)
    require_whole(0, seed=seed)
    plain, norms = _trained(n_steps, seed, qk_norm=False)
    with_norm, _ = _trained(n_steps, seed, qk_norm=True)
    return Healthy(plain, with_norm, sum(norms[-20:]) / 20, seed)


def _trained(n_steps: int, seed: int, qk_norm: bool) -> tuple[Checkpoint, list[float]]:
    """A model after so many steps, and the gradient norm of each."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GPT(copier_config())
    for block in model.blocks:
        block.attn = WatchedAttention(block.attn, qk_norm)
    optimizer = _adam(model)
    texts = torch.Generator().manual_seed(seed)
    norms = []
    for _ in range(n_steps):
        token_ids, targets = smudged_texts(texts)
        norms.append(_backward(model, token_ids, targets)[1])
        optimizer.step()
    return Checkpoint(model, optimizer.state_dict()), norms


def _adam(model: GPT, state: dict | None = None) -> torch.optim.Optimizer:
    """Adam for this model, fresh or with a copy of a state."""
    named = list(model.named_parameters())
    groups = [[p for name, p in named if _part(name) == part] for part in PARTS]
    optimizer = torch.optim.Adam([{"params": g} for g in groups], lr=LR, betas=(0.9, 0.98))
    if state is not None:
        optimizer.load_state_dict(copy.deepcopy(state))
    return optimizer


def _part(name: str) -> str:
    """Which part of the model a parameter belongs to; one of PARTS."""
    if ".q_proj." in name or ".k_proj." in name:
        return "q and k"
    return "v and out" if ".v_proj." in name or ".out_proj." in name else "the rest"


def _backward(model: GPT, token_ids: Tensor, targets: Tensor) -> tuple[float, float]:
    """Leave the gradients at the model; return the loss and their norm."""
    model.zero_grad()
    loss = cross_entropy(model(token_ids), targets)
    loss.backward()
    norms = [p.grad.norm() for p in model.parameters()]
    return loss.item(), torch.stack(norms).norm().item()


class _Run:
    """One remedy: a copy of the healthy model that goes on through the injury."""

    def __init__(
        self,
        remedy: str,
        injury: str | None,
        healthy: Healthy,
        rate_factor: float,
        score_dtype: torch.dtype = torch.float16,
    ):
        self.remedy, self.injury, self.rate_factor = remedy, injury, rate_factor
        self.rewinds = remedy in (REWIND, REWIND_LOWER)
        self.lowers = remedy in (LOWER, REWIND_LOWER)
        self.score_dtype = score_dtype if injury == OVERFLOW else None
        self.usual_norm = healthy.usual_norm
        self.over = False
        self.guard = SpikeGuard()
        self._start_from(healthy.qk_norm if remedy == QK_NORM else healthy.plain)
        self.saved = None

    def _start_from(self, checkpoint: Checkpoint) -> None:
        self.model = copy.deepcopy(checkpoint.model)
        self.optimizer = _adam(self.model, checkpoint.optimizer)
        for block in self.model.blocks:
            block.attn.score_dtype = self.score_dtype

    def step(self, step: int, token_ids: Tensor, targets: Tensor) -> tuple[float, ...]:
        """Make one step; return the numbers of a ``SpikeStep``."""
        self._rewind_or_save(step)
        if self.over:
            return (math.nan,) * 4
        self._injure(step)
        graded = self._graded(step, targets)
        batch_loss, norm = _backward(self.model, token_ids, graded)
        loss = batch_loss
        largest = max(block.attn.largest for block in self.model.blocks)
        if graded is not targets:
            with torch.no_grad():
                loss = cross_entropy(self.model(token_ids), targets).item()
        self._update(step, norm)
        return loss, norm, largest, batch_loss

    def _rewind_or_save(self, step: int) -> None:
        if not self.rewinds:
            return
        if step == ONSET:
            self.saved = Checkpoint(copy.deepcopy(self.model), self.optimizer.state_dict())
            self.saved = copy.deepcopy(self.saved)
        elif step == NOTICED:
            self._start_from(self.saved)
            self.over = False

    @torch.no_grad()
    def _injure(self, step: int) -> None:
        """Ten steps in which the weights grow, for the injuries that lie in the weights."""
        if not ONSET <= step < NOTICED:
            return
        if self.injury == GROWTH:
            self.model.final_norm.weight.mul_(1.25)
            self.model.final_norm.bias.mul_(1.25)
        if self.injury == OVERFLOW or self.remedy == CALM_GROWN_QK:
            factor = 1.5 if self.injury == OVERFLOW else 1.36
            for block in self.model.blocks:
                for proj in (block.attn.q_proj, block.attn.k_proj):
                    proj.weight.mul_(factor)
                    proj.bias.mul_(factor)

    def _graded(self, step: int, targets: Tensor) -> Tensor:
        """Three batches say that every next letter is letter 0."""
        if self.injury != CORRUPTED or not ONSET <= step < ONSET + 3:
            return targets
        return torch.where(targets == IGNORE, targets, 0)

    def _update(self, step: int, norm: float) -> None:
        """Let the remedy act, and the optimiser, unless the run has ended."""
        lets_in = True
        if self.remedy == SKIP:
            try:
                lets_in = self.guard.lets_in(norm)
            except ValueError:  # nothing but NaN for many steps
                self.over = True
        elif not math.isfinite(norm):
            self.over = True  # an update would make every weight NaN
        if self.over or not lets_in:
            return
        if self.remedy == CLIP:
            clip_by_global_norm(self.model.parameters(), self.usual_norm)
        for part, group in zip(PARTS, self.optimizer.param_groups, strict=True):
            group["lr"] = self._rate(step, part)
        self.optimizer.step()

    def _rate(self, step: int, part: str) -> float:
        """The learning rate of a part of the model."""
        if self.injury != RATE or step < ONSET or part == CALM_PART.get(self.remedy):
            rate = LR
        else:
            rate = LR * self.rate_factor
        return rate / 10 if self.lowers and step >= NOTICED else rate


def inject(
    healthy: Healthy,
    injury: str | None,
    remedies: Sequence[str] = REMEDIES,
    n_steps: int = N_STEPS,
    *,
    rate_factor: float = 30.0,
    score_dtype: torch.dtype = torch.float16,
) -> Iterator[SpikeStep]:
    """Go on from the healthy models, injure all from step ONSET on, and treat each differently.

    All runs read the same texts.  ``clip`` shortens gradients to the usual norm from the start,
    ``skip`` asks a ``SpikeGuard``, ``lower the rate`` divides it by 10 at step NOTICED, ``rewind``
    goes back there to the weights from before the injury, and reads on; ``rewind + lower`` does
    both.

    Args:
        healthy: see ``healthy_models``.
        injury: one of INJURIES, or None.
        remedies: which runs; each one of REMEDIES or TESTS.
        n_steps: how many steps.
        rate_factor: how many times the learning rate is too high.
        score_dtype: what the injury OVERFLOW keeps scores in.
    """
    if injury is not None and injury not in INJURIES:
        raise ValueError(f"injury must be None or one of {INJURIES}, got {injury!r}")
    unknown = [remedy for remedy in remedies if remedy not in (*REMEDIES, *TESTS)]
    if unknown or not remedies:
        raise ValueError(f"remedies must be some of {REMEDIES}, got {tuple(remedies)!r}")
    require_whole(1, n_steps=n_steps)
    runs = [_Run(remedy, injury, healthy, rate_factor, score_dtype) for remedy in remedies]
    return _steps(runs, n_steps, healthy.seed)


def _steps(runs: Sequence[_Run], n_steps: int, seed: int) -> Iterator[SpikeStep]:
    """The steps themselves; apart, so that bad input is named at the call."""
    texts = torch.Generator().manual_seed(5000 + seed)
    for step in range(1, n_steps + 1):
        token_ids, targets = smudged_texts(texts)
        found = {run.remedy: run.step(step, token_ids, targets) for run in runs}
        numbers = [{name: values[i] for name, values in found.items()} for i in range(4)]
        yield SpikeStep(step, *numbers)
