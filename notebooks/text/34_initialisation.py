# %% [markdown]
# # 34 Initialisation
#
# **Why $\sigma / \sqrt{2L}$?** At the end you can foretell how large the stream of a fresh GPT is at any depth, say which weights are drawn smaller and why by a root, what happens when a variance is taken for a standard deviation, and when the recipe fails. You need variances, and lessons 21 and 31; about 45 minutes. Two cells take some seconds. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [33 Pre-LN and Post-LN](33_pre_ln_and_post_ln.ipynb) · next: [41 Objectives](41_objectives.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(34)

# %% tags=["widget"]
from course_lib.experiments.initial_stream import AS_STD, AS_VARIANCE, NOT_SCALED, stream_ends
from course_lib.plots import initial_stream as by_depth
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

SPREADS = [0.01, 0.02, 0.04]
two_ways = {std: stream_ends(std, readings=(NOT_SCALED, AS_STD)) for std in SPREADS}

explore(lambda std: two_ways[std], by_depth.draw, by_depth.say, size=(8, 3.6),
        std=choice(SPREADS, 0.02, label="standard deviation"))

# %% [markdown]
# ## Question
#
# In a GPT every block adds to the residual stream twice: first what attention has found, then what the feed-forward layer has. Call these additions *writes*, and the last matrix of each, which makes them, a *writer*. The figure shows fresh models of 2 to 48 blocks: how large the stream is behind the last block, as the variance of its features. Orange squares: all matrices are drawn with one standard deviation $\sigma$. Blue dots: the writers with $\sigma/\sqrt{2L}$ instead, where $L$ is the number of blocks.
#
# Both axes are logarithmic, so growth by a power of the depth is a straight line, and its slope is the power. Which slopes do you see? Move $\sigma$: what changes, and what does not?
#
# The blue recipe is that of GPT-2. Why a root? Why a 2? And is the blue line at 1, as one often reads? (The figure's stacks have width 128. Their matrices are drawn wider, so that width times variance is as in the published width of 768, which you meet further down.)

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

write_guess = predict(
    "The first block of a fresh GPT, all matrices alike, reads 32 random tokens. The variance that "
    "its feed-forward layer writes is how many times that of its attention?",
    ["about 1", "about 2", "about 4", "about 10"],
)
write_guess

# %% tags=["predict", "widget"]
variance_guess = predict(
    "Someone reads the recipe as the writers' variance: variance 0.02 / sqrt(2L). "
    "The stream of 48 blocks ends with how many times the variance of 12 blocks?",
    ["the same", "about 2 times", "about 4 times", "about 16 times"],
)
variance_guess

# %% tags=["predict", "widget"]
same_guess = predict(
    "Now the recipe as it is meant, but all blocks use one block's weights (ALBERT, a small BERT, "
    "shares them like that). 48 blocks against 12?",
    ["the same", "about 2 times", "about 4 times", "about 16 times"],
)
same_guess

# %% [markdown]
# ## Derive
#
# ### Variances add up
#
# Numbers first, without a network. The sum of $n$ independent random numbers of variance 1:

# %% tags=["derive"]
import torch

draws = torch.Generator().manual_seed(0)
for n in (1, 4, 16, 64):
    total = torch.randn(n, 20_000, generator=draws).sum(0)
    print(f"{n:2} terms: variance {total.var():5.1f}, standard deviation {total.std():4.1f}")

# %% [markdown]
# Variances add up, so the spread grows with the root of $n$ only. The same holds for a stream, if its writes are uncorrelated. They are: each writer is drawn on its own, with mean 0, so what it writes points anywhere, *whatever* it has read. Nothing is needed about what is read; that a write depends on the stream does no harm.
#
# Check it on a stack of 12 blocks: the variance at the end, divided by that of the input plus those of all 24 writes. The control has the same blocks with one thing changed, the thing that the argument needs. All blocks use one block's weights, so the writers are no longer drawn on their own.

# %% tags=["claim"]
from course_lib.checks.claim import claim
from course_lib.experiments.initial_stream import initial_stream


def end_over_sum(seed, **variant):
    stack = initial_stream(12, seed=seed, **variant)
    return stack.variances[-1] / (
        stack.variances[0] + stack.attention.sum() + stack.feed_forward.sum())


