# %% [markdown]
# # 21 Scaled dot-product attention
#
# **Why does attention divide by $\sqrt{d_k}$?** At the end you can derive the root, say what it needs in order to be right, and say what it does for the gradient and what not. You need Python, matrix products and the idea of a variance; about 40 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [01 How this course works](01_how_this_course_works.ipynb) · next: [61 Train a GPT](61_train_gpt.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(21)

# %% [markdown]
# ## Question
#
# Attention compares a **query** with many **keys**, each a list of $d_k$ numbers. The dot product of query and key is a *score*, and softmax turns the scores of a query into shares of attention. The published recipe divides every score by $\sqrt{d_k}$ first. Below, nothing is divided yet.

# %% tags=["widget"]
from course_lib.experiments.attention_scaling import scaled_scores
from course_lib.plots import attention_scaling as why_sqrt
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

divisors = {"nothing": 0.0, "sqrt(d_k)": 0.5, "d_k": 1.0}
explore(scaled_scores, why_sqrt.draw, why_sqrt.say, size=(9, 3.2),
        d_k=choice([4, 16, 64, 256, 1024], 64, label="width d_k"),
        exponent=choice(divisors, 0.0, label="scores divided by"))

# %% [markdown]
# Left: the scores of 64 random queries against 64 random keys. Middle: the attention of the first 24; each row shares out 1, bright cells take most. Right: how strongly a row's shares react when its scores move a little. Training needs that reaction: where it is zero, nothing is learned. (Its exact meaning comes below.)
#
# Try this. Click the slider, then press the right arrow key, up to 1024: the scores spread, and each row ends up staring at one key. Now divide by `sqrt(d_k)` and go back and forth: the picture hardly changes with the width any more. Then divide by `d_k`, and look at the middle.

# %% [markdown]
# ## Predict
#
# Commit yourself before you go on. A guess that turns out wrong teaches more than a nod.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

spread_guess = predict(
    "The 64 entries of q and of k are drawn independently, with mean 0 and variance 1. "
    "What is the variance of q.k, the sum of the 64 products?",
    ["1", "8", "64", "4096"],
)
spread_guess

# %% tags=["predict", "widget"]
gradient_guess = predict(
    "At d_k = 64, leave the scores undivided. Averaged over many rows, is the gradient "
    "through softmax smaller than with the root, as most texts say?",
    ["much smaller", "about the same", "larger"],
)
gradient_guess

# %% [markdown]
# ## Derive
#
# ### Attention by hand
#
# One query, three keys, two numbers each. Each key hands over one value. All of attention is four lines: multiply and add, divide by the root, exponentiate and share out, average.

# %% tags=["derive"]
import math

q = [1.0, 2.0]
keys = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
values = [[10.0], [20.0], [30.0]]


# %% tags=["derive"]
def attention_by_hand(q, keys, values):
    scores = [sum(a * b for a, b in zip(q, key)) / math.sqrt(len(q)) for key in keys]
    weights = [math.exp(score) for score in scores]
    shares = [weight / sum(weights) for weight in weights]
    return shares, sum(share * value[0] for share, value in zip(shares, values))


by_hand = attention_by_hand(q, keys, values)
by_hand

# %% [markdown]
# The third key points most nearly along the query and is the longest, so it gets most of the attention, and the answer lies nearest to its value.
#
# For many queries at once, put queries, keys and values into the rows of $Q$, $K$ and $V$. The same four lines become the equation of [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762) (section 3.2.1, equation 1):
#
# $$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# $d_k$ is the width of a query and of a key. It is not the scaling factor; that is $1/\sqrt{d_k}$. The values may have another width. In this course's code the width is called `d_head`. Here is the code that every model of the course runs:

# %% tags=["derive"]
from course_lib.mechanisms.attention import scaled_dot_product_attention

show_source(scaled_dot_product_attention)

# %% [markdown]
# `visible` says who may read whom; lesson 22 is about it. The rest is the equation. Hand and library can now be compared with PyTorch's own version.

# %% tags=["derive"]
import torch

Q, K, V = (torch.tensor(rows, dtype=torch.float64) for rows in ([q], keys, values))
ours = scaled_dot_product_attention(Q, K, V)
theirs = torch.nn.functional.scaled_dot_product_attention(Q, K, V)
{"by hand": by_hand[1], "course_lib": ours.z.item(), "torch": theirs.item()}

# %% [markdown]
# ### How far does one product spread?
#
# Take the simplest random numbers there are: fair coin flips, $+1$ or $-1$. They have mean 0 and variance 1. One entry of $q$ and one of $k$ give four equally likely products, and all four can be listed.

