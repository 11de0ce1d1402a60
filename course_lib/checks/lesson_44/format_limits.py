"""Lesson 44: the largest number of a format and its gap at 1, from the number of bits."""

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(exponent_bits, fraction_bits):
    """The largest finite number, and the distance from 1 to the next number above it."""
    raise NotImplementedError


def _solution(exponent_bits, fraction_bits):
    gap = 2.0**-fraction_bits
    bias = 2 ** (exponent_bits - 1) - 1
    top = 2**exponent_bits - 2 - bias  # the pattern of all ones means infinity
    return (2 - gap) * 2.0**top, gap


def _wrong(top=lambda e: 2 ** (e - 1) - 1, most=lambda gap: 2 - gap, gap=lambda f: 2.0**-f):
    """The right answer but for one of its three parts."""

    def wrong(exponent_bits, fraction_bits):
        step = 2.0**-fraction_bits
        return most(step) * 2.0 ** top(exponent_bits), gap(fraction_bits)

    return wrong


_MISTAKES = (
    Mistake(
        "all ones used",
        _wrong(top=lambda e: 2 ** (e - 1)),
        "Your largest number uses the exponent pattern of nothing but ones. That one is reserved "
        "for infinity and NaN.",
    ),
    Mistake(
        "no bias",
        _wrong(top=lambda e: 2**e - 2),
        "Your exponent starts at 0, so no number below 1 could be stored. What has to be "
        "subtracted from the pattern?",
    ),
    Mistake(
        "no bias, all ones used",
        _wrong(top=lambda e: 2**e - 1),
        "Two things: the pattern of nothing but ones is reserved, and the bias has to be "
        "subtracted from what is left.",
    ),
    Mistake(
        "bias too large",
        _wrong(top=lambda e: 2 ** (e - 1) - 2),
        "Your largest exponent is one too small. The bias is half of the patterns, less one.",
    ),
    Mistake(
        "no fraction",
        _wrong(most=lambda gap: 1.0),
        "You take the largest exponent with the fraction 1.00...0. All fraction bits can be ones.",
    ),
    Mistake(
        "two in full",
        _wrong(most=lambda gap: 2.0),
        "Your largest number is a power of two, one step too far: there the reserved exponent "
        "pattern of nothing but ones begins. With all bits set the fraction stays one step below "
        "2.",
    ),
    Mistake(
        "hidden one forgotten",
        _wrong(most=lambda gap: 1 - gap),
        "With all bits set your fraction is just below 1. A 1 stands before the point and is not "
        "stored.",
    ),
    Mistake(
        "half the gap",
        _wrong(gap=lambda f: 2.0 ** -(f + 1)),
        "This is half the gap: the largest error of rounding. The distance to the next number is "
        "what the last fraction bit is worth.",
    ),
    Mistake(
        "twice the gap",
        _wrong(gap=lambda f: 2.0 ** (1 - f)),
        "Your gap is twice too wide. The first bit behind the point is worth 1/2; what is the "
        "last one worth?",
    ),
    Mistake(
        "the smallest number",
        lambda e, f: (_solution(e, f)[0], 2.0 ** (2 - 2 ** (e - 1))),
        "Your second number is the smallest one of full precision. Wanted is the distance between "
        "1 and its neighbour.",
    ),
    Mistake(
        "one fraction bit too few",
        lambda e, f: ((2 - 2.0 ** (1 - f)) * 2.0 ** (2 ** (e - 1) - 1), 2.0 ** (1 - f)),
        "You count one fraction bit too few. The first bit behind the point is worth 1/2, so the "
        "last of f bits is worth 1 / 2^f; it sets the gap and ends the largest fraction.",
    ),
    Mistake(
        "all ones used, half the gap",
        _wrong(top=lambda e: 2 ** (e - 1), gap=lambda f: 2.0 ** -(f + 1)),
        "Two things: the exponent pattern of nothing but ones is reserved for infinity and NaN; "
        "and your gap is half of what the last fraction bit is worth.",
    ),
    Mistake(
        "all ones used, hidden one forgotten",
        _wrong(top=lambda e: 2 ** (e - 1), most=lambda gap: 1 - gap),
        "Two things: the exponent pattern of nothing but ones is reserved for infinity and NaN; "
        "and a 1 that is not stored stands before the point.",
    ),
    Mistake(
        "the next number",
        _wrong(gap=lambda f: 1 + 2.0**-f),
        "Your second number is the one above 1. Wanted is how far it lies from 1.",
    ),
    Mistake(
        "the gap at the top",
        lambda e, f: (_solution(e, f)[0], 2.0 ** (2 ** (e - 1) - 1 - f)),
        "Your gap is that beside the largest number. Wanted is the one at 1, where the exponent "
        "is 0.",
    ),
    Mistake(
        "bits swapped",
        lambda e, f: _solution(f, e),
        "You take the exponent's bits for the fraction's. The exponent's come first.",
    ),
    Mistake(
        "bits counted as digits",
        _wrong(gap=lambda f: 10.0**-f),
        "The fraction has binary digits: each is worth half of the one before, not a tenth.",
    ),
)

format_limits = Exercise(
    name="lesson_44.format_limits",
    task=(
        "Write `format_limits(exponent_bits, fraction_bits)`: the largest finite number, and the "
        "distance from 1 to the next number above it, in this order. You have just worked out "
        "what the bits mean; nothing else is needed."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "One step of the fraction is $2^{-f}$; at 1, where the exponent is 0, that is the gap. "
        "The patterns run up to $2^e - 1$, that one is reserved, and the bias $2^{e-1} - 1$ is "
        "taken off, which leaves $2^{e-1} - 1$ as the largest exponent. With all fraction bits "
        "set, $2 - 2^{-f}$ stands before it."
    ),
    cases=(
        Case({"exponent_bits": 3, "fraction_bits": 2}),
        Case({"exponent_bits": 5, "fraction_bits": 10}),
        Case({"exponent_bits": 8, "fraction_bits": 7}),
        Case({"exponent_bits": 5, "fraction_bits": 2}),
        Case({"exponent_bits": 6, "fraction_bits": 9}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "With 2 fraction bits the fractions are 1.00, 1.01, 1.10 and 1.11 in binary. Which "
        "numbers are those?",
        "The exponent patterns run from 0 to one below 2 to the power of their bits. The last is "
        "reserved. Take the bias off the last but one.",
        "```python\ngap = ...                     # what the last fraction bit is worth\n"
        "bias = ...\ntop = ...                     # the largest exponent\n"
        "return ... * 2.0**top, gap\n```",
    ),
    returns=("the largest number", "the gap above 1"),
    rtol=1e-9,
    atol=0.0,
)
