# %% [markdown]
# # 32 GELU and the feed-forward layer
#
# **Why GELU, and what is the gate?** At the end you can say what the feed-forward layer does and to whom, derive GELU as an average over a coin that knows $x$, and tell what is measured about it from what is only said. You need lessons 21 to 24 and 31, derivatives, the normal distribution and standard errors; about 65 minutes (two parts are marked *if you have time*). [Contents](01_how_this_course_works.ipynb#Contents) · previous: [31 Layer norm](31_layer_norm.ipynb) · next: [33 Pre-LN and Post-LN](33_pre_ln_and_post_ln.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(32)

# %% tags=["widget"]
from course_lib.experiments.dead_units import bend
from course_lib.plots import activation
from course_lib.widgets.controls import choice, control
from course_lib.widgets.explore import explore

functions = {"ReLU": "ReLU", "GELU": "GELU", "SiLU": "SiLU"}
explore(bend, activation.draw, activation.say, size=(9, 3.2),
        name=choice(functions, "GELU", label="function"),
        spread=control(0.1, 4.0, 0.1, 1.0, label="spread of the inputs"),
        shift=control(-8.0, 2.0, 0.5, -3.0, label="their mean"))

# %% [markdown]
# ## Question
#
# A transformer block has two sublayers. Attention is one. The other, with two thirds of the block's weights, is two matrices with a bent function between them, the **activation**. The first transformer bent with ReLU, $\max(0, x)$. GPT and BERT bend with GELU, which you see here. Why? And what do people mean when they say that GELU has a *gate*?
#
# The first matrix makes many numbers out of each position; each of its columns is a *unit*. Left: the function, and in grey where its inputs lie. Middle: its slope. A gradient on its way back is multiplied by that slope. Right: 512 random units read a text of 64 positions. A unit is called **dead** when its slope is below 0.01 in size at every position: next to nothing of this text's gradient gets to its weights.
#
# Nearly all inputs are negative here, and only ReLU's units are dead. Move the mean further left: how much longer do GELU's hold out? Then put the mean at 0 and shrink the spread to 0.1. Which part of the curve do the inputs still see? The sentence below the figure says how much of the output a straight line would explain.

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

gate_guess = predict(
    "One often reads: GELU multiplies x by a random gate that follows N(0, 1). Multiply x = 1.5 "
    "by many draws from N(0, 1). What is the average?",
    ["about 0", "about 0.75", "about 1.4, which is GELU(1.5)", "about 1.5"],
)
gate_guess

# %% [markdown]
# ## Derive
#
# ### The layer by hand
#
# One position, two numbers. The first matrix widens them to three, ReLU cuts the negative ones off, the second matrix narrows them to two again.

# %% tags=["derive"]
position = [1.0, -2.0]
W1, b1 = [[1.0, 0.5, -1.0], [0.0, 1.0, -1.0]], [0.0, 0.5, 0.0]
W2, b2 = [[1.0, 0.0], [2.0, 1.0], [0.5, -1.0]], [0.1, 0.0]


def times(row, matrix, bias):
    return [sum(a * w for a, w in zip(row, column)) + b for column, b in zip(zip(*matrix), bias)]


inner = times(position, W1, b1)
by_hand = times([max(0.0, h) for h in inner], W2, b2)
inner, by_hand

# %% [markdown]
# The second unit is negative and adds nothing. In general, with any activation,
#
# $$\operatorname{FFN}(x) = \operatorname{act}(x W_1 + b_1)\, W_2 + b_2$$
#
# ([Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), section 3.3, equation 2, with ReLU). The inner width $d_{ff}$ is usually four times the outer one. The library's layer is the same line:

# %% tags=["derive"]
from course_lib.mechanisms.feed_forward import FeedForward, GatedFeedForward

show_source(FeedForward.forward)

# %% tags=["claim"]
import torch
from torch import nn

from course_lib.checks.claim import claim

ffn = FeedForward(2, 3, torch.relu).double()
with torch.no_grad():
    for matrix, weights, bias in ((ffn.widen, W1, b1), (ffn.narrow, W2, b2)):
        matrix.weight.copy_(torch.tensor(weights).T)  # nn.Linear keeps (out, in)
        matrix.bias.copy_(torch.tensor(bias))
X = torch.tensor([position], dtype=torch.float64)
wanted = nn.Sequential(ffn.widen, nn.ReLU(), ffn.narrow)(X)[0]
claim(
    "The layer by hand, in course_lib and in torch gives the same numbers",
    [(torch.tensor(by_hand, dtype=torch.float64) - wanted).abs().max(),
     (ffn(X)[0] - wanted).abs().max()],
    below=1e-7,
    because="0.1 went through float32 on its way into the weights; all else is exact to 1e-15",
    control={"no ReLU": (ffn.narrow(ffn.widen(X))[0] - wanted).abs().max()},
)

