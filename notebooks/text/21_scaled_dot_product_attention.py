# %% [markdown]
# # 21 Scaled dot-product attention
#
# **Why does attention divide by $\sqrt{d_k}$?** At the end you can derive the root, say what it needs in order to be right, and say what it does for the gradient and what it does not. You need Python, matrix products, derivatives and the idea of a variance; about 40 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [12 WordPiece](12_wordpiece.ipynb) · next: [22 Masks](22_masks.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(21)

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
# ## Question
#
# In a transformer every word asks the others a question, its **query**. Every word also shows what it has to offer, its **key**, and what it will hand over, its **value**. Queries and keys are lists of $d_k$ numbers. The dot product of a query and a key is their *score*, and softmax turns a query's scores into shares of its attention. The published recipe divides every score by $\sqrt{d_k}$ first. In the figure, nothing is divided yet.
#
# Left: the scores of 64 random queries against 64 random keys. Middle: how 24 of the queries share out their attention; each row sums to 1, and the colours are logarithmic, so that small shares show too. Right: how strongly a row's shares react when its scores move a little, for every row. Training needs that reaction: where it is zero, queries and keys learn nothing. (Its exact meaning comes below.)
#
# Try this. Click the slider, then press the right arrow key, up to 1024: the scores spread, and each row ends up staring at one key. Now divide by `sqrt(d_k)` and go back and forth: the picture hardly changes with the width any more. Then divide by `d_k`, and go right: every key gets nearly the same share, and what the query asks no longer matters. (The bars cannot show a spread below 2; the number above them can.)

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
    "At d_k = 16, leave the scores undivided. Averaged over many rows of 64 keys, how large "
    "is the gradient through softmax, compared with scores divided by the root?",
    ["smaller", "about the same", "larger"],
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
    exponentials = [math.exp(score) for score in scores]
    shares = [e / sum(exponentials) for e in exponentials]
    return shares, sum(share * value[0] for share, value in zip(shares, values))


by_hand = attention_by_hand(q, keys, values)
by_hand

# %% [markdown]
# The third key points most nearly along the query and is the longest, so it gets most of the attention and pulls the answer above the plain average of the three values.
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
# They agree, and a cell says so. A **claim** is a sentence held to numbers; it stops the notebook when it fails. Its **control** is a broken variant that must fail the same check, because a check that nothing can fail proves nothing.

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
generator = torch.Generator().manual_seed(0)
many = [torch.randn(2, *shape, generator=generator, dtype=torch.float64)
        for shape in ((5, 3), (7, 3), (7, 4))]
expected = torch.nn.functional.scaled_dot_product_attention(*many)
claim(
    "For 2 texts of 5 queries, 7 keys and values of another width it agrees as well",
    (scaled_dot_product_attention(*many).z - expected).abs().max(),
    below=1e-12,
    because="float64 rounds at 1e-16 of the size",
    control={"not divided": (scaled_dot_product_attention(*many, scale=1.0).z - expected).abs().max()},
)

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
# $E$ is the average over all cases. With means of 0 the second term is gone; with variances of 1 the first is $1 \cdot 1$. Both assumptions were needed: independence lets the average of a product split, and the zero means remove the second term.

# %% tags=["claim"]
from course_lib.experiments.dot_products import product_variance

draws = [(0.0, 1.0), (1.0, 1.0), (2.0, 0.5)]
claim(
    "One product of independent draws has variance (s^2 + m^2)^2 - m^4, for mean m and spread s",
    [product_variance(m, s) / ((s**2 + m**2) ** 2 - m**4) for m, s in draws],
    near=1, within=0.02,
    because="two million draws; the standard error is below 0.3%",
    control={"the means forgotten": [product_variance(m, s) / s**4 for m, s in draws[1:]]},
)

# %% [markdown]
# ### And a sum of $d_k$ of them?
#
# Variances of *uncorrelated* numbers add up. Two different products $q_1 k_1$ and $q_2 k_2$ are uncorrelated here, because all four numbers are independent. So $\operatorname{Var}(q \cdot k) = 1 + 1 + \dots = d_k$. With coin flips no theory is needed: list every case and count.

