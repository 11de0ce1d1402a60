# %% [markdown]
# # 22 Masks
#
# **How is the future hidden, and what else must be?** At the end you can write a mask, prove that it hides what it should, say what becomes of a row with nothing to read, and tell why BERT needs a mask as well. You need lesson 21; about 45 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [21 Scaled dot-product attention](21_scaled_dot_product_attention.ipynb) · next: [23 Multi-head attention](23_multi_head_attention.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(22)

# %% tags=["widget"]
from course_lib.widgets.mask_painter import mask_painter

mask_painter()

# %% [markdown]
# ## Question
#
# A GPT learns to say which token comes next, at every place of a text at once: behind “the” it should say “cat”, behind “the cat” it should say “sat”. But attention reads. If “the” may read its neighbour, the answer lies on the table, and the model learns to copy it. So the future must be hidden, and hidden completely.
#
# In the figure, a row is a query and a column is a key. Left: scores as in lesson 21, blue where the key may be read; elsewhere a **mask** has put $-\infty$ in their place. Middle: the shares that softmax makes of each row, the **attention weights**. Right: what the output of one token can draw on, through one layer or several.
#
# Try this. Click `none`, then `causal`, and follow one row: the scores that are left stay as they were, their shares grow. Every row still sums to 100%. Now click single cells. Then choose `window`, in which a token reads itself and the one before it, pick the row of “it”, and push the layers up: it can know more and more, although nobody may read further. And last, hide the only blue cell of a row.

# %% [markdown]
# ## Predict
#
# Three guesses, each to be settled by a measurement below.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

triangle_guess = predict(
    "Somebody hides the future by multiplying its scores by 0, before the softmax. How much of "
    "its attention does the first of 8 tokens give to the 7 tokens after it?",
    ["nothing", "about an eighth", "more than half"],
)
triangle_guess

# %% tags=["predict", "widget"]
window_guess = predict(
    "In every layer a token may read itself and the two tokens before it. How many tokens back "
    "can it know of after 4 layers?",
    ["2", "8", "12", "16"],
)
window_guess

# %% tags=["predict", "widget"]
padding_guess = predict(
    "A BERT reads six tokens. Then it reads the same six with three padding tokens behind them, "
    "and without any mask. What happens to the outputs at the six?",
    ["nothing", "the last digits change", "they become different vectors"],
)
padding_guess

# %% [markdown]
# ## Derive
#
# ### Three tokens by hand
#
# Row $i$ holds the scores of query $i$. To hide the future, leave it out of the sum: row $i$ is shared out among the keys up to $i$, and everything behind gets 0.

# %% tags=["derive"]
import math

scores = [[1.0, 2.0, 0.0],
          [0.0, 1.0, 3.0],
          [2.0, 0.0, 1.0]]


def causal_by_hand(scores):
    rows = []
    for i, row in enumerate(scores):
        exponentials = [math.exp(score) for score in row[: i + 1]]
        shares = [e / sum(exponentials) for e in exponentials]
        rows.append(shares + [0.0] * (len(row) - i - 1))
    return rows


by_hand = causal_by_hand(scores)
by_hand

# %% [markdown]
# The first query has one key to read and gives it everything, whatever its score was. The second had set its heart on the third key, and has to do with the two that are left.
#
# Written for whole matrices, softmax always takes a full row. So nothing is left out; something is added instead:
#
# $$A = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right), \qquad M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}$$
#
# Since $e^{-\infty} = 0$, a hidden key adds nothing to the sum and gets a share of 0. [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762) say it in words: "masking out (setting to $-\infty$)" (section 3.2.3). This course takes two steps. First, a **boolean mask**: who may read whom. True means "may be read", here as in PyTorch's `scaled_dot_product_attention`; its `nn.MultiheadAttention` means the opposite, so look twice when you change libraries. (`diagonal` is 0 here; what it is for comes under Verify.)

# %% tags=["derive"]
from course_lib.mechanisms.masks import barrier, causal_mask

show_source(causal_mask)

# %% [markdown]
# Then $M$, the **additive mask**, is made of it, just before the softmax:

# %% tags=["derive"]
show_source(barrier)

# %% tags=["derive"]
import torch

from course_lib.mechanisms.softmax import softmax

print(causal_mask(3).int())
print(barrier(causal_mask(3)))
softmax(torch.tensor(scores) + barrier(causal_mask(3)))

# %% tags=["claim"]
from course_lib.checks.claim import claim
from course_lib.mechanisms.attention import scaled_dot_product_attention