# %% [markdown]
# ### Who sees whom?
#
# The layer works on each position by itself; it is *position-wise*. A usual test: put the positions into another order, and the outputs come in that order. But attention without a mask passes this test too (lesson 24), and it surely mixes positions. The test that tells them apart changes one position and looks at the others.

# %% tags=["derive"]
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.masks import causal_mask

torch.manual_seed(0)
text, order = torch.randn(1, 5, 8), torch.tensor([3, 0, 4, 1, 2])
ffn8, attention = FeedForward(8, 32), MultiHeadAttention(8, 2)
changed = text.clone()
changed[0, 2] += 1
kept = [0, 1, 3, 4]


def order_matters(f):
    return (f(text[:, order]) - f(text)[:, order]).abs().max()


def others_notice(f):
    return (f(changed) - f(text))[0, kept].abs().max()


# %% tags=["claim"]
claim(
    "Positions in another order: the outputs come in that order, from attention without a mask too",
    [order_matters(ffn8), order_matters(attention)],
    below=1e-5,
    because="the same products are added up, in another order; float32 rounds at 1e-7",
    control={"attention with a causal mask": order_matters(lambda t: attention(t, causal_mask(5)))},
)
claim(
    "One position changed: through the feed-forward layer no other output notices",
    others_notice(ffn8), below=1e-6,
    because="no number of another position enters; a library may add up in another order, though",
    control={"attention without a mask": others_notice(attention)},
)


# %% [markdown]
# ### Why bend at all?
#
# Without an activation, $(xW_1)W_2 = x(W_1W_2)$: two matrices do what one can do, and the four times wider middle would buy nothing. Any bend will do to prevent that. So the question is not why to bend, but why like this.

# %% tags=["claim"]
def one_matrix(activation):
    torch.manual_seed(0)
    ffn, inputs = FeedForward(8, 32, activation).double(), torch.randn(20, 8).double()
    product = ffn.narrow.weight @ ffn.widen.weight
    bias = ffn.narrow(ffn.widen.bias)
    return (ffn(inputs) - (inputs @ product.T + bias)).abs().max()


claim(
    "Without an activation, one matrix and one bias do what the layer does",
    one_matrix(lambda h: h), below=1e-12,
    because="matrix products may be taken in any order, but for float64's rounding",
    control={"with ReLU": one_matrix(torch.relu)},
)

# %% [markdown]
# ### The gate
#
# ReLU lets $x$ pass when $x > 0$. Its gate is open or shut, and the sign of $x$ decides. Now raise or lower the hurdle at random: draw $Z \sim N(0, 1)$, and let $x$ pass when $Z \le x$. A large $x$ clears nearly every hurdle, a very negative one hardly any. With the normal distribution's $\Phi(x) = P(Z \le x)$, the gate $m$ is a coin that knows $x$:
#
# $$m \sim \operatorname{Bernoulli}(\Phi(x)), \qquad E[x\,m] = x \cdot \Phi(x) + 0 \cdot (1 - \Phi(x)) = x\,\Phi(x) = \operatorname{GELU}(x).$$
#
# ($\operatorname{Bernoulli}(p)$ is 1 with probability $p$, else 0.) So GELU itself draws nothing: it is what the random gate does **on average** ([Hendrycks and Gimpel 2016](https://arxiv.org/abs/1606.08415), section 2). Why a normal hurdle? The paper's reason: what a unit reads is roughly normal itself, above all behind a normalisation. (A hurdle with the logistic distribution gives $x\,\sigma(x)$, which is SiLU.) By hand for $x = 0.5$, with five hurdles:

# %% tags=["derive"]
hurdles = [-1.3, -0.4, 0.1, 0.7, 1.6]
passed = [0.5 if z <= 0.5 else 0.0 for z in hurdles]
passed, sum(passed) / 5

# %% tags=["derive"]
from course_lib.mechanisms.activations import gelu

show_source(gelu)

# %% [markdown]
# ($\Phi$ has no closed formula. Libraries offer its close relative `erf`, with $\Phi(x) = (1 + \operatorname{erf}(x/\sqrt 2))/2$.) Now many draws, of three gates: the hurdle; dropout's coin, which opens half of the time whatever $x$ is; and the popular statement, that the gate *is* the draw from $N(0, 1)$.

# %% tags=["experiment"]
from course_lib.experiments.gates import GATES, gated

points = (-1.5, -0.5, 0.5, 1.5)
gate_runs = {gate: [gated(point, gate, 200_000) for point in points] for gate in GATES}
exact = gelu(torch.tensor(points, dtype=torch.float64))
print(f"{'x':<16}", *(f"{point:8.1f}" for point in points))
print(f"{'GELU':<16}", *(f"{y:8.3f}" for y in exact))
for gate, found in gate_runs.items():
    print(f"{gate:<16}", *(f"{run.mean:8.3f}" for run in found))


