"""Four heads on one story: what each of them says (lesson 63)."""

from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.data.bert_batch import bert_batch
from course_lib.data.stories.claims import LABELS
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.story_labels import ANSWER, JUDGED, NAMES, PAIR, SINGLE, TAG_NAMES
from course_lib.data.story_pairs import encode_words, story_tokenizer
from course_lib.mechanisms.softmax import softmax
from course_lib.models.fine_tuned import FineTuned, best_span
from course_lib.tokenizers.vocabulary import PAD
from course_lib.training.objectives import device_of, looking


@dataclass(frozen=True)
class FourHeads:
    """What four heads say.

    Attributes:
        words: of the story; ``tags`` has a tag for each.
        question, answer: the answer is ``words[start:stop]`` of the story.
        claim, pair: how likely it is that the claim follows, is false, or is neither.
        sentence, single: how likely it is that the sentence is one.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    question: str
    answer: tuple[int, int]
    claim: str
    pair: Mapping[str, float]
    sentence: str
    single: Mapping[str, float]


def four_heads(
    heads: Mapping[str, FineTuned], story: str, claim: str, question: str, sentence: str
) -> FourHeads:
    """Put a story, a claim, a question and a sentence to four models.

    Raises:
        ValueError: if one of them is empty, or has a word that is not one of the stories'.
    """
    words, claimed, asked, said = (
        _known(name, text) for name, text in
        (("story", story), ("claim", claim), ("question", question), ("sentence", sentence))
    )  # fmt: skip
    pair = softmax(_says(heads[PAIR], words, claimed)[0][0])
    single = softmax(_says(heads[SINGLE], said)[0][0])
    tags = _says(heads[NAMES], words)[0][0].argmax(-1)[1:-1]
    spans, batch = _says(heads[ANSWER], asked, words)
    allowed = batch.segment_ids == 1
    allowed[:, -1] = False  # the last [SEP] is no word
    start, end = best_span(spans, allowed)[0].tolist()
    before = len(asked) + 2  # [CLS], the question and [SEP]
    return FourHeads(
        words, tuple(TAG_NAMES[i] for i in tags.tolist()),
        question, (start - before, end + 1 - before),
        claim, dict(zip(LABELS, pair.tolist(), strict=True)),
        sentence, dict(zip(JUDGED, single.tolist(), strict=True)),
    )  # fmt: skip


def _says(model: FineTuned, first: tuple[str, ...], second: tuple[str, ...] | None = None):
    """What a head says of one text, and the text as it was read."""
    batch = bert_batch([encode_words(first, second)], story_tokenizer().vocabulary.id_of(PAD))
    batch = type(batch)(*(part.to(device_of(model)) for part in batch))
    longest = model.config.max_seq_len
    if batch.token_ids.shape[-1] > longest:
        raise ValueError(
            f"story must fit into {longest} tokens with all else, got {batch.token_ids.shape[-1]}"
        )
    with looking(model):
        return model(*batch), batch


def _known(name: str, text: str) -> tuple[str, ...]:
    """The words of a text, all of them words that the encoder has a piece for."""
    words, vocabulary = tuple(text.split()), set(everyday_stories().vocabulary)
    if not words:
        raise ValueError(f"{name} must hold at least one word")
    strange = [word for word in words if word not in vocabulary]
    if strange:
        raise ValueError(
            f"{name} must be made of the stories' words, with spaces between them; "
            f"got {strange[0]!r}"
        )
    return words