S = torch.tensor(scores, dtype=torch.float64)
claim(
    "Left out by hand or pushed to -inf by M: the largest difference is one of rounding",
    (softmax(S + barrier(causal_mask(3), S.dtype)) - S.new_tensor(by_hand)).abs().max(),
    below=1e-12,
    because="both compute in float64, which rounds at 1e-16",
    control={"no mask": (softmax(S) - S.new_tensor(by_hand)).abs().max()},
)


# %% tags=["claim"]
def torch_and_ours(seed, hidden=True):
    generator = torch.Generator().manual_seed(seed)
    q, k, v = torch.randn(3, 2, 5, 4, generator=generator, dtype=torch.float64)
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    ours = scaled_dot_product_attention(q, k, v, causal_mask(5) if hidden else None).z
    return (ours - theirs).abs().max()


claim(
    "Causal attention agrees with PyTorch's own",
    [torch_and_ours(seed) for seed in range(3)],
    below=1e-12,
    because="float64 rounds at 1e-16 of the size",
    control={"no mask": torch_and_ours(0, hidden=False)},
)

# %% [markdown]
# ### "M is a lower-triangular matrix"
#
# You will read this often. A lower-triangular matrix has zeros *above* its diagonal. $M$ has its zeros on and below, and $-\infty$ above. What is lower-triangular is the table of who may read whom.

# %% tags=["claim"]
future = ~causal_mask(8)
M = barrier(causal_mask(8))
claim(
    "On the diagonal and below, M is 0",
    M[~future], equals=0.0,
    because="0 is written there",
    control={"the triangle of ones": causal_mask(8).float()[~future]},
)
claim(
    "Above the diagonal, M is -inf everywhere",
    M[future], equals=-math.inf,
    because="-inf is written there",
    control={"the triangle of ones": causal_mask(8).float()[future]},
)


# %% [markdown]
# The mix-up has consequences. Whoever takes the mask for a triangle of ones and *multiplies* the scores by it, sets the future's scores to 0. And $e^0 = 1$, not 0. ([GPT-2's released code](https://github.com/openai/gpt-2/blob/master/src/model.py) does multiply by a triangle of ones. Then it subtracts $10^{10}$ wherever the triangle is 0.)

# %% tags=["experiment"]
def to_the_future(hide, seed):
    """Of each of 8 queries, the share of its attention that goes to later keys."""
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, 8, 16, generator=generator)
    shares = softmax(hide(q @ k.T / 4))
    return (shares * future).sum(dim=-1)


multiplied = torch.stack([to_the_future(lambda s: s * causal_mask(8), seed) for seed in range(5)])
added = torch.stack([to_the_future(lambda s: s + barrier(causal_mask(8)), seed) for seed in range(5)])
for name, shares in {"scores times the triangle": multiplied, "scores plus M": added}.items():
    print(f"{name}: ", "  ".join(f"{share:4.0%}" for share in shares.mean(dim=0)))

# %% [markdown]
# One number for each query, from the first to the last, which has no later key to look at.

# %% tags=["claim"]
claim(
    "With its scores multiplied by 0, the future gets most of the first token's attention",
    multiplied[:, 0],
    above=0.5,
    because="seven keys of score 0 weigh 7, against e^s for one score s, and s is seldom above 1.9",
    control={"M added": added[:, 0]},
)
claim(
    "With M added, nothing at all goes to the future",
    added,
    equals=0.0,
    because="e to the power of -inf is exactly 0, in every number format",
    control={"multiplied": multiplied[:, :-1]},
)

# %% tags=["predict"]
triangle_guess.reveal(
    f"{multiplied[:, 0].mean():.0%}, the mean of five draws",
    "a score of 0 is an ordinary score: e^0 = 1, seven times over",
)

# %% [markdown]
# "$e^{-\infty} = 0$, so a hidden key gets nothing" has one condition: something must be left in the row. Softmax subtracts the largest score first, and in a row of nothing but $-\infty$ that is $-\infty - (-\infty)$, which no number answers. You have seen it in the painter.

# %% tags=["claim"]
rows = torch.full((3, 4), -torch.inf)
one_left = rows.clone()
one_left[:, 2] = -50.0
claim(
    "A row of nothing but -inf becomes NaN",
    softmax(rows).isnan(),
    equals=True,
    because="-inf - (-inf) has no answer, and the standard of floating-point numbers says NaN",
    control={"one key left, however low": softmax(one_left).isnan()},
)