# %% tags=["claim"]
def errors_off(gate):
    return [abs(run.mean - y) / run.standard_error for run, y in zip(gate_runs[gate], exact.tolist())]


claim(
    "The hurdle's average is GELU, to within five standard errors",
    errors_off("keep if Z <= x"), below=5,
    because="by chance four averages together leave that range once in 400,000 times",
    control={"multiplied by Z": errors_off("multiply by Z"), "half kept": errors_off("keep half")},
)

# %% tags=["predict"]
gate_guess.reveal("about 0", because="Z is 0 on average, and so is any number times Z")

# %% [markdown]
# The draw from $N(0,1)$ is the hurdle and not the factor. Dropout's coin is blind, so its average is $x/2$ (or $x$, when it is scaled up again): a straight line. It is the coin's knowledge of $x$ that bends.

# %% [markdown]
# ### Only an average, and only of one layer (if you have time)
#
# Does a network of GELUs do what a network of random gates does on average? Through one layer, yes: averaging passes through the second matrix. Through two, the second gate sees inputs that vary. A layer here is a matrix, a gate, and a matrix again, all 16 wide, with nothing around it. Compare the average over 20,000 runs with GELU's output, as a share of that output's size:

# %% tags=["experiment"]
from course_lib.experiments.gates import gated_layers


def gap(n_layers, seed):
    mean, _, with_gelu = gated_layers(n_layers, 20_000, seed=seed)
    return ((mean - with_gelu).norm() / with_gelu.norm()).item()


gaps = {n: [gap(n, seed) for seed in range(4)] for n in (1, 2, 4)}
for n, found in gaps.items():
    print(f"layers: {n}   off by", *(f"{share:6.1%}" for share in found))

# %% tags=["claim"]
claim(
    "Through one layer, the average over random gates is what GELU gives",
    gaps[1], below=0.015,
    because="chance leaves some 0.5% of 20,000 draws, and at most 0.9% on sixteen seeds",
    control={"through two layers": gaps[2], "through four": gaps[4]},
)

# %% [markdown]
# So "GELU is dropout built in" is too much. Nothing is random in a GELU network, and its output is not the average of a random one, once there is more than one layer.

# %% [markdown]
# ### Its shape
#
# Write $\varphi$ for the bell, which is the slope of $\Phi$. Its own slope is $\varphi'(x) = -x\,\varphi(x)$. The product rule, used twice, gives slope and curvature:
#
# $$\operatorname{GELU}'(x) = \Phi(x) + x\,\varphi(x), \qquad \operatorname{GELU}''(x) = \varphi(x) + \varphi(x) - x^2\varphi(x) = \varphi(x)\,(2 - x^2).$$
#
# The curvature is 0 at $\pm\sqrt 2$, so there the slope is largest and smallest. At 0 the slope is $1/2$ and the curvature $2\varphi(0)$.

# %% tags=["derive"]
from course_lib.experiments.gelu_forms import grid, largest, normal_density, slope, smallest

lowest = smallest(gelu)
steepest, backwards = largest(lambda x: slope(gelu, x)), smallest(lambda x: slope(gelu, x))
print(f"smallest value {lowest.value:.5f} at {lowest.at:.4f}")
print(f"slope from {backwards.value:.4f} at {backwards.at:.4f}",
      f"to {steepest.value:.4f} at {steepest.at:.4f}")

# %% tags=["claim"]
from course_lib.experiments.gelu_forms import normal_cdf

axis = grid()[::100]
phi = normal_density(axis)
curvature = slope(lambda x: normal_cdf(x) + x * normal_density(x), axis)
claim(
    "The slope is Phi(x) + x phi(x)",
    (slope(gelu, axis) - normal_cdf(axis) - axis * phi).abs().max(), below=1e-12,
    because="autograd and the formula both compute in float64",
    control={"the gate alone": (slope(gelu, axis) - normal_cdf(axis)).abs().max()},
)
claim(
    "The curvature is phi(x) (2 - x^2)",
    (curvature - phi * (2 - axis**2)).abs().max(), below=1e-12,
    because="autograd and the formula both compute in float64",
    control={"phi's own slope forgotten": (curvature - 2 * phi).abs().max()},
)

# %% tags=["claim"]
claim(
    "The slope is steepest and most negative at the roots of 2",
    [steepest.at / 2**0.5, backwards.at / -(2**0.5)], near=1, within=1e-4,
    because="the points of the grid are 1e-4 apart",
    control={"where GELU is lowest": lowest.at / -(2**0.5)},
)


# %% [markdown]
# So GELU goes down before it goes up: between its lowest point and minus infinity, a larger $x$ gives a smaller output. And its slope exceeds 1. ReLU, in contrast, has one kink. At 0 it has two slopes, one from each side, and autograd has to choose; it says 0.

