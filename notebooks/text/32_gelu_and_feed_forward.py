# %% [markdown]
# # 32 GELU and the feed-forward layer
#
# **Why GELU, and what is the gate?** At the end you can say what the feed-forward layer does and to whom, derive GELU as an average over a coin that knows $x$, and tell what is measured about it from what is only said. You need lesson 21, derivatives and the normal distribution; about 45 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [31 Layer norm](31_layer_norm.ipynb) · next: [33 Pre-LN and Post-LN](33_pre_ln_and_post_ln.ipynb)

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
        shift=control(-8.0, 2.0, 0.5, 0.0, label="their mean"))

# %% [markdown]
# ## Question
#
# Half of a transformer block is attention. The other half is two matrices with a bent function between them, the **activation**. The first transformer bent with ReLU, $\max(0, x)$. GPT and BERT bend with GELU, which you see here. Why? And what do people mean when they say that GELU has a *gate*?
#
# Left: the function, and in grey where its inputs lie. Middle: its slope. A gradient on its way back is multiplied by that slope. Right: 512 random *units* (a unit is one column of the first matrix) read a text of 64 positions. A unit is called dead when its slope is below 0.01 in size at every position: next to nothing of this text's gradient gets to its weights.
#
# Try this. Choose ReLU and move the mean to the left: at which mean are most units dead? GELU's bars hold out longer. How much longer? Then put the mean back to 0 and shrink the spread to 0.1. Which part of the curve do the inputs still see? The sentence below the figure says how much of the output a straight line would explain.

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

# %% tags=["predict", "widget"]
race_guess = predict(
    "Two small models differ in the activation alone. They race twice: once the weights before "
    "the bend start a third as large as usual, once three times. Who has the lower loss halfway?",
    ["GELU both times", "ReLU both times", "ReLU when small, GELU when large",
     "GELU when small, ReLU when large"],
)
race_guess

# %% [markdown]
# ## Derive
#
# ### The layer by hand
#
# One position, two numbers. The first matrix widens them to three, ReLU cuts the negative ones off, the second matrix narrows them to two again.

# %% tags=["derive"]
x = [1.0, -2.0]
W1, b1 = [[1.0, 0.5, -1.0], [0.0, 1.0, -1.0]], [0.0, 0.5, 0.0]
W2, b2 = [[1.0, 0.0], [2.0, 1.0], [0.5, -1.0]], [0.1, 0.0]


def times(row, matrix, bias):
    return [sum(a * w for a, w in zip(row, column)) + b for column, b in zip(zip(*matrix), bias)]


inner = times(x, W1, b1)
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
    for layer, weights, bias in ((ffn.widen, W1, b1), (ffn.narrow, W2, b2)):
        layer.weight.copy_(torch.tensor(weights).T)  # nn.Linear keeps (out, in)
        layer.bias.copy_(torch.tensor(bias))
X = torch.tensor([x], dtype=torch.float64)
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
layer, attention = FeedForward(8, 32), MultiHeadAttention(8, 2)
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
    [order_matters(layer), order_matters(attention)],
    below=1e-5,
    because="the same products are added up, in another order; float32 rounds at 1e-7",
    control={"attention with a causal mask": order_matters(lambda t: attention(t, causal_mask(5)))},
)
claim(
    "One position changed: through the feed-forward layer no other output notices",
    others_notice(layer), below=1e-6,
    because="no number of another position enters; only the way of rounding may differ",
    control={"attention without a mask": others_notice(attention)},
)


# %% [markdown]
# ### Why bend at all?
#
# Without an activation, $(xW_1)W_2 = x(W_1W_2)$: two matrices are one, of at most the smaller rank. The four times wider middle would buy nothing. Any bend will do to prevent that. So the question is not why to bend, but why like this.

# %% tags=["claim"]
def one_matrix(activation):
    torch.manual_seed(0)
    layer, x = FeedForward(8, 32, activation).double(), torch.randn(20, 8, dtype=torch.float64)
    product = layer.narrow.weight @ layer.widen.weight
    bias = layer.narrow(layer.widen.bias)
    return (layer(x) - (x @ product.T + bias)).abs().max()


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
# ($\operatorname{Bernoulli}(p)$ is 1 with probability $p$, else 0.) So GELU itself draws nothing: it is what the random gate does **on average** ([Hendrycks and Gimpel 2016](https://arxiv.org/abs/1606.08415), section 2). By hand for $x = 0.5$, with five hurdles:

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
runs = {gate: [gated(point, gate, 200_000) for point in points] for gate in GATES}
exact = gelu(torch.tensor(points, dtype=torch.float64))
print(f"{'x':<16}", *(f"{point:8.1f}" for point in points))
print(f"{'GELU':<16}", *(f"{y:8.3f}" for y in exact))
for gate, found in runs.items():
    print(f"{gate:<16}", *(f"{run.mean:8.3f}" for run in found))