# %% tags=["derive"]
from course_lib.experiments.dot_products import coin_flip_products

products = coin_flip_products(1)
products, products.mean().item(), products.var(correction=0).item()

# %% [markdown]
# The mean is 0 and the variance is 1. In general, for two *independent* numbers,
#
# $$\operatorname{Var}(q_i k_i) = E[q_i^2]\,E[k_i^2] - E[q_i]^2\,E[k_i]^2 .$$
#
# With means of 0 the second term is gone. With variances of 1 the first is $1 \cdot 1$. Both assumptions did work here: independence lets the expectations split, and the zero means remove the second term.
#
# ### And a sum of $d_k$ of them?
#
# Variances of *uncorrelated* numbers add up. Two different products $q_1 k_1$ and $q_2 k_2$ are uncorrelated here, because all four numbers are independent. So $\operatorname{Var}(q \cdot k) = 1 + 1 + \dots = d_k$. With coin flips no theory is needed: list every case and count.

# %% tags=["derive"]
[coin_flip_products(d_k).var(correction=0).item() for d_k in (1, 2, 3, 4)]

# %% [markdown]
# ### Then why the root?
#
# Divide a number by $c$, and its variance is divided by $c^2$. To bring a variance of $d_k$ back to 1, $c^2$ must be $d_k$:
#
# $$\operatorname{Var}\!\left(\frac{q \cdot k}{\sqrt{d_k}}\right) = \frac{d_k}{d_k} = 1 .$$
#
# ### What does a large spread do to softmax?
#
# Write $x$ for the scores and $p = \operatorname{softmax}(x)$. How much does share $i$ change when score $j$ moves? The quotient rule gives the **Jacobian** of softmax, in two cases that one formula covers:
#
# $$J_{ij} = \frac{\partial p_i}{\partial x_j} = p_i\,(1[i = j] - p_j), \qquad J = \operatorname{diag}(p) - p\,p^\top .$$
#
# Every gradient that goes back through attention is multiplied by $J$. In the library this is the last line of `backward`: $J^\top$ times whatever arrives.

# %% tags=["derive"]
from course_lib.mechanisms.softmax import SoftmaxFunction, softmax

show_source(SoftmaxFunction)

# %% [markdown]
# Look at $J$ for two keys, first with close scores, then with scores far apart. In the second case the first key has nearly everything. Every entry of $J$ has a factor $p_i (1 - p_i)$ or $p_i p_j$ in it, and all of them are nearly 0: the gradient stops here. One number sums the matrix up, its Frobenius norm, the root of the sum of all squares. That is the size on the right of the first figure.

# %% tags=["derive"]
from course_lib.experiments.attention_scaling import jacobian_norm

for scores in ([1.0, 0.0], [10.0, 0.0]):
    p = softmax(torch.tensor(scores))
    print(f"scores {scores}: shares {p.tolist()}, size of J {jacobian_norm(p).item():.2g}")

# %% [markdown]
# ## Experiment
#
# ### Does the variance follow $d_k$?
#
# Three ways to draw entries with mean 0 and variance 1, five widths, many thousand pairs each. Both axes are logarithmic, so a straight line of slope 1 means "proportional".

# %% tags=["experiment"]
from course_lib.experiments.dot_products import ENTRIES, dot_product_variances
from course_lib.plots.by_width import draw_variances, say_variances
from course_lib.plots.show import show

widths = [4, 16, 64, 256, 1024]
variances = {entries: dot_product_variances(widths, entries) for entries in ENTRIES}
show(draw_variances, (widths, variances), say_variances, size=(6.5, 3.6))

# %% [markdown]
# The distribution does not matter. The assumptions do. Break each of them in turn, at $d_k = 64$, and divide the variance by $d_k$ again: 1 would mean that nothing changed.

# %% tags=["experiment"]
from course_lib.experiments.dot_products import correlated_variance, matching_products

own_key = matching_products(64)
broken = {
    "q and k are the same vector": own_key.var().item() / 64,
    "entries of a vector correlated, 0.5": correlated_variance(64, 0.5) / 64,
}
broken

# %% [markdown]
# A query that equals its key has another mean as well: its score is the sum of 64 squares, so it lies around $d_k$, far above all others. And entries that rise and fall together do not cancel out any more: with correlation $\rho$ the variance is $d_k\,(1 + (d_k - 1)\,\rho^2)$.
#
# ### Does the gradient vanish without the root?
#
# Most texts answer yes and stop. Measure it: thousands of rows of 64 scores, at every width. The line is the middle row, the dashed line the mean, the band holds 80% of the rows.