# %% tags=["claim"]
def one_sided(function, step):
    ends = torch.tensor([0.0, step], dtype=torch.float64)
    below, above = function(ends)
    return ((above - below) / step).item()


def jump(function):
    return one_sided(function, 1e-6) - one_sided(function, -1e-6)


claim(
    "From the right, ReLU's slope at 0 is larger by 1 than from the left",
    jump(torch.relu), equals=1.0,
    because="on each side ReLU is a straight line through 0",
    control={"GELU": jump(gelu)},
)

# %% tags=["claim"]
at_zero = torch.zeros(1, dtype=torch.float64)
claim(
    "At the kink, autograd takes the left one of the two slopes, 0",
    slope(torch.relu, at_zero), equals=0.0,
    because="torch decides so; any number from 0 to 1 is a slope that touches there, a subgradient",
    control={"GELU": slope(gelu, at_zero)},
)

# %% [markdown]
# ### It has a scale
#
# There is one more difference, and it will matter. Scale ReLU's input by 10, and the output is scaled by 10; the shape stays. GELU compares $x$ with hurdles of size 1. For inputs much smaller than 1 it is nearly the line $x/2$; for much larger ones it is nearly ReLU.

# %% tags=["claim"]
from course_lib.experiments.dead_units import straight_share


def straight(spread):
    return [straight_share("GELU", spread), straight_share("ReLU", spread)]


for spread in (0.1, 0.55, 1.0, 4.0):
    print(f"spread {spread}: a straight line explains",
          "{:.0%} of GELU's output, {:.0%} of ReLU's".format(*straight(spread)))
claim(
    "GELU of small inputs is nearly a straight line",
    straight_share("GELU", 0.1), above=0.97,
    because="near 0 GELU is x/2 + phi(0) x^2; by variance, the square is a hundredth at this size",
    control={"ReLU": straight_share("ReLU", 0.1), "large inputs": straight_share("GELU", 4.0)},
)

# %% [markdown]
# A fresh BERT-base has inputs of spread 0.55 here: $\sqrt{768} \cdot 0.02$, the width and the standard deviation of its weights, after a layer norm.

# %% [markdown]
# ## Experiment
#
# ### How good are the short forms?
#
# The paper also gives two forms without `erf`: one with a tanh of a polynomial, which the released GPT-2 uses (you will repair it in exercise 2), and $x\,\sigma(1.702\,x)$, with $\sigma$ for the logistic function. How far off are they?

# %% tags=["experiment"]
from course_lib.experiments.gelu_forms import largest_error
from course_lib.mechanisms.activations import gelu_sigmoid, gelu_tanh
from course_lib.plots.show import show

near = grid(-6, 6)[::200]
forms = {"tanh": gelu_tanh(near) - gelu(near), "sigmoid": gelu_sigmoid(near) - gelu(near)}
show(activation.draw_errors, (near, forms), activation.say_errors, size=(9, 3))

# %% tags=["claim"]
claim(
    "The tanh form is never off by 0.0005",
    largest_error(gelu_tanh, gelu).value, below=5e-4,
    because="nothing derives this bound: a grid of 160,001 points found the worst one",
    control={"the sigmoid form": largest_error(gelu_sigmoid, gelu).value},
)

# %% [markdown]
# Mind the two scales: on one axis the left curve would be a flat line. Small as it is, the error is larger than the rounding of float32 by far, so weights should be run with the form that they were trained with. In this library `Bert` bends with `gelu` and `GPT` with `gelu_tanh`. (BERT's first weights came with `erf`; Google's later code has the tanh form.)

# %% [markdown]
# ### Where does 1.702 come from? (if you have time)
#
# The paper does not say. Look for the constant that fits best, by three measures: the largest error of the gate, the largest error of $x$ times the gate, and the latter's mean square when $x$ is drawn from $N(0, 1)$.

# %% tags=["experiment"]
at = grid()[::20]


def errors(c):
    gate = torch.sigmoid(c * at)
    product = at * gate - gelu(at)
    weighted = (product.square() * normal_density(at)).sum()
    return (gate - normal_cdf(at)).abs().max(), product.abs().max(), weighted


constants = [1.6 + 0.002 * i for i in range(101)]
found = torch.tensor([errors(c) for c in constants])
best = {words: constants[i] for words, i in zip(
    ("gate", "x times the gate", "the same under N(0, 1)"), found.argmin(dim=0))}
for words, c in best.items():
    print(f"{words:<24}{c:.3f}")

# %% tags=["claim"]
claim(
    "1.702 is the constant with the smallest largest error of the gate",
    best["gate"], near=1.702, within=0.003,
    because="the constants tried are 0.002 apart",
    control={words: c for words, c in best.items() if words != "gate"},
)

# %% [markdown]
# So the published constant fits the gate. For the product, which is GELU, "best" depends on which inputs count. (With 1 in place of 1.702 it is SiLU.)