claim(
    "The stream's variance is the sum of the variances of all that was written",
    [end_over_sum(seed, reading=reading) for reading in (NOT_SCALED, AS_STD) for seed in range(3)],
    near=1, within=0.15,
    because="24 writes of 256 features are nearly, not exactly, at right angles; eight draws of each gave 0.90 to 1.05",
    control={"one block's weights in all blocks": end_over_sum(0, same_weights=True)},
)

# %% [markdown]
# ### What one write adds
#
# Each sublayer reads a *normalised* copy of the stream (lesson 31), of mean square 1. So what it writes does not depend on how large the stream has become. That makes it possible to foretell it.
#
# **The feed-forward layer** widens $d$ numbers to $4d$, bends them, and narrows. A sum of $d$ products has variance $d\,\sigma^2$; GELU leaves a mean square of $E[\operatorname{GELU}(z)^2]$; the writer sums $4d$ products with weights of spread $s$:
#
# $$v_{\text{ffn}} = 4d\,s^2 \cdot E[\operatorname{GELU}(z)^2], \qquad z \sim \text{normal, of variance } d\,\sigma^2 .$$
#
# **Attention** is yours. Its scores are small at the start, so let each position average all it sees.

# %% tags=["exercise"]
from course_lib.checks.lesson_34 import attention_write, beside_a_block, repair_initialise

attention_write


# %% tags=["exercise"]
def my_attention_write(d_model, std, writer_std, n_positions):
    raise NotImplementedError


attention_write.check(my_attention_write)

# %% tags=["exercise"]
attention_write.hint()

# %% [markdown]
# Does it hold for a real block? Here is one of width 768, freshly drawn, which reads 32 random tokens:

# %% tags=["exercise"]
beside_a_block(my_attention_write)

# %% [markdown]
# In later blocks the tokens are no longer unlike: attention has written to each of them an average over much the same tokens. An average of vectors that have a cosine of $c$ keeps the share $c$ that is common to all, however many there are. If $H$ is the share that an average of unlike values keeps (you have just worked it out), it becomes $H + (1 - H)\,c$.
#
# Now foretell 12 blocks of the published width, and measure them. The cosine is measured, all else comes from $d$, $\sigma$ and the number of tokens:

# %% tags=["experiment"]
from course_lib.experiments.residual_variance import attention_variance, feed_forward_variance
from course_lib.plots import write_sizes
from course_lib.plots.show import show

stacks = [initial_stream(12, reading=NOT_SCALED, d_model=768, seed=seed) for seed in range(2)]
v_ffn = feed_forward_variance(768, 0.02, 0.02)
v_attn = [[attention_variance(768, 0.02, 0.02, 32, c) for c in stack.likeness.tolist()]
          for stack in stacks]
show(write_sizes.draw, {"attention": (stacks[0].attention, v_attn[0]),
                        "feed-forward": (stacks[0].feed_forward, [v_ffn] * 12)},
     write_sizes.say, size=(8, 3.2))

# %% tags=["claim"]
claim(
    "What the feed-forward layer adds follows from width and spread, in every block",
    [stack.feed_forward / v_ffn for stack in stacks], near=1, within=0.15,
    because="64 positions that have become alike count for few; eight draws of 12 blocks gave 0.93 to 1.11",
    control={"GELU taken for the identity": stacks[0].feed_forward / (4 * (768 * 0.02**2) ** 2)},
)
claim(
    "What attention adds follows from width, spread and how alike the tokens are",
    [stack.attention / torch.tensor(v) for stack, v in zip(stacks, v_attn)], near=1, within=0.25,
    because="as above, and one mean cosine stands for all pairs; eight draws gave 0.92 to 1.18",
    control={"tokens taken as unlike": stacks[0].attention / attention_variance(768, 0.02, 0.02, 32)},
)

# %% tags=["predict"]
times = stacks[0].feed_forward / stacks[0].attention
write_guess.reveal(
    f"{times[0]:.1f} times",
    "an average of unlike tokens is small, the more so the more there are. In the last block they "
    f"are alike, and it is {times[-1]:.1f} times",
)

# %% [markdown]
# ### So: the root of 2L
#
# A write goes with the *square* of its writer's spread $s$. There are $2L$ writes, and their variances add up. To keep the sum the same at every depth, each must shrink by $2L$, and so $s$ by $\sqrt{2L}$:
#
# $$\underbrace{2\sigma_0^2}_{\text{input}} + L\,(v_{\text{attn}} + v_{\text{ffn}})\,\frac{1}{2L} \;=\; 2\sigma_0^2 + \frac{v_{\text{attn}} + v_{\text{ffn}}}{2} .$$
#
# The input is the sum of a token's row and a position's, each of spread $\sigma_0$. The depth is gone. Here is the library's code:

# %% tags=["derive"]
from course_lib.mechanisms.initialisation import initialise_gpt

show_source(initialise_gpt)

# %% tags=["claim"]
import math

from course_lib.config import GPTConfig
from course_lib.models.gpt import GPT

fresh = [GPT(GPTConfig(100, 16, d_model=128, n_layers=depth, n_heads=4)) for depth in (2, 8)]
claim(
    "The writers of a fresh GPT have standard deviation 0.02 over the root of 2L",
    [matrix.weight.std() * math.sqrt(2 * len(model.blocks)) for model in fresh
     for block in model.blocks for matrix in (block.attn.out_proj, block.ffn.narrow)],
    near=0.02, within=0.0006,
    because="16,384 weights or more in each: a standard error of 0.6%, and this is five of them",
    control={"the matrix that widens": [model.blocks[0].ffn.widen.weight.std()
                                        * math.sqrt(2 * len(model.blocks)) for model in fresh]},
)

# %% [markdown]
# ### Bounded is not 1
#
# "This keeps the variance at 1" is what one often reads. The formula says something else. Attention lies between tokens that are all unlike ($c = 0$) and all alike ($c = 1$), so the end has a lower and an upper bound, without any fitting. The next cell measures it: the published width, three depths, and three ways to draw the writers. No model of 48 blocks is ever there: one block is drawn, used, and drawn anew. (Some seconds.)

# %% tags=["experiment"]
depths = (3, 12, 48)
wide = stream_ends(0.02, depths=depths, d_model=768).variances
low, high = (2 * 0.02**2 + (v_ffn + attention_variance(768, 0.02, 0.02, 32, c)) / 2 for c in (0, 1))
print(f"foretold with the recipe: between {low:.3f} and {high:.3f}")
print(f"{'blocks':24}", "  ".join(f"{depth:8}" for depth in depths))
for reading, ends in wide.items():
    print(f"{reading:24}", "  ".join(f"{end:8.4g}" for end in ends.tolist()))

# %% tags=["claim"]
claim(
    "Scaled, the stream of 3 to 48 blocks ends between the two bounds, far below 1",
    wide[AS_STD], near=(low + high) / 2, within=(high - low) / 2,
    because="both bounds come from the formula; nothing is fitted",
    control={"not scaled": wide[NOT_SCALED], "1, as one reads": 1.0},
)

# %% tags=["claim"]
claim(
    "Scaled, the stacks of all three depths end nearly alike",
    wide[AS_STD].max() / wide[AS_STD].min(), below=1.4,
    because="one draw of each depth; five such draws gave 1.07 to 1.23",
    control={"not scaled": wide[NOT_SCALED].max() / wide[NOT_SCALED].min()},
)
claim(
    "Not scaled, four times the blocks end with four times the variance",
    wide[NOT_SCALED][1:] / wide[NOT_SCALED][:-1], near=4, within=1.2,
    because="tokens grow more alike with depth, so later blocks add a little more; five draws gave 3.9 to 4.9",
    control={"scaled": wide[AS_STD][1:] / wide[AS_STD][:-1]},
)

# %% [markdown]
# So "$O(1)$" is right in the mathematician's sense, *bounded as $L$ grows*, and wrong as "about 1". Where the bound lies depends on $d\,\sigma^2$. In the first figure $\sigma = 0.04$ takes the very same recipe above 1. (It is the final norm that makes the variance 1, whatever it was.)

# %% tags=["claim"]
wider = [initial_stream(12, 0.04, AS_STD, seed=seed).variances[-1] for seed in range(3)]
claim(
    "The same recipe with twice the spread everywhere ends above 1",
    wider, above=1.2,
    because="two matrices of twice the spread are 16 times the variance, and GELU lets more of it through; "
            "eight draws gave 1.67 to 1.92",
    control={"spread 0.02": initial_stream(12, 0.02, AS_STD).variances[-1]},
)

# %% [markdown]
# A bound says nothing of what is in the stream. How much of the variance at the end is still the input's?

# %% tags=["derive"]
for reading, ends in wide.items():
    print(f"{reading:24}", "  ".join(f"{2 * 0.02**2 / end:8.4%}" for end in ends.tolist()))

