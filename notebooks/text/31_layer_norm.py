# %% [markdown]
# # 31 Layer norm
#
# **What does normalising remove?** At the end you can say what layer norm and RMS norm take away from a position, what that does to the gradient, what its small constant is for and where it belongs, and what GPT's last norm does. You need means and variances, derivatives, and lesson 21; about 60 minutes, and 20 more for the parts marked "if you have time". [Contents](01_how_this_course_works.ipynb#Contents) · previous: [24 Embeddings and positions](24_embeddings_and_positions.ipynb) · next: [32 GELU and feed-forward](32_gelu_and_feed_forward.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(31)

# %% tags=["widget"]
from course_lib.experiments.normalising import normalised
from course_lib.plots import normalising
from course_lib.widgets.controls import choice, control
from course_lib.widgets.explore import explore

explore(normalised, normalising.draw, normalising.say, size=(9, 3.2),
        scale=choice([1.0, 2.0, 3.0, 5.0, 10.0], 3.0),
        shift=control(-20, 20, 1, 12),
        outlier=control(0, 8, 1, 0, label="marked feature", unit="times the scale"))

# %% [markdown]
# ## Question
#
# A word at its position is a list of numbers, its *features*: 768 in the small published models, 64 here. Before a layer reads them they are normalised, in almost every transformer. The figure shows the 64 features of one position as histograms: as they come, after **layer norm**, after **RMS norm**. The triangle marks one feature that you can move on its own.
#
# Try this. Move the scale from end to end: the grey histogram grows wide, the blue one does not move at all. Then move the shift, through 0: layer norm does not see it either, RMS norm does. Put the shift to 0 and pull the marked feature out, to 8 times the scale. How far does it get on the right, and what happens to the other 63?
#
# So something is removed. What exactly, and what does the model lose with it?

# %% [markdown]
# ## Predict
#
# Commit yourself to three answers before you go on.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

outlier_guess = predict(
    "Of 64 features, 63 lie between -3 and 3, and one is a million. "
    "What does layer norm make of that one?",
    ["about 1", "about 3", "about 8", "about 1000", "it stays near a million"],
)
outlier_guess

# %% tags=["predict", "widget"]
gradient_guess = predict(
    "All features of a position are multiplied by 10 before they enter layer norm. "
    "What happens to the gradient that arrives at them?",
    ["10 times larger", "the same", "10 times smaller", "it becomes 0"],
)
gradient_guess

# %% tags=["predict", "widget"]
depth_guess = predict(
    "All weights of a GPT are drawn with one standard deviation; nothing is learned yet. Take off "
    "the layer norm after its last block: once with 3 blocks, once with 48. How wide are the "
    "logits of the deep one, compared with those of the shallow one?",
    ["narrower", "the same", "about 4 times as wide", "about 16 times as wide"],
)
depth_guess

# %% [markdown]
# ## Derive
#
# ### By hand
#
# Four features: 1, 3, 3, 9. Their mean is 4, and subtracting it leaves -3, -1, -1, 5. The squares of these, 9, 1, 1, 25, have the mean 9: that is the variance. Divide by its root, 3.

# %% tags=["derive"]
import math

import torch

x = torch.tensor([1.0, 3.0, 3.0, 9.0], dtype=torch.float64)
by_hand = torch.tensor([-3, -1, -1, 5]).double() / 3
by_hand

# %% [markdown]
# As an equation for a position with $d$ features, with one small number $\epsilon$ and two learned vectors, the *gain* $g$ and the *shift* $b$:
#
# $$y = g\,\frac{x - \bar x}{\sqrt{\operatorname{Var}(x) + \epsilon}} + b, \qquad \bar x = \frac1d \sum_i x_i, \qquad \operatorname{Var}(x) = \frac1d \sum_i (x_i - \bar x)^2 .$$
#
# Before training, gains are 1 and shifts 0, so they change nothing. After training the output has any mean and spread that helped. As code, a line for each part:

# %% tags=["derive"]
from course_lib.experiments.norm_variants import plain_layer_norm

show_source(plain_layer_norm)

# %% [markdown]
# The models of this course run the following. It does the same with less memory, and keeps what the gradient will need. As in PyTorch, the gain is called `weight` and the shift `bias`; `shrink` is $1/s$, one over the root (`rsqrt`). A name that ends in `_` works in place. One line is new: the mean is subtracted a second time. You will see what for.

# %% tags=["derive"]
from course_lib.mechanisms.norms import LayerNormFunction, layer_norm