# %% tags=["claim"]
def errors_off(gate):
    return [abs(run.mean - y) / run.standard_error for run, y in zip(runs[gate], exact.tolist())]


claim(
    "The hurdle's average is GELU, to within five standard errors",
    errors_off("keep if Z <= x"), below=5,
    because="by chance four averages together leave that range once in 400,000 times",
    control={"multiplied by Z": errors_off("multiply by Z"), "half kept": errors_off("keep half")},
)

# %% tags=["predict"]
gate_guess.reveal("about 0", because="Z is 0 on average, and so is any number times Z")

# %% [markdown]
# The draw from $N(0,1)$ is the hurdle and not the factor. Dropout's coin is blind, so its average is $x/2$: a straight line. It is the coin's knowledge of $x$ that bends.

# %% [markdown]
# ### Only an average, and only of one layer
#
# Does a network of GELUs do what a network of random gates does on average? Through one layer, yes: averaging passes through the second matrix. Through two, the second gate sees inputs that vary. Measure the largest distance between the average over many runs and GELU, in standard errors:

# %% tags=["claim"]
from course_lib.experiments.gates import gated_layers


def worst(n_layers, seed):
    mean, error, with_gelu = gated_layers(n_layers, 20_000, seed=seed)
    return ((mean - with_gelu) / error).abs().max()


claim(
    "Through one layer, the average over random gates is what GELU gives",
    [worst(1, seed) for seed in range(4)], below=6,
    because="64 averages are looked at; chance brings the worst to about 3 standard errors",
    control={"through two layers": [worst(2, seed) for seed in range(4)]},
)

# %% [markdown]
# So "GELU is dropout built in" is too much. Nothing is random in a GELU network, and its output is not the average of a random one, once there is more than one layer.

# %% [markdown]
# ### Its shape
#
# The product rule gives the slope, with $\varphi$ for the bell, the slope of $\Phi$:
#
# $$\operatorname{GELU}'(x) = \Phi(x) + x\,\varphi(x), \qquad \operatorname{GELU}''(x) = \varphi(x)\,(2 - x^2).$$
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

x = grid()[::100]
claim(
    "The slope is Phi(x) + x phi(x)",
    (slope(gelu, x) - normal_cdf(x) - x * normal_density(x)).abs().max(), below=1e-12,
    because="autograd and the formula both compute in float64",
    control={"the gate alone": (slope(gelu, x) - normal_cdf(x)).abs().max()},
)
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
    because="torch decides so; any number from 0 to 1 would be a slope that touches",
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
    because="by variance the curve's 0.4 x^2 is about a hundredth of the line x/2 at this spread",
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

x = grid(-6, 6)[::200]
differences = {"tanh": gelu_tanh(x) - gelu(x), "sigmoid": gelu_sigmoid(x) - gelu(x)}
show(activation.draw_errors, (x, differences), activation.say_errors, size=(9, 3))

# %% tags=["claim"]
claim(
    "The tanh form is never off by 0.0005",
    largest_error(gelu_tanh, gelu).value, below=5e-4,
    because="nothing derives this bound: a grid of 160,001 points found the worst one",
    control={"the sigmoid form": largest_error(gelu_sigmoid, gelu).value},
)


# %% [markdown]
# Mind the two scales: on one axis the left curve would be a flat line. Small as it is, the error is larger than the rounding of float32 by far, so weights should be run with the form that they were trained with. In this library `Bert` bends with `gelu` and `GPT` with `gelu_tanh`.
#
# Where does 1.702 come from? Not from the best fit to GELU. Try others, and look at the gate and at the product apart:

# %% tags=["experiment"]
def gate_error(c):
    return largest_error(lambda x: torch.sigmoid(c * x), normal_cdf).value


def product_error(c):
    return largest_error(lambda x: x * torch.sigmoid(c * x), gelu).value