# %% [markdown]
# ### Does GELU keep units alive?
#
# "GELU has a slope where ReLU is dead" is a common reason for it. Move the mean of the inputs to the left, as in the first figure:

# %% tags=["experiment"]
from course_lib.experiments.dead_units import FUNCTIONS, dead_share

shifts = [-8 + 0.5 * i for i in range(17)]
shares = {name: [dead_share(name, 1.0, shift) for shift in shifts] for name in FUNCTIONS}
show(activation.draw_dead, (shifts, shares), activation.say_dead, size=(7, 3.2))

# %% [markdown]
# GELU's units die as well, further out: there the slope is no exact 0, but it falls as fast as the bell does. SiLU's gate has a longer tail, and its units go on further still. How much further is GELU? Look for the mean at which half of the units are dead, at several spreads:

# %% tags=["experiment"]
from course_lib.experiments.dead_units import half_dead

further = []
for spread in (0.55, 1.0, 4.0):
    relu_at, gelu_at = half_dead("ReLU", spread), half_dead("GELU", spread)
    further.append(relu_at - gelu_at)
    print(f"spread {spread:<5} half dead: ReLU at {relu_at:6.2f}, GELU at {gelu_at:6.2f}")

# %% tags=["claim"]
claim(
    "GELU holds out about 3 longer in x, whatever the spread",
    further, near=3.07, within=0.1,
    because="there GELU's slope sinks below our 0.01; another threshold shifts the 3",
    control={"counted in spreads": [further[0] / 0.55, further[2] / 4]},
)

# %% [markdown]
# GELU has a scale, also here. For a fresh BERT 3 is more than five spreads.
#
# Is a slope of nearly nothing better than nothing? That depends on who uses it. SGD makes steps in proportion to the gradient. Adam (a later lesson takes it apart) divides each step by the gradient's usual size, so that tiny gradients make steps as large as any. Train 64 units on 256 examples, all shifted to a mean of $-6$, and count the dead before and after. (The figure counts over 64 positions; over 256 fewer units are dead at every one of them.)

# %% tags=["experiment"]
from course_lib.experiments.dead_units import train_shifted

left = {}
for name, optimiser, lr in (("ReLU", "Adam", 0.01), ("GELU", "SGD", 0.1), ("GELU", "Adam", 0.01)):
    trained = [train_shifted(name, optimiser, -6.0, seed=seed, lr=lr) for seed in range(4)]
    print(f"{name}, {optimiser:<5}", *(f"{run.before:5.0%} -> {run.after:4.0%}" for run in trained),
          "  squared error", *(f"{run.loss:.2f}" for run in trained))
    left[name, optimiser] = [run.after for run in trained]

# %% tags=["claim"]
claim(
    "Under Adam, nearly all dead GELU units come back",
    left["GELU", "Adam"], below=0.1,
    because="at this learning rate at most 5% stayed dead on twelve seeds",
    control={"under SGD": left["GELU", "SGD"], "ReLU, under Adam": left["ReLU", "Adam"]},
)

# %% [markdown]
# SGD ends with the error of the dead ReLU units: that of a constant. It has hardly trained at all. Is it only slow? Give it a larger learning rate and 1500 steps, and of eight starts the one that got furthest by then:

# %% tags=["claim"]
longer = train_shifted("GELU", "SGD", -6.0, n_steps=1500, seed=5, lr=0.2)
adam = train_shifted("GELU", "Adam", -6.0, seed=5)
print(f"squared error {longer.loss:.2f} with SGD, {adam.loss:.2f} with Adam")
claim(
    "A long run of SGD, too, leaves most dead units dead",
    longer.after / longer.before, above=0.8,
    because="a slope below 0.01 makes steps a hundred times shorter; the other seven left 95% too",
    control={"Adam": adam.after / adam.before},
)


# %% [markdown]
# Is there an end to Adam's help? It adds a constant, $10^{-8}$, to the size by which it divides. From a mean of $-10$ the slopes are far smaller than that. If the constant ends the help, a smaller one must bring units back, and the smaller the more:

# %% tags=["experiment"]
def left_from_10(name, eps):
    runs = [train_shifted(name, "Adam", -10.0, seed=seed, eps=eps) for seed in range(4)]
    return sum(run.after for run in runs) / len(runs)


by_eps = {eps: left_from_10("GELU", eps) for eps in (1e-8, 1e-12, 1e-15)}
by_eps

# %% tags=["claim"]
claim(
    "From -10, many GELU units come back once Adam's constant is 1e-15",
    by_eps[1e-15], below=0.7,
    because="the share still dead over four seeds of 64 units; eight more gave at most 0.56",
    control={"the usual 1e-8": by_eps[1e-8], "1e-12": by_eps[1e-12]},
)

