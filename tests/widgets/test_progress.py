import pytest

from course_lib.widgets.progress import Pace, in_words


def run(pace, clock, steps, seconds):
    for step in steps:
        clock[0] += seconds
        pace.note(step)


def make(total=1000, limit=180):
    clock = [0.0]
    return Pace(total, limit, lambda: clock[0]), clock


def test_after_ten_records_a_short_run_says_how_long_it_takes():
    pace, clock = make(total=100)
    clock[0] = 5.0  # starting up, which says nothing about the speed
    run(pace, clock, range(1, 10), 0.5)
    assert pace.notice == ""
    run(pace, clock, [10], 0.5)
    assert pace.notice == "All 100 steps will take about 50 s on this machine."
    assert pace.describe() == "step 10 of 100, 10 s, about 45 s to go"


def test_a_long_run_offers_as_many_steps_as_fit():
    pace, clock = make(total=1000, limit=180)
    run(pace, clock, range(1, 11), 0.5)
    assert "will take about 8 min 20 s" in pace.notice
    assert "In 3 min it would get to step 360:" in pace.notice
    assert "make 360 the last step" in pace.notice


def test_a_continued_run_counts_what_is_left():
    pace, clock = make(total=100)
    run(pace, clock, range(51, 61), 2.0)
    assert pace.notice == "All 50 steps will take about 1 min 40 s on this machine."


def test_a_continued_run_offers_an_absolute_step():
    pace, clock = make(total=1000, limit=100)
    run(pace, clock, range(501, 511), 1.0)
    assert "it would get to step 600:" in pace.notice


def test_nothing_is_said_before_anything_is_known():
    pace, _ = make()
    assert pace.describe() == "step 0 of 1000, 0 s" and pace.seconds_per_step is None


def test_the_end_has_nothing_to_go():
    pace, clock = make(total=12)
    run(pace, clock, range(1, 13), 1.0)
    assert pace.describe() == "step 12 of 12, 12 s" and pace.summary() == "12 steps took 12 s."


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "0 s"), (59.4, "59 s"), (59.9, "1 min"), (90, "1 min 30 s"), (120, "2 min"),
     (3660, "1 h 1 min")],
)  # fmt: skip
def test_durations_are_said_as_people_say_them(seconds, words):
    assert in_words(seconds) == words