show_source(LayerNormFunction.forward)

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "By hand, line by line, in the library and in PyTorch, the features come out the same",
    [(plain_layer_norm(x, eps=0.0) - by_hand).abs().max(),
     (layer_norm(x, eps=0.0) - by_hand).abs().max(),
     (torch.nn.functional.layer_norm(x, (4,), eps=0.0) - by_hand).abs().max()],
    below=1e-12,
    because="float64 rounds at 1e-16",
    control={"the mean not subtracted": (x / 3 - by_hand).abs().max(),
             "divided by the variance": ((x - 4) / 9 - by_hand).abs().max()},
)

# %% [markdown]
# ### Divided by $d$, not by $d - 1$
#
# `x.std()` and `x.var()` divide by $d - 1$ unless told otherwise, since statistics mostly has a sample and wants to know about the rest. Here there is no rest. What the habit costs depends on the width:

# %% tags=["derive"]
from course_lib.experiments.norm_variants import norm_variant

for width in (4, 64, 768):
    features = torch.randn(width, dtype=torch.float64)
    ratio = norm_variant(features, 0.0, correction=1) / layer_norm(features, eps=0.0)
    print(f"width {width}: {ratio[0].item():.5f} of what it should be")

# %% [markdown]
# The factor is $\sqrt{(d-1)/d}$, the same for all features. A gain that is larger by one over this factor makes up for it exactly, and training can find that gain. Weights that were trained without it do not have it.

# %% [markdown]
# ### Each position for itself
#
# Mean and variance are taken over the features of one position. Batch norm, known from image models, has a mean and a variance for each feature, taken over many examples. Taken over the positions of one text, either would be a leak in a GPT: the mean of a text knows how the text ends. Below, the last of five positions is changed; how far does the output at the others move?