# %% [markdown]
# So the leak is real, and what it is good for is a matter of the optimiser and the distance. (And not all of it is the constant: with the smallest one, too, many have not come back within these 200 steps.) A ReLU unit gets an exact 0 and stays, as long as its inputs do. In a deep network the layers below may move them; nothing here says that transformers with ReLU suffer from dead units.

# %% [markdown]
# ### A race
#
# "GELU is smooth, has richer curvature, and so trains better." Smooth it is, and curved where ReLU is straight. That it trains better is for a measurement to say. A task for which the bend is needed: 24 symbols; each of the 576 ordered pairs stands for a symbol drawn blindly. A model adds up two embeddings, and one feed-forward layer, whose output is added to its input as in a transformer, has to *look up* the answer. The loss is a cross-entropy in nats: minus the logarithm of the right answer's probability. First, does the task need a bend?

# %% tags=["experiment"]
from functools import cache

from course_lib.experiments.activation_race import loss_ratio, race


@cache  # what has run once need not run again
def losses(layer, task="look-up", spread=1.0, lr=0.01, n_steps=30, seeds=range(4)):
    return torch.stack([race(layer, task, seed, lr, n_steps, spread)[-1] for seed in seeds])


def ratio(ours, theirs):
    return loss_ratio(ours.tolist(), theirs.tolist())


# %% tags=["claim"]
claim(
    "With a bend, every run has learned most of the table after 60 steps",
    [losses(name, n_steps=60, seeds=range(2)) for name in ("ReLU", "GELU")], below=0.3,
    because="0.3 nats is a probability of 0.74 for the right answer; blind guessing gives 1/24",
    control={"no bend": losses("no bend", n_steps=60, seeds=range(2))},
)

# %% [markdown]
# Now the race, from three starting sizes of the weights before the bend. After the layer norm their input has size 1, and torch draws them from $\pm 1/\sqrt{24}$, with a variance of $1/72$. So what arrives at the bend has a spread of $\sqrt{24/72} = 0.58$, close to a fresh BERT's, and a little more from the biases. Make the weights a third as large, or three times as large. Each of four seeds gives both activations the same task and the same start. What counts is the ratio of their losses in each pair: its geometric mean, and the interval in which that mean lies with 95% confidence (Student's t over the logarithms).

# %% tags=["predict", "widget"]
race_guess = predict(
    "With a learning rate of 0.01, who has the lower loss after 30 steps, from small weights and "
    "from large ones?",
    ["GELU both times", "ReLU both times", "ReLU when small, GELU when large",
     "GELU when small, ReLU when large"],
)
race_guess

# %% tags=["experiment"]
starts = {"a third": 1 / 3, "usual": 1.0, "three times": 3.0}
rows = [(size, ratio(losses("GELU", spread=spread), losses("ReLU", spread=spread)))
        for size, spread in starts.items()]
show(activation.draw_ratios, (rows, "GELU", "ReLU"), activation.say_ratios, size=(8, 2.4))

# %% tags=["predict"]
race_guess.reveal("ReLU when small, GELU when large",
                  because="the two intervals lie on different sides of 1")

# %% [markdown]
# So the start decides? An interval over seeds holds the luck of the draw. It does not hold the choices of whoever set the race up, and one of them was to let everybody run with 0.01. A fair race lets each runner have its best learning rate. So try three others, for each runner from each start, on a seed that is not in the race, and race with the one that gave the lowest loss:

# %% tags=["experiment"]
RATES = (0.02, 0.06, 0.2)


def at_best_rate(layer, task="look-up", spread=1.0):
    tried = {lr: losses(layer, task, spread, lr, seeds=range(5, 6)).item() for lr in RATES}
    best = min(RATES, key=tried.get)
    found = losses(layer, task, spread, best, seeds=range(5))
    rates = " ".join(f"{lr}: {loss:.4f}  " for lr, loss in tried.items())
    print(f"{layer:<14}{task:<9} {rates} with {best}, five seeds: {found.mean():.4f}")
    return found


fair = {}
for size, spread in starts.items():
    slow = (f"{losses(name, spread=spread).mean():.2f}" for name in ("GELU", "ReLU"))
    print(f"weights: {size} (the losses with 0.01 were {' and '.join(slow)})")
    fair[size] = {name: at_best_rate(name, spread=spread) for name in ("GELU", "ReLU")}

# %% tags=["claim"]
claim(
    "Each at its best learning rate, GELU is ahead from all three starts",
    [ratio(found["GELU"], found["ReLU"]).high for found in fair.values()], below=1.0,
    because="upper ends of 95% intervals of the ratio; at 1 nobody is ahead",
    control={"small weights, both at 0.01": ratio(losses("GELU", spread=1 / 3),
                                                  losses("ReLU", spread=1 / 3)).high},
)