# %% tags=["derive"]
[coin_flip_products(d_k).var(correction=0).item() for d_k in (1, 2, 3, 4)]

# %% tags=["claim"]
claim(
    "Over all pairs of coin-flip vectors, q.k is 0 on average",
    [coin_flip_products(d_k).mean().item() for d_k in (1, 2, 4)],
    equals=0.0,
    because="every case is listed, and sums of small whole numbers are exact",
    control={"its square": coin_flip_products(4).square().mean()},
)
claim(
    "Over the same pairs, Var(q.k) is exactly d_k",
    [coin_flip_products(d_k).var(correction=0).item() / d_k for d_k in (1, 2, 4)],
    equals=1.0,
    because="every case is listed, and sums of small whole numbers are exact",
    control={"standard deviation in place of variance": coin_flip_products(4).std(correction=0) / 4},
)

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
# Every gradient that goes back to queries and keys is multiplied by $J$ on its way. If $u$ arrives at the shares, then $J^\top u = p \circ u - p\,(p \cdot u)$ goes on to the scores ($\circ$ multiplies entry by entry). No matrix is needed, and the library makes none:

# %% tags=["derive"]
from course_lib.mechanisms.softmax import SoftmaxFunction, softmax

show_source(SoftmaxFunction.backward)

# %% [markdown]
# The entries of $J$ are $p_i (1 - p_i)$ on the diagonal and $-p_i p_j$ elsewhere. When one key has nearly everything, all of them are nearly 0: hardly any gradient gets through to the scores. They are small as well when many keys share equally, because then every $p_i$ is small. They are largest when two keys are tied. One number sums the matrix up, its Frobenius norm, the root of the sum of all squares. That is the size on the right of the first figure.

# %% tags=["derive"]
from course_lib.experiments.attention_scaling import jacobian_norm

rows = {"two keys tied": [0.0, 0.0], "one far ahead": [10.0, 0.0], "64 keys equal": [0.0] * 64}
for name, scores in rows.items():
    p = softmax(torch.tensor(scores))
    print(f"{name}: the best share is {p.max():.3f}, the size of J {jacobian_norm(p):.2g}")

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
# Which of the three distributions it is does not matter. The assumptions do. Break each of them in turn, and divide the variance by $d_k$ again: 1 would mean that nothing changed.

# %% tags=["experiment"]
from course_lib.experiments.dot_products import correlated_variance, matching_products

own_key = matching_products(64)
broken = {
    "mean 1 in place of 0": product_variance(mean=1, std=1),
    "spread 2 in place of 1": product_variance(mean=0, std=2),
    "q and k the same vector": own_key.var().item() / 64,
    "entries correlated, 0.5": correlated_variance(64, 0.5) / 64,
}
broken

# %% tags=["claim"]
claim(
    "Var(q.k) / d_k is 1 for three distributions of independent entries, mean 0 and variance 1",
    torch.stack([variances[entries] / torch.tensor(widths) for entries in ENTRIES]),
    near=1, within=0.06,
    because="20,000 pairs have a standard error of about 1%, and 15 values are looked at",
    control=broken,
)

# %% [markdown]
# A query that equals its key has another mean as well: its score is a sum of squares, so it lies around $d_k$, far above all others. (The variance of $2 d_k$ is that of Gaussian entries; coin flips, squared, do not vary at all.) And entries that rise and fall together do not cancel out any more: with correlation $\rho$ between any two entries of $q$, and of $k$, the variance is $d_k\,(1 + (d_k - 1)\,\rho^2)$.

# %% tags=["claim"]
claim(
    "A query that meets its own key scores d_k on average, with variance 2 d_k",
    [own_key.mean() / 64, own_key.var() / 128],
    near=1, within=0.04,
    because="40,000 draws; the variance is known to about 1%",
    control={"a key of its own draw": dot_product_variances([64])[0] / 128},
)

# %% tags=["claim"]
claim(
    "With correlation rho between the entries, Var(q.k) is d_k (1 + (d_k - 1) rho^2)",
    [correlated_variance(64, rho) / (64 * (1 + 63 * rho**2)) for rho in (0.1, 0.25, 0.5)],
    near=1, within=0.1,
    because="40,000 pairs; the shared part gives the products long tails and an error near 2%",
    control={"correlation forgotten": correlated_variance(64, 0.25) / 64},
)

