from collections import Counter, defaultdict

import pytest

from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.nicknames import nicknamed
from course_lib.data.stories.questions import name_tags
from course_lib.data.stories.sampling import tell

pytestmark = pytest.mark.usefixtures("unchecked")


def test_without_nicknames_the_words_tell_their_tags():
    for tagged, story in zip(nicknamed(30, 1, share=0.0), tell(30, 1), strict=True):
        assert tagged.words == story.words
        assert list(tagged.tags) == name_tags(story.words)


def test_only_people_are_renamed_and_the_tags_stay():
    classes, plain = everyday_stories().class_of_word, nicknamed(60, 1, share=0.0)
    renamed = 0
    for tagged, before in zip(nicknamed(60, 1), plain, strict=True):
        assert tagged.tags == before.tags
        new = {old: word for old, word in zip(before.words, tagged.words, strict=True)
               if old != word}  # fmt: skip
        assert all(classes[old] in ("boy", "girl") for old in new)
        assert all(classes[word] in ("thing", "place") for word in new.values())
        assert not set(new.values()) & set(before.words)  # else one word would be two things
        assert len(set(new.values())) == len(new)
        renamed += len(new)
    assert 60 - 4 * 5.5 < renamed < 60 + 4 * 5.5  # half of 120, four standard errors


def test_a_table_of_words_cannot_tell():
    """The most frequent tag of each word is right about all words but the nicknames."""
    seen = defaultdict(Counter)
    for tagged in nicknamed(600, 3):
        for word, tag in zip(tagged.words, tagged.tags, strict=True):
            seen[word][tag] += 1
    pairs = [pair for t in nicknamed(200, 4) for pair in zip(t.words, t.tags, strict=True)]
    named = [(word, tag) for word, tag in pairs if tag != "outside"]
    right = [seen[word].most_common(1)[0][0] == tag for word, tag in named]
    assert 0.6 < sum(right) / len(right) < 0.85


def test_pure_function_of_the_seed():
    assert nicknamed(3, 5) == nicknamed(3, 5) != nicknamed(3, 6)
    assert nicknamed(2, 5) == nicknamed(3, 5)[:2]
    with pytest.raises(ValueError, match=r"share must lie in \[0, 1\], got 1.5"):
        nicknamed(1, 0, share=1.5)
    with pytest.raises(ValueError, match="n_stories must be a whole number >= 0, got -1"):
        nicknamed(-1, 0)
