"""Lesson 22, first exercise: how far back a token can know, through layers of windows."""

from course_lib.checks.counting import Counting
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(window, n_layers, position):
    """How many positions before its own the output at `position` (from 0) can know of."""
    raise NotImplementedError


def _solution(window, n_layers, position):
    return min(n_layers * (window - 1), position)


_MISTAKES = (
    Mistake(
        "own position counted in every layer",
        lambda window, n_layers, position: n_layers * window,
        "A window of 3 holds the token itself and two before it. How many steps back does one "
        "layer allow, then?",
    ),
    Mistake(
        "own position counted once",
        lambda window, n_layers, position: n_layers * window - 1,
        "You take the token's own position off once. But each layer has a window of its own, and "
        "each window holds the token that looks. How often must it come off?",
    ),
    Mistake(
        "layers ignored",
        lambda window, n_layers, position: window - 1,
        "That is how far one layer sees. The tokens it reads have looked back themselves, one "
        "layer below. Where does `n_layers` come in?",
    ),
    Mistake(
        "a power",
        lambda window, n_layers, position: window**n_layers,
        "Your reach is multiplied in each layer. Follow one way down through the painter: is it "
        "multiplied, or does each layer add the same number of steps?",
    ),
    Mistake(
        "a power of the steps",
        lambda window, n_layers, position: (window - 1) ** n_layers,
        "One layer goes back `window - 1` steps: right. Do two layers go back that many times as "
        "far, or twice as far?",
    ),
    Mistake(
        "a power, less itself",
        lambda window, n_layers, position: window**n_layers - 1,
        "You take the token itself off, which is right for one layer. But does a second layer "
        "multiply the reach, or add the same number of steps again?",
    ),
    Mistake(
        "the window alone",
        lambda window, n_layers, position: window,
        "That is how many positions one layer may read, the token itself among them. How many of "
        "them stand before it, and where does `n_layers` come in?",
    ),
    Mistake(
        "one layer too few",
        lambda window, n_layers, position: (n_layers - 1) * (window - 1),
        "By your formula one layer sees nothing but itself. Does the first layer not read too?",
    ),
    Mistake(
        "added in place of multiplied",
        lambda window, n_layers, position: n_layers + window - 1,
        "You add the number of layers to the steps of one layer. Each further layer adds how many "
        "steps: one, or as many as the first?",
    ),
    Mistake(
        "one step for each further layer",
        lambda window, n_layers, position: window - 1 + n_layers - 1,
        "Your first layer goes back `window - 1` steps: right. Each further one adds a single step "
        "in yours. Has it a narrower window than the first?",
    ),
    Mistake(
        "a position in place of a distance",
        lambda window, n_layers, position: max(0, position - n_layers * (window - 1)),
        "You name the farthest position that it knows of. Asked for is how many positions there "
        "are from it to `position`.",
    ),
    Mistake(
        "counts itself in the answer",
        lambda window, n_layers, position: min(n_layers * (window - 1), position) + 1,
        "Off by one everywhere: you count the token itself as well. Asked for are the positions "
        "before it.",
    ),
    Mistake(
        "no window at all",
        lambda window, n_layers, position: position,
        "That is how much a plain causal mask lets a token know. Where does the window come in?",
    ),
    Mistake(
        "one short at the start of the text",
        lambda window, n_layers, position: min(n_layers * (window - 1), position - 1),
        "Positions are counted from 0. How many positions stand before position 3?",
    ),
    Mistake(
        "one too many at the start of the text",
        lambda window, n_layers, position: min(n_layers * (window - 1), position + 1),
        "Right in the middle of a long text. At its start you count the token itself: how many "
        "positions stand before position 0?",
    ),
    Mistake(
        "beyond the start of the text",
        lambda window, n_layers, position: n_layers * (window - 1),
        "Right in the middle of a long text. But can the token at position 2 know of ten positions "
        "before it?",
    ),
)

farthest_back = Counting(
    name="lesson_22.farthest_back",
    task=(
        "Every layer has a window mask: a position reads the last `window` positions, **its own "
        "included**. Write `farthest_back(window, n_layers, position)`: how many positions before "
        "its own can the output at `position`, counted from 0, know of after `n_layers` layers?"
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "One layer goes back `window - 1` steps, because one of the window's places is the token "
        "itself. The token at the far end of that window has taken up its own window one layer "
        "below, so every layer adds the same number of steps; and before position 0 there is "
        "nothing. Layers times window is a good rule of thumb for wide windows, and one step a "
        "layer too much."
    ),
    cases=(
        # So far from the start that a wrong formula is named whether it stops there or not.
        Case({"window": 3, "n_layers": 1, "position": 300}),
        Case({"window": 3, "n_layers": 4, "position": 300}),
        Case({"window": 5, "n_layers": 3, "position": 400}),
        Case({"window": 1, "n_layers": 6, "position": 90}),
        Case({"window": 4, "n_layers": 5, "position": 7}, extreme=1),
        Case({"window": 2, "n_layers": 3, "position": 0}, extreme=1),
    ),
    mistakes=_MISTAKES,
    hints=(
        "Take a window of 2 and the painter above. How far back does one layer go, and how much "
        "further does every other layer?",
        "Each layer adds the same number of steps, one less than the window is wide. And nobody "
        "can go back further than to the start of the text.",
        "```python\nsteps = n_layers * ...   # how many steps has one layer?\n"
        "return min(steps, ...)   # where does the text begin?\n```",
    ),
    returns=("the number of positions",),
    number=True,
)