# %% [markdown]
# ### Does the gradient vanish without the root?
#
# The usual answer is yes. Measure it: thousands of rows of 64 scores, at every width. The solid line is the median row, the dashed line the mean, the band holds 80% of the rows.

# %% tags=["experiment"]
from course_lib.experiments.attention_scaling import gradient_quantiles
from course_lib.plots.by_width import draw_gradients, say_gradients

unscaled, scaled = (gradient_quantiles(widths, exponent) for exponent in (0.0, 0.5))
show(draw_gradients, (widths, unscaled, scaled), say_gradients, size=(9, 3.6))

# %% [markdown]
# Right: with the root, the gradient is nearly the same at every width, in the median row and on average. Left: without it, a small width even has the *larger* gradient, because a few keys compete instead of all 64, and few react more than many. Above 64 the typical row loses its gradient. The mean falls more slowly: it is held up by rows with two keys close to a tie, which become rare but react strongly. Now the gradient that reaches the query. There the missing root counts once more, as a factor, and the mean does not fall at all:

# %% tags=["experiment"]
from course_lib.experiments.attention_scaling import query_gradients

for width in (16, 64, 1024):
    plain, rooted = query_gradients(width, 0.0), query_gradients(width, 0.5)
    print(f"d_k {width:4}: mean {plain.mean():.2f} against {rooted.mean():.2f} with the root, "
          f"median {plain.median():.2g} against {rooted.median():.2f}")

# %% [markdown]
# So "without the root the gradient vanishes" is true for the typical row when $d_k$ is large. For 64 keys it is false when $d_k$ is small, and how small depends on the number of keys: with 8 keys the root helps at 16 already. The honest statement: *without the root, how much a row can learn depends on the width and on luck; with it, hardly on either.* The paper itself is careful here. It says "we suspect" (section 3.2.1).

