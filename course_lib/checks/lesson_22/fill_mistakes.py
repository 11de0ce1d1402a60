"""What goes wrong when scores are masked: fills, empty rows, dtypes, the gradient."""

import torch

from course_lib.checks.mistakes import Mistake


def _lowest(scores):
    return torch.finfo(scores.dtype).min


def _filled(scores, visible, fill):
    return torch.softmax(scores.masked_fill(~visible, fill), dim=-1)


def _emptied(scores, visible, fill):
    """Fill, and afterwards set to 0 what is hidden."""
    return _filled(scores, visible, fill).masked_fill(~visible, 0.0)


def _added(scores, visible, fill):
    return torch.softmax(scores + (1 - visible.to(scores.dtype)) * fill, dim=-1)


def _renormalised(scores, visible, floor=0.0):
    shares = torch.softmax(scores, dim=-1) * visible
    return shares / (shares.sum(dim=-1, keepdim=True) + floor)


def _by_hand(scores, visible, largest):
    """Exponentials written out, less what is said to be the largest score; NaN becomes 0."""
    e = torch.exp(scores - largest) * visible
    return (e / e.sum(dim=-1, keepdim=True)).nan_to_num()


def _written_into(scores, visible):
    shares = _filled(scores, visible, _lowest(scores))
    shares[~visible.expand_as(shares)] = 0.0
    return shares


# These three show in no value of float32; fill.py looks for them where they show.
LOST_DTYPE = Mistake(
    "the dtype is lost",
    lambda scores, visible: torch.softmax(scores + (~visible) * -1e9, dim=-1),
    "You get float16 and return float32. Which tensor in your function is float32? (True and "
    "False times a number is, and so is `.float()`; a sum of two dtypes has the longer one.) Keep "
    "the dtype of the scores; then look at the rows with nothing to read again.",
)
NAN_GRADIENT = Mistake(
    "right values, NaN in the gradient",
    lambda scores, visible: torch.softmax(
        scores + torch.zeros_like(scores).masked_fill(~visible, -torch.inf), dim=-1
    ).nan_to_num(),
    "All values are right, but the gradient of the scores is NaN: softmax met a row of nothing but "
    "-inf, and on the way back 0 is multiplied by its NaN. Cleaning the shares comes too late for "
    "that. How can no row of nothing but -inf get there, or the fill stop the gradient?",
)
NO_WAY_BACK = Mistake(
    "the result of softmax is written into",
    _written_into,
    "All values are right, but PyTorch cannot go backwards through it: softmax keeps its shares "
    "for the gradient, and you write into them. Make a new tensor: `masked_fill` without `_`, or a "
    "product.",
)

