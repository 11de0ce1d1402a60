import math
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from course_lib.data.stories.sampling import tell

ROOT = Path(__file__).parents[3]


def test_frequencies_are_the_probabilities(tiny):
    """Chi-square over all stories; rare ones are counted together."""
    n = 6_000
    counts = Counter(story.words for story in tell(n, 1, tiny.grammar))
    assert set(counts) <= set(tiny.texts)
    common = {text: p for text, p in tiny.texts.items() if n * p >= 10}
    rare = 1 - sum(common.values())
    pairs = [(counts[text], n * p) for text, p in common.items()]
    if rare * n > 1:
        pairs.append((n - sum(counts[text] for text in common), n * rare))
    chi = sum((seen - wanted) ** 2 / wanted for seen, wanted in pairs)
    freedom = len(pairs) - 1
    assert freedom > 15
    assert abs(chi - freedom) < 4 * math.sqrt(2 * freedom)  # four standard deviations


def test_a_pure_function_of_the_seed():
    first, again, other = tell(50, 4), tell(50, 4), tell(50, 5)
    assert first == again
    assert tell(20, 4) == first[:20]
    assert not {s.text for s in first} & {s.text for s in other}


def test_a_story_that_must_never_change():
    assert tell(1, 0)[0].text.startswith("one cold afternoon Lily was in the hall and Jack was")


def test_parts_belong_together():
    for story in tell(100, 2):
        assert len(story.sentences) == len(story.units) == len(story.kinds)
        assert len(story.worlds) == len(story.sentences) + 1
        assert story.text.split() == list(story.words)
        for words, units in zip(story.sentences, story.units, strict=True):
            for word, unit in zip(words, units, strict=True):
                is_slot = unit.startswith("@")
                assert word == story.fillers[unit[1:]] if is_slot else word in unit.split("|")


def test_fast_enough_to_teach_with():
    """In a process of its own, because the checks of the test run take most of the time."""
    program = """
import time
from course_lib.data.stories import grammar, reading, sampling
start = time.process_time()
stories = sampling.tell(10_000, 9)
told = time.process_time()
for story in stories[:2000]:
    reading.read(grammar.everyday_stories(), story.words)
print(told - start, time.process_time() - told)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    telling, reading = map(float, done.stdout.split())
    assert telling < 10  # measured: 2 seconds
    assert reading < 10  # measured: 1.5 seconds, most of it for growing trees


@pytest.mark.parametrize(("n", "seed"), [(-1, 0), (3, -1)])
def test_wrong_numbers(n, seed):
    with pytest.raises(ValueError, match="must be a whole number >= 0, got -1"):
        tell(n, seed)


def test_no_stories():
    assert tell(0, 0) == []