# %% [markdown]
# So even by the recipe nearly all of a fresh stream is what the blocks have written.
#
# ### A variance taken for a standard deviation
#
# You find the recipe as $W \sim \mathcal N(0,\ \sigma/\sqrt{2L})$. In statistics the second place of $\mathcal N$ is a *variance*. The sources mean a *standard deviation* and write it in the same place: the GPT-1 paper says "a simple weight initialization of $N(0, 0.02)$", and its code has `stddev=0.02`; in Megatron-LM a docstring "N(0, sigma/sqrt(2*num_layers)" stands above `std = sigma / math.sqrt(2.0 * num_layers)`. Nobody is wrong there, for the code is clear. But who comes from statistics draws the writers with the root of it:

# %% tags=["derive"]
from course_lib.experiments.initial_stream import writer_std

for L in (12, 48, 1250):
    print(f"{L:4} blocks:", {r: round(writer_std(r, 0.02, L), 5) for r in (NOT_SCALED, AS_STD, AS_VARIANCE)})

# %% [markdown]
# Divide the third by the second and square it: that is how much more each write adds than was meant. These writers are even wider than without any scaling. Only in a very deep model does that turn round: $\sigma/\sqrt{2L} < \sigma^2$ needs more than $1/(2\sigma^2)$ blocks. And the depth is not gone: $2L$ writes, each with a variance that shrinks by $\sqrt{2L}$, leave a sum that grows like $\sqrt{2L}$.

# %% tags=["claim"]
claim(
    "Read as a variance, the stream of 12 blocks ends more than 200 times as large as meant",
    wide[AS_VARIANCE][1] / wide[AS_STD][1], above=200,
    because="the writers' variance is 245 times as large",
    control={"not scaled": wide[NOT_SCALED][1] / wide[AS_STD][1]},
)
claim(
    "Read as a variance, four times the blocks end with twice the variance",
    wide[AS_VARIANCE][1:] / wide[AS_VARIANCE][:-1], near=2, within=0.6,
    because="the root of 4, and a little more as above; five draws gave 1.9 to 2.5",
    control={"not scaled": wide[NOT_SCALED][1:] / wide[NOT_SCALED][:-1],
             "scaled": wide[AS_STD][1:] / wide[AS_STD][:-1]},
)

# %% tags=["predict"]
variance_guess.reveal(
    f"{wide[AS_VARIANCE][2] / wide[AS_VARIANCE][1]:.2f} times",
    "there are four times as many writes, and each has half the variance",
)

# %% [markdown]
# ## Play
#
# All three ways in one figure, slopes 1, 0 and 1/2. Then choose `one block in all`. What do the three slopes become?

# %% tags=["widget"]
all_ways = {(std, same): stream_ends(std, same) for std in SPREADS for same in (False, True)}

explore(lambda std, same: all_ways[std, same], by_depth.draw, by_depth.say, size=(8, 3.6),
        std=choice(SPREADS, 0.02, label="standard deviation"),
        same=choice({"fresh in every block": False, "one block in all": True}, False, label="weights"))

# %% [markdown]
# Each slope rises by 1. Writes that point the same way add up as *lengths*: $n$ of them have $n$ times the length, so $n^2$ times the variance. Independent draws were not a detail of the proof; they are what the root stands on. With shared weights another power should be right: a writer of $\sigma/(2L)$.

# %% tags=["claim"]
from course_lib.experiments.initial_stream import LENGTHS

shared = [stream_ends(0.02, True, readings=(AS_STD, LENGTHS), depths=(12, 48), seed=seed).variances
          for seed in range(3)]
claim(
    "With one block's weights in all blocks, the recipe's stream grows with the depth",
    [ends[AS_STD][1] / ends[AS_STD][0] for ends in shared], above=2.5,
    because="it would be 4 if writes agreed as much in 12 blocks as in 48; eight draws gave 3.2 to 6.9",
    control={"fresh weights": two_ways[0.02].variances[AS_STD][4] / two_ways[0.02].variances[AS_STD][2]},
)
claim(
    "There, dividing by 2L without the root keeps it bounded",
    [ends[LENGTHS][1] / ends[LENGTHS][0] for ends in shared], near=1, within=0.6,
    because="two depths are two blocks; eight draws gave 0.8 to 1.35",
    control={"with the root": [ends[AS_STD][1] / ends[AS_STD][0] for ends in shared]},
)

