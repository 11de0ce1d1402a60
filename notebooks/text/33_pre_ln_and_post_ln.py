# %% [markdown]
# # 33 Pre-LN and Post-LN
#
# **Where do gradients go in a deep stack?** At the end you can say what a layer norm before or after the sum does to the gradients of 48 blocks, which popular sentences about it are wrong, and in which transformer the feared decay is real. You need lessons 21 to 23 and 31; about 70 minutes. Three cells take longer, about a minute together. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [32 GELU and feed-forward](32_gelu_and_feed_forward.ipynb) · next: [34 Initialisation](34_initialisation.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(33)

# %% tags=["widget"]
from course_lib.experiments.gradient_flow import MATRICES, PLACEMENTS, Stack, gradient_flow
from course_lib.experiments.starts import STARTS
from course_lib.plots import gradient_flow as by_layer
from course_lib.widgets.controls import choice, control
from course_lib.widgets.explore import explore


def narrow_stack(placement, start, hide_the_future, depth):
    return gradient_flow(Stack(placement, start, hide_the_future, depth, width=64))


explore(narrow_stack, by_layer.draw, by_layer.say, size=(9, 3.4),
        placement=choice({p: p for p in PLACEMENTS}, "Post-LN"),
        start=choice({s: s for s in STARTS}, "normal", label="weights drawn"),
        hide_the_future=False, depth=control(2, 12, 1, 8, label="blocks"))

# %% [markdown]
# ## Question
#
# A fresh stack of blocks reads random vectors, guesses random classes, and sends one gradient back. Left: how large the gradient of each matrix is in each block, divided by that in the last block, so every line ends at 1. Q, K, V and O are attention's four matrices, W1 and W2 the two of the feed-forward layer. Right: the residual stream. Black is the gradient with respect to the stream, dashed the standard deviation of the stream's numbers, both relative to the top. What lies off the scale is drawn on its edge.
#
# **Post-LN** puts the layer norm behind each sum, as BERT does; **Pre-LN** puts it in front of each sublayer, as GPT-2 does. You can draw the weights in four ways. `linear` is what PyTorch's `nn.Linear` does by itself; `xavier` draws larger ones; `normal` has the standard deviation 0.02 of the published models, adapted to the width; `scaled` is the same with smaller matrices where a sublayer writes to the stream (lesson 34).
#
# Now the sentence that you find in many places: *in Post-LN the gradients that reach the bottom blocks decay severely as the stack grows; Pre-LN passes them down without loss.* Take Post-LN, `normal`, 12 blocks. Do you see it? Then Pre-LN with `xavier`: is that without loss?

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

w2_guess = predict(
    "48 blocks of Post-LN, all tokens visible, weights `normal`. How large is the gradient of W2 "
    "in the first block, compared with the last?",
    ["less than a thousandth", "a thousandth to a tenth", "a tenth to ten times", "larger"],
)
w2_guess

# %% tags=["predict", "widget"]
q_guess = predict(
    "The same stack with `xavier`: which blocks get next to no gradient for their queries?",
    ["those at the bottom", "those at the top", "none"],
)
q_guess

# %% [markdown]
# ## Derive
#
# ### One sublayer, one norm
#
# Why should anything decay? Start with the smallest case, by hand. The stream holds $x$ with variance 1, a sublayer adds $f(x)$ with variance $v$, and Post-LN divides the sum by its standard deviation. For unrelated $x$ and $f(x)$ that is $\sqrt{1 + v}$. On the way back the gradient is divided by the same $\sqrt{1 + v}$. With $v = 1$ each sublayer would take 29% off, and 96 of them would leave one part in $10^{14}$. That is the popular argument.
#
# It forgets a path. The gradient comes back along the stream, and *also through the sublayer*. If $f$ makes vectors $\sqrt{v}$ times as long on the way up, its transpose makes a gradient about $\sqrt{v}$ times as long on the way down. The two arrive in unrelated directions, so their squares add:
#
# $$\frac{\|g_{\text{below}}\|^2}{\|g_{\text{above}}\|^2} \approx \frac{1 + v}{1 + v} = 1 \quad\text{(the sublayer returns a gradient)}, \qquad \frac{1}{1 + v} \quad\text{(it returns none)} .$$
#
# In the library, with a random matrix as sublayer, and then with a sublayer that adds the same size of vector whatever the stream holds:

