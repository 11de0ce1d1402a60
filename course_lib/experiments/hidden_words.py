"""Which words a BERT can fill in, and which the perfect reader can: kind by kind (lesson 62)."""

from dataclasses import dataclass

from course_lib.data.stories.entropy import token_kinds
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import MASK
from course_lib.data.stories.sampling import tell
from course_lib.data.stories.words import TOKEN_KINDS
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.fill_mask import first_part, model_answers, perfect_answer
from course_lib.models.bert import BertPretraining


@dataclass(frozen=True)
class KindOfWord:
    """How likely an answer is right, averaged over the words of a kind.

    Attributes:
        model: of the model's likeliest word, given all that the text tells.
        perfect: of the likeliest word there is.
    """

    kind: str
    n_words: int
    model: float
    perfect: float


def by_kind(model: BertPretraining, n_stories: int = 12, seed: int = 6200) -> list[KindOfWord]:
    """Hide every word of some stories, one at a time, and let both readers fill it in.

    An answer counts by the probability that it is right, which the grammar knows, and not by
    whether it happened to be: the mean is the same, with less noise.

    Cost:
        about 0.1 s a story.
    """
    grammar, asked, kinds = everyday_stories(), [], []
    for story in tell(n_stories, seed):
        words = story.words
        cut = first_part(words)
        asked += [((*words[:i], MASK, *words[i + 1 :]), i, cut) for i in range(len(words))]
        kinds += token_kinds(grammar, words)
    tokens = story_tokenizer().vocabulary.tokens
    chosen = [tokens[i] for i in model_answers(model, asked).argmax(dim=-1).tolist()]
    scores: dict[str, list] = {kind: [] for kind in TOKEN_KINDS}
    for (seen, place, _), kind, word in zip(asked, kinds, chosen, strict=True):
        posterior = perfect_answer(seen, place)
        scores[kind].append((posterior.get(word, 0.0), max(posterior.values())))
    return [KindOfWord(kind, len(rows), *_means(rows)) for kind, rows in scores.items() if rows]


def _means(rows: list[tuple[float, float]]) -> tuple[float, float]:
    """Average both columns."""
    model, perfect = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return model, perfect