# %% tags=["derive"]
text = torch.randn(1, 5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
other = text.clone()
other[0, -1] += torch.arange(8.0)


def moved(norm):
    return (norm(other) - norm(text))[0, :4].abs().max()


over_text = moved(lambda x: norm_variant(x, 1e-5, axes=(-2, -1)))
over_text.item()

# %% tags=["claim"]
claim(
    "With layer norm, no position notices another",
    moved(layer_norm), equals=0.0,
    because="the sums run over the last axis alone, so the same numbers are added",
    control={"over positions and features": over_text,
             "batch norm over the positions": moved(lambda x: torch.nn.functional.batch_norm(
                 x[0], None, None, training=True)[None])},
)

# %% [markdown]
# ### What is removed: one shift and one scale
#
# The first figure said so; here it is held to numbers. For several draws, features are scaled and shifted, and the output is compared with that of the features as they were. (This shift is added to what comes in; the learned $b$ is added to what goes out. A scale is above 0. The sign is not forgotten, as a control shows.)

# %% tags=["claim"]
draws = [normalised(eps=0.0, seed=seed) for seed in range(5)]


def differs(kind, scale, shift):
    changed = [normalised(scale, shift, eps=0.0, seed=seed) for seed in range(5)]
    return torch.stack([(getattr(a, kind) - getattr(b, kind)).abs().max()
                        for a, b in zip(changed, draws)])


claim(
    "Layer norm forgets scale and shift",
    differs("layer", 7.0, -12.0), below=1e-12,
    because="rounding in float64; eps is 0 here",
    control={"RMS norm": differs("rms", 7.0, -12.0),
             "layer norm, every sign turned":
             [(layer_norm(-p.before, eps=0.0) - p.layer).abs().max() for p in draws]},
)

# %% tags=["claim"]
claim(
    "RMS norm forgets the scale",
    differs("rms", 7.0, 0.0), below=1e-12,
    because="rounding in float64; eps is 0 here",
    control={"a shift as well": differs("rms", 7.0, -12.0)},
)

# %% [markdown]
# From a position, nothing else is removed. It is often said that layer norm "tames outliers" or "makes the features normally distributed". Subtracting one number and dividing by another moves and stretches a position's histogram; its shape stays, lopsided or with two humps, and so does the outlier's place in it. What is true: the squares have the mean 1, so all $d$ of them sum to $d$, and that bounds each feature. With four features the furthest is $(3, -1, -1, -1)/\sqrt 3$, the root of 3; with $d$ of them it is $\sqrt{d - 1}$.

# %% tags=["derive"]
huge = normalised(outlier=1e6, eps=0.0).layer
huge[-1].item(), huge[:-1].abs().max().item()

# %% tags=["claim"]
largest = [normalised(outlier=1e6, eps=0.0, seed=seed).layer[-1] for seed in range(5)]
claim(
    "A feature of a million comes out at the root of 63",
    largest, near=math.sqrt(63), within=1e-3,
    because="the others are millionths of it, and 63 equal features against one give this root",
    control={"a feature of 5": normalised(outlier=5.0, eps=0.0).layer[-1]},
)

# %% tags=["predict", "widget"]
outlier_guess.reveal(
    "about 8",
    "the root of 63. All squares together are 64, and the one feature takes almost all of them. "
    "The others are squeezed to nearly 0: they pay for the outlier",
)

# %% [markdown]
# The shape has a measure for its tails, the *kurtosis*: the mean fourth power, in spreads. Normally distributed numbers have 3. Taming the outlier, say by cutting off at 3, would change it.

# %% tags=["claim"]
from course_lib.experiments.normalising import kurtosis, positions_of_many_sizes

shapes = [normalised(3.0, 12.0, 6.0, seed=seed) for seed in range(5)]
claim(
    "Layer norm leaves the shape of a position's histogram: the kurtosis is as before",
    [kurtosis(p.layer) - kurtosis(p.before) for p in shapes], near=0, within=1e-9,
    because="the same number is subtracted from all, and all are divided by the same number",
    control={"cut off at 3": [kurtosis(p.layer.clamp(-3, 3)) - kurtosis(p.before)
                              for p in shapes]},
)

# %% [markdown]
# So where does the saying come from? People look at the histogram of a whole text, all positions in one. When positions differ in size, that histogram has long tails, from the few large ones. Here are 2000 positions, each of normal features, with a size of its own:

# %% tags=["claim"]
many = [positions_of_many_sizes(seed=seed) for seed in range(5)]
claim(
    "Over positions of many sizes, the kurtosis of all features together falls to nearly 3",
    [kurtosis(layer_norm(x)) for x in many], near=3 * 63 / 65, within=0.05,
    because="3 (d - 1) / (d + 1) for normal features at one length; 2000 positions scatter by 0.02",
    control={"before": [kurtosis(x) for x in many]},
)

# %% [markdown]
# That is the true half: layer norm removes what differs *between* positions in size and mean, and the tails that came from it. Within a position it changes nothing.

# %% [markdown]
# ### What the gradient loses
#
# A step that the norm cannot see sends no gradient back. Let gain and shift be 1 and 0, and write $s$ for the root, so that $y = (x - \bar x)/s$. The mean moves by $1/d$ with every feature. How does $s$ move with feature $j$? Its square is $\epsilon$ plus the mean of the squared deviations. A step of one feature moves all deviations, since it moves the mean, but deviations sum to 0, so that part cancels. What is left is
#
# $$\frac{\partial s}{\partial x_j} = \frac{1}{2s} \cdot \frac{2\,(x_j - \bar x)}{d} = \frac{y_j}{d} .$$
#
# The quotient rule puts the two together:
#
# $$\frac{\partial y_i}{\partial x_j} = \frac1s \Big( \frac{\partial (x_i - \bar x)}{\partial x_j} - y_i \frac{\partial s}{\partial x_j} \Big) = \frac1s \Big( 1[i = j] - \frac1d - \frac{y_i\, y_j}{d} \Big) .$$
#
# Read it from left to right. Everything is divided by $s$. From what is left, the part along $(1, 1, \dots, 1)$ is taken away, the direction of a shift; and the part along $y$, the direction of a scaling: all of that part if $\epsilon$ is 0, the share $\operatorname{Var}/(\operatorname{Var} + \epsilon)$ of it otherwise. All else passes.
#
# The gradient $u$ that arrives is multiplied by this matrix, which is symmetric, so $\frac1s \big(u - \overline{u} - y\,\overline{u y}\big)$ goes on: two means to take, no matrix. In the library's code the gain comes first, as `weight`; `lost_mean` and `lost_along` are the two means, with their minus sign; the line of `to_x` is the bracket.

# %% tags=["derive"]
show_source(LayerNormFunction.backward)

# %% [markdown]
# Measure it. The *reaction* to a direction is how far the output moves for a step of length 1 that way. For a matrix of 16 by 16 there are 16 directions at right angles that together say it all; their reactions are called its *singular values*. Largest first:

# %% tags=["derive"]
from course_lib.experiments.norm_directions import a_position, norm_jacobian, reaction

position = a_position(16, spread=2.0, mean=1.0)
for kind in ("layer norm", "RMS norm"):
    reactions = torch.linalg.svdvals(norm_jacobian(kind, position))
    print(f"{kind:10}", " ".join(f"{size:.3f}" for size in reactions.tolist()))

# %% tags=["claim"]
ones = torch.ones(16, dtype=torch.float64)
some = [a_position(16, spread=2.0, mean=1.0, seed=seed) for seed in range(5)]
claim(
    "Layer norm does not react to a shift, nor to a scaling",
    [[reaction(norm_jacobian("layer norm", x), ones), reaction(norm_jacobian("layer norm", x), x)]
     for x in some],
    below=1e-12,
    because="autograd in float64, with eps = 0",
    control={"a shift, RMS norm": [reaction(norm_jacobian("RMS norm", x), ones) for x in some],
             "one feature alone": [reaction(norm_jacobian("layer norm", x), torch.eye(16)[0].double())
                                   for x in some]},
)

# %% tags=["claim"]
claim(
    "To all other directions it reacts alike, by one over the spread",
    [torch.linalg.svdvals(norm_jacobian("layer norm", x))[:14] for x in some],
    near=0.5, within=1e-12,
    because="the spread is 2, by construction",
    control={"RMS norm, whose size is root 5":
             [torch.linalg.svdvals(norm_jacobian("RMS norm", x))[:14] for x in some]},
)


# %% [markdown]
# So layer norm loses two directions of $d$, RMS norm one. By count, of 768 directions, that is next to nothing. The factor $1/s$ is what matters more: a large $x$ gets a small gradient, though the output is the same.

# %% tags=["claim"]
def gradient_at(x, upstream):
    x = x.clone().requires_grad_()
    return torch.autograd.grad(layer_norm(x, eps=0.0), x, upstream)[0].norm()


upstream = torch.randn(16, dtype=torch.float64, generator=torch.Generator().manual_seed(99))
claim(
    "Features 10 times as large get a gradient 10 times as small",
    [gradient_at(10 * x, upstream) / gradient_at(x, upstream) for x in some],
    near=0.1, within=1e-12,
    because="the spread is 10 times as large, and y is the same",
    control={"10 times as large a mean":
             [gradient_at(x + 9 * x.mean(), upstream) / gradient_at(x, upstream) for x in some]},
)

# %% tags=["predict", "widget"]
gradient_guess.reveal(
    "10 times smaller",
    "the output is the same, so a step of a given length counts for a tenth as much. Lesson 33 "
    "meets this factor again, block by block",
)

# %% [markdown]
# ### RMS norm
#
# RMS norm ([Zhang and Sennrich 2019](https://arxiv.org/abs/1910.07467)) leaves the mean alone: $y = g\,x / \sqrt{\overline{x^2} + \epsilon}$. "RMS" is the root of the mean square. LLaMA and many models after it use it. You will write it in the second exercise.
#
# How large is the difference in a model? Take a *fresh* GPT, whose weights are drawn and not trained. Each position carries a list of features from block to block, and every block adds to it: that list is the *stream*. A *hook* hands us the stream as it leaves each block. Which share of its squared length is the mean? Any one direction, drawn at random, holds $1/d$ on average.

# %% tags=["derive"]
from course_lib.config import BertConfig, GPTConfig
from course_lib.models.bert import Bert
from course_lib.models.gpt import GPT


def block_outputs(model, seed):
    seen = []
    for block in model.blocks:
        block.register_forward_hook(lambda module, inputs, output: seen.append(output.detach()))
    generator = torch.Generator().manual_seed(seed)
    model.eval()(torch.randint(200, (8, 32), generator=generator))
    return torch.stack(seen)  # [block, text, position, feature]


# %% tags=["claim"]
sizes = dict(vocab_size=200, max_seq_len=32, d_model=64, n_layers=6, n_heads=4)
gpt_streams = [block_outputs(GPT(GPTConfig(**sizes)), seed) for seed in range(5)]


def mean_share(x):
    return (x.mean(-1).square() / x.square().mean(-1)).mean()


claim(
    "In a fresh GPT of width 64, the mean holds about one part in 64 of the squared length",
    [64 * mean_share(stream) for stream in gpt_streams], near=1, within=0.5,
    because="nothing singles this direction out before training; the runs differ by some 20%",
    control={"with 0.2 of a spread added to all features":
             [64 * mean_share(stream + 0.2 * stream.std()) for stream in gpt_streams]},
)

# %% [markdown]
# So on fresh weights the two norms differ by about one direction in $d$. That is no proof that the mean never matters: training may give it a meaning, and this model has not been trained. The paper's own argument is a measurement as well: models trained with RMS norm did about as well as with layer norm, and took 7% to 64% less time, depending on the model (abstract).

# %% [markdown]
# ### Where $\epsilon$ stands
#
# Without $\epsilon$, a position whose features are all equal would be 0 divided by 0. The equation adds it to the variance, *inside* the root. Much-copied tutorial code adds it to the standard deviation, *outside*; you will repair that code in the first exercise. Inside, it is compared with the variance; outside, with the spread, so the same small number acts very differently. Here is the spread that comes out, for features of a small spread that goes in:

# %% tags=["derive"]
for spread in (1.0, 0.1, 0.01, 0.001):
    inside, outside = (norm_variant(a_position(spread=spread), 1e-5, place=place)
                       .std(correction=0).item() for place in ("inside", "outside"))
    print(f"in {spread:<6} inside the root {inside:.3f}   outside {outside:.3f}")

# %% [markdown]
# At equal features both give 0, which is right. And the gradient there, for a gradient of 1 at the first output? Inside, the root is that of $\epsilon$, and the gradient is finite, if large. Outside, the derivative of the root is taken at 0, where it is infinite, and infinity times 0 is no number:

# %% tags=["derive"]
from course_lib.experiments.norm_variants import gradient_at_a_constant_row

for place, eps in (("inside", 1e-5), ("inside", 1e-12), ("outside", 1e-5)):
    print(place, eps, gradient_at_a_constant_row(place, eps).tolist())

# %% tags=["claim"]
equal = torch.full((4,), 0.5, dtype=torch.float64, requires_grad=True)
tutorial = (equal - equal.mean()) / (equal.std() + 1e-5)
(by_std,) = torch.autograd.grad(tutorial[0], equal)
claim(
    "With 1e-5 inside the root, the gradient at equal features stays below 1 / root(1e-5)",
    gradient_at_a_constant_row("inside").abs(), below=1 / math.sqrt(1e-5),
    because="no direction reacts by more than one over the root of eps",
    control={"outside": gradient_at_a_constant_row("outside").abs(),
             "outside, with x.std()": by_std.abs()},
)

# %% [markdown]
# (The tutorial's version escapes the NaN: the backward pass of `x.std()` takes the derivative at 0 to be 0. What is left is one over $\epsilon$, as the last control shows.)
#
# ### What $\epsilon$ is for
#
# GPT-2 adds $10^{-5}$, BERT $10^{-12}$. Does it matter which? Take rows of 768 equal numbers, many different ones, in float32. Their mean is a sum of 768 numbers, rounded on the way, so it is often off in the last digit. The deviations are then not 0 but some $10^{-6}$, and squared $10^{-12}$. What comes out, where 0 is right?

# %% tags=["derive"]
from course_lib.experiments.norm_variants import equal_rows

equal_ones = equal_rows()  # 200 rows of one number each, between 0 and 10
for eps in (1e-5, 1e-12):
    largest_output = plain_layer_norm(equal_ones, eps=eps).abs().max().item()
    print(f"eps {eps:.0e}: the largest output is {largest_output:.1g}")

# %% [markdown]
# With $10^{-12}$ the norm takes rounding for a signal, and blows it up to the size of one. (The larger the features, the larger their rounding. In the end it gets past $10^{-5}$ too.)

# %% tags=["claim"]
claim(
    "In float32, 1e-5 keeps the rounding of the mean out: equal features up to 10 give nearly 0",
    [plain_layer_norm(equal_rows(seed=seed)).abs().max() for seed in range(5)], below=0.01,
    because="the mean is off by a few millionths; divided by root(1e-5) that is some thousandths",
    control={"eps = 1e-12": [plain_layer_norm(equal_rows(seed=seed), eps=1e-12).abs().max()
                             for seed in range(5)]},
)

# %% tags=["claim"]
claim(
    "The library subtracts the mean twice, and then 0 comes out, whatever eps above 0",
    [layer_norm(equal_rows(seed=seed), eps=eps).abs().max()
     for seed in range(5) for eps in (1e-5, 1e-12)], equals=0.0,
    because="the first time leaves a few units of the last digit, and such numbers add exactly",
    control={"once": plain_layer_norm(equal_ones, eps=1e-12).abs().max()},
)

# %% [markdown]
# But equal features are rare. Take positions with a spread, 0.02 as in a fresh model's embeddings. How far is float32, with either $\epsilon$, from float64 without any?

# %% tags=["derive"]
narrow = torch.stack([a_position(768, spread=0.02, seed=seed) for seed in range(100)])
exact = plain_layer_norm(narrow, eps=0.0)
for eps in (1e-5, 1e-12):
    off = plain_layer_norm(narrow.float(), eps=eps) - exact
    print(f"eps {eps:.0e}: off by {off.norm() / exact.norm():.2g} of the size")

# %% [markdown]
# Here $10^{-12}$ costs nothing that float32 could show, and $10^{-5}$ makes the output a good 1% too small. So $\epsilon$ is a choice: below which spread does a difference count as noise?
#
# ### And in float16?
#
# In float16 the smallest number above 0 is $6 \cdot 10^{-8}$, and the largest is 65504. So an $\epsilon$ of $10^{-12}$ *is* 0 there; and a feature of 256 already has a square that is infinite. Two rows, each computed step by step in one format: 0.5 four times, whose mean is exact and where 0 is right, and 1000, -1000, 1000, -1000, where the first is to become 1.

# %% tags=["derive"]
from course_lib.experiments.norm_variants import FORMATS, in_format

for dtype in FORMATS:
    for eps in (1e-5, 1e-12):
        found = in_format(dtype, eps)
        print(f"{found.dtype:9} eps {eps:.0e} kept as {found.eps_kept:.0e}   "
              f"equal features: {found.constant:<4} long row: {found.long:.3g}")

# %% tags=["claim"]
claim(
    "Worked out in float16, eps = 1e-12 turns equal features into NaN",
    str(in_format(torch.float16, 1e-12).constant), equals="nan",
    because="0 / 0 is no number, on every machine",
    control={"eps = 1e-5": str(in_format(torch.float16, 1e-5).constant),
             "bfloat16": str(in_format(torch.bfloat16, 1e-12).constant)},
)

# %% tags=["claim"]
rows = torch.tensor([[0.5] * 4, [1000.0, -1000.0, 1000.0, -1000.0]])
wanted = torch.tensor([[0.0] * 4, [1.0, -1.0, 1.0, -1.0]])
claim(
    "The library takes float16 in, works in float32, and gives float16 back, right for both rows",
    (layer_norm(rows.half(), eps=1e-12).float() - wanted).abs(), below=1e-3,
    because="float16 has about three decimal digits",
    control={"all in float16, the long row": abs(in_format(torch.float16, 1e-12).long - 1)},
)

# %% [markdown]
# bfloat16 has the range of float32, so neither accident happens there. Its digits are fewer. (TensorFlow's layer norm, which BERT's released code calls, takes $10^{-12}$, but $10^{-3}$ when it computes in float16.)

# %% [markdown]
# ### Where the norm stands: BERT and GPT
#
# A block adds what its sublayers, attention and feed-forward, say to the stream $x$. BERT normalises the sum (*Post-LN*), GPT-2 normalises the copy that a sublayer $f$ reads (*Pre-LN*):
#
# $$\text{BERT:}\quad x \leftarrow \operatorname{LN}(x + f(x)) \qquad\qquad \text{GPT-2:}\quad x \leftarrow x + f(\operatorname{LN}(x)) .$$
#
# (GPT-1 was built like BERT; GPT-2's report says that the norm "was moved to the input of each sub-block", section 2.3.) So a BERT's stream has the same size after every block. A GPT's has the size that came together. Six blocks, fresh:

# %% tags=["derive"]
bert_streams = [block_outputs(Bert(BertConfig(**sizes)), seed) for seed in range(5)]


def spreads(stream):
    return stream.std(-1, correction=0).mean((1, 2))


for name, streams in (("BERT", bert_streams), ("GPT", gpt_streams)):
    print(f"{name:5}", " ".join(f"{spread:.4f}" for spread in spreads(streams[0]).tolist()))


# %% tags=["claim"]
def off_by(stream):
    return torch.maximum(stream.mean(-1).abs().max(), (stream.var(-1, correction=0) - 1).abs().max())


without_last = Bert(BertConfig(**sizes))
for block in without_last.blocks:
    block.norm_2 = torch.nn.Identity()
claim(
    "In a fresh BERT, every position leaves every block with mean 0 and variance 1",
    [off_by(stream) for stream in bert_streams], below=1e-5,
    because="float32; eps of 1e-12 is too small to show",
    control={"its second norm taken out of every block": off_by(block_outputs(without_last, 0))},
)

# %% tags=["claim"]
claim(
    "In a fresh GPT the stream grows from the first block to the sixth",
    [spreads(stream)[-1] / spreads(stream)[0] for stream in gpt_streams], above=1.1,
    because="small writers, and small matrices at this width, let it grow by a sixth only",
    control={"BERT": [spreads(stream)[-1] / spreads(stream)[0] for stream in bert_streams]},
)

# %% [markdown]
# "A GPT block is $x + f(\operatorname{LN}(x))$" is therefore not the whole GPT. The same report adds one more layer norm after the last block. What would happen without it? A logit is a product of the stream with a row of weights, so its size grows in proportion to the stream's. Below are fresh stacks of width 256, their logits read with and without the last norm. The published standard deviation is 0.02 at width 768; here it is 0.035, so that width times variance is the same. On the left all matrices are drawn alike. On the right, as GPT-2's report has it, those two matrices of a block that *write* to the stream are smaller, the more so the deeper the model (lesson 34).

# %% tags=["experiment"]
from course_lib.experiments.final_norm import final_norm
from course_lib.plots import final_norm as by_depth
from course_lib.plots.show import show

alike = [final_norm(seed=seed) for seed in range(3)]
smaller = [final_norm(scaled=True, seed=seed) for seed in range(2)]
show(by_depth.draw, (alike[0], smaller[0]), by_depth.say)


# %% [markdown]
# Left: the logits widen as the root of the depth, and the norm stops that. Right: with GPT-2's own start the depth does not show at all. Without the norm the logits are as narrow as the stream is small, and with it they are where they were on the left. The norm sets the level in both.

# %% tags=["claim"]
def deep_over_shallow(runs):
    return [run.without[-1] / run.without[0] for run in runs]


claim(
    "All drawn alike and without the last norm, 48 blocks have logits about 4 times as wide as 3",
    deep_over_shallow(alike), near=4, within=1,
    because="the root of 16 is 4; eight runs gave 4.0 to 4.7",
    control={"with the norm": [run.with_norm[-1] / run.with_norm[0] for run in alike],
             "smaller writers": deep_over_shallow(smaller)},
)

# %% tags=["claim"]
claim(
    "With GPT-2's start, 48 blocks have logits as wide as 3, with the norm or without",
    [*deep_over_shallow(smaller), *(run.with_norm[-1] / run.with_norm[0] for run in smaller)],
    near=1, within=0.15,
    because="eight runs gave 0.96 to 1.08",
    control={"all drawn alike, without": deep_over_shallow(alike)},
)

# %% tags=["predict", "widget"]
depth_guess.reveal(
    "about 4 times as wide",
    "sublayers read a normalised copy, so a block adds about as much to a large stream as to a "
    "small one. The variance grows with the depth, and the spread with its root",
)

# %% [markdown]
# Most runs give a little more than 4. Why? Look at what the two sublayers add, as a variance, and at how alike the positions of a text are on entering the block, as the mean cosine of two of them.

# %% tags=["experiment"]
from course_lib.experiments.first_blocks import first_blocks

firsts = [first_blocks(seed=seed) for seed in range(3)]
one = firsts[0]
for number, added in enumerate(zip(one.attention, one.feed_forward, one.likeness), 1):
    print("block {}: attention {:.3f}, feed-forward {:.3f}, likeness {:.2f}".format(number, *added))

# %% [markdown]
# The feed-forward layer adds the same in every block. Attention averages over positions. In the first block they are still unlike, and an average of unlike vectors is short. Later they have much in common, since all have received similar averages. If that is the reason, a text of one token again and again must get as much in the first block as in the second:

# %% tags=["claim"]
repeated = [first_blocks(2, alike=True, seed=seed) for seed in range(3)]
claim(
    "Attention adds over 3 times as much in the second block as in the first",
    [run.attention[1] / run.attention[0] for run in firsts], above=3,
    because="eight runs gave 3.9 to 5.0",
    control={"feed-forward": [run.feed_forward[1] / run.feed_forward[0] for run in firsts],
             "one token again and again": [run.attention[1] / run.attention[0]
                                           for run in repeated]},
)

# %% [markdown]
# Wider logits are surer predictions, before anything has been learned: the spread of the stream acts as one over a temperature (lesson 01), another one for each position. With the last norm, the temperature is set by the output weights and the norm's own gain, however large the stream. That holds for any start. A stream that grows with the depth is *not* what GPT-2's last norm prevents before training: with its small writers, a deep model's stream ends no larger than a shallow one's. After training nothing keeps the writers small; what the norm does there, and whether a model could learn to live without it, is not measured here. BERT's stream needs no such norm: its last block ends with one.

# %% [markdown]
# ## Play
#
# Small scales now, and $\epsilon$ in your hand; the shift is 0. On the left you see how far the features lie from their mean, on a logarithmic axis, and the root of $\epsilon$ as a dashed line. With $10^{-12}$ the scale does not matter. Raise $\epsilon$, or move the scale down: when does the blue histogram begin to shrink?

# %% tags=["widget"]
explore(normalised, normalising.draw_beside_eps, normalising.say_beside_eps, size=(9, 3.2),
        scale=choice([0.001, 0.003, 0.01, 0.03, 0.1, 1.0], 0.01),
        eps=choice({"1e-12 (BERT)": 1e-12, "1e-5 (GPT-2)": 1e-5, "1e-3": 1e-3, "0.1": 0.1}, 1e-5))


# %% [markdown]
# Where spread and line meet, the output has about 0.7 of its spread: the root of one half. So with $\epsilon$ the scale is not forgotten altogether: a position with a small spread stays a little smaller than the others, and a little gradient passes along its own direction.

# %% [markdown]
# ## Verify
#
# The claims above stand beside what they claim. One more (if you have time), on a sentence one reads about gain and shift: "they let the network undo the normalisation". It is batch norm's sentence ([Ioffe and Szegedy 2015](https://arxiv.org/abs/1502.03167), section 3). There mean and spread belong to a *feature*, gain and shift do too, and it is true. Layer norm's mean and spread belong to a *position*, and gain and shift are the same for all positions. Where sizes differ from one position to the next, they cannot give them back.

# %% tags=["claim"]
def not_undone(x, norm=layer_norm):
    """The share of x that no gain and shift of a feature can bring back from the norm of x."""
    x = x.flatten(0, -2)
    y = norm(x, eps=0.0)
    x, y = x - x.mean(0), y - y.mean(0)
    gain = (y * x).mean(0) / y.square().mean(0)
    return (x - gain * y).square().mean() / x.square().mean()


def batch_norm(x, eps):
    return layer_norm(x.T, eps=eps).T  # each feature over the positions


# %% tags=["claim"]
generator = torch.Generator().manual_seed(0)
one_size = [3 * layer_norm(stream[-1], eps=0.0) for stream in gpt_streams]
own_sizes = [x * (0.5 + torch.rand(*x.shape[:2], 1, generator=generator)) for x in one_size]
claim(
    "Where positions have sizes of their own, the best gain and shift cannot bring them back",
    [not_undone(x) for x in own_sizes], near=1 / 13, within=0.03,
    because="sizes from 0.5 to 1.5 have variance 1/12 and mean square 13/12; 256 positions",
    control={"one size for all": [not_undone(x) for x in one_size],
             "batch norm": [not_undone(x, batch_norm) for x in own_sizes]},
)

# %% [markdown]
# Those sizes were put in by hand. In the fresh GPT's own stream, positions hardly differ in size, and little is lost. These are the shares:

# %% tags=["derive"]
[round(not_undone(stream[-1]).item(), 3) for stream in gpt_streams]

# %% [markdown]
# ## Exercise
#
# Two exercises, and a third if you have time, each with a check that looks for known mistakes and names the one you made. After a wrong try, the hint cell opens one hint further; after two, the solution is yours for the asking.
#
# ### 1. Repair the tutorial's layer norm
#
# This is the much-copied code. Two things in it differ from the equation; do you see both?

# %% tags=["exercise"]
from course_lib.checks.lesson_31 import (
    broken_layer_norm,
    divide_by_rms,
    repair_layer_norm,
    rms_gradient,
)

show_source(broken_layer_norm)

# %% tags=["exercise"]
repair_layer_norm


# %% tags=["exercise"]
def my_layer_norm(x, gain, shift, eps):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return gain * (x - mean) / (std + eps) + shift


repair_layer_norm.check(my_layer_norm)

# %% tags=["exercise"]
repair_layer_norm.hint()

# %% [markdown]
# ### 2. RMS norm, in float16 too

# %% tags=["exercise"]
divide_by_rms


# %% tags=["exercise"]
def my_divide_by_rms(x, gain, eps):
    raise NotImplementedError


divide_by_rms.check(my_divide_by_rms)

# %% tags=["exercise"]
divide_by_rms.hint()

# %% [markdown]
# ### 3. The gradient of RMS norm (if you have time)
#
# Above you saw it for layer norm. What is different without the mean, and where does the gain come in?

# %% tags=["exercise"]
rms_gradient


# %% tags=["exercise"]
def my_rms_gradient(x, gain, upstream, eps):
    raise NotImplementedError


rms_gradient.check(my_rms_gradient)

# %% tags=["exercise"]
rms_gradient.hint()

# %% [markdown]
# ## Takeaways
#
# What does normalising remove? From each position by itself, its mean and its scale; RMS norm, its scale alone. Nothing else: the shape of a position's histogram stays, and an outlier stays an outlier, at most $\sqrt{d - 1}$, while the others are squeezed. Over a whole text, the tails go that came from positions of different sizes. The gradient loses the same two directions, or the one, and all of it is divided by the spread that went in. $\epsilon$ says which differences count as noise. It belongs inside the root, with the biased variance, and in a format that can hold it.
#
# BERT normalises after every sum, so its stream always has the same size. GPT-2 normalises what is read. Its stream is as large as the writers make it, and one more norm at the end keeps that size, whatever it is, out of the logits.
#
# Not covered: what gains and shifts look like after training, whether models can do without norms, and what the two places of the norm do to gradients in a deep stack: that is lesson 33.
#
# Sources: Ba, Kiros and Hinton 2016, [Layer normalization](https://arxiv.org/abs/1607.06450), section 3; Zhang and Sennrich 2019, [Root mean square layer normalization](https://arxiv.org/abs/1910.07467); BERT's [released code](https://github.com/google-research/bert/blob/master/modeling.py), `layer_norm`; Vaswani et al. 2017, section 3.1, and [Devlin et al. 2019](https://arxiv.org/abs/1810.04805) for Post-LN; Radford et al. 2019, section 2.3, for Pre-LN and the final norm; Touvron et al. 2023, [LLaMA](https://arxiv.org/abs/2302.13971), section 2.2, for RMS norm.
#
# Next: [32 GELU and feed-forward](32_gelu_and_feed_forward.ipynb). [Contents](01_how_this_course_works.ipynb)