# %% tags=["derive"]
import torch

from course_lib.mechanisms.norms import layer_norm


def gradient_below(v, returns, seed=0, d=512):
    generator = torch.Generator().manual_seed(seed)
    x, g = torch.randn(2, 64, d, generator=generator)
    W = torch.randn(d, d, generator=generator) * (v / d) ** 0.5
    x.requires_grad_()
    read = x if returns else x.detach()  # detached, it adds the same and returns no gradient
    above = layer_norm(x + read @ W)
    (below,) = torch.autograd.grad(above, x, g)
    return (below.norm() / g.norm()).item()


[(v, gradient_below(v, True), gradient_below(v, False), (1 + v) ** -0.5) for v in (0.1, 1.0, 4.0)]

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "A sublayer that reads the stream gives back what the norm takes",
    [gradient_below(v, True, seed) for v in (0.1, 1.0, 4.0) for seed in range(3)],
    near=1.0, within=0.05,
    because="64 rows of 512 random numbers: lengths scatter by about one percent",
    control={"none comes back, v = 1": gradient_below(1.0, False)},
)
claim(
    "One that does not read it leaves 1 / sqrt(1 + v)",
    [gradient_below(v, False, seed) * (1 + v) ** 0.5 for v in (0.1, 1.0, 4.0) for seed in range(3)],
    near=1.0, within=0.05,
    because="as above",
    control={"it comes back, v = 1": gradient_below(1.0, True) * 2**0.5},
)

# %% [markdown]
# These two cases are the lesson. Real sublayers are attention and a feed-forward layer, and whether they return as much as they add has to be measured. Here are the two blocks:

# %% tags=["derive"]
from course_lib.mechanisms.blocks import PostNormBlock, PreNormBlock

display(show_source(PostNormBlock.forward), show_source(PreNormBlock.forward))


# %% [markdown]
# ## Experiment
#
# ### Two to 48 blocks
#
# Published models are 768 wide and more; here the width is 256, with a standard deviation of $0.02\sqrt{768/256}$ for `normal` and `scaled`. That keeps $d\,\sigma^2$, and with it how much a sublayer adds. The first cell measures that the two widths agree; the second runs all depths, starts and masks once. (Is it slow on your machine? The square in the toolbar stops it, but then the cells below lack their stacks.)

# %% tags=["experiment"]
def six_blocks(width, placement):
    return gradient_flow(Stack(placement, "normal", depth=6, width=width)).weights


two_widths = {p: (six_blocks(256, p), six_blocks(768, p)) for p in PLACEMENTS}
width_change = torch.stack([(a[0] / a[-1]) / (b[0] / b[-1]) for a, b in two_widths.values()])
claim(
    "At width 256 and at 768, the first block's gradient over the last one's is the same",
    width_change, near=1.0, within=0.25,
    because="one draw each; single ratios scatter by a tenth or so from seed to seed",
    control={"Post-LN against Pre-LN": (two_widths["Pre-LN"][0][0] / two_widths["Pre-LN"][0][-1]
             / (two_widths["Post-LN"][0][0] / two_widths["Post-LN"][0][-1])).max()},
)

# %% tags=["experiment"]
from course_lib.experiments.gradient_flow import DEPTHS, sweep
from course_lib.plots import depth_ratios
from course_lib.widgets.live import live

starts = ("linear", "xavier", "scaled", "normal")
run = live(sweep(DEPTHS, starts, masks=(True, False)), len(DEPTHS) * len(starts) * 4,
           depth_ratios.draw_depths, depth_ratios.say_depths, size=(9, 3.4))
swept = {step.stack: step.flow for step in run.history}


# %% [markdown]
# (At each depth the curves show what was measured last: `normal`, all tokens visible.) Now the same figure as on top for every stack of the sweep. Nothing is computed here any more:

# %% tags=["experiment"]
def deep_stack(placement, start, hide_the_future, depth):
    return swept[Stack(placement, start, hide_the_future, depth)]