MISTAKES = (
    Mistake(
        "still -1e9",
        lambda scores, visible: _filled(scores, visible, -1e9),
        "The dtype float16 ends at 65504, so it has no -1e9, and `masked_fill` says so. Which "
        "number means hidden in every dtype, or where can you ask a dtype for its lowest one?",
    ),
    Mistake(
        "still -1e9, empty rows right",
        lambda scores, visible: _emptied(scores, visible, -1e9),
        "Your last step is right: a row with nothing to read is all zeros. But float16 ends at "
        "65504 and has no -1e9. Where can you ask a dtype for its lowest number?",
    ),
    Mistake(
        "-1e9 that became -inf",
        lambda scores, visible: torch.softmax(torch.where(visible, scores, -1e9), dim=-1),
        "In float16 -1e9 has become -inf, without an error (`torch.where` does that, and a product "
        "too): an empty row is NaN in float16 and equal shares in float32. Which fill do you want, "
        "and what shall an empty row be?",
    ),
    Mistake(
        "-1e9 that became -inf, times visible",
        lambda scores, visible: torch.softmax(torch.where(visible, scores, -1e9), -1) * visible,
        "Right in float32. In float16 -1e9 has become -inf, without an error, so an empty row is "
        "NaN; and 0 times NaN is NaN. Which fill does every dtype have?",
    ),
    Mistake(
        "the lowest number of float32",
        lambda scores, visible: _filled(scores, visible, torch.finfo(torch.float32).min),
        "That is the lowest number of float32, and float16 does not reach it. The scores know "
        "their own dtype: ask for that one's. And look at the rows with nothing to read.",
    ),
    Mistake(
        "the lowest number of float32, empty rows right",
        lambda scores, visible: _emptied(scores, visible, torch.finfo(torch.float32).min),
        "Your last step is right. But you ask for the lowest number of float32, and float16 does "
        "not reach it. The scores know their own dtype.",
    ),
    Mistake(
        "-65504 in every dtype",
        lambda scores, visible: _emptied(scores, visible, -65504.0),
        "The lowest number of float16 is -65504. In float32 a score may lie below it, and loses to "
        "the hidden ones. Which is the lowest number of the dtype that you are given?",
    ),
    Mistake(
        "-65504 in every dtype, empty rows read everything",
        lambda scores, visible: _filled(scores, visible, -65504.0),
        "The lowest number of float16 is -65504; in float32 a score may lie below it. And a row "
        "with nothing to read gets equal shares in yours, hidden keys included.",
    ),
    Mistake(
        "-inf, empty rows are NaN",
        lambda scores, visible: _filled(scores, visible, -torch.inf),
        "Right for every row that may read something. In a row of nothing but -inf, softmax meets "
        "-inf - (-inf), which is NaN; and 0 times NaN is still NaN. The task wants zeros there: "
        "which rows are those?",
    ),
    Mistake(
        "-inf times the mask",
        lambda scores, visible: _added(scores, visible, -torch.inf),
        "You multiply by -inf. Where a key may be read that is 0 times infinity, which is NaN. Put "
        "the number in the hidden places only: `masked_fill`.",
    ),
    Mistake(
        "lowest number, empty rows read everything",
        lambda scores, visible: _filled(scores, visible, _lowest(scores)),
        "Each dtype works, and hidden keys get 0. But a row with nothing to read comes out with "
        "equal shares, so it reads everything; it should be all zeros. (If you look for such rows: "
        "does your `any` ask row by row?)",
    ),
    Mistake(
        "every row with a hidden key emptied",
        lambda scores, visible: (
            _filled(scores, visible, _lowest(scores)) * visible.all(dim=-1, keepdim=True)
        ),
        "You empty each row in which some key is hidden. Zeros belong only where no key at all may "
        "be read: `any`, not `all`.",
    ),
    Mistake(
        "-10000",
        lambda scores, visible: _emptied(scores, visible, -1e4),
        "Even float16 can hold -10000, and your last step is right. But a score below -10000 loses "
        "to the hidden ones. Which number can no score go below?",
    ),
    Mistake(
        "-10000 in float16",
        lambda scores, visible: _emptied(
            scores, visible, -1e4 if scores.dtype == torch.float16 else -1e9
        ),
        "The dtype float16 goes lower than -10000, and a score that does loses to the hidden ones. "
        "Which is the lowest number that it has, and how would you ask for it?",
    ),
    Mistake(
        "-10000, empty rows read everything",
        lambda scores, visible: _filled(scores, visible, -1e4),
        "Even float16 can hold -10000. But a row in which everything is -10000 gives every key an "
        "equal share; and a score below -10000 loses to the hidden ones.",
    ),
    Mistake(
        "-10000 added",
        lambda scores, visible: _added(scores, visible, -1e4) * visible,
        "Yours adds -10000, as BERT's code does. A hidden key that scores 20000 is still far ahead "
        "after that. What if the number stood in place of the score?",
    ),
    Mistake(
        "-10000 added, empty rows unmasked",
        lambda scores, visible: _added(scores, visible, -1e4),
        "Yours adds -10000, as BERT's code does. Added to a whole row it changes no difference, so "
        "a row with nothing to read reads on; and a hidden key that scores 20000 stays ahead.",
    ),
    Mistake(
        "hidden with 0",
        lambda scores, visible: _filled(scores, visible, 0.0),
        "You set hidden scores to 0. What is e^0? A share of 0 needs a score far below all others.",
    ),
    Mistake(
        "hidden with 0, before and after",
        lambda scores, visible: _emptied(scores, visible, 0.0),
        "The hidden keys end at 0, but before that their scores were 0, and e^0 = 1: they took "
        "part in the sum. Do your rows sum to 1?",
    ),
    Mistake(
        "hidden after the softmax",
        lambda scores, visible: torch.softmax(scores, dim=-1) * visible,
        "What do your rows sum to when a key is hidden? The share of a hidden key is thrown away "
        "after the softmax, when it should go to the others.",
    ),
    Mistake(
        "renormalised after the softmax",
        _renormalised,
        "Shares of what may be read, divided by their sum: right until that sum is 0. It is 0 in "
        "an empty row, and where a hidden key scores so high that all others round to 0.",
    ),
    Mistake(
        "renormalised, with 1e-9",
        lambda scores, visible: _renormalised(scores, visible, 1e-9),
        "Your small number keeps float32 from 0 / 0, but float16 rounds it to 0. And where a "
        "hidden key scores far above the others, their shares are 0 before you divide.",
    ),
    Mistake(
        "renormalised, empty rows right",
        lambda scores, visible: _renormalised(scores, visible).nan_to_num(),
        "Your empty rows are right. But where a hidden key scores far above the others, their "
        "exponentials have rounded to 0 before the hidden one is taken out. Hide it first.",
    ),
    Mistake(
        "exponentials of the scores as they are",
        lambda scores, visible: _by_hand(scores, visible, 0.0),
        "You take e to the power of the scores as they are: infinite at 20000, 0 at -20000. What "
        "has to be subtracted from a row first, and from which keys of it?",
    ),
    Mistake(
        "one largest score for all rows",
        lambda scores, visible: _by_hand(
            scores, visible, scores.masked_fill(~visible, _lowest(scores)).max()
        ),
        "You subtract the largest score of the whole table. In a row far below it all exponentials "
        "are 0. Each row needs its own largest score: `amax` along the last axis.",
    ),
    Mistake(
        "empty rows opened",
        lambda scores, visible: _filled(
            scores, visible | ~visible.any(dim=-1, keepdim=True), -torch.inf
        ),
        "A row with nothing to read is opened to everything in yours, hidden keys included. The "
        "task wants zeros there.",
    ),
    Mistake(
        "mask inverted",
        lambda scores, visible: _emptied(scores, ~visible, _lowest(scores)),
        "Is True a key that may be read, or one that is hidden? Yours reads exactly the hidden "
        "ones. (Libraries disagree; this course says True = may be read.)",
    ),
    Mistake(
        "mask inverted, -1e9",
        lambda scores, visible: _filled(scores, ~visible, -1e9),
        "You fill the keys that may be read: `~` is missing. And float16 has no -1e9.",
    ),
    Mistake(
        "filled where visible, emptied where hidden",
        lambda scores, visible: _filled(scores, ~visible, _lowest(scores)).masked_fill(
            ~visible, 0.0
        ),
        "You fill the keys that may be read and then empty the hidden ones, so little or nothing "
        "is left. Where does `~` belong?",
    ),
    Mistake(
        "softmax over the queries",
        lambda scores, visible: torch.softmax(
            scores.masked_fill(~visible, _lowest(scores)), dim=-2
        ).masked_fill(~visible, 0.0),
        "Your softmax runs over the queries. Each query, one row, shares its attention out among "
        "the keys: the last axis.",
    ),
    Mistake(
        "mask ignored",
        lambda scores, visible: torch.softmax(scores, dim=-1),
        "`visible` makes no difference in your function.",
    ),
    LOST_DTYPE,
    NAN_GRADIENT,
    NO_WAY_BACK,
)
