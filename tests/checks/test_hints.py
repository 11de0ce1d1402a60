from course_lib.checks.hints import Ladder


def ladder(**given):
    return Ladder(("question", "pointer", "shape", "solution"), **given)


def test_nothing_opens_before_a_try():
    hints = ladder()
    assert "Try first" in hints.climb() and not hints.has_more()


def test_one_rung_opens_after_each_failed_try_and_none_is_skipped():
    hints = ladder()
    for number, rung in enumerate(hints.rungs, 1):
        hints.failed_tries += 1
        assert hints.has_more()
        assert hints.climb() == f"**Hint {number} of 4.** {rung}"
        assert not hints.has_more()
        if number < 4:
            again = hints.climb()
            assert rung in again and "after another try" in again


def test_many_tries_still_show_the_question_first():
    hints = ladder(failed_tries=9)
    shown = [hints.climb() for _ in range(5)]
    assert [rung in text for rung, text in zip(hints.rungs, shown, strict=False)] == [True] * 4
    assert shown[4] == shown[3]


def test_the_solution_opens_after_two_tries_or_a_pass():
    assert [ladder(failed_tries=n).tries_before_solution() for n in range(4)] == [2, 1, 0, 0]
    assert ladder(passed=True).tries_before_solution() == 0
    assert ladder(passed=True).climb() == "Passed already."


def test_a_code_block_begins_on_a_line_of_its_own():
    ladder = Ladder(("Why?", "```python\nx = ...\n```"), failed_tries=2)
    assert ladder.climb() == "**Hint 1 of 2.** Why?"
    assert ladder.climb().startswith("**Hint 2 of 2.**\n\n```python\n")
