import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from course_lib.mechanisms.sampling import next_probabilities, sample
from course_lib.mechanisms.softmax import softmax

temperatures = st.floats(0.3, 3.0)
top_ps = st.floats(0.01, 0.99)


@st.composite
def rows(draw):
    """Three rows of nine scores, no two of them equal."""
    seed = draw(st.integers(0, 2**31))
    return torch.randn(3, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_temperature_zero_takes_the_largest():
    logits = torch.randn(4, 5, 7)
    assert torch.equal(sample(logits, 0), logits.argmax(-1))


def test_frequencies_follow_the_probabilities():
    logits = torch.tensor([0.0, 1.0, -torch.inf, 2.0])
    n = 20_000
    draws = sample(logits.expand(n, 4), 1.5, torch.Generator().manual_seed(1))
    shares = torch.bincount(draws, minlength=4) / n
    # Four standard errors of a share are at most 4 * 0.5 / sqrt(n) = 0.0141.
    torch.testing.assert_close(shares, softmax(logits, temperature=1.5), rtol=0, atol=0.0142)
    assert shares[2] == 0


def test_a_generator_makes_the_draw_repeatable():
    logits = torch.zeros(3, 50)
    first, again = (sample(logits, 1.0, torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(first, again)


@pytest.mark.parametrize("temperature", [-0.5, float("nan")])
def test_bad_temperature_is_named(temperature):
    with pytest.raises(ValueError, match="temperature must be (>= 0|a finite)"):
        sample(torch.zeros(3), temperature)


@pytest.mark.parametrize("temperature", [0, 1.0])
@pytest.mark.parametrize("row", [[0.0, float("nan")], [float("inf"), 0.0], [-float("inf")] * 2])
def test_logits_that_leave_nothing_to_draw_are_named(row, temperature):
    with pytest.raises(ValueError, match="logits must leave each row something to draw"):
        sample(torch.tensor([[0.0, 1.0], row]), temperature)


def test_a_temperature_that_overflows_is_named():
    with pytest.raises(ValueError, match="at temperature 1e-50"):
        sample(torch.ones(3), 1e-50)


@given(rows(), temperatures, st.integers(1, 12), top_ps)
def test_both_cuts_agree_with_transformers(logits, temperature, top_k, top_p):
    """Theirs marks with -inf what is never drawn; two cuts in a row, as `generate` does."""
    cuts = (TemperatureLogitsWarper(temperature), TopKLogitsWarper(top_k), TopPLogitsWarper(top_p))
    scores = logits
    for cut in cuts:
        scores = cut(None, scores)
    ours = next_probabilities(logits, temperature, top_k=top_k, top_p=top_p)
    torch.testing.assert_close(ours, scores.softmax(-1), rtol=1e-9, atol=1e-12)


@given(rows(), temperatures, top_ps)
def test_top_p_keeps_the_fewest_that_reach_p(logits, temperature, top_p):
    whole = softmax(logits, temperature=temperature)
    kept = next_probabilities(logits, temperature, top_p=top_p) > 0
    for row, marked in zip(whole, kept, strict=True):
        assert row[marked].sum() >= top_p - 1e-12
        assert row[marked].sum() - row[marked].min() < top_p  # one fewer would not do
        assert not (~marked).any() or row[marked].min() >= row[~marked].max()


@given(rows(), temperatures, st.integers(1, 12))
def test_top_k_keeps_the_k_largest_and_their_ratios(logits, temperature, top_k):
    whole = softmax(logits, temperature=temperature)
    cut = next_probabilities(logits, temperature, top_k=top_k)
    kept = torch.zeros_like(whole).scatter(-1, logits.topk(min(top_k, 9)).indices, 1.0)
    torch.testing.assert_close(cut, whole * kept / (whole * kept).sum(-1, keepdim=True))


@pytest.mark.parametrize("cut", [{"top_k": 1}, {"top_p": 1e-9}])
def test_one_is_always_left_the_first_of_equals(cut):
    logits = torch.tensor([[1.0, 3.0, 3.0, 0.0, 3.0], [2.0, 2.0, 2.0, 2.0, 2.0]])
    wanted = torch.tensor([[0.0, 1, 0, 0, 0], [1.0, 0, 0, 0, 0]])
    assert torch.equal(next_probabilities(logits, 0.7, **cut), wanted)
    assert torch.equal(next_probabilities(logits, 0), wanted)
    assert torch.equal(sample(logits, 0.7, **cut), sample(logits, 0))


def test_equal_scores_share_alike_as_the_temperature_falls_to_zero():
    """The limit and temperature 0 are two answers where the largest score stands twice."""
    tied = torch.tensor([2.0, 2.0, 0.0], dtype=torch.float64)
    assert next_probabilities(tied, 1e-3).tolist() == [0.5, 0.5, 0.0]
    assert next_probabilities(tied, 0).tolist() == [1.0, 0.0, 0.0]


def test_equal_scores_at_the_edge_of_a_cut_are_kept_by_their_ids():
    tied = torch.zeros(2, 6)
    assert (next_probabilities(tied, top_k=4) > 0).tolist() == [[True] * 4 + [False] * 2] * 2
    assert (next_probabilities(tied, top_p=0.6) > 0).tolist() == [[True] * 4 + [False] * 2] * 2


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_a_set_that_reaches_p_exactly_is_enough(dtype):
    """0.5 + 0.3 is 0.8, also where the logarithms have been rounded."""
    logits = torch.tensor([0.2, 0.5, 0.3], dtype=torch.float64).log().to(dtype)
    reached = float(softmax(logits.double())[1:].sum())
    assert (next_probabilities(logits, top_p=reached) > 0).tolist() == [False, True, True]


def test_the_order_is_that_of_the_scores_where_probabilities_are_equal():
    logits = torch.tensor([0.0, 0.5, 200.0, 1.0])  # the small ones all have probability 0
    assert next_probabilities(logits, 0.5, top_k=2).tolist() == [0.0, 0.0, 1.0, 0.0]
    near = torch.tensor([1.0, 1.0 + 1e-7, -3.0])
    assert next_probabilities(near, 100.0, top_k=1).tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("temperature", [0, 0.7])
def test_cuts_leave_the_neutral_settings_as_they_are(temperature):
    logits = torch.randn(2, 3, 5)
    plain = next_probabilities(logits, temperature)
    for neutral in ({"top_k": 5}, {"top_k": 99}, {"top_p": 1.0}, {"top_k": 5, "top_p": 1}):
        torch.testing.assert_close(next_probabilities(logits, temperature, **neutral), plain)


def test_the_cuts_reach_the_draw():
    logits = torch.tensor([0.0, 1.0, 2.0, 3.0]).expand(5000, 4)
    draws = sample(logits, 2.0, torch.Generator().manual_seed(0), top_k=3, top_p=0.7)
    kept = next_probabilities(logits[0], 2.0, top_k=3, top_p=0.7)
    shares = torch.bincount(draws, minlength=4) / 5000
    torch.testing.assert_close(shares, kept, rtol=0, atol=4 * 0.5 / 5000**0.5)
    assert shares[:2].tolist() == [0, 0]


def test_hidden_scores_are_never_drawn_and_may_be_counted_by_top_k():
    logits = torch.tensor([-torch.inf, 1.0, -torch.inf, 1.0])
    assert next_probabilities(logits, top_k=3, top_p=0.9).tolist() == [0.0, 0.5, 0.0, 0.5]


@pytest.mark.parametrize("cut", [{}, {"top_k": 3}, {"top_p": 0.8}])
def test_gradients_flow_through_what_is_kept(cut):
    logits = torch.randn(2, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda z: next_probabilities(z, 1.3, **cut), (logits,))


@pytest.mark.parametrize(
    "cut, error",
    [
        ({"top_k": 0}, ValueError),
        ({"top_k": -1}, ValueError),
        ({"top_k": 2.0}, TypeError),
        ({"top_k": True}, TypeError),
        ({"top_p": 0}, ValueError),
        ({"top_p": 1.1}, ValueError),
        ({"top_p": float("nan")}, ValueError),
        ({"top_p": "0.9"}, TypeError),
    ],
)
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_a_bad_cut_is_named(as_shipped, cut, error, temperature):
    for function in (as_shipped(sample), as_shipped(next_probabilities)):
        with pytest.raises(error, match=next(iter(cut))):
            function(torch.zeros(2, 3), temperature, **cut)


@pytest.mark.parametrize("temperature", [0, 1.0])
def test_nothing_to_choose_from_is_named(temperature):
    with pytest.raises(ValueError, match="logits must hold at least one score"):
        sample(torch.zeros(2, 0), temperature)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_long_row_of_equals_is_cut_where_it_should_be(dtype):
    """A sum of thousands in bfloat16 stands still long before it reaches 0.9."""
    kept = next_probabilities(torch.zeros(2, 3000, dtype=dtype), top_p=0.9) > 0
    assert kept.sum(-1).tolist() == [2700, 2700]
    assert kept[:, :2700].all()