for c in (1.6, 1.65, 1.7, 1.702, 1.75, 1.8):
    print(f"{c:<5}  gate {gate_error(c):.4f}   x times the gate {product_error(c):.4f}")

# %% tags=["claim"]
claim(
    "1.702 makes the gate's largest error smaller than its neighbours do",
    [gate_error(c) - gate_error(1.702) for c in (1.68, 1.69, 1.71, 1.72)], above=0,
    because="the errors are exact to the grid; the differences are larger than 1e-4",
    control={"for x times the gate": product_error(1.72) - product_error(1.702)},
)

# %% [markdown]
# The constant fits the gate. As a form of GELU, 1.75 would be better. (With 1 in place of 1.702 it is SiLU, a function of its own.)

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
# GELU's units die as well, about three spreads further out: there the slope is no exact 0, but it falls as fast as the bell does. Only SiLU's, whose gate has a longer tail, go on. Is a slope of nearly nothing better than nothing? That depends on who uses it. SGD makes steps in proportion to the gradient. Adam (lesson 42) divides each step by the gradient's usual size, so that tiny gradients make steps as large as any. Train 64 units, all shifted to a mean of $-6$, and count the dead before and after:

# %% tags=["experiment"]
from course_lib.experiments.dead_units import train_shifted

seeds = range(4)
left = {}
for name in ("ReLU", "GELU"):
    for optimiser, lr in (("SGD", 0.1), ("Adam", 0.01)):
        found = [train_shifted(name, optimiser, -6.0, seed=seed, lr=lr) for seed in seeds]
        print(f"{name} with {optimiser:<4}:", *(f"{b:4.0%} -> {a:4.0%} " for b, a in found))
        left[name, optimiser] = [after for _, after in found]

# %% tags=["claim"]
claim(
    "Under Adam, nearly all dead GELU units come back",
    left["GELU", "Adam"], below=0.1,
    because="Adam moves a weight by about the learning rate, however small its gradient",
    control={"under SGD": left["GELU", "SGD"], "ReLU, under Adam": left["ReLU", "Adam"]},
)


# %% [markdown]
# However small? Adam adds a constant, $10^{-8}$, to the size by which it divides. From a mean of $-10$ the slopes are far smaller than that. If the constant is what ends Adam's help, a smaller one must bring units back:

# %% tags=["claim"]
def left_from_10(name, eps):
    runs = [train_shifted(name, "Adam", -10.0, seed=seed, eps=eps) for seed in seeds]
    return sum(after for _, after in runs) / len(runs)


claim(
    "From -10, many GELU units come back once Adam's constant is 1e-15",
    left_from_10("GELU", 1e-15), below=0.85,
    because="the share still dead, averaged over four seeds of 64 units; single runs differ a lot",
    control={"the usual 1e-8": left_from_10("GELU", 1e-8), "ReLU": left_from_10("ReLU", 1e-15)},
)

# %% [markdown]
# So the leak is real, and what it is good for is a matter of the optimiser and the distance. A ReLU unit gets an exact 0 and stays, as long as its inputs do. In a deep network the layers below may move them; nothing here says that transformers with ReLU suffer from dead units.

# %% [markdown]
# ### A race
#
# "GELU is smooth, has richer curvature, and so trains better." The first two are true. The third is a measurement. A task for which the bend is needed: 24 symbols; each of the 576 ordered pairs stands for a symbol drawn blindly. A model adds up two embeddings, and one feed-forward layer with its residual has to *look up* the answer. Each of eight seeds gives both activations the same task and the same start. What counts is the ratio of their losses in each pair, and the interval in which the mean ratio lies with 95% confidence (Student's t over the eight). First, does the task need a bend?

# %% tags=["experiment"]
from course_lib.experiments.activation_race import loss_ratio, race


def losses(layer, task="look-up", spread=1.0, n_steps=60):
    return torch.stack([race(layer, task, seed, 0.01, n_steps, spread) for seed in range(8)])


usual = {name: losses(name) for name in ("ReLU", "GELU")}
no_bend = [race("no bend", "look-up", seed)[-1] for seed in range(3)]

# %% tags=["claim"]
claim(
    "With a bend, every run has learned most of the table after 60 steps",
    torch.stack([usual["ReLU"][:, -1], usual["GELU"][:, -1]]), below=0.3,
    because="0.3 nats is a probability of 0.74 for the right answer; blind guessing gives 1/24",
    control={"no bend": no_bend},
)


