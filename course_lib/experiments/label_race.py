"""Two encoders that learn the same labels side by side (lesson 63)."""

from collections.abc import Iterator, Mapping

from course_lib.config import TrainConfig
from course_lib.data.story_labels import StoryLabels
from course_lib.experiments.fine_tuning import begin, measure, task_of
from course_lib.experiments.race_step import RaceStep
from course_lib.models.bert import BertPretraining
from course_lib.models.fine_tuned import FineTuned
from course_lib.training.loop import train_on


class LabelRace:
    """Fine-tune several encoders in step, each with a head of its own; the draws are the same.

    Iterating makes the steps that are still to come, so an interrupted race can go on.

    Args:
        encoders: by name.
        train, measured_on: labels of one task.
        config: how all of them are trained.
    """

    def __init__(
        self, encoders: Mapping[str, BertPretraining], train: StoryLabels,
        measured_on: StoryLabels, config: TrainConfig,
    ):  # fmt: skip
        self.measured_on, self.task = measured_on, task_of(train, measured_on)
        self.states = {n: begin(encoder, train.task, config) for n, encoder in encoders.items()}

    def __iter__(self) -> Iterator[RaceStep]:
        """Hand out the losses of each step on its batch, before its update."""
        runs = {name: train_on(state, self.task) for name, state in self.states.items()}
        for records in zip(*runs.values(), strict=True):
            losses = {n: each.train_loss for n, each in zip(runs, records, strict=True)}
            yield RaceStep(records[0].step, losses)

    def models(self) -> dict[str, FineTuned]:
        """The models as they are now, ready to answer."""
        return {name: state.model.eval() for name, state in self.states.items()}

    def scores(self) -> dict[str, float]:
        """The share of right answers of each on the held-out labels, as it is now."""
        return {name: measure(model, self.measured_on)[self.task.score]
                for name, model in self.models().items()}  # fmt: skip