# %% [markdown]
# ## Experiment
#
# ### Does anything get through?
#
# Shares of 0 in one layer are not the whole proof. A model has many layers, and each **block** of it has, besides attention, norms that fix the size of each token's vector, and a feed-forward part that works on one token at a time. So look at the whole stack from outside: nudge the input at position $j$ and see whether the output at position $i$ moves. All such reactions together are the **Jacobian** $\partial\,\mathrm{out}_i / \partial\,x_j$. The library takes it from a stack of random blocks. A backward pass starts at a single number. So every output number gets a copy of the input to itself, and one pass over all copies gives all rows of the Jacobian. Its part for two tokens is a square of numbers; the norm at the end makes one size of it:

# %% tags=["experiment"]
from course_lib.experiments.who_knows import influence

show_source(influence)

# %% tags=["experiment", "widget"]
from course_lib.experiments.who_knows import masks_for, who_knows
from course_lib.plots import who_knows as known
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

explore(who_knows, known.draw, known.say, size=(10, 4),
        mask=choice(list(masks_for()), "causal", label="mask"),
        n_layers=choice([1, 2, 3, 4], 1, label="layers"))

# %% [markdown]
# White is not "small". It is exactly 0, because every way from that input to that output goes through a share of 0. Go through the six masks and push the layers up each time. `causal` keeps its white half at any depth. `window` gives some of it back: one diagonal a layer. `prefix` is two-sided in its first two tokens and one-sided behind them; the [T5 paper](https://arxiv.org/abs/1910.10683) (section 3.2.1) compares it with the others.
#
# The dots do not come from the Jacobian. They mark where there is a *way* through the mask, layer by layer, as in the painter.

# %% tags=["claim"]
everyone = torch.ones(7, 7, dtype=torch.bool)
later = ~causal_mask(7)
earlier = causal_mask(7).tril(-1)
stacks = [(n_layers, seed) for n_layers in (1, 2, 4) for seed in range(3)]
claim(
    "Under a causal mask no input has any influence on an earlier output",
    torch.stack([influence(causal_mask(7), *stack)[later] for stack in stacks]),
    equals=0.0,
    because="every way back in time goes through a share of 0, and 0 times a number is 0",
    control={"no mask": torch.stack([influence(everyone, *stack)[later] for stack in stacks])},
)

# %% [markdown]
# A derivative looks at one point only. It can even be 0 without any mask, where a softmax has rounded to a single 1. So replace the last three inputs outright, by others a hundred times as large:

# %% tags=["claim"]
from course_lib.experiments.who_knows import change_before

claim(
    "Whatever comes later, the first four outputs stay the same to the last bit",
    [change_before(causal_mask(7), 4, *stack) for stack in stacks],
    equals=0.0,
    because="a share of exactly 0 times any finite number is 0",
    control={"no mask": [change_before(everyone, 4, *stack) for stack in stacks]},
)
claim(
    "Every token before one's own has an influence",
    torch.stack([influence(causal_mask(7), *stack)[earlier] for stack in stacks]),
    above=0.02,
    because="random shares are not small; a fifth of the weakest leaves room for other seeds",
    control={"a window of 2, one layer": influence(masks_for()["window"], 1)[earlier]},
)


# %% [markdown]
# This is the whole of "BERT sees both sides, GPT only the past". It is no property of the layers: the same blocks with the same weights do both. It is the mask. Of $T$ tokens the first knows 1, the second 2, and so on: $1 + 2 + \dots + T = T(T + 1)/2$ of the $T^2$ pairs.

# %% tags=["claim"]
def share_of_pairs(visible, n_layers):
    return (influence(visible, n_layers) > 0).double().mean()


claim(
    "Without a causal mask every output depends on every input: 100% of the pairs",
    [share_of_pairs(everyone, n_layers) for n_layers in (1, 2, 4)],
    equals=1.0,
    because="a share of pairs that were counted",
    control={"causal": [share_of_pairs(causal_mask(7), n_layers) for n_layers in (1, 2, 4)]},
)
claim(
    "With it, (T + 1) / 2T of them are left for T = 3, 7 and 10 tokens",
    [share_of_pairs(causal_mask(T), n_layers=2) for T in (3, 7, 10)],
    near=[(T + 1) / (2 * T) for T in (3, 7, 10)], within=1e-12,
    because="a share of pairs that were counted",
    control={"no mask": [share_of_pairs(everyone, 2)] * 3},
)

# %% [markdown]
# Ways through a mask can be followed without any weights: whoever I read has read others before. (And my own past comes along whether I may read myself or not, because a block adds what it computes to the vector that came in, the **residual stream**; in the painter that way is dotted.)

