"""What goes wrong when gradients are foretold: the norm forgotten, squares, the other end."""

import torch

from course_lib.checks.mistakes import Mistake


def _before(added):
    """The stream's variance where each sublayer reads it, in Pre-LN."""
    return 1 + added.cumsum(0) - added


def _pre(added, returns):
    return 1 + returns * added / _before(added)


def _post(added, returns):
    return (1 + returns * added) / (1 + added)


def _sizes(squares):
    """From the square of each sublayer's factor to the size at each place."""
    ones = torch.ones(1, dtype=squares.dtype)
    return torch.cat([squares.flip(0).cumprod(0).flip(0), ones]).sqrt()


def _with(pre=_pre, post=_post, then=lambda sizes: sizes):
    """The right way but for one part."""

    def wrong(added, returns, norm_first):
        return then(_sizes((pre if norm_first else post)(added, returns)))

    return wrong


def _from_the_bottom(added, returns, norm_first):
    squares = (_pre if norm_first else _post)(added, returns)
    ones = torch.ones(1, dtype=added.dtype)
    return torch.cat([ones, squares.cumprod(0)]).sqrt()


def _one_factor(added, returns, norm_first):
    squares = (_pre if norm_first else _post)(added, returns)
    return torch.cat([squares, torch.ones(1, dtype=added.dtype)]).sqrt()