# %% tags=["predict"]
grown = [(ends[AS_STD][1] / ends[AS_STD][0]).item() for ends in shared]
same_guess.reveal(
    f"{min(grown):.1f} to {max(grown):.1f} times, from three draws",
    "writes of one and the same block mostly agree, and what agrees adds up as lengths: 4 times "
    "as many, 16 times the variance, of which the recipe takes 4 away",
)

# %% [markdown]
# ## Published models
#
# The GPT-2 report asks for it: "We scale the weights of residual layers at initialization by a factor of $1/\sqrt N$ where $N$ is the number of residual layers" (section 2.3). That leaves two things open: is $N$ the number of blocks or of writes, and are these all weights of a block or the writers alone? nanoGPT takes $2L$ and the writers ("special scaled init to the residual projections, per GPT-2 paper"), so does Megatron-LM, and so does this course. Whether $L$ or $2L$ stands under the root makes no difference for the depth:

# %% tags=["claim"]
from course_lib.experiments.initial_stream import ONE_WRITE

counts = stream_ends(0.02, readings=(AS_STD, ONE_WRITE, NOT_SCALED), depths=(6, 12, 24)).variances
claim(
    "With L under the root the stream is twice as large, at every depth",
    counts[ONE_WRITE] / counts[AS_STD], near=2, within=0.25,
    because="the writers' variance is doubled, and the input is a hundredth of the whole",
    control={"not scaled": counts[NOT_SCALED] / counts[AS_STD]},
)

# %% [markdown]
# (Which writers are scaled does make one. OpenAI's Image GPT divides by $\sqrt L$ in attention only, so what its feed-forward layers write grows with the depth as before.)
#
# And the code that was released with the report? In `src/model.py` of openai/gpt-2 every matrix is drawn with 0.02, the writers too, and the table of positions with 0.01. But that code only samples: the trained weights overwrite whatever was drawn, and there is no training script beside it. So it does not tell how GPT-2 was started. As a start, this is how it would differ:

# %% tags=["claim"]
released = [initial_stream(12, reading=NOT_SCALED, positions_std=0.01, seed=seed).variances
            for seed in range(3)]
report = [initial_stream(12, reading=AS_STD, seed=seed).variances for seed in range(3)]
claim(
    "Drawn as in the released code, 12 blocks end more than 20 times as large as by the report",
    [a[-1] / b[-1] for a, b in zip(released, report)], above=20,
    because="24 is the ratio of the writers' variances",
    control={"L in place of 2L": counts[ONE_WRITE][1] / counts[AS_STD][1]},
)

# %% [markdown]
# ### BERT has no such recipe
#
# BERT normalises *after* each sum, so its stream has variance 1 at every place, however its writers are drawn. Does their size not matter, then? It decides how much of the input survives: each sublayer adds the variance $v$, and the norm divides the sum by $1 + v$. Twelve blocks, with writers a fifth as large, as published, and five times as large:

# %% tags=["experiment"]
from course_lib.experiments.input_left import input_left

left = {writers: [input_left(writers, seed=seed) for seed in range(3)] for writers in (0.2, 1.0, 5.0)}
for writers, runs in left.items():
    print(f"writers times {writers}: variance {runs[0].variances[-1]:.4f}, "
          f"cosine with the input {runs[0].cosines[-1]:.3f}")

# %% tags=["claim"]
claim(
    "Post-LN: the stream's variance is 1 behind every block, whatever the writers' size",
    [run.variances for runs in left.values() for run in runs], near=1, within=1e-3,
    because="a norm has just set it, but for its epsilon",
    control={"Pre-LN": released[0]},
)
claim(
    "Post-LN with small writers keeps its input, with large ones loses it",
    [left[0.2][s].cosines[-1] - left[5.0][s].cosines[-1] for s in range(3)], above=0.9,
    because="eight draws gave 0.97 with small writers and 0 with large ones, to within 0.02",
    control={"published writers in place of small ones":
             [left[1.0][s].cosines[-1] - left[5.0][s].cosines[-1] for s in range(3)]},
)