# %% tags=["derive"]
from course_lib.experiments.who_knows import reachable

show_source(reachable)


# %% tags=["claim"]
def as_predicted(n_layers, followed):
    """For each of the six masks: is there influence exactly where there is a way?"""
    return [torch.equal(influence(visible, n_layers) > 0, reachable(visible, followed))
            for visible in masks_for().values()]


claim(
    "Influence is where a way through the mask is, and nowhere else, for all six masks",
    sum([as_predicted(n, followed=n) for n in (1, 2, 3)], []),
    equals=True,
    because="zeros are exact, and random weights do not cancel to 0",
    control={"a layer too few followed; only `window` still grows": as_predicted(3, followed=2)},
)

# %% tags=["claim"]
from course_lib.mechanisms.masks import window_mask


def steps_back(window, n_layers):
    return int((influence(window_mask(14, window), n_layers)[-1] > 0).sum()) - 1


windows = [(2, 1), (3, 4), (4, 2), (5, 3)]
claim(
    "L layers with a window of w tokens, one's own included, reach back L (w - 1) tokens",
    [steps_back(*window) for window in windows],
    equals=[n_layers * (w - 1) for w, n_layers in windows],
    because="tokens are counted",
    control={"L times w": [n_layers * w for w, n_layers in windows]},
)

# %% tags=["predict"]
window_guess.reveal(
    f"{steps_back(3, 4)} tokens",
    "a window of 3 goes 2 steps back, and each further layer adds 2",
)

# %% [markdown]
# This is **sliding-window attention**, and how far a token knows through all layers is its **receptive field**. [Longformer](https://arxiv.org/abs/2004.05150) (section 3.1) builds on it; its window of $w$ looks to both sides, $w/2$ each, and its receptive field of $l \times w$ counts both. But a way is not yet a road. How *much* arrives over four layers is another question: with `window` the colours of the figure turn paler with every step to the left.
#
# ### "BERT's attention has no mask"
#
# Its causal mask is missing, that much is true. But texts are handed to a model in batches, a batch is a rectangle, and texts are not equally long. The short ones are filled up with **padding**, tokens that mean nothing. A model does not know that. Here are a small BERT and a small GPT with random weights, six real tokens, and three of padding. The numbers are the largest change that padding makes to any output number at the *real* tokens (GPT's outputs are scores of the next token, BERT's are vectors):

# %% tags=["experiment"]
from course_lib.experiments.padding import padding_change, padding_changes
from course_lib.plots import mask_tables
from course_lib.plots.show import show

show(mask_tables.draw_padding, padding_changes(n_padding=3), mask_tables.say_padding, size=(7.6, 2.1))

# %% [markdown]
# First column, nothing done: BERT gives the real tokens other vectors, although not one of them has changed. A GPT with padding on the right gets away with it: for a real token the padding is the future, which is hidden already. On the left it is not.
#
# Second column: a **padding mask** lets everybody read real tokens only. That mends the right side. On the left a second cause is left: position. The first real token stands in fourth place now and gets the fourth position's vector. Where such a vector is added to the token's, positions must count real tokens only (third column):

# %% tags=["experiment"]
from course_lib.mechanisms.masks import padding_mask
from course_lib.mechanisms.positions import count_positions

real = torch.tensor([[False, False, True, True, True]])
print("may be read:", padding_mask(real).int(), "shape", tuple(padding_mask(real).shape))
print("positions:  ", count_positions(real))
show_source(count_positions)

# %% [markdown]
# The axes are text, head, query and key; the two of length 1 stretch, because all heads and queries get the same. Padding itself keeps the numbers of its places, 0 and 1 here: it needs some vector, and which one makes no difference, since nobody reads it. Who made the padding knows which tokens are real, and tells the model: `model(token_ids, real)` does all of it.

# %% tags=["claim"]
seeds = range(5)
unmasked = [padding_change("BERT", "right", "nothing", seed=seed) for seed in seeds]
masked = [padding_change(model, side, "mask and positions", seed=seed)
          for model in ("BERT", "GPT") for side in ("left", "right") for seed in seeds]
claim(
    "Three padding tokens without a mask change what BERT says about the real ones",
    unmasked,
    above=0.1,
    because="layer norm gives outputs a size near 1; the smallest change of five models was 0.4",
    control={"masked": masked[:10]},
)
claim(
    "With mask and counted positions the real tokens do not notice padding, on either side",
    masked,
    below=1e-12,
    because="sums run over more numbers, of which the new ones are 0; only the rounding differs",
    control={"BERT, nothing done": unmasked},
)

