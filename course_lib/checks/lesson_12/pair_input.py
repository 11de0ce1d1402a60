"""Lesson 12, third exercise: two sentences become one input with segment ids."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(a, b, cls, sep):
    """The token ids and the segment ids of [CLS] A [SEP] B [SEP], or of [CLS] A [SEP]."""
    raise NotImplementedError


def _solution(a, b, cls, sep):
    first = torch.cat([torch.tensor([cls]), a, torch.tensor([sep])])
    second = a[:0] if b is None else torch.cat([b, torch.tensor([sep])])
    token_ids = torch.cat([first, second])
    segment_ids = torch.cat([torch.zeros_like(first), torch.ones_like(second)])
    return token_ids, segment_ids


def _made(*parts):
    """An input from parts (ids, segment)."""
    ids = [list(part) for part, _ in parts]
    segments = [[segment] * len(part) for part, (_, segment) in zip(ids, parts, strict=True)]
    return tuple(torch.tensor(sum(both, []), dtype=torch.int64) for both in (ids, segments))


def _other(before=0, between=(0,), behind=(1,), first=0, second=1, start=True, again=False):
    """The input with other segments, or with other special tokens."""

    def make(a, b, cls, sep):
        parts = [([cls], before), (a.tolist(), first)] if start else [(a.tolist(), first)]
        parts += [([sep], segment) for segment in between]
        if b is not None:
            parts += [([cls], second)] if again else []
            parts += [(b.tolist(), second), *(([sep], segment) for segment in behind)]
        return _made(*parts)

    return make


def _none_as_empty(a, b, cls, sep):
    return _solution(a, a[:0] if b is None else b, cls, sep)


def _unclosed(pairs):
    """The input without its last [SEP], single sentences and perhaps pairs."""

    def make(a, b, cls, sep):
        token_ids, segment_ids = _solution(a, b, cls, sep)
        end = -1 if b is None or pairs else None
        return token_ids[:end], segment_ids[:end]

    return make


_MISTAKES = (
    Mistake(
        "no last [SEP]",
        _other(behind=()),
        "The second sentence has no `[SEP]` behind it. Each sentence is closed by one.",
    ),
    Mistake(
        "no [SEP] between",
        _other(between=()),
        "Nothing stands between the two sentences. Each is closed by a `[SEP]`.",
    ),
    Mistake(
        "no [CLS]",
        _other(start=False),
        "`[CLS]` is missing. Where will the model write what it thinks of the whole input?",
    ),
    Mistake(
        "[CLS] again",
        _other(again=True),
        "You begin the second sentence with a `[CLS]` of its own. There is one, for the whole "
        "input.",
    ),
    Mistake(
        "two [SEP] between",
        _other(between=(0, 1)),
        "Two `[SEP]` stand between the sentences. RoBERTa does that; BERT has one.",
    ),
    Mistake(
        "the first [SEP] in segment 1",
        _other(between=(1,)),
        "Your first `[SEP]` belongs to segment 1. It closes the first sentence: which segment is "
        "that?",
    ),
    Mistake(
        "the last [SEP] in segment 0",
        _other(behind=(0,)),
        "Your last `[SEP]` belongs to segment 0. It closes the second sentence: which segment is "
        "that?",
    ),
    Mistake(
        "segments from 1",
        _other(before=1, between=(1,), behind=(2,), first=1, second=2),
        "You count the segments from 1. The table of segments has two rows: 0 and 1.",
    ),
    Mistake(
        "all in segment 0",
        _other(behind=(0,), second=0),
        "All your tokens are in segment 0. The second sentence, with its `[SEP]`, is segment 1.",
    ),
    Mistake(
        "segments the other way round",
        _other(before=1, between=(1,), behind=(0,), first=1, second=0),
        "Your segments are the other way round: the first sentence is segment 0.",
    ),
    Mistake(
        "no sentence as an empty one",
        _none_as_empty,
        "`b` may be None: then there is no second sentence, and no `[SEP]` for it. An empty "
        "sentence is another thing.",
    ),
    Mistake(
        "an empty sentence as none",
        lambda a, b, cls, sep: _solution(a, None if b is None or len(b) == 0 else b, cls, sep),
        "An empty `b` is still a second sentence, with its `[SEP]`. Only None says that there is "
        "none.",
    ),
    Mistake(
        "a tensor asked whether it is true",
        lambda a, b, cls, sep: _solution(a, b if b else None, cls, sep),
        "`if b` asks a tensor with several numbers whether it is true. Ask `b is not None`.",
    ),
    Mistake(
        "None not foreseen",
        lambda a, b, cls, sep: _solution(a, torch.cat([b, b[:0]]), cls, sep),
        "`b` may be None: then there is nothing to join. Ask `b is None` first.",
    ),
    Mistake(
        "the single sentence not closed",
        _unclosed(pairs=False),
        "Your single sentence has no `[SEP]` behind it. Each sentence is closed by one.",
    ),
    Mistake(
        "the end never closed",
        _unclosed(pairs=True),
        "The last `[SEP]` is missing, with one sentence and with two. Each is closed by one.",
    ),
    Mistake(
        "special tokens exchanged",
        lambda a, b, cls, sep: _solution(a, b, sep, cls),
        "`cls` and `sep` have changed places.",
    ),
    Mistake(
        "sentences exchanged",
        lambda a, b, cls, sep: _solution(a if b is None else b, None if b is None else a, cls, sep),
        "The two sentences have changed places: `a` comes first.",
    ),
    Mistake(
        "special tokens without segments",
        lambda a, b, cls, sep: (
            _solution(a, b, cls, sep)[0],
            torch.cat([torch.zeros_like(a), torch.ones_like(a[:0] if b is None else b)]),
        ),
        "Your segment ids are shorter than your token ids: special tokens have segments, too.",
    ),
)


def _case(a: list[int], b: list[int] | None, cls: int = 2, sep: int = 3) -> Case:
    second = None if b is None else torch.tensor(b, dtype=torch.int64)
    return Case({"a": torch.tensor(a), "b": second, "cls": cls, "sep": sep})


pair_input = Exercise(
    name="lesson_12.pair_input",
    task=(
        "Write `pair_input(a, b, cls, sep)`: `a` and `b` are the token ids of two sentences, as "
        "tensors with one axis, `b` perhaps None; `cls` and `sep` are the ids of the two special "
        "tokens. Return two tensors of equal length: the token ids of [CLS] A [SEP] B [SEP], or of "
        "[CLS] A [SEP] when `b` is None, and the segment ids."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "[CLS] and the first [SEP] belong to the first sentence, the last [SEP] to the second. So "
        "a pair has three special tokens and a single sentence two, all of it in segment 0. "
        "`zeros_like` and `ones_like` keep the dtype: an embedding wants whole numbers."
    ),
    cases=(
        _case([7, 8, 9], [11, 12]),
        _case([7], [11, 12, 13, 14]),
        _case([7, 8], None, cls=101, sep=102),
        _case([5, 6, 7, 8], [9], cls=101, sep=102),
        _case([7, 8], [], cls=4, sep=1),
    ),
    mistakes=_MISTAKES,
    hints=(
        "Write the five parts of a pair on paper and below each its segment. Which parts belong "
        "to B?",
        "Build each sentence with its special tokens first. Then the segment ids are as many "
        "zeros as the first part is long, and as many ones as the second; without B the second "
        "part is empty.",
        "```python\nfirst = torch.cat([...])\nsecond = a[:0] if b is None else torch.cat([...])\n"
        "token_ids = torch.cat([first, second])\nsegment_ids = torch.cat([...])\n"
        "return token_ids, segment_ids\n```",
    ),
    returns=("token_ids", "segment_ids"),
)