# %% [markdown]
# ReLU's lead came from a race in which both crawled. Why did GELU crawl more? A guess from above: to small inputs GELU is a straight line with little bend for that much line, and the line is of no use here. ReLU has the same line, $x/2$, beside $|x|/2$, but more bend. If that is the reason, then without their lines the two must be level:

# %% tags=["claim"]
lineless = [losses(f"{name} less x/2", spread=1 / 3) for name in ("GELU", "ReLU")]
claim(
    "From small weights, at 0.01, GELU and ReLU are level once the line x/2 is taken from both",
    ratio(*lineless).mean, near=1, within=0.05,
    because="the geometric mean over four seeds; sixteen seeds gave 1.00",
    control={"with their lines": ratio(losses("GELU", spread=1 / 3),
                                       losses("ReLU", spread=1 / 3)).mean},
)

# %% [markdown]
# This toy has one layer and a task of its own. What is known of real models is empirical as well. The paper that introduced GELU measured gains over ReLU on several tasks of 2016. GPT-1 to GPT-3 took GELU up, as BERT did; "GPT dropped ReLU" is true of them, and not of decoders in general: OPT uses ReLU, the first T5 too, LLaMA the gated layer that comes next.

# %% [markdown]
# ### A gate with weights of its own
#
# GELU's gate looks at the number that it gates. Write the layer as a product, without biases: $(\Phi(xW_1) \odot xW_1)\,W_2$. Why should gate and value come from the same matrix? [Shazeer 2020](https://arxiv.org/abs/2002.05202) gives the gate its own:
#
# $$\operatorname{FFN}(x) = (\operatorname{act}(x W_{gate}) \odot x W_1)\, W_2$$
#
# With SiLU for the activation it is called SwiGLU.

# %% tags=["derive"]
show_source(GatedFeedForward.forward)

# %% [markdown]
# With $\Phi$ as its activation, and one matrix in both places, this must be the plain GELU layer:

# %% tags=["claim"]
torch.manual_seed(0)
plain, own_gate = FeedForward(6, 16, gelu).double(), GatedFeedForward(6, 16, normal_cdf).double()
with torch.no_grad():
    plain.widen.bias.zero_(), plain.narrow.bias.zero_()
    own_gate.widen.weight.copy_(plain.widen.weight), own_gate.narrow.weight.copy_(plain.narrow.weight)
inputs = torch.randn(5, 6, dtype=torch.float64)
apart = (own_gate(inputs) - plain(inputs)).abs().max()
with torch.no_grad():
    own_gate.gate.weight.copy_(plain.widen.weight)
claim(
    "A gated layer whose gate has the same weights as its value, and Phi, is the GELU layer",
    (own_gate(inputs) - plain(inputs)).abs().max(), below=1e-12,
    because="both compute x Phi(x) in float64",
    control={"a gate of its own": apart},
)

# %% [markdown]
# Three matrices in place of two. To compare at equal numbers, the paper makes the gated layer two thirds as wide. (Exercise 3 counts exactly.) The race again, each at its best rate, and with a second task, *addition*: the 24 symbols are numbers under random names, and each pair stands for its sum, starting over at 24.
#
# Should the gated layer win, is it the gate? Both tasks ask for a value that depends on a *pair*, and a gated layer multiplies two mixtures of its input. So a third runner has no activation: nothing gates, and nothing is left but the *product alone*, $(xW_{gate} \odot xW_1)\,W_2$.

# %% tags=["experiment"]
tasks, kinds = ("look-up", "addition"), ("GELU", "SwiGLU", "product alone")
by_kind = {kind: [at_best_rate(kind, task) for task in tasks] for kind in kinds}

# %% tags=["experiment"]
rows = [(f"{kind}, {task}", ratio(by_kind[kind][i], by_kind["GELU"][i]))
        for i, task in enumerate(tasks) for kind in kinds[1:]]
show(activation.draw_ratios, (rows, "gated layer", "GELU"), activation.say_ratios, size=(9, 2.8))

# %% tags=["claim"]
claim(
    "SwiGLU and the product alone are ahead of GELU, on both tasks",
    [found.high for _, found in rows], below=0.8,
    because="upper ends of 95% intervals of five seeds; 1 would be level",
    control={"ReLU, look-up": ratio(fair["usual"]["ReLU"], by_kind["GELU"][0]).high},
)
claim(
    "On look-up the product alone is behind SwiGLU",
    ratio(by_kind["product alone"][0], by_kind["SwiGLU"][0]).low, above=1.0,
    because="the lower end of a 95% interval; at 1 nobody is ahead",
    control={"on addition": ratio(by_kind["product alone"][1], by_kind["SwiGLU"][1]).low},
)