# %% tags=["claim"]
claim(
    "A GPT needs no padding mask when the padding stands on the right",
    [padding_change("GPT", "right", "nothing", seed=seed) for seed in seeds],
    below=1e-12,
    because="for a real token that padding is the future, and the causal mask hides it",
    control={"padding on the left": padding_change("GPT", "left", "nothing")},
)
claim(
    "On the left the mask alone is not enough: positions have moved",
    [padding_change(model, "left", "mask", seed=seed) for model in ("BERT", "GPT") for seed in seeds],
    above=0.5,
    because="learned vectors of two positions have nothing in common; the smallest change was 1.9",
    control={"positions counted": padding_change("GPT", "left", "mask and positions")},
)
claim(
    "A GPT with rotary positions, or with none, does not notice that they have moved",
    [padding_change("GPT", "left", "mask", positions=kind) for kind in ("rotary", "none")],
    below=1e-12,
    because="rotary depends on distances alone (lesson 24), and they are the same",
    control={"sinusoidal": padding_change("GPT", "left", "mask", positions="sinusoidal")},
)

# %% tags=["predict"]
padding_guess.reveal(
    f"they become different vectors: numbers of a size near 1 change by up to {unmasked[0]:.2f}",
    "BERT has no causal mask, so every real token reads the padding unless a padding mask hides it",
)

# %% [markdown]
# ### "The mask makes a decoder autoregressive"
#
# Autoregressive means: each prediction depends on what came before it and on nothing else. The causal mask does that: output $i$ knows the tokens up to $i$, and has to name token $i + 1$. *A* mask does not: the argument called `mask` in most code takes any mask. Put the padding mask in the causal one's place:

# %% tags=["claim"]
masks = masks_for(["the", "cat", "sat", "on", "it", "[PAD]", "[PAD]"])
later_and_real = later[:5, :5]
claim(
    "Under a padding mask every real token knows the real ones after it",
    torch.stack([influence(masks["padding"], *stack)[:5, :5][later_and_real] for stack in stacks]),
    above=0.02,
    because="the bound is that of the past under a causal mask",
    control={"causal": influence(masks["causal"], 2)[:5, :5][later_and_real]},
)
claim(
    "Under a padding mask no real token knows anything of the padding, at any depth",
    torch.stack([influence(masks["padding"], *stack)[:5, 5:] for stack in stacks]),
    equals=0.0,
    because="every way to the padding goes through a share of 0",
    control={"a causal mask, padding on the left": influence(masks["causal"], 2)[2:, :2]},
)

# %% [markdown]
# ### Both at once
#
# A GPT with padding on the left needs both: a key may be read if the causal mask *and* the padding mask let it. Here is the text from above, two padding tokens and three real ones:

# %% tags=["experiment"]
both = causal_mask(5) & padding_mask(real)[0, 0]
both.int()

# %% [markdown]
# The first two rows are empty. You know what softmax makes of them. So the library lets a padding query read one thing more, itself:

# %% tags=["experiment"]
from course_lib.mechanisms.masks import combine

show_source(combine)

# %% tags=["experiment"]
on_the_right = torch.tensor([[True, True, True, False, False]])
for where in (real, on_the_right):
    print(combine(causal_mask(5), padding_mask(where))[0, 0].int())

# %% [markdown]
# With padding on the right, below, no row would have been empty. The library opens the diagonal to every padding query all the same: one rule for both sides. What a padding query gets from itself means nothing. It does no harm either: as a key it stays hidden from everybody else, and its output is never scored.

# %% tags=["claim"]
batch = torch.tensor([[mark == "x" for mark in text] for text in ("..xxxx", "xxxx..", ".xxx..", "xxxxxx")])
claim(
    "Combined, no query is left without a key, wherever the padding stands",
    combine(causal_mask(6), padding_mask(batch)).any(dim=-1),
    equals=True,
    because="a real query reads at least itself, and so does a padding query",
    control={"only `and`": (causal_mask(6) & padding_mask(batch)).any(dim=-1)},
)

# %% tags=["claim"]
on_the_left = masks_for(["[PAD]", "[PAD]", "the", "cat", "sat"])
claim(
    "No real token ever knows of a padding query that reads itself",
    torch.stack([influence(on_the_left["causal + padding"], *stack)[2:, :2] for stack in stacks]),
    equals=0.0,
    because="as keys they are hidden from all but themselves",
    control={"causal alone": influence(on_the_left["causal"], 2)[2:, :2]},
)