# %% tags=["experiment"]
from course_lib.experiments.attention_scaling import gradient_quantiles
from course_lib.plots.by_width import draw_gradients, say_gradients

unscaled, scaled = (gradient_quantiles(widths, exponent) for exponent in (0.0, 0.5))
show(draw_gradients, (widths, unscaled, scaled), say_gradients, size=(9, 3.6))

# %% [markdown]
# Right: with the root, the gradient is the same at every width, in the middle and on average. Left: without it, the *typical* row loses its gradient as the width grows. The *mean* does not follow. At small widths it even lies above the scaled one, and later it falls slowly, because a few rows have two keys close to a tie, and such rows react strongly. The same holds for the gradient that reaches the query. There the missing root counts once more, as a factor:

# %% tags=["experiment"]
from course_lib.experiments.attention_scaling import query_gradients

for d_k in (16, 64, 1024):
    plain, rooted = query_gradients(d_k, 0.0), query_gradients(d_k, 0.5)
    print(f"d_k {d_k:4}: mean {plain.mean():.2f} against {rooted.mean():.2f} with the root, "
          f"median {plain.median():.2g} against {rooted.median():.2f}")

# %% [markdown]
# So "without the root the gradient vanishes" is true for most rows when $d_k$ is large, and false on average when it is 16 or 64. The honest statement: *without the root, how much a row can learn depends on the width and on luck; with it, it depends on neither.* The paper itself is careful here. It says "we suspect" (section 3.2.1).
#
# ### Is the variance really 1 in a model?
#
# The derivation needed entries of variance 1. In a model, $q = x W_q$ and $k = x W_k$. Layer norm gives each of the $d_{model}$ entries of $x$ a mean square of 1, and the weights are drawn with standard deviation $\sigma$. Then an entry of $q$ has variance $d_{model}\,\sigma^2$, and the variance of a scaled score is
#
# $$(d_{model}\,\sigma^2)^2 ,$$
#
# whatever $d_k$ is. That is 1 only when $\sigma = 1/\sqrt{d_{model}}$. These are the starts that people use:

# %% tags=["experiment"]
from course_lib.experiments.score_variance import STARTS, starting_score_variance
from course_lib.plots.score_variance import draw_starts, say_starts

starts = [(s.name, s.predicted_variance, starting_score_variance(s)) for s in STARTS]
show(draw_starts, starts, say_starts, size=(9, 3))

# %% [markdown]
# Not one of them is at 1. (The last row asks what the same $\sigma$ would do at the width of GPT-3; how GPT-3 was really started is not published in this form.) So the root does not *make* the variance 1. It removes $d_k$ from the formula.
#
# ### And after training?
#
# Then the weights are whatever the model has learned. A small GPT learns to repeat twelve random letters; on the way, watch the scores of each of its heads.

# %% tags=["experiment"]
from course_lib.experiments.score_variance import train_copier
from course_lib.plots.score_variance import draw_learning, say_learning

runs = [train_copier(n_steps=75, look_every=5, seed=seed) for seed in (0, 1, 2)]
show(draw_learning, runs[0], say_learning)

# %% [markdown]
# The heads start far below 1 and cross it while the model learns where to look. To look at one place, scores *must* spread. The root sets a sensible start and keeps it the same for every width. It does not hold the scores there.

# %% [markdown]
# ## Play
#
# A query, four keys, two dimensions, nothing hidden. Drag the blue arrow, or click it and use the arrow keys. Each score is a dot product, softmax shares out the attention, and the output is the average of the values.
#
# Try this. Turn the query without changing its length: the shares follow the direction. Then make it longer in one direction: who wins stays the same, but it wins by more. Length acts like the scale of the scores. Can you find a query that shares equally among all four?

# %% tags=["widget"]
from course_lib.widgets.dot_product_by_hand import dot_product_by_hand

dot_product_by_hand()

# %% [markdown]
# And your predictions, beside what was measured:

# %% tags=["predict"]
spread_guess.reveal(
    f"{variances['gaussian'][2]:.0f}, measured over 20,000 pairs",
    "the variances of uncorrelated products add up, one for each of the 64 entries",
)

# %% tags=["predict"]
gradient_guess.reveal(
    f"larger: {unscaled['mean'][2]:.3f} on average without the root, {scaled['mean'][2]:.3f} with",
    "the typical row loses a little, but rows with two keys close to a tie react strongly, "
    "and the mean follows them",
)

