"""Recipes: all that it takes to train a model again, under a name."""

import math
import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

import safetensors
import torch

from course_lib.config import GPTConfig, TrainConfig
from course_lib.data.training_text import TrainingText, story_ids
from course_lib.data.whole_texts import WholeTexts
from course_lib.models.gpt import GPT
from course_lib.models.shipped import Shipped
from course_lib.training.loop import StepRecord, train
from course_lib.training.objectives import mean_loss
from course_lib.training.state import TrainState


@dataclass(frozen=True)
class Recipe:
    """A text, a shape and settings.

    Args:
        text: makes the text, some seconds' work.
        shape: of the model; ``vocab_size`` is the text's.
        settings: how it is trained.
    """

    name: str
    text: Callable[[], TrainingText]
    shape: Callable[[int], GPTConfig]
    settings: TrainConfig


def _stories_shape(vocab_size: int) -> GPTConfig:
    """A model that reads the longest story, 88 tokens with its boundary.

    A width this small wants wider weights at the start than GPT-2's 0.02: with 0.07, about
    0.7 / sqrt(d_model), it begins to look up who has what several times earlier.
    """
    return GPTConfig(vocab_size, 96, d_model=96, n_layers=4, n_heads=4, init_std=0.07)


def _stories() -> TrainingText:
    """40,000 stories, each word a token."""
    return story_ids(n_stories=40_000)


STORIES_GPT = Recipe(
    "stories-gpt", _stories, _stories_shape,
    TrainConfig(2600, batch_size=12, lr=2.5e-3, min_lr=1e-4, warmup_steps=50, betas=(0.9, 0.99),
                eval_every=200, eval_batches=20, sample_every=0),
)  # fmt: skip
RECIPES = {recipe.name: recipe for recipe in (STORIES_GPT,)}


class Run:
    """One training by a recipe: the state, and what is written down about it.

    Args:
        recipe: which one.
        steps: another number of updates than the recipe's.
        seed: of the first weights and of every draw.
    """

    def __init__(self, recipe: Recipe, steps: int | None = None, seed: int = 0):
        self.recipe, self.text = recipe, recipe.text()
        steps = recipe.settings.total_steps if steps is None else steps
        warmup = min(recipe.settings.warmup_steps, steps - 1)
        settings = replace(
            recipe.settings, total_steps=steps, warmup_steps=max(0, warmup), seed=seed
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = GPT(recipe.shape(self.text.vocab_size))
        self.state = TrainState.fresh(model, settings)
        self.records: list[StepRecord] = []

    def __iter__(self) -> Iterator[StepRecord]:
        """Train, handing out a record after each update."""
        for record in train(self.state, self.text.train, self.text.validation):
            self.records.append(record)
            yield record

    def shipped(self) -> Shipped:
        """Return the trained model with its tokenizer."""
        text = self.text
        return Shipped(self.recipe.name, self.state.model.eval(), text.tokenizer, text.boundary_id)

    def log(self, command: str) -> dict:
        """Write down what was trained, how, how well, and by what command."""
        looks = [r for r in self.records if r.validation_loss is not None]
        return {
            "name": self.recipe.name,
            "command": command,
            "text": self.text.name,
            "tokens_seen": self._tokens_seen(),
            "parameters": sum(p.numel() for p in self.state.model.parameters()),
            "model": asdict(self.state.model.config),
            "settings": asdict(self.state.config),
            "floor": self.text.floor,
            "validation_loss": self._validation_loss(),
            "seconds": round(sum(r.seconds for r in self.records), 1),
            "threads": torch.get_num_threads(),
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__.split("+")[0],
                "safetensors": safetensors.__version__,
            },
            "steps": [r.step for r in looks],
            "validation_losses": [round(r.validation_loss, 4) for r in looks],
            "train_losses": [round(self._recent(r.step), 4) for r in looks],
        }

    def _tokens_seen(self) -> int:
        """How many tokens were predicted in training, by the mean length of a text."""
        texts = self.text.train
        assert isinstance(texts, WholeTexts), "only whole texts have a recipe so far"
        drawn = self.state.step * self.state.config.batch_size
        return round(drawn * texts.n_scored / len(texts))

    def _recent(self, step: int, n: int = 50) -> float:
        """The training loss, averaged over the last updates."""
        losses = [r.train_loss for r in self.records[max(0, step - n) : step]]
        return math.fsum(losses) / len(losses)

    def _validation_loss(self) -> float:
        """The mean loss over every held-out text, in nats a token."""
        held_out = self.text.validation
        assert isinstance(held_out, WholeTexts)
        return mean_loss(self.state.model, held_out.inputs, held_out.targets, 50)