# %% [markdown]
# ### Which number means hidden?
#
# $-\infty$ is not what everybody uses. [BERT's released code](https://github.com/google-research/bert/blob/master/modeling.py) *adds* $-10000$ and calls it "effectively the same as removing these entirely". Others *put* $-10^9$ in a score's place, or the lowest number that the format has. And models are run in shorter formats than float32: bfloat16 keeps its range and gives up digits, float16 ends at 65504. Try them all, on a row of four keys, written with PyTorch alone as it is found in print:

# %% tags=["experiment"]
from course_lib.experiments.fill_values import SCORES, fill_table

print("scores:", SCORES)
table = fill_table()
show(mask_tables.draw_fills, table, mask_tables.say_fills, size=(9.4, 4))

# %% [markdown]
# Left, one key hidden: nearly everything works, because all the fills are far below these four scores, and $e$ to any of those powers is 0. (A score below $-10^4$ would lose to a hidden one that was replaced by $-10^4$, in every format.) There are two exceptions. float16 has no $-10^9$, so nothing can be put there. And $-\infty$ is spoilt by a product: the lesson's $M$ holds 0 and $-\infty$ and is harmless, but `(1 - mask) * fill`, as it is mostly written, gives $0 \cdot (-\infty)$, which is NaN, wherever a key may be read. (With $-10^9$ float16 escapes that, because PyTorch rounds the product with a Python number and not the number itself: 0 stays 0, and only $1 \cdot (-10^9)$ becomes $-\infty$.)

# %% tags=["experiment"]
hidden = torch.tensor([False, True, False])
shows_error(lambda: torch.zeros(3).half().masked_fill(hidden, -1e9), RuntimeError)

# %% [markdown]
# Right, nothing left to read: no answer is right, and three different ones are given. $-\infty$ says NaN. One finite number in all places leaves no differences, so every key gets an **equal share**: a row that may read nothing reads everything. *Adding* a number changes no differences, so the row comes out **as unmasked**, if the scores survive the addition. Next to $10^9$ float32's numbers lie 64 apart, next to $10^4$ a thousandth; float16's lie 8 apart there, and 32 next to its lowest; bfloat16's are still coarser. These four scores are below half of each of those steps but the thousandth; larger ones would survive more often. And two masks of the lowest number, say one for the future and one for padding, add up to $-\infty$ where both hide a key: the fill that was to avoid NaN makes it.

# %% tags=["experiment"]
always, level, nan = ["hidden"] * 3, ["equal shares"] * 3, ["NaN"] * 3
told = {  # float32, bfloat16, float16 with one key hidden | the same with all hidden
    ("replace", "-inf"): always + nan,
    ("replace", "-1e9"): ["hidden", "hidden", "error", "equal shares", "equal shares", "error"],
    ("replace", "-1e4"): always + level,
    ("replace", "lowest"): always + level,
    ("add M", "-inf"): always + nan,
    ("add", "-inf"): nan + nan,
    ("add", "-1e9"): always + ["equal shares", "equal shares", "NaN"],
    ("add", "-1e4"): always + ["as unmasked", "equal shares", "equal shares"],
    ("add", "lowest"): always + level,
    ("add twice", "lowest"): always + nan,
}


def cells(way, fill):
    """One line of the table."""
    found = [r for r in table if (r.way, r.fill) == (way, fill)]
    return [r.one_hidden for r in found] + [r.all_hidden for r in found]


# %% tags=["claim"]
def agreeing(of_line, held_against):
    """How many of the table's cells are what was told."""
    return sum(a == b for line, other in zip(of_line, held_against)
               for a, b in zip(cells(*line), told[other]))


claim(
    "Every cell of the table, 10 lines of 6, is what the two paragraphs above say",
    agreeing(told, told),
    equals=10 * 6,
    because="cells are counted that hold the same word",
    control={"each line held against the next": agreeing([*told][:-1], [*told][1:])},
)

# %% [markdown]
# How bad is an equal share? The output of such a row is the plain average of all values, the hidden ones too, and no error says so. As long as nobody reads that row and nobody scores it, it does no harm. It is a leak where the row is used: scored with the rest, averaged into one vector for the whole text, or, in cross-attention, when the text to be read is empty.

# %% tags=["claim"]
from course_lib.experiments.fill_values import empty_row_against_mean

claim(
    "With -1e9, a query that may read nothing returns the mean of all values",
    [empty_row_against_mean(-1e9, seed) for seed in range(5)],
    below=1e-6,
    because="float32 rounds at 1e-7 of the size",
    control={"-inf": empty_row_against_mean(-math.inf)},
)