# %% [markdown]
# Now the race, at two moments, from three starting sizes of the weights before the bend.

# %% tags=["experiment"]
def ratio(ours, theirs, step):
    return loss_ratio(ours[:, step].tolist(), theirs[:, step].tolist())


runs = {"a third": 0.3, "usual": 1.0, "three times": 3.0}
started = {size: usual if spread == 1 else {name: losses(name, spread=spread) for name in usual}
           for size, spread in runs.items()}
rows = [(f"{size}, step {step}", ratio(pair["GELU"], pair["ReLU"], step))
        for step in (30, 60) for size, pair in started.items()]
show(activation.draw_ratios, (rows, "GELU", "ReLU"), activation.say_ratios, size=(8, 3.2))

# %% tags=["predict"]
race_guess.reveal("ReLU when small, GELU when large",
                  because="at step 30 the two intervals lie on different sides of 1")

# %% [markdown]
# The same task, the same two functions; who is ahead depends on the size of the weights at the start and on when you look. An interval over seeds holds the luck of the start. It does not hold the choices of whoever set the race up. Nor does one interval settle much when it ends close to 1: for the usual start at step 30, eight other seeds (8 to 15) gave an interval with 1 inside.
#
# Why does the start matter? A guess from above: small inputs see GELU as a straight line. Put it to the test. Take the small start, but a GELU drawn ten times as small, $\operatorname{GELU}(10x)/10$, which bends small inputs as GELU bends larger ones. If the missing bend is what holds GELU back, it must not be behind any more.

# %% tags=["claim"]
small = started["a third"]
sharp = losses("sharp GELU", spread=0.3, n_steps=30)
claim(
    "From small weights, a GELU that bends at their size is not behind ReLU after 30 steps",
    ratio(sharp, small["ReLU"], 30).high, below=1.0,
    because="the upper end of a 95% interval of the ratio; at 1 nobody is ahead",
    control={"GELU": ratio(small["GELU"], small["ReLU"], 30).high},
)
claim(
    "From large weights GELU is ahead after 30 steps",
    ratio(started["three times"]["GELU"], started["three times"]["ReLU"], 30).high, below=1.0,
    because="the upper end of a 95% interval of the ratio; at 1 nobody is ahead",
    control={"from small weights": ratio(small["GELU"], small["ReLU"], 30).high},
)

# %% [markdown]
# This toy has one layer, one learning rate and a task of its own. What is known of real models is empirical as well. The paper that introduced GELU measured gains over ReLU on several tasks of 2016. OpenAI's GPT models took GELU up, as BERT did; "GPT dropped ReLU" is true of them, and not of decoders in general: OPT uses ReLU, the first T5 too, LLaMA the gated layer that comes next.

# %% [markdown]
# ### A gate with weights of its own
#
# GELU's gate looks at the number that it gates. Write the layer as a product, without biases: $(\Phi(xW_1) \odot xW_1)\,W_2$. Why should gate and value come from the same matrix? [Shazeer 2020](https://arxiv.org/abs/2002.05202) gives the gate its own:
#
# $$\operatorname{FFN}(x) = (\operatorname{act}(x W_{gate}) \odot x W_1)\, W_2$$
#
# With SiLU for the activation it is called SwiGLU. The library's layer with $\Phi$ as its activation, and one matrix in both places, must be the plain GELU layer:

# %% tags=["claim"]
show_source(GatedFeedForward.forward)
torch.manual_seed(0)
plain, own_gate = FeedForward(6, 16, gelu).double(), GatedFeedForward(6, 16, normal_cdf).double()
with torch.no_grad():
    plain.widen.bias.zero_(), plain.narrow.bias.zero_()
    own_gate.widen.weight.copy_(plain.widen.weight), own_gate.narrow.weight.copy_(plain.narrow.weight)
X = torch.randn(5, 6, dtype=torch.float64)
apart = (own_gate(X) - plain(X)).abs().max()
with torch.no_grad():
    own_gate.gate.weight.copy_(plain.widen.weight)
claim(
    "A gated layer whose gate has the same weights as its value, and Phi, is the GELU layer",
    (own_gate(X) - plain(X)).abs().max(), below=1e-12,
    because="both compute x Phi(x) in float64",
    control={"a gate of its own": apart},
)