# %% tags=["claim"]
claim(
    "With the root, the mean gradient through softmax is the same at every width",
    scaled["mean"] / scaled["mean"][-1],
    near=1, within=0.08,
    because="at d_k = 4 the lengths of the queries differ most, which takes off 2%; chance adds 1%",
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
def mean_gradients(exponent, seed, n_keys=64):
    return gradient_quantiles([16, 64], exponent, seed=seed, n_keys=n_keys)["mean"]


claim(
    "Over 64 keys the mean gradient at d_k = 16 and 64 is larger without the root, not smaller",
    torch.stack([mean_gradients(0.0, s) / mean_gradients(0.5, s) for s in range(5)]),
    above=1.03,
    because="1 would mean equal; over seeds the ratio at d_k = 64 varies by 2%",
    control={"8 keys": mean_gradients(0.0, 0, n_keys=8) / mean_gradients(0.5, 0, n_keys=8),
             "d_k = 1024": unscaled["mean"][-1] / scaled["mean"][-1]},
)

# %% tags=["claim"]
claim(
    "The mean gradient that reaches the query at d_k = 64 is several times larger without the root",
    [query_gradients(64, 0.0, seed=s).mean() / query_gradients(64, 0.5, seed=s).mean()
     for s in range(3)],
    above=4,
    because="the missing root is a factor of 8, the Jacobian adds a sixth; seeds vary by a tenth",
    control={"the median row at d_k = 1024":
             query_gradients(1024, 0.0).median() / query_gradients(1024, 0.5).median()},
)

# %% [markdown]
# ### Is the variance really 1 in a model?
#
# The derivation needed entries of variance 1. In a model, queries and keys are made from the vectors $x$ of the words: $q = x W_q$ and $k = x W_k$. Layer norm gives every $x$, as a row of $d_{model}$ numbers, a mean square of 1 (lesson 31). The weights are drawn with standard deviation $\sigma$. Then over the random weights an entry of $q$ has variance $d_{model}\,\sigma^2$, and the variance of a scaled score is
#
# $$(d_{model}\,\sigma^2)^2 ,$$
#
# whatever $d_k$ is. That is 1 only when $\sigma = 1/\sqrt{d_{model}}$. These are the starts that people use:

# %% tags=["experiment"]
from course_lib.experiments.score_variance import STARTS, Start, starting_score_variance
from course_lib.plots.score_variance import draw_starts, say_starts

starts = [(s.name, s.predicted_variance, starting_score_variance(s)) for s in STARTS]
show(draw_starts, starts, say_starts, size=(9, 3))

# %% [markdown]
# Not one of them is at 1. (BERT's released code cuts its normal distribution off at two standard deviations, which leaves a spread of 0.0176. The last row asks what GPT-2's $\sigma$ would do at the width of GPT-3; how GPT-3 was really started is not published in this form.) So the root does not *make* the variance 1. It removes $d_k$ from the formula.

# %% tags=["claim"]
claim(
    "The variance of a scaled score at the start is (d_model sigma^2)^2",
    [starting_score_variance(s, d_head, seed=1) / s.predicted_variance
     for s in STARTS[:5] for d_head in (32, 64, 128)],
    near=1, within=0.1,
    because="the mean of eight fresh heads is off by about 2%",
    control={"the prediction 'it is 1'": [measured for _, _, measured in starts]},
)
claim(
    "None of these starts comes near a variance of 1",
    [abs(measured - 1) for _, _, measured in starts],
    above=0.5,
    because="they are known to 2%, so half a unit is far outside of chance",
    control={"spread 1 / sqrt(d_model)":
             abs(starting_score_variance(Start("", 768, 768**-0.5)) - 1)},
)

# %% [markdown]
# ### And after training?
#
# Then the weights are whatever the model has learned. A small GPT (lesson 61 builds one) learns to repeat twelve random letters. It starts with $\sigma = 1/\sqrt{d_{model}}$, the one start that should give a variance of 1. On the way, watch the scores of each of its eight heads, the attentions that work side by side in it: how far apart are those that one query compares? Three runs with different random numbers; the cell takes some ten seconds.

# %% tags=["experiment"]
from course_lib.experiments.score_variance import train_copier
from course_lib.plots.score_variance import draw_learning, say_learning

runs = [train_copier(n_steps=75, look_every=5, seed=seed) for seed in (0, 1, 2)]
show(draw_learning, runs[0], say_learning)

# %% [markdown]
# They start near 1 and leave it while the model learns where to look. To look at one place, scores *must* spread. The root makes the start the same for every width of a head. It does not hold the scores there.

# %% tags=["claim"]
claim(
    "Before training, the scores of a query have a variance near 1, as this start promises",
    [run.variances[0].mean() for run in runs],
    near=1, within=0.35,
    because="a few keys of a text are the same letter and score alike, and eight heads are few",
    control={"after training": runs[0].variances[-1].mean()},
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
# ## Play
#
# A query, four keys, two dimensions, nothing hidden. Drag the tip of the blue arrow, or click the tip and use the arrow keys. Each score is a dot product, softmax turns the scores into shares, and the bold arrow on the right is what attention returns: the average of the values, by their shares.
#
# Try this. Turn the query without changing its length: the shares follow the direction. Then make it longer in one direction: who wins stays the same, but it wins by more. Length acts like the scale of the scores. Can you find a query that shares equally among all four? (The answer stands under the figure.)

# %% tags=["widget"]
from course_lib.widgets.dot_product_by_hand import dot_product_by_hand

dot_product_by_hand()

# %% [markdown]
# Only a query of length 0 shares equally: all scores must be the same number, and these keys point in too many directions for any other query to manage that.
#
# And your predictions, beside what was measured:

# %% tags=["predict"]
spread_guess.reveal(
    f"{variances['gaussian'][2]:.0f}, measured over 20,000 pairs",
    "the variances of uncorrelated products add up, one for each of the 64 entries",
)

# %% tags=["predict"]
gradient_guess.reveal(
    f"larger: {unscaled['mean'][1]:.2f} without the root, {scaled['mean'][1]:.2f} with it",
    "at this width a few keys compete for each row, and they react more than 64 nearly equal "
    "ones; only at large widths does one key take everything",
)

# %% [markdown]
# ## Verify
#
# The claims above stand beside what they claim. Two more statements about this equation that you will meet. "$d_k$ is the scaling factor": try the other powers of $d_k$. And "many heads make attention more expressive": they cost no parameters, but $h$ heads make $d_k = d_{model}/h$ smaller, and before the softmax the scores of one head are a matrix of rank at most $d_k$, because $QK^\top$ squeezes every comparison through $d_k$ numbers ([Bhojanapalli et al. 2020](https://arxiv.org/abs/2002.07028)).

# %% tags=["claim"]
spreads = {a: scaled_scores(64, a, n_queries=2000).scores.std().item() for a in (0.0, 0.5, 1.0)}
claim(
    "Divided by d_k^a, scores have the standard deviation d_k^(1/2 - a): only a = 1/2 gives 1",
    [spreads[a] / 64 ** (0.5 - a) for a in spreads],
    near=1, within=0.08,
    because="all queries share the same 64 keys; over seeds the spread varies by 1.3%",
    control={"a = 1, taken for the root": spreads[1.0]},
)


# %% tags=["claim"]
def best_share(exponent, seed):
    return 64 * scaled_scores(64, exponent, seed=seed).probs.amax(dim=-1).median()


claim(
    "Divided by d_k, the best of 64 keys gets less than twice an equal share: hardly attention",
    [best_share(1.0, seed) for seed in range(3)],
    below=2,
    because="1 is an equal share; the scores' spread is 1/8, and the best of 64 is about two above",
    control={"divided by the root": best_share(0.5, 0)},
)

# %% tags=["claim"]
from course_lib.experiments.attention_scaling import score_rank

sizes = [(128, 16), (128, 64), (32, 64)]
claim(
    "For random queries and keys the scores of T positions are a matrix of rank min(T, d_k)",
    [score_rank(T, d_k) for T, d_k in sizes],
    equals=[min(T, d_k) for T, d_k in sizes],
    because="a rank is a whole number, and random vectors are never exactly dependent",
    control={"one entry of q and k left out": [score_rank(T, min(T, d_k) - 1) for T, d_k in sizes]},
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
# ### 1. A fresh model with two different spreads

# %% tags=["exercise"]
from course_lib.checks.lesson_21 import (
    broken_attention,
    repair_attention,
    score_variance,
    softmax_jacobian,
)

score_variance


# %% tags=["exercise"]
def my_score_variance(d_model, d_head, sigma_q, sigma_k):
    raise NotImplementedError


score_variance.check(my_score_variance)

# %% tags=["exercise"]
score_variance.hint()

# %% [markdown]
# ### 2. Repair an attention that never ran
#
# Attention is often printed in this form. Read it, then run it:

# %% tags=["exercise"]
show_source(broken_attention)

# %% tags=["exercise"]
shows_error(lambda: broken_attention(Q, K, V), NameError)

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
# ### 3. The Jacobian, with a temperature

# %% tags=["exercise"]
softmax_jacobian


# %% tags=["exercise"]
def my_softmax_jacobian(logits, temperature):
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
# Why divide by $\sqrt{d_k}$? A score adds up $d_k$ products, so for independent entries with mean 0 and variance 1 its variance is $d_k$; dividing by the root takes the width out. Softmax then starts equally soft at every width, and the gradient through it is the same size. Without the root the typical row loses its gradient at large widths; at small ones, over many keys, the gradient is even larger. The variance itself is 1 only if the entries of $q$ and $k$ have variance 1; real models start elsewhere, and training moves them on.
#
# Not covered: who may read whom (lesson 22), what many heads buy (lesson 23), how dropout and low precision change the picture. What a toy cannot show: whether a large model *without* the root would train. It could learn smaller weights, and we have not tried.
#
# Sources: Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2.1 and its footnote on the variance; Ba, Kiros and Hinton 2016, [Layer Normalization](https://arxiv.org/abs/1607.06450); Glorot and Bengio 2010, [Understanding the difficulty of training deep feedforward neural networks](https://proceedings.mlr.press/v9/glorot10a.html).
#
# Next: [22 Masks](22_masks.ipynb). [Contents](01_how_this_course_works.ipynb)
