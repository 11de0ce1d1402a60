"""Lesson 65: the row of writing: how many tokens a model reads to write a few."""

from course_lib.checks.counting import Counting
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(n_prompt, n_new, cached):
    """The tokens that are read in all passes together."""
    raise NotImplementedError


def _solution(n_prompt, n_new, cached):
    if cached:
        return n_prompt + n_new - 1  # the prompt, then each new word but the last
    return sum(n_prompt + i for i in range(1, n_new + 1))  # all so far, and the mask


def _either(with_cache=None, without=None):
    """One of the two cases counted in another way."""

    def wrong(n_prompt, n_new, cached):
        other = with_cache if cached else without
        return _solution(n_prompt, n_new, cached) if other is None else other(n_prompt, n_new)

    return wrong


_MISTAKES = (
    Mistake(
        "a cache for both",
        lambda prompt, new, cached: _solution(prompt, new, True),
        "You count as with a cache in both cases. Without one, nothing stays: what does the second "
        "pass read?",
    ),
    Mistake(
        "a cache for none",
        lambda prompt, new, cached: _solution(prompt, new, False),
        "You count as without a cache in both cases. With `cached` True, what was read before "
        "stays, and nobody needs a `[MASK]`: what is left to read in the second pass?",
    ),
    Mistake(
        "a pass too many at the beginning",
        _either(without=lambda prompt, new: sum(range(prompt, prompt + new + 1))),
        "Without a cache you count one pass too many: the first has n_prompt words and a `[MASK]`, "
        "and there are n_new of them.",
    ),
    Mistake(
        "a pass too many at the end",
        _either(without=lambda prompt, new: sum(range(prompt + 1, prompt + new + 2))),
        "Without a cache you count one pass too many: the last word is filled in, and nobody reads "
        "the text after that.",
    ),
    Mistake(
        "the arguments exchanged",
        lambda prompt, new, cached: _solution(new, prompt, cached),
        "The prompt and the new words have changed places. The order is `(n_prompt, n_new, "
        "cached)`.",
    ),
    Mistake(
        "no prompt, no mask",
        lambda prompt, new, cached: new if cached else new * prompt + new * (new - 1) // 2,
        "Two things. With the cache the prompt has to be read as well, once. And without it a BERT "
        "reads the `[MASK]` behind the words that are there.",
    ),
    Mistake(
        "no mask",
        _either(without=lambda prompt, new: new * prompt + new * (new - 1) // 2),
        "Without a cache you count the words that are there in each pass. A BERT has nowhere to "
        "answer then: it reads the `[MASK]` behind them as well.",
    ),
    Mistake(
        "the last word read",
        _either(with_cache=lambda prompt, new: prompt + new),
        "With the cache you count one too many. The first new word comes out of the pass over the "
        "prompt; who reads the last one?",
    ),
    Mistake(
        "a mask for the cache, too",
        _either(with_cache=lambda prompt, new: prompt + 2 * new - 1),
        "With the cache you count masks. A GPT answers at the last word itself.",
    ),
    Mistake(
        "a mask for the cache, and the last word read",
        _either(with_cache=lambda prompt, new: prompt + 2 * new),
        "With the cache you count two tokens a word. A GPT needs no mask: it answers at the last "
        "word that it has read. And nobody reads the last new word.",
    ),
    Mistake(
        "the prompt alone with the cache",
        _either(with_cache=lambda prompt, new: prompt),
        "With the cache you count the prompt alone. Its keys and values stay; but each new word "
        "has to be read before the next can be named.",
    ),
    Mistake(
        "no prompt with the cache",
        _either(with_cache=lambda prompt, new: new),
        "With the cache you count the new words alone. Nothing is in the cache before the prompt "
        "has been read.",
    ),
    Mistake(
        "no prompt, and the last word not",
        _either(with_cache=lambda prompt, new: new - 1),
        "With the cache you count the new words that are read. Before them the prompt is read, "
        "once.",
    ),
    Mistake(
        "the cache ignored",
        _either(with_cache=lambda prompt, new: new * prompt + new * (new - 1) // 2),
        "You read the whole text anew for each word also with the cache. What it has read stays.",
    ),
    Mistake(
        "the prompt alone each time",
        _either(without=lambda prompt, new: new * prompt),
        "Without a cache you read only the prompt in each pass. The words that were written, and "
        "the `[MASK]`, belong to the text as well.",
    ),
    Mistake(
        "the prompt and one mask each time",
        _either(without=lambda prompt, new: new * (prompt + 1)),
        "Without a cache you read the prompt and one `[MASK]` in each pass. The text grows: words "
        "that were written are read as well.",
    ),
    Mistake(
        "all masks at once",
        _either(without=lambda prompt, new: prompt + new),
        "Without a cache you make one pass with all masks. Then each word is chosen without "
        "knowing the others; wanted is one after the other.",
    ),
    Mistake(
        "all masks in every pass",
        _either(without=lambda prompt, new: new * (prompt + new)),
        "You put all masks behind the text from the first pass on. Wanted is one `[MASK]` at a "
        "time.",
    ),
    Mistake(
        "the wrong way round",
        lambda prompt, new, cached: _solution(prompt, new, not cached),
        "Your two cases are exchanged: with `cached` True less is read.",
    ),
)

tokens_to_write = Counting(
    name="lesson_65.tokens_to_write",
    task=(
        "Fill the row of writing. Write `tokens_to_write(n_prompt, n_new, cached)`: how many "
        "tokens a model reads, in all passes together, to write `n_new` words behind a prompt, one "
        "after the other. With `cached` True it is a GPT with a KV cache: it names the next word "
        "at the last one it has read. With False it is a BERT: in each pass it reads the text so "
        "far and one `[MASK]` behind it, which it then replaces. No other special tokens."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "The GPT reads the prompt once, and then each word that it has written but the last: "
        "n_prompt + n_new - 1. The BERT reads n_prompt + 1 tokens, then n_prompt + 2, and so on, "
        "since every new word changes all its vectors: n_new * n_prompt + n_new (n_new + 1) / 2. "
        "Both need n_new passes that wait for each other."
    ),
    cases=(
        Case({"n_prompt": 5, "n_new": 1, "cached": True}),
        Case({"n_prompt": 5, "n_new": 1, "cached": False}),
        Case({"n_prompt": 4, "n_new": 3, "cached": True}),
        Case({"n_prompt": 4, "n_new": 3, "cached": False}),
        Case({"n_prompt": 11, "n_new": 8, "cached": True}),
        Case({"n_prompt": 11, "n_new": 8, "cached": False}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "A prompt of 4 words, 3 new ones. What is read in the first pass, and in the second?",
        "With the cache: the prompt at once, then one word a pass, until the last word is out. "
        "Without: all so far and a mask; the next pass has one more.",
        "```python\nif cached:\n    return n_prompt + ...\n"
        "return sum(n_prompt + ... for i in range(n_new))\n```",
    ),
    returns=("the number of tokens",),
    number=True,
)