explore(deep_stack, by_layer.draw, by_layer.say, size=(9, 3.4),
        placement=choice({p: p for p in PLACEMENTS}, "Post-LN"),
        start=choice({s: s for s in STARTS}, "normal", label="weights drawn"),
        hide_the_future=False, depth=choice(list(DEPTHS), 48, label="blocks"))


# %% tags=["claim"]
def ratio(matrix, placement, start, causal=False, depth=48):
    return swept[Stack(placement, start, causal, depth)].bottom_over_top(matrix)


claim(
    "48 blocks of Post-LN, any start, any mask: W1 and W2 of the first block keep their gradient",
    [ratio(m, "Post-LN", start, mask) for m in ("W1", "W2") for start in STARTS
     for mask in (False, True)],
    above=0.1,
    because="a loss of 5% a block would leave 0.09; eight seeds of xavier gave 0.25 or more",
    control={"a loss of 5% a block": 0.95**47},
)
w2_guess.reveal("a tenth to ten times", f"It is {ratio('W2', 'Post-LN', 'normal'):.2g} times.")

# %% [markdown]
# So the popular sentence is wrong for the encoder of BERT and for a decoder like GPT's, at the start of training. [Xiong et al. 2020](https://arxiv.org/abs/2002.04745), who are often cited for it, prove something about the *last* block, to which we come. V and O do lose some when all tokens are visible, and much less with a causal mask. Averaging over many tokens may be why; this lesson does not test it. It is no decay that each block repeats:

# %% tags=["claim"]
claim(
    "All visible: in the first of 48 blocks V and O keep a tenth and more of their gradient",
    [ratio(m, "Post-LN", start) for m in "VO" for start in STARTS], above=0.1,
    because="as above: a loss of 5% a block would leave 0.09; eight seeds of xavier gave 0.2 to 1",
    control={"a loss of 5% a block": 0.95**47},
)
[(start, round(ratio("V", "Post-LN", start), 2), round(ratio("V", "Post-LN", start, True), 2))
 for start in STARTS]  # V: all visible, and with a causal mask


# %% [markdown]
# ### Queries and keys starve at the top
#
# Now choose Post-LN, `xavier` and 48 blocks above, and look at Q and K: the lines leave the figure, upwards, at the *bottom*. It is the top blocks that get nothing. What has happened there?
#
# Suppose all tokens of a text were the same vector. Then all values are alike, and no choice of the attention's shares would change the average: no gradient for the scores. All keys are alike, too, so no query prefers one. The gradient of Q needs differences between values *and* between keys. If tokens are apart by a cosine of $1 - a$, differences have size $\sqrt{a}$, and the two together give $a$. So the gradient of Q, relative to that of V, should follow $a$ through all blocks. The control compares it with something else that falls from block to block.

# %% tags=["claim"]
def q_law(start, depth):
    flow = swept[Stack("Post-LN", start, False, depth)]
    q_over_v = flow.weights[:, 0] / flow.weights[:, 2]
    return q_over_v[1:], flow.apart[1:-1]  # the first block reads random tokens: apart by 1


spreads, bare = [], []
for start, depth in (("xavier", 6), ("xavier", 12), ("normal", 48), ("linear", 48)):
    q_over_v, apart = q_law(start, depth)
    spreads.append((q_over_v / apart).max() / (q_over_v / apart).min())
    bare.append(q_over_v.max() / q_over_v.min())
claim(
    "Divided by how far tokens are apart, Q's gradient over V's stays within a factor 2.5",
    spreads, below=2.5,
    because="one draw a block; undivided it falls by the factor of the control",
    control={"undivided": min(bare), "divided by the root": ((q_law("xavier", 12)[0]
             / q_law("xavier", 12)[1].sqrt()).max() / (q_law("xavier", 12)[0]
             / q_law("xavier", 12)[1].sqrt()).min())},
)
q_guess.reveal("those at the top",
               f"Q in the first block has {ratio('Q', 'Post-LN', 'xavier'):.0e} times the gradient "
               "of the last; float32 rounds what is smaller still.")

# %% [markdown]
# Attention averages, so it makes tokens alike, block after block; large weights write more of the average into the stream. With `scaled` they hardly do, and Q keeps its gradient:

