"""One training by a recipe, from the first weights to what is written down about it."""

import datetime
import hashlib
import json
import math
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import safetensors
import torch

from course_lib.config import BertConfig, GPTConfig, TrainConfig, TransformerConfig
from course_lib.data.randomness import generator_for
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.models.shipped import Shipped
from course_lib.training.changes import apply_changes, reshaped
from course_lib.training.container import read_container
from course_lib.training.devices import InBFloat16
from course_lib.training.loop import StepRecord, train_on
from course_lib.training.objectives import device_of, looking
from course_lib.training.processes import ALONE, Processes
from course_lib.training.recipes.recipe import Material, Recipe
from course_lib.training.recipes.shown import bits_per_byte
from course_lib.training.shared import Shared
from course_lib.training.state import TrainState, resume, save
from course_lib.training.tasks import on_device

_MODELS = {GPTConfig: GPT, BertConfig: BertPretraining}
_EVERYTHING = 10**9  # rows: as many held-out ones as there are


class Run:
    """The state of a training, and the records of its updates.

    Args:
        recipe: which one.
        steps: another number of updates than the recipe's, or the name of a budget.
        seed: of the first weights and of every draw.
        text, ids: others than the recipe's.
        changes: other values for fields of the shape or the settings, by name.
        device: where to compute.
        bf16: whether matrix products are rounded to 16 bits.
        processes: that share each batch; every one of them makes the same run.
    """

    def __init__(
        self, recipe: Recipe, steps: int | str | None = None, seed: int = 0, *,
        text: str | None = None, ids: str | None = None,
        changes: Mapping[str, Any] | None = None, device: str | torch.device = "cpu",
        bf16: bool = False, processes: Processes = ALONE,
    ):  # fmt: skip
        settings = _settings(recipe.settings, recipe.steps(steps), seed)
        # Shape and settings are checked before the text is made, which takes a while.
        _, tried = apply_changes(recipe.shape(256), settings, changes or {})
        processes.require_rows(tried.batch_size)
        own = recipe.ids if text is None else None
        self.recipe, self.bf16, self.processes = recipe, bf16, processes
        self.material = recipe.material(recipe.text if text is None else text, ids or own)
        shape, settings = _fitted(recipe, self.material, settings, changes or {})
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = _MODELS[type(shape)](shape).to(device)
        self.task = InBFloat16(self.material.task) if bf16 else self.material.task
        if processes.world > 1:
            self.task = Shared(self.task, processes)
        self.state = TrainState.fresh(model, settings)
        self.records: list[StepRecord] = []

    def __iter__(self) -> Iterator[StepRecord]:
        """Train, handing out a record after each update; a run that was stopped goes on."""
        for record in train_on(self.state, self.task):
            self.records.append(record)
            yield record

    def shipped(self) -> Shipped:
        """Return the trained model with its vocabulary, as ``models.shipped.write`` takes it."""
        return self.material.ship(self.recipe.name, self.state.model.eval())

    def save(self, path: str | os.PathLike) -> None:
        """Save a checkpoint that :meth:`resume` goes on from."""
        save(self.state, path, self.identity())

    def resume(self, path: str | os.PathLike) -> None:
        """Bring a fresh run to where a checkpoint is.

        Raises:
            ValueError: if the file is damaged, or of a run of another recipe, text, shape,
                seed or setting; the run is then as it was.
        """
        saved, here = read_container(path)[1]["notes"].get("run", {}), self.identity()
        if odd := [key for key in saved | here if saved.get(key) != here.get(key)]:
            differences = ", ".join(f"{k}={here.get(k)} (saved {saved.get(k)})" for k in odd)
            raise ValueError(f"the checkpoint is of another run, with {differences}. "
                             "Give the same options as then.")  # fmt: skip
        self.state = resume(path, self.state.model)

    def identity(self) -> dict[str, Any]:
        """All that decides what the run learns, as JSON holds it."""
        described = {
            "recipe": self.recipe.name, "text": self.material.text, "ids": self.material.ids,
            "text_fingerprint": self._fingerprint(), "bf16": self.bf16,
            **asdict(self.state.model.config), **asdict(self.state.config),
        }  # fmt: skip
        return json.loads(json.dumps(described))

    def header(self, command: str) -> dict[str, Any]:
        """What is trained, how, and by what command."""
        return {
            "name": self.recipe.name,
            "command": command,
            "date": datetime.date.today().isoformat(),
            "text": self.material.text,
            "ids": self.material.ids,
            "licence": self.material.licence,
            "attribution": self.material.attribution,
            "parameters": sum(p.numel() for p in self.state.model.parameters()),
            "model": asdict(self.state.model.config),
            "settings": asdict(self.state.config),
            "floors": dict(self.material.floors),
            "processes": self.processes.world,
            "threads": torch.get_num_threads(),
            "device": device_of(self.state.model).type,
            "bf16": self.bf16,
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__.split("+")[0],
                "safetensors": safetensors.__version__,
            },
        }

    def log(self, command: str) -> dict[str, Any]:
        """Write down what was trained, how, how well, and by what command."""
        looks = [r for r in self.records if r.measured]
        measured = self.measure()
        return {
            **self.header(command),
            "tokens_seen": self.tokens_seen(),
            "seconds": round(math.fsum(r.seconds for r in self.records), 1),
            "floor": self.material.floors.get("loss"),
            "validation_loss": measured["loss"],
            "measured": measured,
            **self._besides(measured),
            "steps": [r.step for r in looks],
            "validation_losses": [round(r.validation_loss, 4) for r in looks],
            "train_losses": [round(self._recent(r.step), 4) for r in looks],
            "looks": {name: [_rounded(r.measured.get(name)) for r in looks] for name in measured},
        }

    def tokens_seen(self) -> int:
        """How many tokens the updates so far have read, by the mean length of a row."""
        rows = self.state.step * self.state.config.batch_size
        return round(rows * self.material.tokens_a_row(self.state.model.config.max_seq_len))

    def measure(self) -> dict[str, float]:
        """All figures of the task, over the whole held-out part."""
        model = self.state.model
        batch = self.task.fixed(model.config.max_seq_len, _EVERYTHING)
        with looking(model):
            there = on_device(batch, device_of(model))
            return dict(self.task.measure(model, there, 50))

    def _besides(self, measured: Mapping[str, float]) -> dict[str, Any]:
        """What the log keeps where there is such a thing."""
        kept, size = {}, self.material.bytes_per_token
        if size is not None:
            kept["bits_per_byte"] = round(bits_per_byte(measured["loss"], size), 4)
        if self.material.shown is not None:
            kept["shown"] = dict(self.material.shown(self.shipped()))
        return kept

    def _recent(self, step: int, n: int = 50) -> float:
        """The training loss, averaged over the last updates up to a step."""
        losses = [r.train_loss for r in self.records if step - n < r.step <= step]
        return math.fsum(losses) / len(losses)

    def _fingerprint(self) -> str:
        """A hash of some of the rows of the text, which another text would not have."""
        seq_len, digest = self.state.model.config.max_seq_len, hashlib.sha256()
        rows = self.material.task.draw(seq_len, 32, generator_for(0, 0, "fingerprint"))
        for part in (*rows, *self.material.task.fixed(seq_len, 8)):
            digest.update(str(part.tolist()).encode())
        return digest.hexdigest()[:16]


def _rounded(value: float | None) -> float | None:
    """A figure of a look, which may lack it."""
    return None if value is None else round(value, 4)


def _settings(settings: TrainConfig, steps: int, seed: int) -> TrainConfig:
    """The recipe's settings for so many updates; the warm-up fits into them."""
    warmup = max(0, min(settings.warmup_steps, steps - 1))
    return replace(settings, total_steps=steps, warmup_steps=warmup, seed=seed)


def _fitted(
    recipe: Recipe, material: Material, settings: TrainConfig, changes: Mapping[str, Any]
) -> tuple[TransformerConfig, TrainConfig]:
    """Shape and settings for this text, long enough for a text that is never cut."""
    shape = recipe.shape(material.vocab_size)
    if material.longest is not None and material.longest > shape.max_seq_len:
        shape = reshaped(shape, {"max_seq_len": material.longest})
    return apply_changes(shape, settings, changes)