MISTAKES = (
    Mistake(
        "swapped placements",
        _with(pre=_post, post=_pre),
        "You have Pre-LN and Post-LN the wrong way round: `norm_first` is True for Pre-LN.",
    ),
    Mistake(
        "lossless",
        _with(pre=lambda v, r: torch.ones_like(v)),
        "Your Pre-LN gradient is the same everywhere. That is the part along the stream; what "
        "comes through the sublayers is added to it.",
    ),
    Mistake(
        "flat Post-LN",
        _with(post=lambda v, r: torch.ones_like(v)),
        "Your Post-LN gradient is the same everywhere. That needs sublayers that return what "
        "they should; what is left when `returns[i]` is 0?",
    ),
    Mistake(
        "Post-LN always decays",
        _with(post=lambda v, r: 1 / (1 + v)),
        "Your Post-LN counts the division by the norm alone, as the popular statement does. A "
        "sublayer that reads the stream also sends a gradient back.",
    ),
    Mistake(
        "norm forgotten behind the sum",
        _with(post=lambda v, r: 1 + r * v),
        "In your Post-LN nothing divides the gradient. The norm behind the sum divides by the "
        "root of its variance on the way up, and the gradient by the same on the way down.",
    ),
    Mistake(
        "norm forgotten before the sublayer",
        _with(pre=lambda v, r: 1 + r * v),
        "In your Pre-LN what goes back through a sublayer is not divided by anything. The norm "
        "in front of it divides by the spread of the stream, which is no longer 1.",
    ),
    Mistake(
        "variance after the sum",
        _with(pre=lambda v, r: 1 + r * v / (_before(v) + v)),
        "Your Pre-LN divides by the variance of the stream above the sublayer. The norm reads "
        "the stream below it.",
    ),
    Mistake(
        "variance starts at 0",
        _with(pre=lambda v, r: 1 + r * v / (_before(v) - 1)),
        "Your Pre-LN divides by the sum of what was added, and forgets the variance 1 that the "
        "stream begins with.",
    ),
    Mistake(
        "only returning sublayers widen the stream",
        _with(pre=lambda v, r: 1 + r * v / _before(v * r)),
        "In your Pre-LN only the sublayers that return a gradient make the stream wider. The "
        "others add to it as well.",
    ),
    Mistake(
        "growth without returns",
        _with(pre=lambda v, r: _pre(v, torch.ones_like(r))),
        "Your Pre-LN gradient follows the spread of the stream alone. That is right if every "
        "sublayer returns a gradient; one that returns none widens the stream all the same.",
    ),
    Mistake(
        "total variance for each",
        _with(pre=lambda v, r: 1 + r * v / (1 + v.sum())),
        "Your Pre-LN divides by the variance on top of the stack for every sublayer. Each norm "
        "divides by that of the stream where it stands.",
    ),
    Mistake(
        "variance not divided but its root",
        _with(pre=lambda v, r: 1 + r * v / _before(v).sqrt()),
        "Your Pre-LN divides a square by a standard deviation. The norm divides the gradient by "
        "the standard deviation, hence its square by the variance.",
    ),
    Mistake(
        "variance divides twice",
        _with(pre=lambda v, r: 1 + r * v / _before(v) ** 2),
        "Your Pre-LN divides a square by the square of the variance. The norm divides the "
        "gradient by the standard deviation, hence its square by the variance.",
    ),
    Mistake(
        "variance from above",
        _with(pre=lambda v, r: 1 + r * v / (1 + v.sum() - v.cumsum(0))),
        "Your Pre-LN counts the variance that is added above the sublayer. Its norm finds what "
        "was added below: `added[:i]`.",
    ),
    Mistake(
        "the way along the stream forgotten",
        _with(pre=lambda v, r: r * v / _before(v), post=lambda v, r: r * v / (1 + v)),
        "You count what comes through the sublayers alone. The gradient also comes along the "
        "stream, with square 1, before any norm divides it.",
    ),
    Mistake(
        "returns taken for a variance",
        _with(pre=lambda v, r: 1 + r / _before(v), post=lambda v, r: (1 + r) / (1 + v)),
        "You add `returns[i]` itself. It says whether the sublayer returns anything; how much "
        "that is says `added[i]`.",
    ),
    Mistake(
        "Post-LN for both",
        _with(pre=_post),
        "You use Post-LN's factor for both. Where does `norm_first` come in?",
    ),
    Mistake(
        "Pre-LN for both",
        _with(post=_pre),
        "You use Pre-LN's factor for both. Where does `norm_first` come in?",
    ),
    Mistake(
        "Post-LN accumulates",
        _with(post=lambda v, r: (_before(v) + r * v) / (_before(v) + v)),
        "In your Post-LN the stream's variance goes on growing. The norm behind each sum puts it "
        "back to 1, so a sublayer always finds 1.",
    ),
    Mistake(
        "Post-LN divides by all that was added",
        _with(post=lambda v, r: (1 + r * v) / (_before(v) + v)),
        "In your Post-LN the norm divides by the variance of all that was added so far. The norm "
        "before it has put the stream back to 1.",
    ),
    Mistake(
        "both inverted",
        _with(pre=lambda v, r: 1 / _pre(v, r), post=lambda v, r: 1 / _post(v, r)),
        "Your factors are upside down: you have the gradient above over that below. Going down, "
        "multiply by what is below over what is above.",
    ),
    Mistake(
        "final norm counted",
        lambda added, returns, norm_first: (
            _with()(added, returns, norm_first) / ((1 + added.sum()).sqrt() if norm_first else 1)
        ),
        "Your Pre-LN sizes are divided by the spread on top, as a norm behind the last block "
        "would do. Sizes are relative to the last place, which has 1.",
    ),
    Mistake(
        "the first place left out",
        _with(then=lambda sizes: sizes[1:]),
        "You leave out the input. There is one place more than there are sublayers.",
    ),
    Mistake(
        "all sublayers return",
        _with(*(lambda v, r, f=f: f(v, torch.ones_like(r)) for f in (_pre, _post))),
        "You let every sublayer return a gradient. Where does `returns` come in?",
    ),
    Mistake(
        "squares returned",
        _with(then=torch.square),
        "You return squares of sizes. A root is missing.",
    ),
    Mistake(
        "sizes added, not squares",
        _with(
            pre=lambda v, r: (1 + r * (v / _before(v)).sqrt()) ** 2,
            post=lambda v, r: (1 + r * v.sqrt()) ** 2 / (1 + v),
        ),
        "You add the sizes of the two parts. They point in unrelated directions, so their squares "
        "add up.",
    ),
    Mistake(
        "divided twice",
        _with(post=lambda v, r: (1 + r * v) / (1 + v) ** 2),
        "In your Post-LN the norm divides the square by the square of the variance. It divides "
        "the gradient by the standard deviation, hence its square by the variance.",
    ),
    Mistake(
        "skip path undivided",
        _with(post=lambda v, r: 1 + r * v / (1 + v)),
        "In your Post-LN the norm divides what comes through the sublayer alone. It stands "
        "behind the sum, so it divides the part along the stream, too.",
    ),
    Mistake(
        "upside down",
        _with(then=lambda sizes: sizes.flip(0)),
        "Your sizes are in reverse order: the input comes first, the last place has 1.",
    ),
    Mistake(
        "relative to the input",
        _with(then=lambda sizes: sizes / sizes[0]),
        "Your sizes are relative to the gradient at the input. They should be relative to that "
        "at the last place.",
    ),
    Mistake(
        "factors from the bottom",
        _from_the_bottom,
        "You multiply from the input up. The gradient is known at the top: begin there.",
    ),
    Mistake(
        "one factor each",
        _one_factor,
        "Each of your sizes holds the factor of one sublayer. The gradient at a place has come "
        "through all the sublayers above.",
    ),
    Mistake(
        "the last place left out",
        _with(then=lambda sizes: sizes[:-1]),
        "You return a size for each sublayer. There is one place more than that: the last, with 1.",
    ),
    Mistake(
        "the input alone",
        _with(then=lambda sizes: sizes[0]),
        "You return the size at the input. The sizes at all `n + 1` places are asked for.",
    ),
)
