# %% [markdown]
# # 34 Initialisation
#
# **Why $\sigma / \sqrt{2L}$?** At the end you can say how large the random weights of a fresh GPT are, which of them are made smaller for a deep stack and why by a root, and what happens when a variance is taken for a standard deviation. You need variances, and lesson 31; about 35 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [33 Pre-LN and Post-LN](33_pre_ln_and_post_ln.ipynb) · next: [61 Train a GPT](61_train_gpt.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(34)

# %% tags=["widget"]
from course_lib.experiments.initial_stream import READINGS, initial_stream
from course_lib.plots import initial_stream as growth
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

explore(initial_stream, growth.draw, growth.say, size=(8, 3.2),
        n_layers=choice([2, 6, 12, 24], 12, label="blocks"),
        std=choice([0.01, 0.02, 0.04], 0.02, label="standard deviation"),
        reading=choice({reading: reading for reading in READINGS}, "not scaled", label="writers"))

# %% [markdown]
# ## Question
#
# In a GPT every block adds to the stream twice: once what attention has to say, once what the feed-forward layer has. The last matrix of each of the two *writes*, so call these two the *writers*. The figure shows how large the stream of a fresh model is after each block, as the variance of its features over a position. (The width is 64; the standard deviations are those of a model of width 768, made larger here so that the sums have the same size.)
#
# Try this. With `not scaled`, add blocks: the curve goes on rising. Choose `as a standard deviation`: now more blocks end at about the same height. Then choose `as a variance`, the same formula read the other way.
#
# The recipe: draw all weights with standard deviation $\sigma = 0.02$, but the writers with $\sigma/\sqrt{2L}$, for $L$ blocks. Why a root, and why 2?

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

depth_guess = predict(
    "All weights with standard deviation 0.02, the writers too. The stream of 48 blocks ends "
    "with how many times the variance of 12 blocks?",
    ["the same", "2 times", "about 4 times", "about 16 times"],
)
depth_guess

# %% [markdown]
# ## Derive
#
# ### Variances add up
#
# The stream after $L$ blocks is its input plus $2L$ things that were written. The weights are drawn independently, so what they write is uncorrelated, and variances add up. If each write has variance $v$, the stream has about $2L\,v$: not the standard deviations add up, the squares do. Numbers first, without any network: the sum of $n$ random numbers of variance 1, over many draws.

# %% tags=["derive"]
import torch

draws = torch.Generator().manual_seed(0)
for n in (1, 4, 16, 64):
    total = torch.randn(n, 20_000, generator=draws).sum(0)
    print(f"{n:2} terms: variance {total.var().item():5.1f}, standard deviation {total.std().item():4.1f}")

# %% [markdown]
# So to keep $2L\,v$ the same for every $L$, each $v$ must shrink by $2L$. A write is a sum of products with the writer's weights, so $v$ goes with $\sigma^2$, and $\sigma$ must shrink by $\sqrt{2L}$. The library's code:

# %% tags=["derive"]
from course_lib.mechanisms.initialisation import initialise_gpt

show_source(initialise_gpt)

# %% tags=["claim"]
import math

from course_lib.checks.claim import claim
from course_lib.config import GPTConfig
from course_lib.models.gpt import GPT

fresh = [GPT(GPTConfig(100, 16, d_model=128, n_layers=depth, n_heads=4)) for depth in (2, 8)]
claim(
    "The writers of a fresh GPT have standard deviation 0.02 over the root of 2L",
    [matrix.weight.std() * math.sqrt(2 * len(model.blocks)) for model in fresh
     for block in model.blocks for matrix in (block.attn.out_proj, block.ffn.narrow)],
    near=0.02, within=0.0006,
    because="16,384 weights or more in each; three standard errors are 2%",
    control={"the matrix that widens": [model.blocks[0].ffn.widen.weight.std()
                                        * math.sqrt(2 * len(model.blocks)) for model in fresh]},
)

# %% [markdown]
# ### With depth
#
# Now measure the streams. Each depth, each reading, three draws of the weights:

# %% tags=["experiment"]
depths = (6, 12, 24, 48)
last = {reading: torch.tensor([[initial_stream(depth, reading=reading, seed=seed).variances[-1]
                                for depth in depths] for seed in range(3)])
        for reading in READINGS}