# %% tags=["claim"]
claim(
    "Where tokens stay apart, Q and K keep their gradient in all 48 blocks",
    [ratio(m, p, "scaled") for m in "QK" for p in PLACEMENTS], near=1.0, within=0.3,
    because="one draw; the mean over seeds is nearer to 1",
    control={"normal": ratio("Q", "Post-LN", "normal"), "xavier": ratio("Q", "Post-LN", "xavier")},
)

# %% [markdown]
# ### Pre-LN is not lossless
#
# In Pre-LN the stream is never normalised, and you read: $x_L = x_0 + \sum_{i=1}^{L} \text{SubLayer}_i$, so the gradient goes straight to the bottom, without loss. First take the sum apart yourself.

# %% tags=["exercise"]
from course_lib.checks.lesson_33 import stream_parts

stream_parts


# %% tags=["exercise"]
def my_stream_parts(x, attention, feed_forward):
    """All terms whose sum is the stream that leaves a Pre-LN stack, in order: [terms, seq, d]."""
    raise NotImplementedError


stream_parts.check(my_stream_parts)

# %% tags=["exercise"]
stream_parts.hint()

# %% tags=["claim"]
from course_lib.experiments.residual_variance import contributions

counted = {L: contributions("xavier", L) for L in (2, 12, 48)}
claim(
    "Input and all that the sublayers add sum to the stream, for 2, 12 and 48 blocks",
    [(sum(parts) - stream).abs().max() for parts, stream in counted.values()], below=1e-4,
    because="the same sums in float32; the stream holds numbers of about 10",
    control={"one sublayer a block": max((sum(parts[::2]) - stream).abs().max()
                                         for parts, stream in counted.values())},
)
[(L, len(parts)) for L, (parts, _) in counted.items()]

# %% [markdown]
# The terms depend on each other, so the gradient at the input is not a copy of that at the top. In the figure's right half it grows downwards, as the stream's spread grows upwards, and by much the same factor. (Why the same? The second exercise asks you for that step.)

# %% tags=["claim"]
pre = [swept[Stack("Pre-LN", start, True, depth)] for start in STARTS for depth in (6, 12, 24, 48)]
growth = torch.stack([(flow.variance[-1] / flow.variance[0]).sqrt() for flow in pre])
claim(
    "Pre-LN: the gradient grows downwards by the factor by which the stream's spread grows upwards",
    [flow.stream_ratio / g for flow, g in zip(pre, growth)], near=1.0, within=0.35,
    because="one draw each; the farthest, xavier at 48 blocks, is 1.3",
    control={"lossless": [1 / g for g in growth if g > 1.6]},
)
no_gain = [gradient_flow(Stack("Pre-LN", "xavier", depth=12, gain=g)) for g in (1.0, 0.3, 0.05)]
claim(
    "It becomes lossless as the sublayers vanish, and only then",
    [no_gain[2].stream_ratio, no_gain[2].turned], near=1.0, within=0.01,
    because="at a twentieth of xavier, what sublayers add is next to nothing",
    control={"xavier": [no_gain[0].stream_ratio, no_gain[0].turned]},
)
small = gradient_flow(Stack("Pre-LN", "xavier", depth=12, input_std=0.02))
f"{small.stream_ratio:.0f} times as large at the bottom, if the input has a spread of 0.02"

# %% [markdown]
# That last number is no accident: GPT-2's tables start with 0.02, and the stream grows from there.
#
# ### The stream at width 768
#
# How fast does it grow? Here at the published width, one block at a time: weights are made, used and dropped. Most of the growth is the feed-forward layer's. It reads normalised vectors, so what it adds follows from the spread of its weights alone: $4d\,\sigma^2\,\mathbb{E}[\operatorname{GELU}(z)^2]$ with $z \sim N(0, d\,\sigma^2)$.

# %% tags=["claim"]
from course_lib.experiments.residual_variance import feed_forward_variance, residual_variance

layers = list(residual_variance("normal", 24))
foretold = feed_forward_variance(768, 0.02, 0.02)
claim(
    "In each of 24 blocks the feed-forward layer adds the variance foretold",
    [layer.feed_forward for layer in layers], near=foretold, within=0.1 * foretold,
    because="one draw of 4.7 million weights; the 64 tokens become more alike on the way up",
    control={"linear, no GELU": 4 * 768 * 0.02**2 * 768 * 0.02**2},
)
[round(layer.after, 2) for layer in layers[::6]], layers[-1].after