# %% [markdown]
# Three matrices in place of two. To compare at equal numbers, the paper makes the gated layer two thirds as wide. (Exercise 3 counts exactly.) The race again, with a second task, *addition*: the 24 symbols are numbers under random names, and each pair stands for its sum, starting over at 24.

# %% tags=["experiment"]
adding = {name: losses(name, "addition") for name in ("GELU", "SwiGLU")}
pairs = {"look-up": (losses("SwiGLU"), usual["GELU"]),
         "addition": (adding["SwiGLU"], adding["GELU"])}
rows = [(f"{task}, step {step}", ratio(*pair, step))
        for task, pair in pairs.items() for step in (30, 60)]
show(activation.draw_ratios, (rows, "SwiGLU", "GELU"), activation.say_ratios, size=(8, 2.8))

# %% [markdown]
# Is it the gate? A gated layer multiplies two mixtures of its input, and both tasks ask for a value that depends on a *pair*. Take the activation away, so that nothing gates and nothing is left but the product, $(xW_{gate} \odot xW_1)\,W_2$:

# %% tags=["claim"]
bare = {"look-up": losses("product alone", n_steps=30),
        "addition": losses("product alone", "addition", n_steps=30)}
claim(
    "After 30 steps the gated layer is ahead of GELU on both tasks, and so is the product alone",
    [ratio(*pair, 30).high for pair in pairs.values()]
    + [ratio(bare[task], pair[1], 30).high for task, pair in pairs.items()],
    below=0.9,
    because="upper ends of 95% intervals; 0.9 leaves room for other seeds, and eight more kept to it",
    control={"GELU against ReLU": ratio(usual["GELU"], usual["ReLU"], 30).high},
)


# %% [markdown]
# So here the product did it, and the race says nothing about gates. (Later on, at step 60, the bare product is behind SwiGLU on one of the two tasks.) The paper tests gated layers, the bare product among them, inside a transformer trained on text, finds that some of them beat ReLU and GELU there, and offers no explanation.

# %% [markdown]
# ## Verify
#
# One last popular statement: "GELU is just a smooth ReLU". Far out, yes. At the sizes that a fresh BERT has, the two are not close, measured against what they give:

# %% tags=["claim"]
def apart_from_relu(spread):
    z = grid()
    h, bell = spread * z, normal_density(z)
    gap = (gelu(h) - torch.relu(h)).square()
    return ((gap * bell).sum() / (torch.relu(h).square() * bell).sum()).sqrt()


claim(
    "At BERT's start, GELU differs from ReLU by more than a quarter of ReLU's size",
    apart_from_relu(768**0.5 * 0.02), above=0.25,
    because="root mean squares over normal inputs, as sums on a fine grid",
    control={"inputs of spread 4": apart_from_relu(4.0)},
)

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
# Set a race up that ReLU wins at step 60: choose the start, the learning rate (`race` takes `lr`), the task. How many set-ups did you try, and what would a reader of your best one alone believe?

# %% [markdown]
# ## Takeaways
#
# What is the gate? A coin that knows $x$: it is open with probability $\Phi(x)$, when a hurdle drawn from $N(0, 1)$ lies at or below $x$. GELU is $x$ times that probability, the average over the coin and nothing random itself; through two layers it is not even the average any more. In a gated layer the gate has weights of its own.
#
# Why GELU? Not for one reason that holds everywhere. It bends without a kink, dips below 0, and keeps a slope some three spreads further out than ReLU, which an optimiser like Adam can use and plain SGD hardly. It has a scale: inputs much smaller than 1 hardly see a bend, and whether it beat ReLU here was decided by the size of the weights at the start and by the moment of looking. That large models use it is an empirical choice, and others are in use.
#
# Not covered: what the inner units come to stand for, activations that are sparse on purpose, and mixtures of experts.
#
# Sources: Vaswani et al. 2017, section 3.3; Hendrycks and Gimpel 2016, section 2; Shazeer 2020, section 2; Ramachandran et al. 2017, [Searching for activation functions](https://arxiv.org/abs/1710.05941), for SiLU under the name Swish; [Zhang et al. 2022](https://arxiv.org/abs/2205.01068) (OPT); [Raffel et al. 2020](https://arxiv.org/abs/1910.10683) (T5); [Touvron et al. 2023](https://arxiv.org/abs/2302.13971) (LLaMA).
#
# Next: [33 Pre-LN and Post-LN](33_pre_ln_and_post_ln.ipynb). [Contents](01_how_this_course_works.ipynb)