# %% [markdown]
# Most of the lead needs no gate: the product alone has it. With the bend on top, look-up goes better still, and addition does not. (Other learning rates, other verdicts: at 0.01, after 60 steps of look-up, the product is level with GELU. Try it.)
#
# The paper tests gated layers inside a transformer trained on text. In its Table 1 every one of them, the bare product ("bilinear") among them, ends with a lower loss on held-out text than ReLU and GELU. It offers no explanation.

# %% [markdown]
# ## Verify
#
# One last popular statement: "GELU is just a smooth ReLU". Far out, yes. At the sizes of a fresh BERT the two differ a good deal as they stand. But the second matrix can scale what it gets, and its bias can shift it; how much of the difference is out of their reach?

# %% tags=["claim"]
def apart_from_relu(spread, fitted=False):
    z = grid()
    bell = normal_density(z) / normal_density(z).sum()
    bent, wanted = gelu(spread * z), torch.relu(spread * z)
    size = (wanted.square() * bell).sum()
    if fitted:  # by least squares, a factor and a constant
        bent, wanted = bent - (bent * bell).sum(), wanted - (wanted * bell).sum()
        bent = bent * (bent * wanted * bell).sum() / (bent.square() * bell).sum()
    return (((bent - wanted).square() * bell).sum() / size).sqrt()


bert = 768**0.5 * 0.02
claim(
    "At BERT's start, GELU differs from ReLU by more than a quarter of ReLU's size",
    apart_from_relu(bert), above=0.25,
    because="root mean squares over normal inputs, as sums on a fine grid",
    control={"inputs of spread 4": apart_from_relu(4.0),
             "up to a factor and a constant": apart_from_relu(bert, fitted=True)},
)

# %% [markdown]
# So "smooth ReLU" is wrong about the function, and much nearer the truth about what the next matrix can make of it. (Not for small inputs: try `apart_from_relu(0.1, fitted=True)`.)

# %% [markdown]
# ## Exercise
#
# ### 1. The gate, exactly

# %% tags=["exercise"]
import math

from course_lib.checks.lesson_32 import broken_gelu, gate_moments, gated_width, repair_gelu

gate_moments


# %% tags=["exercise"]
def my_gate_moments(x, mu, sigma):
    raise NotImplementedError


gate_moments.check(my_gate_moments)

# %% tags=["exercise"]
gate_moments.hint()

# %% [markdown]
# ### 2. Repair a tanh form
#
# Somebody wrote the tanh form down from memory.

# %% tags=["exercise"]
show_source(broken_gelu)

# %% tags=["exercise"]
largest_error(broken_gelu, gelu)

# %% tags=["exercise"]
repair_gelu


# %% tags=["exercise"]
def my_gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x - 0.044715 * x**2)))


repair_gelu.check(my_gelu)

# %% tags=["exercise"]
repair_gelu.hint()

# %% [markdown]
# ### 3. As many numbers

# %% tags=["exercise"]
gated_width


# %% tags=["exercise"]
def my_gated_width(d_model, d_ff):
    raise NotImplementedError


gated_width.check(my_gated_width)

# %% tags=["exercise"]
gated_width.hint()

# %% [markdown]
# ### An open one
#
# Set a race up that ReLU wins: `losses` takes the task, the start (`spread`), the learning rate (`lr`) and the number of steps. How many set-ups did you try, and what would a reader of your best one alone believe?

# %% [markdown]
# ## Takeaways
#
# What is the gate? A coin that knows $x$: it is open with probability $\Phi(x)$, when a hurdle drawn from $N(0, 1)$ lies at or below $x$. GELU is $x$ times that probability, the average over the coin and nothing random itself; through two layers it is not even the average any more. In a gated layer the gate has weights of its own.
#
# Why GELU? Not for one reason that holds everywhere. It bends without a kink, dips below 0, and keeps a slope about 3 further out than ReLU, in units of $x$, which an optimiser like Adam can use and plain SGD hardly. It has a scale: inputs much smaller than 1 hardly see a bend. At a learning rate of 0.01 the size of the weights at the start decided whether it beat ReLU; with each at its best rate it was ahead from every start, on this toy. That large models use it is an empirical choice, and others are in use.
#
# Not covered: what the inner units come to stand for, activations that are sparse on purpose, and mixtures of experts.
#
# Sources: Vaswani et al. 2017, section 3.3; Hendrycks and Gimpel 2016, section 2; Shazeer 2020, section 2 and Table 1; Ramachandran et al. 2017, [Searching for activation functions](https://arxiv.org/abs/1710.05941), for SiLU (which Hendrycks and Gimpel had named) as Swish; [Zhang et al. 2022](https://arxiv.org/abs/2205.01068) (OPT); [Raffel et al. 2020](https://arxiv.org/abs/1910.10683) (T5); [Touvron et al. 2023](https://arxiv.org/abs/2302.13971) (LLaMA).
#
# Next: [33 Pre-LN and Post-LN](33_pre_ln_and_post_ln.ipynb). [Contents](01_how_this_course_works.ipynb)
