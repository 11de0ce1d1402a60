# %% [markdown]
# # 31 Layer norm
#
# **What does normalising remove?** At the end you can say what layer norm and RMS norm take away from a position, what that does to the gradient, where its small constant belongs, and why GPT needs one norm more than BERT. You need means and variances, derivatives, and lesson 21; about 50 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [24 Embeddings and positions](24_embeddings_and_positions.ipynb) · next: [32 GELU and feed-forward](32_gelu_and_feed_forward.ipynb)

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
        scale=choice([0.1, 0.3, 1.0, 3.0, 10.0], 3.0),
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
    "A fresh GPT has a layer norm after its last block. Take it off, and make the model 16 times "
    "as deep, all weights drawn with one standard deviation. What happens to the spread of its "
    "logits?",
    ["nothing", "about 4 times wider", "about 16 times wider", "narrower"],
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
# Fresh gains are 1 and fresh shifts 0, so at first they change nothing. After training the output has any mean and spread that helped. The library's code, with the root worked out as one over it (`rsqrt`):

# %% tags=["derive"]
from course_lib.mechanisms.norms import LayerNormFunction, layer_norm

show_source(LayerNormFunction.forward)

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "By hand, in the library and in PyTorch, the features come out the same",
    [(layer_norm(x, eps=0.0) - by_hand).abs().max(),
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
from course_lib.experiments.norm_variants import plain_layer_norm

for width in (4, 64, 768):
    features = torch.randn(width, dtype=torch.float64)
    ratio = plain_layer_norm(features, 0.0, correction=1) / layer_norm(features, eps=0.0)
    print(f"width {width}: {ratio[0].item():.5f} of what it should be")

# %% [markdown]
# The factor is $\sqrt{(d-1)/d}$, the same for all features. A model that is *trained* with it just learns a slightly larger gain. Weights that were trained without it give other numbers.

# %% [markdown]
# ### Each position for itself
#
# Mean and variance are taken over the features of one position. Batch norm, known from image models, takes them over many examples. A norm over positions would be worse still in a GPT: the mean of a text knows how the text ends. Below, the last of five positions is changed; how far does the output at the others move?

# %% tags=["derive"]
text = torch.randn(1, 5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
other = text.clone()
other[0, -1] += torch.arange(8.0)


def moved(norm):
    return (norm(other) - norm(text))[0, :4].abs().max()


over_text = moved(lambda x: plain_layer_norm(x, 1e-5, axes=(-2, -1)))
over_text.item()

# %% tags=["claim"]
claim(
    "With layer norm, no position notices another",
    moved(layer_norm), equals=0.0,
    because="the sums run over the last axis alone, so the same numbers are added",
    control={"over positions and features": over_text,
             "batch norm": moved(lambda x: torch.nn.functional.batch_norm(
                 x[0], None, None, training=True)[None])},
)


# %% [markdown]
# ### What is removed: one shift and one scale
#
# The first figure said so; here it is held to numbers. For several draws, features are scaled and shifted, and the output is compared with that of the features as they were.

# %% tags=["claim"]
def differs(kind, scale, shift):
    pairs = [(normalised(scale, shift, eps=0.0, seed=seed), normalised(eps=0.0, seed=seed))
             for seed in range(5)]
    return torch.stack([(getattr(a, kind) - getattr(b, kind)).abs().max() for a, b in pairs])


claim(
    "Layer norm forgets scale and shift",
    differs("layer", 7.0, -12.0), below=1e-12,
    because="rounding in float64; eps is 0 here",
    control={"RMS norm": differs("rms", 7.0, -12.0),
             "layer norm, scale negative": (layer_norm(-x, eps=0.0) - by_hand).abs().max()},
)
claim(
    "RMS norm forgets the scale",
    differs("rms", 7.0, 0.0), below=1e-12,
    because="rounding in float64; eps is 0 here",
    control={"a shift as well": differs("rms", 7.0, -12.0)},
)

# %% [markdown]
# Nothing else is removed. It is often said that layer norm "tames outliers" or "makes the features normally distributed". Subtracting one number and dividing by another moves and stretches a histogram; its shape stays, lopsided or with two humps, and so does the outlier's place in it. What is true: squares must have the mean 1, so the sum of all $d$ squares is $d$, and no feature can be larger than about $\sqrt d$.

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
    "all squares together are 64, and the one feature takes almost all of them. The others are "
    "squeezed to nearly 0: they pay for the outlier",
)


# %% tags=["claim"]
def tail_weight(features):
    standard = (features - features.mean()) / features.std(correction=0)
    return standard.pow(4).mean()


shapes = [normalised(3.0, 12.0, 6.0, seed=seed) for seed in range(5)]
claim(
    "Layer norm leaves the shape: the mean fourth power, measured in spreads, is as before",
    [tail_weight(p.layer) - tail_weight(p.before) for p in shapes], near=0, within=1e-9,
    because="the same number is subtracted from all, and all are divided by the same number",
    control={"what normal features would have, 3": [3 - tail_weight(p.before) for p in shapes]},
)

# %% [markdown]
# ### What the gradient loses
#
# A step that the norm cannot see sends no gradient back. Write $s$ for the root, and let gain and shift be 1 and 0. The mean moves by $1/d$ with every feature, and $s$ moves by $y_j/d$ with feature $j$. Together:
#
# $$\frac{\partial y_i}{\partial x_j} = \frac1s \Big( 1[i = j] - \frac1d - \frac{y_i\, y_j}{d} \Big) .$$
#
# Read it from left to right. Everything is divided by $s$. From what is left, the part along $(1, 1, \dots, 1)$ is taken away, the direction of a shift; and the part along $y$, the direction of a scaling. All else passes. In code, with the gain:

# %% tags=["derive"]
show_source(LayerNormFunction.backward)

# %% [markdown]
# Measure it. The *reaction* to a direction is how far the output moves for a step of length 1 that way. A matrix of 16 by 16 has 16 directions at right angles, with a reaction each (its singular values, largest first):

# %% tags=["derive"]
from course_lib.experiments.norm_directions import a_position, norm_jacobian, reaction

position = a_position(16, spread=2.0, mean=1.0)
for kind in ("layer norm", "RMS norm"):
    sizes = torch.linalg.svdvals(norm_jacobian(kind, position))
    print(f"{kind:10}", " ".join(f"{size:.3f}" for size in sizes.tolist()))

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
claim(
    "To all other directions it reacts alike, by one over the spread",
    [torch.linalg.svdvals(norm_jacobian("layer norm", x))[:14] for x in some],
    near=0.5, within=1e-12,
    because="the spread is 2, by construction",
    control={"RMS norm, whose size is root 5":
             [torch.linalg.svdvals(norm_jacobian("RMS norm", x))[:14] for x in some]},
)


# %% [markdown]
# So layer norm loses two directions of $d$, RMS norm one. Of a width of 768 that is next to nothing. The factor $1/s$ is what matters more: a large $x$ gets a small gradient, though the output is the same.

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
    control={"10 times as large a shift": [gradient_at(x + 9, upstream) / gradient_at(x, upstream)
                                           for x in some]},
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
# How large is the difference in a model? Take a fresh GPT and measure which share of a position's squared length is its mean. In a random direction of $d$ it would be $1/d$.

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
# So on fresh weights the two norms differ by about one direction in $d$. That is no proof that the mean never matters: training may give it a meaning, and this model has not been trained. The paper's own argument is a measurement as well: models trained with RMS norm did about as well as with layer norm, and ran faster.

# %% [markdown]
# ### Where $\epsilon$ stands
#
# Without $\epsilon$, a position whose features are all equal would be 0 divided by 0. The equation adds it to the variance, *inside* the root. This version is in much-copied tutorial code; do you see both differences?
#
# ```python
# mean = x.mean(-1, keepdim=True)
# std = x.std(-1, keepdim=True)
# return gain * (x - mean) / (std + eps) + shift
# ```
#
# The same small number acts very differently in the two places. Inside, it is compared with the variance; outside, with the spread. Here is the spread that comes out, for features of a small spread that goes in:

# %% tags=["derive"]
for spread in (1.0, 0.1, 0.01, 0.001):
    inside, outside = (plain_layer_norm(a_position(spread=spread), 1e-5, place=place)
                       .std(correction=0).item() for place in ("inside", "outside"))
    print(f"in {spread:<6} inside the root {inside:.3f}   outside {outside:.3f}")

# %% [markdown]
# And the gradient at equal features? Inside, the root is that of $\epsilon$, and the gradient is finite. Outside, the derivative of the root is taken at 0, where it is infinite, and infinity times 0 is no number:

# %% tags=["derive"]
from course_lib.experiments.norm_variants import FORMATS, gradient_at_a_constant_row, in_format

gradient_at_a_constant_row("inside"), gradient_at_a_constant_row("outside")

# %% tags=["claim"]
equal = torch.full((4,), 0.5, dtype=torch.float64, requires_grad=True)
tutorial = (equal - equal.mean()) / (equal.std() + 1e-5)
(by_std,) = torch.autograd.grad(tutorial[0], equal)
claim(
    "With eps inside the root, features that are all equal have a gradient of some hundreds",
    gradient_at_a_constant_row("inside").abs(), below=1 / math.sqrt(1e-5),
    because="one over the root of eps is the most that any feature can get",
    control={"outside": gradient_at_a_constant_row("outside").abs(),
             "outside, with x.std()": by_std.abs()},
)

# %% [markdown]
# (The tutorial's version escapes the NaN: the backward pass of `x.std()` takes the derivative at 0 to be 0. What is left is one over $\epsilon$, as the last control shows.)
#
# ### BERT's $10^{-12}$ and float16
#
# GPT-2 adds $10^{-5}$, BERT $10^{-12}$. In float32 both do their work. In float16 the smallest number above 0 is $6 \cdot 10^{-8}$, and the largest is 65504. So an $\epsilon$ of $10^{-12}$ *is* 0 there; and a feature of 256 already has a square that is infinite. Two rows, each computed step by step in one format: four equal features, where 0 is right, and 1000, -1000, 1000, -1000, where the first is to become 1.

# %% tags=["derive"]
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
rows = torch.tensor([[0.5] * 4, [1000.0, -1000.0, 1000.0, -1000.0]])
wanted = torch.tensor([[0.0] * 4, [1.0, -1.0, 1.0, -1.0]])
claim(
    "The library takes float16 in, works in float32, and gives float16 back, right for both rows",
    (layer_norm(rows.half(), eps=1e-12).float() - wanted).abs(), below=1e-3,
    because="float16 has about three decimal digits",
    control={"all in float16, the long row": abs(in_format(torch.float16, 1e-12).long - 1)},
)

# %% [markdown]
# bfloat16 has the range of float32, so neither accident happens there. Its digits are fewer.

# %% [markdown]
# ### Where the norm stands: BERT and GPT
#
# A block adds what its sublayers say to the stream $x$. BERT normalises the sum (*Post-LN*), GPT-2 normalises the copy that a sublayer $f$ reads (*Pre-LN*):
#
# $$\text{BERT:}\quad x \leftarrow \operatorname{LN}(x + f(x)) \qquad\qquad \text{GPT-2:}\quad x \leftarrow x + f(\operatorname{LN}(x)) .$$
#
# (GPT-1 was built like BERT; GPT-2's report says that the norm "was moved to the input of each sub-block", section 2.3.) So in a fresh BERT each position leaves every block with mean 0 and variance 1. In a GPT nothing holds the stream:

# %% tags=["claim"]
bert_streams = [block_outputs(Bert(BertConfig(**sizes)), seed) for seed in range(5)]


def off_by(streams):
    return torch.stack([torch.maximum(x.mean(-1).abs().max(), (x.var(-1, correction=0) - 1).abs().max())
                        for x in streams])


claim(
    "In a fresh BERT, every position leaves every block with mean 0 and variance 1",
    off_by(bert_streams), below=1e-5,
    because="float32; eps of 1e-12 is too small to show",
    control={"GPT": off_by(gpt_streams)},
)

# %% [markdown]
# "A GPT block is $x + f(\operatorname{LN}(x))$" is therefore not the whole GPT. What leaves the last block has whatever size it has grown to, and the same report adds: one more layer norm after the last block. What would happen without it? A logit is a product of the stream with a row of weights, so its size is that of the stream. Fresh stacks of width 256, with weights drawn so that width times variance is as in the published width of 768; on the left all matrices alike, on the right with smaller matrices where a block writes to the stream (lesson 34).

# %% tags=["experiment"]
from course_lib.experiments.final_norm import final_norm
from course_lib.plots import final_norm as by_depth
from course_lib.plots.show import show

alike = [final_norm(seed=seed) for seed in range(3)]
smaller = [final_norm(scaled=True, seed=seed) for seed in range(2)]
show(by_depth.draw, (alike[0], smaller[0]), by_depth.say)

# %% tags=["claim"]
claim(
    "Without the final norm, a stack 16 times as deep has logits about 4 times as wide",
    [run.without[-1] / run.without[0] for run in alike], near=4, within=1,
    because="the root of 16 is 4; eight runs gave 4.1 to 4.6, as the input is not part of the growth",
    control={"with the norm": [run.with_norm[-1] / run.with_norm[0] for run in alike],
             "smaller writers": [run.without[-1] / run.without[0] for run in smaller]},
)
claim(
    "The stream's variance grows in proportion to the number of blocks",
    [run.spread.square() / torch.tensor(run.depths) for run in alike], near=0.19, within=0.05,
    because="eight runs gave 0.16 to 0.21 at depths 3, 12 and 48",
    control={"smaller writers": smaller[0].spread[1:].square() / torch.tensor(smaller[0].depths[1:])},
)
claim(
    "All that the norm does to the logits' spread is to divide it by that of the stream",
    [run.without / run.with_norm / run.spread for run in alike], near=1, within=0.02,
    because="means over 64 positions; spread and logits differ a little from one to the next",
    control={"not divided": [run.without / run.with_norm for run in alike]},
)

# %% tags=["predict", "widget"]
depth_guess.reveal(
    "about 4 times wider",
    "every sublayer reads a normalised copy, so it adds as much to a large stream as to a small "
    "one. The variance grows with the depth, and the spread with its root",
)

# %% [markdown]
# Wider logits are surer predictions, before anything has been learned: the spread of the stream acts as one over a temperature (lesson 01), another one for each position and each depth. With the norm, the temperature is set by the output weights alone. Whether a model could *learn* to live without it is another question, which this measurement does not answer. BERT needs no extra norm: its last block ends with one.

# %% [markdown]
# ## Play
#
# The first figure again, now with small scales and with $\epsilon$ in your hand. With $10^{-12}$ the scale does not matter. Raise $\epsilon$: when does the blue histogram begin to shrink? Compare the scale squared with $\epsilon$.

# %% tags=["widget"]
explore(normalised, normalising.draw, normalising.say, size=(9, 3.2),
        scale=choice([0.001, 0.003, 0.01, 0.03, 0.1, 1.0], 0.01),
        eps=choice({"1e-12 (BERT)": 1e-12, "1e-5 (GPT-2)": 1e-5, "1e-3": 1e-3, "0.1": 0.1}, 1e-5))


# %% [markdown]
# Where the two are equal, the output has about 0.7 of its spread. So with $\epsilon$ the scale is not forgotten altogether: a position with a small spread stays a little smaller than the others, and a little gradient passes along its own direction.

# %% [markdown]
# ## Verify
#
# The claims above stand beside what they claim. One more, on a sentence one reads about gain and shift: "they let the network undo the normalisation". They can give any mean and spread to a *feature*. They cannot give back what was removed, since that differed from position to position and they are the same for all.

# %% tags=["claim"]
def not_undone(x):
    """The share of x that no gain and shift of a feature can bring back from the norm of x."""
    x = x.flatten(0, -2)
    y = layer_norm(x, eps=0.0)
    x, y = x - x.mean(0), y - y.mean(0)
    gain = (y * x).mean(0) / y.square().mean(0)
    return (x - gain * y).square().mean() / x.square().mean()


one_size = [3 * layer_norm(stream[-1], eps=0.0) for stream in gpt_streams]
own_sizes = [x * (0.5 + torch.rand(*x.shape[:2], 1)) for x in one_size]
claim(
    "Where positions have sizes of their own, the best gain and shift cannot bring them back",
    [not_undone(x) for x in own_sizes], near=1 / 13, within=0.03,
    because="sizes from 0.5 to 1.5 have variance 1/12 and mean square 13/12; 256 positions",
    control={"one size for all": [not_undone(x) for x in one_size]},
)

# %% [markdown]
# ## Exercise
#
# Three exercises, each with a check that looks for known mistakes and names the one you made. After a wrong try, the hint cell opens one hint further; after two, the solution is yours for the asking.
#
# ### 1. Repair the tutorial's layer norm

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
# ### 3. The gradient of RMS norm
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
# What does normalising remove? From each position by itself, its mean and its scale; RMS norm, its scale alone. Nothing else: the shape of the histogram stays, and an outlier stays an outlier, at most the root of the width, while the others are squeezed. The gradient loses the same two directions, or the one, and all of it is divided by the spread that went in. $\epsilon$ belongs inside the root, with the biased variance, and in a format that can hold it.
#
# BERT normalises after every sum, so its stream always has the same size. GPT-2 normalises what is read, its stream grows, and one more norm at the end keeps that growth out of the logits.
#
# Not covered: what gains and shifts look like after training, whether models can do without norms, and what the two places of the norm do to gradients in a deep stack: that is lesson 33.
#
# Sources: Ba, Kiros and Hinton 2016, [Layer normalization](https://arxiv.org/abs/1607.06450), section 3; Zhang and Sennrich 2019, [Root mean square layer normalization](https://arxiv.org/abs/1910.07467); Vaswani et al. 2017, section 3.1, and [Devlin et al. 2019](https://arxiv.org/abs/1810.04805) for Post-LN; Radford et al. 2019, section 2.3, for Pre-LN and the final norm; Touvron et al. 2023, [LLaMA](https://arxiv.org/abs/2302.13971), section 2.2, for RMS norm.
#
# Next: [32 GELU and feed-forward](32_gelu_and_feed_forward.ipynb). [Contents](01_how_this_course_works.ipynb)
