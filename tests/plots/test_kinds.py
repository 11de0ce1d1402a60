from course_lib.plots import kinds, style

LOSSES = {"closed word": (0.6, 0.33), "first mention": (2.7, 2.4), "name": (3.8, 0.56)}


def drawn(losses):
    fig, _ = style.new_figure((8, 3), 100)
    kinds.draw(fig, losses)
    return fig.axes[0]


def test_a_bar_for_the_model_and_a_line_for_the_floor():
    axes = drawn(LOSSES)
    assert [bar.get_width() for bar in axes.patches] == [loss for loss, _ in LOSSES.values()]
    floors = [line.get_xdata()[0] for line in axes.lines]
    assert floors == [floor for _, floor in LOSSES.values()]
    assert [label.get_text() for label in axes.get_yticklabels()] == list(LOSSES)
    assert axes.get_xlabel() == "nats a word (shorter is better)"


def test_the_scale_stands_still_unless_a_run_went_astray():
    assert drawn(LOSSES).get_xlim() == (0, kinds.WIDEST)
    assert drawn({"name": (9.0, 0.5)}).get_xlim()[1] > 9


def test_the_sentence_has_every_number():
    assert kinds.say(LOSSES) == (
        "Nats a word: closed word 0.60 (at best 0.33), first mention 2.70 (at best 2.40), "
        "name 3.80 (at best 0.56)."
    )


LEFT = {"yours": {"closed word": 1.5, "place": 4.0, "name": 0.5}, "longer": {"closed word": 0.6,
        "place": 0.2, "name": -0.1}}  # fmt: skip


def test_the_shares_are_told_from_the_largest_on():
    assert kinds.say_left(LEFT) == (
        "yours: place 67%, closed word 25%, name 8%. longer: closed word 86%, place 29%, name -14%."
    )