for reading in READINGS:
    print(f"{reading:24}", "  ".join(f"{v:.3g}" for v in last[reading].mean(0).tolist()))

# %% tags=["claim"]
unscaled, scaled, as_variance = (last[reading] for reading in READINGS)
claim(
    "Not scaled, four times the blocks give about four times the variance",
    unscaled[:, 3] / unscaled[:, 1], near=4, within=1.3,
    because="the sums of 24 and 96 writes; at width 64, eight draws gave 3.3 to 5",
    control={"scaled": scaled[:, 3] / scaled[:, 1]},
)
claim(
    "Scaled, the variance at the end is the same at every depth, and far from 1",
    scaled, near=0.1, within=0.03,
    because="2L writes of a 2L-th each; the spread is that of three draws at width 64",
    control={"not scaled": unscaled, "read as a variance": as_variance},
)

# %% tags=["predict", "widget"]
depth_guess.reveal("about 4 times", "four times as many writes, and their variances add up")

# %% [markdown]
# "This keeps the variance at 1" is therefore too much. It keeps it *bounded*; what it is depends on the width, on 0.02 and on what the blocks do. The final norm (lesson 31) makes it 1.
#
# ### A variance taken for a standard deviation
#
# Articles write the recipe as $W \sim \mathcal N(0, \sigma/\sqrt{2L})$. The second place of $\mathcal N$ is a variance, by the usual convention. Whoever follows it draws with the root of $\sigma/\sqrt{2L}$: at 12 blocks,

# %% tags=["derive"]
from course_lib.experiments.initial_stream import writer_std

[(reading, round(writer_std(reading, 0.02, 12), 5)) for reading in READINGS]

# %% tags=["claim"]
claim(
    "Read as a variance, the stream of 12 blocks ends more than 100 times as large",
    as_variance[:, 1] / scaled[:, 1], above=100,
    because="the writers are some 16 times as wide, and that counts squared: about 245",
    control={"not scaled at all": unscaled[:, 1] / scaled[:, 1]},
)

# %% [markdown]
# So it is worse than not scaling. And it still grows with the depth, by a root: $2L$ writes, each of a variance that shrinks with $\sqrt{2L}$ only.

# %% tags=["claim"]
claim(
    "Read as a variance, four times the blocks give about twice the variance",
    as_variance[:, 3] / as_variance[:, 1], near=2, within=0.7,
    because="2L over its own root is that root, and the root of 4 is 2; eight draws gave 1.6 to 2.5",
    control={"not scaled": unscaled[:, 3] / unscaled[:, 1],
             "scaled": scaled[:, 3] / scaled[:, 1]},
)

# %% [markdown]
# ### Does GPT need it?
#
# The GPT-2 report asks for it: "we scale the weights of residual layers at initialization by a factor of $1/\sqrt N$ where $N$ is the number of residual layers" (section 2.3). The code released with it does not do it: all matrices have 0.02 there, and the table of positions 0.01. The common reimplementations follow the report. GPT-1 and BERT have the norm after each sum, and their stream has variance 1 at every depth, however the writers are drawn.
#
# What is measured here is the size of a stream before training. Whether a model trains better for it is another question, which lesson 33 takes up with gradients.

# %% [markdown]
# ## Exercise

# %% tags=["exercise"]
from course_lib.checks.lesson_34 import spread_of_writers

spread_of_writers


# %% tags=["exercise"]
def my_spread_of_writers(added, n_layers, d_in, mean_square):
    raise NotImplementedError


spread_of_writers.check(my_spread_of_writers)

# %% tags=["exercise"]
spread_of_writers.hint()

# %% [markdown]
# ## Takeaways
#
# Why $\sigma/\sqrt{2L}$? A stack of $L$ blocks writes to the stream $2L$ times, and the variances of independent writes add up. To keep their sum the same at every depth each must have a $2L$-th of the variance, which is $1/\sqrt{2L}$ of the standard deviation. Read as a variance, the same formula makes the stream hundreds of times as large. Bounded is not 1, and a size before training is not yet a result of training.
#
# Sources: [Radford et al. 2019](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), section 2.3, and its released code (`src/model.py`).
#
# Next: [61 Train a GPT](61_train_gpt.ipynb). [Contents](01_how_this_course_works.ipynb)