# %% [markdown]
# This is what Xiong et al. are about. On top of Pre-LN stands a norm, which divides by the spread of the stream, and so the gradient that enters the last block: it falls with depth. In Post-LN it does not depend on depth.

# %% tags=["claim"]
def at_the_top(placement, start, depth, mask):
    flow = swept[Stack(placement, start, mask, depth)]
    return flow.stream[-1], flow.variance[-1].sqrt()


def pre_over_post(start, depth, mask=False, times_spread=True):
    (pre, spread), (post, _) = (at_the_top(p, start, depth, mask) for p in ("Pre-LN", "Post-LN"))
    return pre / post * (spread if times_spread else 1)


claim(
    "At the top, Pre-LN's gradient is that of Post-LN, divided by the spread of the stream",
    [pre_over_post(start, depth, mask) for start in STARTS for depth in (6, 12, 24, 48)
     for mask in (False, True)],
    near=1.0, within=0.08,
    because="both read the same random layer; tokens of one text differ a little in their spread",
    control={"undivided": [pre_over_post(start, 48, times_spread=False)
                           for start in ("linear", "xavier", "normal")]},
)
w2_of_last = [swept[Stack("Post-LN", start, False, depth)].weights[-1, 5].item()
              for start in STARTS for depth in (6, 48)]
f"W2 of Post-LN's last block, all starts: {min(w2_of_last):.2f} to {max(w2_of_last):.2f}"

# %% [markdown]
# For weights it is less exact than for the stream. A weight's gradient is a sum over tokens, and where tokens have become alike their parts point the same way and add up; so W2 of Post-LN's last block gets up to twice as much.

# %% [markdown]
# ### Where the decay is real
#
# Remember the second case: a sublayer that returns nothing. The first transformer, made for translation, has one. In its decoder **cross-attention** reads an encoder's output: values and keys come from there, only the query from the stream. If all tokens of the encoder are alike, as they become in deep Post-LN, the query has no say. Cross-attention then adds the same vector, whatever the stream holds.

# %% tags=["experiment"]
from course_lib.experiments.cross_attention import MEMORIES, decoder_flow
from course_lib.plots.show import show

decoders = {memory: decoder_flow("Post-LN", "xavier", 12, memory=memory) for memory in MEMORIES}
show(depth_ratios.draw_decay, {"an encoder" if memory == "encoder" else f"{memory} tokens":
     run.flow.weights[:, 5] for memory, run in decoders.items()}, depth_ratios.say_decay,
     size=(9, 3.4))


# %% tags=["claim"]
def law(decoder):
    return (-0.5 * (1 + decoder.added[1:]).log().mean()).exp().item()


weaker = decoder_flow("Post-LN", "xavier", 12, memory="alike", gain=0.8)
claim(
    "The decay a block is 1 / sqrt(1 + v), with v the variance that cross-attention adds",
    [run.rate() / law(run) for run in (decoders["encoder"], decoders["alike"], weaker)],
    near=1.0, within=0.05,
    because="a mean over eleven steps of one draw",
    control={"1 / sqrt(2) for the weaker weights": weaker.rate() * 2**0.5},
)
claim(
    "Twelve decoder blocks on an encoder lose most of W2's gradient",
    decoders["encoder"].flow.bottom_over_top("W2"), below=0.1,
    because="0.7 to the power 11 is 0.02",
    control={"independent tokens": decoders["independent"].flow.bottom_over_top("W2"),
             "Pre-LN": decoder_flow("Pre-LN", "xavier", 12).flow.bottom_over_top("W2")},
)

# %% [markdown]
# [Liu et al. 2020](https://arxiv.org/abs/2004.08249) found that Post-LN decoders lose their gradients and encoders do not. Independent tokens do no harm here for another reason: their average is short, so $v$ is small.
#
# ### Is warm-up a must?
#
# *Post-LN must be trained with warm-up, and Pre-LN is the condition for deep stacks.* Four stacks of six blocks learn to repeat twelve letters, on the same texts, with Adam at one learning rate. Warm-up means that the rate rises in a straight line during the first steps.