# %% tags=["claim"]
from course_lib.experiments.fill_values import gradient_of_scored

claim(
    "With -1e9 and empty rows, padding has no effect on the scored outputs of real tokens",
    gradient_of_scored(both, -1e9, scored=real[0])[~real[0]],
    equals=0.0,
    because="as keys the padding tokens get shares of 0 from every real token",
    control={"empty rows scored too":
             gradient_of_scored(both, -1e9, scored=torch.ones(5).bool())[~real[0]]},
)

# %% [markdown]
# ### One NaN
#
# A finite fill does no harm in the row of a padding token, which nobody scores. Can NaN not be left alone there as well? Five tokens, two of them padding on the left, a plain causal mask with `&`, and $-\infty$. After each layer, a cross marks a position that holds NaN:

# %% tags=["experiment"]
from course_lib.experiments.fill_values import nan_rows

for layer, row in enumerate(nan_rows(both, -math.inf, n_layers=3), start=1):
    print(f"after layer {layer}: ", " ".join("x" if nan else "." for nan in row))

# %% [markdown]
# In the second layer the real tokens give the padding a share of 0. But a sum of shares times values has $0 \cdot \mathrm{NaN}$ in it, and that is NaN: **a mask does not hold a NaN back**. In training one layer is enough. The loss leaves the padding out, so the gradient that arrives at its row is 0, and on the way to the values it is multiplied by shares that are NaN.

# %% tags=["claim"]
reads_itself = combine(causal_mask(5), padding_mask(real))[0, 0]


def spoilt_as_said(visible):
    """For each of two layers: do exactly the positions that were named hold NaN?"""
    said = torch.stack([~real[0], torch.ones(5, dtype=torch.bool)])
    return (nan_rows(visible, -math.inf, n_layers=2) == said).all(dim=-1)


claim(
    "After one layer NaN stands in the empty rows, after two layers everywhere",
    spoilt_as_said(both),
    equals=True,
    because="0 times NaN is NaN",
    control={"padding reads itself": spoilt_as_said(reads_itself)},
)

# %% tags=["claim"]
claim(
    "Empty rows make the whole gradient NaN, although their outputs are not scored",
    gradient_of_scored(both, -math.inf, scored=real[0]).isnan(),
    equals=True,
    because="every value is in the sum of an empty row, with a share that is NaN",
    control={"padding reads itself":
             gradient_of_scored(reads_itself, -math.inf, scored=real[0]).isnan()},
)

# %% [markdown]
# So this library uses $-\infty$, which is exact in every format, makes no row empty, and refuses one that is. (PyTorch's own `scaled_dot_product_attention` answers with zeros there, which is what exercise 3 asks of you.)

# %% tags=["experiment"]
x = torch.randn(5, 4)
shows_error(lambda: scaled_dot_product_attention(x, x, x, both), ValueError)

# %% [markdown]
# ## Play
#
# The painter once more, with padding on the left and three layers.
#
# 1. With `causal + padding`, hide the one key that the first `[PAD]` may read. Who is NaN after one layer, who after two?
# 2. Choose `window` and the row of “it”. After three layers it does not know “the”. Open a single cell so that it does, without touching the row of “it”.
# 3. Set the layers to 2. Paint a mask under which “it” knows every real token, but no row has more than three blue cells.
#
# (Answers stand under the figure.)

# %% tags=["widget"]
mask_painter(["[PAD]", "[PAD]", "the", "cat", "sat", "on", "it"], "window", chosen=6, layers=3)

# %% [markdown]
# 1: first only that one, then everybody; the picture on the right marks them. 2: any cell that shortens the way by a step, such as the row of “on” reading “cat”. 3: there are many; one is to let “sat” read “the”, “cat” and itself, and “it” read “sat”, “on” and itself.

# %% [markdown]
# ## Verify
#
# The claims above stand beside what they claim. Two more uses of the same argument, which you will meet later. In **cross-attention** the queries come from one text and the keys from another; the padding mask is that of the text that is read. And when a model writes, it asks for its **newest tokens only**; their rows are the last ones of the causal mask, not the first. That is what `diagonal=n_key - n_query` in `causal_mask` is for: it moves the triangle to the right until the last query reads all keys. PyTorch's `is_causal=True` does not move it.

# %% tags=["claim"]
from course_lib.mechanisms.attention import MultiHeadAttention

