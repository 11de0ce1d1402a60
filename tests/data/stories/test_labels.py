from collections import Counter, defaultdict

import pytest

from course_lib.data.stories.acceptability import is_sentence, judgements, shape
from course_lib.data.stories.claims import LABELS, claims
from course_lib.data.stories.questions import name_tags, questions
from course_lib.data.stories.reading import read
from course_lib.data.stories.sampling import tell


def told(grammar, story):
    """What the text alone tells of the end: where people are, who has what; by their words."""
    reading = read(grammar, story)
    world, words = reading.worlds[-2], reading.fillers
    place = {words[p]: words.get(getattr(world, p)) for p in ("boy", "girl")}
    holder = {words[i]: words.get(getattr(world, i)) for i in ("thing", "food") if i in words}
    return place, holder


def test_claims_are_labelled_by_the_text_alone(grammar):
    for claim in claims(300, 1):
        place, holder = told(grammar, claim.story)
        name, said = claim.claim[0], claim.claim[-2]
        if claim.claim[1] == "was":
            known = place[name]
        else:
            known = holder.get(said) and (said if holder[said] == name else "another")
        wanted = "neither" if known is None else "entails" if known == said else "contradicts"
        assert claim.label == wanted, claim


def test_labels_are_balanced_in_each_kind():
    counts = Counter((claim.claim[1], claim.label) for claim in claims(600, 2))
    assert set(counts.values()) == {100}
    assert {label for _, label in counts} == set(LABELS)


def test_the_claim_alone_tells_nothing():
    """Guess by each word of the claim, learnt on half of the claims, tried on the rest."""
    made = claims(1500, 3)
    train, test = made[:750], made[750:]
    for place in (0, -2):
        seen = defaultdict(Counter)
        for claim in train:
            seen[claim.claim[place]][claim.label] += 1
        right = sum(seen[c.claim[place]].most_common(1)[0][0] == c.label for c in test)
        assert abs(right / len(test) - 1 / 3) < 0.07  # four standard errors


def test_answers_are_told_by_the_text_alone(grammar):
    kinds = Counter()
    for asked in questions(300, 1):
        place, holder = told(grammar, asked.story)
        word, *_, last = asked.question[:-1]
        kinds[word] += 1
        if word == "where":
            assert asked.answer == (place[last],)
        elif word == "who":
            assert asked.answer == (holder[last],)
        else:
            held = [item for item, who in holder.items() if who == asked.question[2]]
            assert [asked.answer[1]] == held
        later = asked.story[asked.start + 1 :]
        size = len(asked.answer)
        assert all(later[i : i + size] != asked.answer for i in range(len(later)))
    assert min(kinds[word] for word in ("where", "who", "what")) > 30


def test_tags():
    words = "in the end Mia had the red ball . she was in the park with Tom".split()
    tags = dict(zip(words, name_tags(tuple(words)), strict=True))
    assert (tags["Mia"], tags["Tom"], tags["park"], tags["ball"]) == (
        "person", "person", "place", "object",
    )  # fmt: skip
    assert {tags[word] for word in words} == {"person", "place", "object", "outside"}
    assert tags["red"] == tags["she"] == "outside"


def test_sentences_of_stories_are_acceptable(grammar):
    for story in tell(300, 5):
        assert all(is_sentence(grammar, sentence) for sentence in story.sentences)


@pytest.mark.parametrize(
    ("text", "acceptable"),
    [
        ("Mia gave the ball to Tom .", True),
        ("Mia gave the ball to Zoe .", False),
        ("Mia gave the pie to Tom .", True),
        ("Mia gave the park to Tom .", False),
        ("Mia gave ball the to Tom .", False),
        ("she walked to the park .", True),
        ("she walked to the park", False),
        ("in the end Mia was in the park and Tom was in the park .", False),
        ("Mia felt glad because Tom had the ball .", False),
    ],
)
def test_acceptable_or_not(grammar, text, acceptable):
    assert is_sentence(grammar, text.split()) == acceptable


def test_judgements(grammar):
    made = judgements(200, 4)
    assert sum(judgement.acceptable for judgement in made) == 100
    assert all(is_sentence(grammar, j.words) == j.acceptable for j in made)


def test_shape(grammar):
    words = "Tom was in the park and Mia was in the hall .".split()
    assert (
        " ".join(shape(grammar, words))
        == "@boy0 was in the @place0 and @girl0 was in the @place1 ."
    )


@pytest.mark.parametrize("make", [claims, questions, judgements])
def test_pure_functions_of_the_seed(make):
    first, again, other = make(6, 1), make(6, 1), make(6, 2)
    assert first == again != other
    assert make(0, 1) == []
    with pytest.raises(ValueError, match="must be a whole number >= 0, got -1"):
        make(-1, 1)