# %% tags=["predict", "widget"]
race_guess = predict(
    "Which of these learn within 150 steps?",
    ["Pre-LN alone", "Pre-LN, and Post-LN with warm-up",
     "all but Post-LN, xavier, without warm-up", "all four"],
)
race_guess

# %% tags=["experiment"]
from course_lib.experiments.warmup_race import FIELD, race
from course_lib.plots import warmup_race

STEPS, CHANCE = 150, torch.tensor(24.0).log().item()
runners = live(race(FIELD, STEPS), STEPS,
               warmup_race.draw_for([entrant.name for entrant in FIELD], STEPS, CHANCE),
               warmup_race.say, size=(9, 3.4))


# %% tags=["claim"]
def end(entrant):
    return sum(step.losses[entrant.name] for step in runners.history[-10:]) / 10


claim(
    "Post-LN learns with warm-up, and without it from smaller weights; so does Pre-LN",
    [end(entrant) for entrant in FIELD[1:]], below=1.5,
    because="one run, over its last ten steps; blind guessing costs the logarithm of 24",
    control={"Post-LN, xavier, no warm-up": end(FIELD[0])},
)
race_guess.reveal("all but Post-LN, xavier, without warm-up", runners.sentence)

# %% [markdown]
# So warm-up is one cure among others, and the smaller weights of `nn.Linear` another. What it cures is not a decay of gradients, for at six blocks there is none (next cell). Three other seeds ended the same way. At a rate half as large again, 60 steps of warm-up did not help, and at half the rate none was needed (one run each). What keeps Post-LN from learning is not measured here.

# %% tags=["claim"]
claim(
    "Post-LN, xavier, six blocks, as in the race: the first block has its gradient at the start",
    [ratio(m, "Post-LN", "xavier", True, 6) for m in ("V", "O", "W1", "W2")], near=1.0, within=0.4,
    because="one draw; all that differs in the race is the width",
    control={"a decoder of twelve blocks": decoders["encoder"].flow.bottom_over_top("W2")},
)

# %% [markdown]
# And depth? With `scaled` weights Post-LN is as flat as Pre-LN through 48 blocks:

# %% tags=["claim"]
claim(
    "48 blocks, scaled: every matrix of the first block has the gradient of the last, both ways",
    [ratio(m, p, "scaled", mask) for m in MATRICES for p in PLACEMENTS for mask in (False, True)],
    near=1.0, within=0.35,
    because="one draw; attention's small matrices scatter most",
    control={"normal, Pre-LN": ratio("W2", "Pre-LN", "normal"),
             "normal, Post-LN": ratio("Q", "Post-LN", "normal")},
)

# %% [markdown]
# ## Exercise
#
# Put the two cases together, for a whole stack, and foretell the gradients of a start that nobody has run.

# %% tags=["exercise"]
from course_lib.checks.lesson_33 import gradient_sizes

gradient_sizes


# %% tags=["exercise"]
def my_gradient_sizes(added, returns, norm_first):
    """Size of the gradient at each of the n + 1 places, from the input up; the last is 1."""
    raise NotImplementedError


gradient_sizes.check(my_gradient_sizes)

# %% tags=["exercise"]
gradient_sizes.hint()

# %% [markdown]
# ## Answer
#
# **Where do gradients go?** Along the stream and through the sublayers. A norm behind the sum divides by what the sublayer added, and the sublayer brings it back: Post-LN encoders and GPT-like decoders keep their gradients at the start, through 48 blocks. Only a sublayer that adds without returning makes them decay, and cross-attention on an encoder whose tokens have become alike is one. Where tokens are alike, queries and keys get nothing, and that is at the top. Pre-LN's gradient grows downwards by as much as its stream grows upwards.
#
# Not covered: gradients during training, dropout, models wider than 768, real text. The race is one task, one width, one seed.
#
# Sources: Vaswani et al. 2017, section 3.1; Radford et al. 2019, section 2.3; Xiong et al. 2020; Liu et al. 2020.
#
# Next: [34 Initialisation](34_initialisation.ipynb) asks where `scaled` comes from. [Contents](01_how_this_course_works.ipynb)