attention = MultiHeadAttention(d_model=8, n_heads=2)
asks, is_read = torch.randn(1, 4, 8), torch.randn(1, 6, 8)
two_are_padding = padding_mask(torch.tensor([[True, True, True, True, False, False]]))
claim(
    "In cross-attention the padding of the text that is read gets nothing",
    attention.attend(asks, two_are_padding, source=is_read).probs[..., 4:],
    equals=0.0,
    because="-inf stands in their scores, for each head and query",
    control={"no mask": attention.attend(asks, source=is_read).probs[..., 4:]},
)
claim(
    "Two new queries among five keys: their mask is the last two rows, without a difference",
    (causal_mask(2, 5) != causal_mask(5)[-2:]).sum(),
    equals=0,
    because="cells that differ are counted",
    control={"the first two rows": (causal_mask(2, 5) != causal_mask(5)[:2]).sum()},
)

# %% tags=["claim"]
q, k = torch.randn(1, 2, 4), torch.randn(1, 5, 4)
by_torch = torch.nn.functional.scaled_dot_product_attention(q, k, k, is_causal=True)


def off(mask):
    return (scaled_dot_product_attention(q, k, k, mask).z - by_torch).abs().max()


claim(
    "PyTorch's is_causal=True takes the first two rows",
    off(causal_mask(5)[:2]), below=1e-5,
    because="float32 rounds at 1e-7 of the size",
    control={"the last two, which a model that writes needs": off(causal_mask(2, 5))},
)

# %% [markdown]
# ## Exercise
#
# Three exercises, each with a check that looks for known mistakes and names the one you made. Change the function, run the cell. After a wrong try, the hint cell opens one hint further; after two, `farthest_back.solution()` (or that of another) shows the solution.
#
# ### 1. How far back?

# %% tags=["exercise"]
from course_lib.checks.lesson_22 import (
    broken_masked_softmax,
    causal_with_padding,
    farthest_back,
    masked_softmax,
)

farthest_back


# %% tags=["exercise"]
def my_farthest_back(window, n_layers, position):
    raise NotImplementedError


farthest_back.check(my_farthest_back)

# %% tags=["exercise"]
farthest_back.hint()

# %% [markdown]
# ### 2. Two masks in one

# %% tags=["exercise"]
causal_with_padding


# %% tags=["exercise"]
def my_causal_with_padding(real):
    raise NotImplementedError


causal_with_padding.check(my_causal_with_padding)

# %% tags=["exercise"]
causal_with_padding.hint()

# %% [markdown]
# ### 3. Repair a masked softmax
#
# You will find this in many places. It runs, as long as you stay in float32 and every row has something to read:

# %% tags=["exercise"]
show_source(broken_masked_softmax)

# %% tags=["exercise"]
masked_softmax


# %% tags=["exercise"]
def my_masked_softmax(scores, visible):
    scores = scores.masked_fill(visible == 0, -1e9)
    return torch.softmax(scores, dim=-1)


masked_softmax.check(my_masked_softmax)

# %% tags=["exercise"]
masked_softmax.hint()

# %% [markdown]
# ### An open one
#
# A way through the mask says that something *can* arrive. How much does? Take `influence(window_mask(20, 3), n_layers)` for more and more layers and plot the last row against the distance. Does the far end of the reach matter at all, and what changes when the window is twice as wide and the layers half as many?

# %% [markdown]
# ## Takeaways
#
# How is the future hidden? Before the softmax, $-\infty$ is added to every score of a later key, so that its share is exactly 0 and the rest of the row shares everything. Then nothing gets through at any depth: the Jacobian above its diagonal is 0, not small. What else must be hidden? Padding, in BERT as in GPT; and with padding on the left, positions that are added must count real tokens only. No row may be left empty: $-\infty$ makes it NaN, which spreads to every token, and a finite number lets it read everything, which is harmless only while nobody uses that row.
#
# Not covered: what heads make of what they may read (lesson 23), how order gets in (lesson 24), masks that drop tokens for training (lesson 41), the mask of a model that writes with a cache (lesson 52). What a toy cannot show: what large models lose with a window, or with a prefix; that is a question of training.
#
# Sources: Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2.3; Devlin et al. 2019, [BERT](https://arxiv.org/abs/1810.04805), and its [released code](https://github.com/google-research/bert/blob/master/modeling.py); Raffel et al. 2020, [T5](https://arxiv.org/abs/1910.10683), section 3.2.1; Beltagy et al. 2020, [Longformer](https://arxiv.org/abs/2004.05150), section 3.1.
#
# Next: [23 Multi-head attention](23_multi_head_attention.ipynb). [Contents](01_how_this_course_works.ipynb)
