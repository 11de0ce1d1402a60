"""Topics from frozen features: a published encoder read once, and one layer on top (lesson 63)."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from course_lib.data.labelled_texts import LabelledTexts
from course_lib.experiments.logistic_regression import fit_layer
from course_lib.models.bert import Bert
from course_lib.training.objectives import device_of, looking

RECORDED = Path(__file__).with_name("topics.json")
DECAYS = (1e-5, 1e-4, 1e-3, 1e-2)
FIRST, MEAN = POOLS = ("[CLS]", "mean of all positions")


def features(
    encoder: Bert, texts: LabelledTexts, batch_size: int = 32
) -> dict[str, Float[Tensor, "text d_model"]]:
    """Read every text once, and keep one vector of each: the first position's, and the mean.

    Cost:
        one forward pass a text; texts of about one length are read together.
    """
    device, by_length = device_of(encoder), texts.lengths.argsort(stable=True)
    found = {pool: torch.zeros(len(texts), encoder.config.d_model) for pool in POOLS}
    with looking(encoder):
        for chosen in by_length.split(batch_size):
            token_ids, real, segment_ids, _ = (part.to(device) for part in texts.pick(chosen))
            x = encoder(token_ids, real, segment_ids)
            found[FIRST][chosen] = x[:, 0].cpu()
            weights = real.unsqueeze(-1).to(x.dtype)
            found[MEAN][chosen] = ((x * weights).sum(1) / weights.sum(1)).cpu()
    return found


def bags(texts: LabelledTexts, pieces: Int64[Tensor, " piece"]) -> Float[Tensor, "text piece"]:
    """Mark which of some pieces each text holds."""
    n_ids = int(max(texts.rows.token_ids.max(), pieces.max())) + 1
    place = torch.full((n_ids,), len(pieces))  # of each id; all others share a last place
    place[pieces] = torch.arange(len(pieces))
    found = torch.zeros(len(texts), len(pieces) + 1)
    found.scatter_reduce_(1, place[texts.rows.token_ids], texts.rows.real.float(), "amax")
    return found[:, :-1]


def common_pieces(texts: LabelledTexts, at_least: int = 2) -> Int64[Tensor, " piece"]:
    """List the ids that stand in so many of the texts: of a rarer one there is little to learn."""
    rows = (set(row[real].tolist()) for row, real in zip(*texts.rows[:2], strict=True))
    counts = Counter(token_id for row in rows for token_id in row)
    return torch.tensor(sorted(i for i, n in counts.items() if n >= at_least))


def layer_right(
    train: tuple[Tensor, Tensor], choice: tuple[Tensor, Tensor], test: tuple[Tensor, Tensor],
    n_classes: int,
) -> Bool[Tensor, " text"]:  # fmt: skip
    """Fit a layer with each decay, take the one that is best on ``choice``, and test it.

    Args:
        train, choice, test: features and labels.

    Returns:
        of each text of ``test``, whether the layer names its label.
    """
    fitted = [fit_layer(*train, n_classes, decay) for decay in DECAYS]
    best = max(fitted, key=lambda layer: _right(layer, *choice).double().mean().item())
    return _right(best, *test)


def _right(layer: nn.Linear, x: Tensor, labels: Tensor) -> Bool[Tensor, " text"]:
    return layer(x).argmax(-1) == labels


@dataclass(frozen=True)
class TopicResults:
    """What was recorded about topics; ``bench --topics`` makes the file.

    Attributes:
        names: of the topics.
        frozen: shares of right test sentences of a layer on each kind of feature.
        bag, commonest: of a bag of words, and of always naming the commonest topic.
        only_frozen, only_bag: test sentences on which only one of both is right; frozen stands
            for the mean of all positions.
        by_labels: shares of the frozen features' mean and of the bag, by number of labels.
        full: of whole fine-tuned encoders, one for each seed; with the settings in ``full_how``.
        tried: of each rate of the full runs, on the sentences to choose on.
        n_train, n_choice, n_test, command, date, machine: how it was measured.
    """

    names: tuple[str, ...]
    frozen: Mapping[str, float]
    bag: float
    commonest: float
    only_frozen: int
    only_bag: int
    by_labels: Mapping[int, Mapping[str, float]]
    full: tuple[float, ...]
    full_how: str
    tried: Mapping[str, float]
    n_train: int
    n_choice: int
    n_test: int
    command: str
    date: str
    machine: str

    def interval(self, share: float) -> tuple[float, float]:
        """The 95 % interval of a share that was measured on the test sentences."""
        return share_interval(share, self.n_test)

    def lead(self) -> tuple[float, float]:
        """The 95 % interval of how far frozen features are ahead of the bag, on the same texts.

        Only the sentences on which one of both is right tell them apart.
        """
        ahead, apart = self.only_frozen - self.only_bag, self.only_frozen + self.only_bag
        half = 1.959964 * math.sqrt(apart - ahead**2 / self.n_test)
        return (ahead - half) / self.n_test, (ahead + half) / self.n_test


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share of n independent answers.

    Source:
        Wilson 1927, Journal of the American Statistical Association 22, 209-212.
    """
    if not 0 <= share <= 1 or n < 1:
        raise ValueError(f"share must lie in [0, 1] and n be >= 1, got {share} and {n}")
    z = 1.959964
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return middle - half, middle + half


def recorded_topics(path: Path = RECORDED) -> TopicResults:
    """Read the file.

    Raises:
        ValueError: if it is not such a file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf8"))
        lists = {name: tuple(found.pop(name)) for name in ("names", "full")}
        sizes = {int(n): shares for n, shares in found.pop("by_labels").items()}
        return TopicResults(**lists, by_labels=sizes, **found)
    except FileNotFoundError as error:
        raise ValueError(f"{path.name} is missing: bench --topics makes it") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path.name} is no record of topics: {error!r}") from error