# %% [markdown]
# ## Verify
#
# Every sentence above that could be wrong is now held to what was measured. A claim stops the notebook when it fails. Each has a **control**, a broken variant that must fail the same check; otherwise the check would prove nothing.

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "Attention by hand, in course_lib and in torch gives the same number",
    [by_hand[1], ours.z.item()],
    near=theirs.item(), within=1e-12,
    because="all three compute in float64, which rounds at 1e-16 of the size",
    control={"not divided": scaled_dot_product_attention(Q, K, V, scale=1.0).z.item()},
)

# %% tags=["claim"]
claim(
    "Over all pairs of coin-flip vectors, Var(q.k) is exactly d_k",
    [coin_flip_products(d_k).var(correction=0).item() / d_k for d_k in (1, 2, 4)],
    equals=1.0,
    because="every case is listed, and sums of small whole numbers are exact",
    control={"standard deviation in place of variance": coin_flip_products(4).std(correction=0) / 4},
)

# %% tags=["claim"]
claim(
    "Var(q.k) / d_k is 1 for independent entries of any distribution with mean 0 and variance 1",
    torch.stack([variances[entries] / torch.tensor(widths) for entries in ENTRIES]),
    near=1, within=0.06,
    because="20,000 pairs have a standard error of about 1%, and 15 values are looked at",
    control=broken,
)

# %% tags=["claim"]
from course_lib.experiments.dot_products import product_variance

draws = [(0.0, 1.0), (1.0, 1.0), (2.0, 0.5)]
claim(
    "One product of independent draws has variance (s^2 + m^2)^2 - m^4, for mean m and spread s",
    [product_variance(m, s) / ((s**2 + m**2) ** 2 - m**4) for m, s in draws],
    near=1, within=0.02,
    because="two million draws; the standard error is below 0.3%",
    control={"the means forgotten": [product_variance(m, s) / s**4 for m, s in draws]},
)

# %% tags=["claim"]
claim(
    "With the root, the mean gradient through softmax is the same at every width",
    scaled["mean"] / scaled["mean"][-1],
    near=1, within=0.08,
    because="2,000 rows a width, and at d_k = 4 the 64 keys of a text are not yet typical",
    control={"not divided": unscaled["mean"] / unscaled["mean"][-1]},
)

# %% tags=["claim"]
claim(
    "Without the root, the median row at d_k = 1024 has almost no gradient left",
    [gradient_quantiles([1024], 0.0, seed=seed)["median"].item() for seed in range(5)],
    below=2e-3,
    because="the scaled median is about a hundred times this bound",
    control={"divided by the root": scaled["median"][-1]},
)


# %% tags=["claim"]
def mean_gradients(exponent, seed):
    return gradient_quantiles([16, 64], exponent, seed=seed)["mean"]


claim(
    "Without the root, the mean gradient at d_k = 16 and 64 is larger than with it, not smaller",
    torch.stack([mean_gradients(0.0, s) / mean_gradients(0.5, s) for s in range(5)]),
    above=1.03,
    because="1 would mean equal; 2,000 rows know each mean to about 2%",
    control={"d_k = 1024": unscaled["mean"][-1] / scaled["mean"][-1]},
)

# %% tags=["claim"]
claim(
    "The mean gradient that reaches the query at d_k = 64 is several times larger without the root",
    [query_gradients(64, 0.0, seed=s).mean() / query_gradients(64, 0.5, seed=s).mean()
     for s in range(3)],
    above=4,
    because="the missing root alone is a factor of 8, and the loss of gradient is at most half",
    control={"the median row at d_k = 1024":
             query_gradients(1024, 0.0).median() / query_gradients(1024, 0.5).median()},
)

# %% tags=["claim"]
claim(
    "The variance of a scaled score at the start is (d_model sigma^2)^2",
    [starting_score_variance(s, d_head, seed=1) / s.predicted_variance
     for s in STARTS[:4] for d_head in (32, 64, 128)],
    near=1, within=0.2,
    because="one fresh head is off by a fifth; eight draws bring that to below a tenth",
    control={"'it is 1'": [1 / s.predicted_variance for s in STARTS]},
)

# %% tags=["claim"]
claim(
    "After training on copying, the mean variance of the scaled scores is above 2",
    [run.variances[-1].mean() for run in runs],
    above=2,
    because="three seeds; the bound is twice the 1 that scaling is said to give",
    control={"before training": runs[0].variances[0].mean()},
)

# %% [markdown]
# Two statements that you will meet about this equation. "$d_k$ is the scaling factor": run it with the wrong power of $d_k$ and see. And "many heads make attention more expressive": they cost no parameters, but the scores of one head are a matrix of rank at most $d_k$, because $QK^\top$ squeezes every comparison through $d_k$ numbers.