# %% [markdown]
# (BERT's released code cuts its normal distribution off at two standard deviations. Where deep Post-LN stacks get their trouble from is lesson 33.)
#
# ### Does it train better?
#
# All of this was before training. A stream hundreds of times as large as meant looks harmful. Is it? Every sublayer reads a normalised copy, and the final norm takes the size away. Three GPTs of six blocks and width 64 (drawn wider, as above) learn to repeat twelve letters, with the same texts, Adam, one learning rate, no warm-up. They differ in their writers alone.

# %% tags=["predict", "widget"]
race_guess = predict(
    "Which one learns this task most slowly?",
    ["not scaled", "as a standard deviation", "as a variance", "no difference"],
)
race_guess

# %% tags=["experiment"]
from course_lib.experiments.initial_race import race
from course_lib.experiments.initial_stream import READINGS
from course_lib.plots import warmup_race
from course_lib.widgets.live import live

STEPS, CHANCE = 70, math.log(24)
run = live(race(n_steps=STEPS, lr=2e-3), STEPS,
           warmup_race.draw_for(READINGS, STEPS, CHANCE, by_depth.RACE_LOOKS),
           warmup_race.say, size=(9, 3.4))

# %% tags=["claim"]
late = {r: sum(step.losses[r] for step in run.history[-10:]) / 10 for r in READINGS}
claim(
    "Here the recipe learns more slowly than no scaling",
    late[AS_STD] / late[NOT_SCALED], above=1.3,
    because="one run, the mean loss of its last 10 steps; five runs gave 1.5 to 2.6",
    control={"as a variance": late[AS_VARIANCE] / late[NOT_SCALED]},
)

# %% tags=["predict"]
race_guess.reveal(max(late, key=late.get), run.sentence)

# %% [markdown]
# The recipe comes last, and the misreading does no harm. That says nothing against it: this is a toy task, six blocks, the first steps, and one learning rate for all three, which none of them was tuned for (at half of it the recipe came last too). It says that a large stream does not by itself keep a Pre-LN stack from learning. Whether the recipe helps a deep model on real text is open here. What you have seen is what it does: it takes the depth out of the stream's size.
#
# ## Exercise
#
# ### Repair an initialisation
#
# This function runs without an error, and has four of the bugs that such functions usually have. Nothing will ever complain: the model trains, just not from where you think.

# %% tags=["exercise"]
repair_initialise


# %% tags=["exercise"]
def my_initialise(model, std, n_layers):
    def draw(module):
        if isinstance(module, (torch.nn.Linear, torch.nn.Embedding)):
            torch.nn.init.normal_(module.weight, 0.0, std**2)

    for name, weight in model.named_parameters():
        if "proj" in name:
            torch.nn.init.normal_(weight, 0.0, std / math.sqrt(n_layers))
    model.apply(draw)
    return torch.tensor([weight.std().item() for weight in model.parameters()])


repair_initialise.check(my_initialise)

# %% tags=["exercise"]
repair_initialise.hint()

# %% [markdown]
# ### An open one
#
# Suppose only the two *writers* are shared by all blocks, and the other matrices are fresh. Do the writes still agree? (GELU's output has a mean that is not 0. What does a writer make of it in every block?)
#
# ## Takeaways
#
# Why $\sigma/\sqrt{2L}$? A stack of $L$ blocks writes to the stream $2L$ times, each time as much as width and spread say, since every sublayer reads a normalised copy. Independent writes add up as variances. To keep the sum the same at every depth each gets a $2L$-th of the variance, which is $1/\sqrt{2L}$ of the *standard deviation*. The stream is then bounded, not 1. Read as a variance, the same formula makes it hundreds of times as large, and leaves a growth by a root. With shared weights writes add up as lengths, and the root is not enough.
#
# Not covered: dropout, biases, other activations, and whether it helps to train a large model.
#
# Sources: Radford et al. 2018, [Improving Language Understanding by Generative Pre-Training](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf), section 4.1; [Radford et al. 2019](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), section 2.3, and the code released with it, [openai/gpt-2](https://github.com/openai/gpt-2), `src/model.py`; [openai/image-gpt](https://github.com/openai/image-gpt), `src/model.py`; [karpathy/nanoGPT](https://github.com/karpathy/nanoGPT), `model.py`; [NVIDIA/Megatron-LM](https://github.com/NVIDIA/Megatron-LM), `scaled_init_method_normal`; Lan et al. 2020, [ALBERT](https://arxiv.org/abs/1909.11942), for shared weights.
#
# Next: [41 Objectives](41_objectives.ipynb). [Contents](01_how_this_course_works.ipynb)
