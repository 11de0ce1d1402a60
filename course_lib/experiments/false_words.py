"""One word of a whole story shown in four ways: which does a BERT see through (lesson 62)?"""

import random

import torch
from jaxtyping import Bool
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import MASK
from course_lib.data.stories.sampling import tell
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.fill_mask import first_part, model_answers
from course_lib.models.bert import BertPretraining

ITSELF, HIDDEN, FALSE_WORD, OTHER_PIECE = WAYS = (
    "the word itself", "[MASK]", "a false word of the stories", "a piece of no story",
)  # fmt: skip


def named_right(
    model: BertPretraining, n_stories: int = 12, every: int = 3, seed: int = 6201
) -> dict[str, Bool[Tensor, " place"]]:
    """Show some words of whole stories in four ways, one at a time, and ask which word it was.

    All other words stay as they are, so that the four ways differ in one place alone.

    Args:
        every: how far the places of a story that are asked for lie apart.

    Returns:
        For each of ``WAYS`` whether the model's likeliest word is the right one, place by place.
    """
    require_whole(1, n_stories=n_stories, every=every)
    tokenizer, draws = story_tokenizer(), random.Random(seed)
    of_stories = everyday_stories().vocabulary
    others = sorted(set(tokenizer.vocabulary.tokens) - set(of_stories)
                    - set(tokenizer.vocabulary.special_tokens))  # fmt: skip
    asked, truth = {way: [] for way in WAYS}, []
    for story in tell(n_stories, seed):
        words = story.words
        for i in range(0, len(words), every):
            false = draws.choice([word for word in of_stories if word != words[i]])
            for way, put in zip(WAYS, (words[i], MASK, false, draws.choice(others)), strict=True):
                asked[way].append(((*words[:i], put, *words[i + 1 :]), i, first_part(words)))
            truth.append(tokenizer.vocabulary.id_of(words[i]))
    right = torch.tensor(truth)
    return {way: model_answers(model, texts).argmax(dim=-1) == right
            for way, texts in asked.items()}  # fmt: skip