# %% tags=["claim"]
spreads = {a: scaled_scores(64, a, n_queries=2000).scores.std().item() for a in (0.0, 0.5, 1.0)}
claim(
    "Divided by d_k^a, scores have the standard deviation d_k^(1/2 - a): only a = 1/2 gives 1",
    [spreads[a] / 64 ** (0.5 - a) for a in spreads],
    near=1, within=0.15,
    because="the 64 keys are shared by all queries, so their lengths (12% apart) count",
    control={"a = 1, taken for the root": spreads[1.0]},
)

# %% tags=["claim"]
from course_lib.experiments.attention_scaling import score_rank

sizes = [(128, 16), (128, 64), (32, 64)]
claim(
    "The score matrix of T positions has rank min(T, d_k)",
    [score_rank(T, d_k) for T, d_k in sizes],
    equals=[min(T, d_k) for T, d_k in sizes],
    because="a rank is a whole number, and random vectors are never exactly dependent",
    control={"full rank T": [T for T, _ in sizes]},
)

# %% tags=["claim"]
from course_lib.mechanisms.attention import MultiHeadAttention

counts = {heads: sum(p.numel() for p in MultiHeadAttention(64, heads).parameters())
          for heads in (1, 2, 8)}
claim(
    "One head or eight: at the same model width the parameters are the same number",
    list(counts.values()),
    equals=counts[1],
    because="counting is exact",
    control={"eight heads that keep the full width": sum(
        p.numel() for p in MultiHeadAttention(64, 8, d_head=64).parameters())},
)

# %% [markdown]
# ## Exercise
#
# Three exercises, each with a check that looks for known mistakes and names the one you made. Change the function, run the cell. After a wrong try, the hint cell opens one hint further; after two, the solution is yours for the asking.
#
# ### 1. What is the variance of a score in a fresh model?

# %% tags=["exercise"]
from course_lib.checks.lesson_21 import broken_attention, repair_attention, score_variance, softmax_jacobian

score_variance


# %% tags=["exercise"]
def my_score_variance(d_model, d_head, sigma):
    raise NotImplementedError


score_variance.check(my_score_variance)

# %% tags=["exercise"]
score_variance.hint()

# %% [markdown]
# ### 2. Repair an attention that never ran
#
# This function is printed in many places. Run it, and it stops:

# %% tags=["exercise"]
shows_error(lambda: broken_attention(Q, K, V))

# %% tags=["exercise"]
repair_attention


# %% tags=["exercise"]
def my_attention(q, k, v, visible=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
    probs = torch.softmax(scores, dim=-1)
    return probs @ v, probs


repair_attention.check(my_attention)

# %% tags=["exercise"]
repair_attention.hint()

# %% [markdown]
# ### 3. The Jacobian of softmax

# %% tags=["exercise"]
softmax_jacobian


# %% tags=["exercise"]
def my_softmax_jacobian(logits):
    raise NotImplementedError


softmax_jacobian.check(my_softmax_jacobian)

# %% tags=["exercise"]
softmax_jacobian.hint()

# %% [markdown]
# ### An open one
#
# All of the above used independent queries and keys. Take `matching_products`: a query that meets its own key. By how much does its score stand out from the rest, in standard deviations, as $d_k$ grows, with the root and without? Is the root what decides it?

# %% [markdown]
# ## Takeaways
#
# Why divide by $\sqrt{d_k}$? A score adds up $d_k$ products, so for independent entries with mean 0 and variance 1 its variance is $d_k$; dividing by the root takes the width out. Softmax then starts equally soft at every width, and the gradient through it is the same size. Without the root the typical row loses its gradient as the width grows, although the mean over rows does not show it at small widths. The variance itself is 1 only if the entries of $q$ and $k$ have variance 1; real models start elsewhere, and training moves them on.
#
# Not covered: who may read whom (lesson 22), what many heads buy (lesson 23), how dropout and low precision change the picture. What a toy cannot show: whether a large model *without* the root would train. It could learn smaller weights, and we have not tried.
#
# Sources: Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2.1 and its footnote on the variance; Ba, Kiros and Hinton 2016, [Layer Normalization](https://arxiv.org/abs/1607.06450); Glorot and Bengio 2010, [Understanding the difficulty of training deep feedforward neural networks](https://proceedings.mlr.press/v9/glorot10a.html).
#
# Next: [61 Train a GPT](61_train_gpt.ipynb) puts this equation to work. [Contents](01_how_this_course_works.ipynb)
