# %% [markdown]
# # 42 AdamW
#
# **What does decoupling change?** At the end you can write AdamW's update from memory, say why a weight decay that goes through Adam's division becomes something else, in which direction, and what the number `weight_decay` means in PyTorch and in the paper. You need derivatives, and means and variances; about 65 minutes, and 15 more for the part marked *if you have time*. One cell trains for half a minute. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [41 Objectives](41_objectives.ipynb) · next: [43 Schedules and clipping](43_schedules_and_clipping.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(42)

# %% tags=["widget"]
from course_lib.experiments.optimizer_paths import PLAIN, paths
from course_lib.experiments.surfaces import MINIMUM, SURFACES, heights
from course_lib.plots import optimizer_paths as walks
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

bowl = heights(SURFACES["bowl"])
explore(lambda scale: paths("bowl", 120, PLAIN, scale=scale),
        walks.draw_for(bowl, MINIMUM, 120, PLAIN), walks.say, size=(9, 3.6),
        scale=choice([0.01, 0.1, 1.0, 10.0, 100.0, 1000.0], 1.0, label="loss times"))

# %% [markdown]
# ## Question
#
# Three update rules walk down the same bowl, from the upper left. Left: a map of the loss over two weights, with lines of equal loss; the bowl is ten times as curved upwards as sideways. Right: the loss along the way.
#
# Now multiply the loss by 0.01, by 100, by 1000. The lowest place stays where it is, but every gradient is multiplied too. At 0.01 gradient descent (SGD) and momentum crawl; 100 throws SGD off the map, and 1000 momentum as well. (In between both can be faster than Adam.) Adam's path does not change: it divides each gradient by the size that such gradients usually have, and a factor that stays divides out. That makes Adam easy to use.
#
# Training wants one thing more: weights that are not needed should fade. This is *weight decay*. Its oldest form is a penalty on the loss, $\frac{\lambda}{2}\theta^2$ for every weight $\theta$. The penalty has a gradient too, $\lambda\theta$. What becomes of it when Adam divides?

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

pull_guess = predict(
    "A weight of 1 gets gradients that are noise around 0, of size 0.01. Adam trains two copies. From one, "
    "the learning rate times 0.1 of the weight is taken off in every step. For the other, 0.1 of "
    "the weight is added to each gradient, before Adam divides. The second shrinks ...",
    ["not at all", "more slowly", "as fast", "faster"],
)
pull_guess

# %% [markdown]
# ## Derive
#
# ### Adam by hand
#
# Adam keeps two running averages for each weight: $m$ of its gradient and $v$ of the gradient's square. A share $\beta$ of the old average is kept, and the new number comes in with the rest. Here are three gradients of one weight:

# %% tags=["derive"]
import math

beta1, beta2, m, v = 0.9, 0.999, 0.0, 0.0
steps_by_hand = []
for t, g in enumerate([3.0, 1.0, 2.0], start=1):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    steps_by_hand.append(0.1 * m_hat / math.sqrt(v_hat))
    print(f"m {m:.3f} -> {m_hat:.3f}   v {v:.6f} -> {v_hat:.3f}   step {steps_by_hand[-1]:.4f}")

# %% [markdown]
# Both averages begin at 0 and are far too small at first. How much too small is known: after $t$ updates the shares of all gradients sum to $(1 - \beta)(1 + \beta + \dots + \beta^{t-1}) = 1 - \beta^t$, not to 1. Dividing by that repairs it (the arrows). The step is the mean over the root of the mean square, times the learning rate $\eta$, here 0.1:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\,g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\,g^2, \qquad \hat m = \frac{m}{1 - \beta_1^t}, \quad \hat v = \frac{v}{1 - \beta_2^t}$$
#
# $$\theta \leftarrow \theta - \eta\,\frac{\hat m}{\sqrt{\hat v} + \epsilon}$$
#
# ($\epsilon$ keeps the division finite; the hand calculation had none.) Multiply all gradients by 100: $\hat m$ and $\sqrt{\hat v}$ are multiplied alike, and the step stays. That is the first figure.
#
# ### Two places for a decay
#
# The penalty's gradient can be added to $g$, at the very beginning. That is **Adam with L2**: $g + \lambda\theta$ goes into $m$ and into $v$. Or the decay stays out of all that, and is taken off the weights at the end. That is **AdamW**; the paper calls it *decoupled*:
#
# $$\theta \leftarrow \theta - \eta\,\frac{\hat m}{\sqrt{\hat v} + \epsilon} - \eta\lambda\,\theta .$$
#
# Write it.

# %% tags=["exercise"]
from course_lib.checks.lesson_42 import adamw_step, share_left

adamw_step


# %% tags=["exercise"]
def my_adamw_step(weights, grad, m, v, t, lr, beta1, beta2, eps, weight_decay):
    raise NotImplementedError


adamw_step.check(my_adamw_step)

# %% tags=["exercise"]
adamw_step.hint()

# %% [markdown]
# Now the library's code. Its memory has PyTorch's names: `exp_avg` is $m$, `exp_avg_sq` is $v$. The underscore at the end of `mul_` or `lerp_` means "in place"; `a.lerp_(b, s)` moves $a$ the share $s$ of the way to $b$, and `a.addcdiv_(b, c, value=x)` adds $x\,b/c$ (`addcmul_`: $x\,b\,c$). Both corrections are taken to where they cost least: one number each. First what both rules have in common, then the two places:

# %% tags=["derive"]
from course_lib.optim.adam import adam_update

show_source(adam_update)

# %% tags=["derive"]
from course_lib.optim.adam_l2 import AdamL2

show_source(AdamL2.update)

# %% tags=["derive"]
from course_lib.optim.adamw import AdamW

show_source(AdamW.update)

# %% tags=["claim"]
import torch

from course_lib.checks.claim import claim


def run(make, gradients, start=1.0, **settings):
    """Where one weight stands after each of these gradients."""
    weight = torch.tensor([start], dtype=torch.float64)
    optimizer, places = make([weight], **settings), [start]
    for grad in gradients:
        weight.grad = torch.tensor([grad], dtype=torch.float64)
        optimizer.step()
        places.append(weight.item())
    return torch.tensor(places, dtype=torch.float64)


plain = run(AdamW, [3.0, 1.0, 2.0], lr=0.1, eps=0.0, weight_decay=0.0)
claim(
    "The library's update makes the three steps that were made by hand",
    plain[:-1] - plain[1:] - torch.tensor(steps_by_hand, dtype=torch.float64), near=0, within=1e-12,
    because="both compute in float64",
    control={"one more step behind": plain[:-2] - plain[1:-1] - torch.tensor(steps_by_hand[1:])},
)

# %% tags=["claim"]
noise = torch.randn(300, generator=torch.Generator().manual_seed(0), dtype=torch.float64).tolist()
usual = {"lr": 0.01, "weight_decay": 0.3}
published = run(torch.optim.AdamW, noise, **usual)
claim(
    "Over 300 steps ours and PyTorch's AdamW give the same weights, to the last bit",
    run(AdamW, noise, **usual) - published, equals=0.0,
    because="the same operations in the same order round alike",
    control={"Adam with L2": run(AdamL2, noise, **usual) - published,
             "a decay larger by a billionth":
             run(AdamW, noise, lr=0.01, weight_decay=0.3 * (1 + 1e-9)) - published},
)

# %% [markdown]
# ### What division does to the penalty
#
# Let the gradients of a weight be noise of spread $s$ around 0. Adam with L2 averages $g + \lambda\theta$. Over many steps the noise cancels in the sum of all $\hat m$, and $\lambda\theta$ is left for each step. In $\hat v$ nothing cancels: the mean square is $s^2 + (\lambda\theta)^2$. So on average a step takes about
#
# $$\eta\,\frac{\lambda\theta}{\sqrt{s^2 + (\lambda\theta)^2}} \quad \text{with L2}, \qquad\qquad \eta\,\lambda\theta \quad \text{with AdamW.}$$
#
# The division that makes Adam blind to the size of the gradients makes the penalty depend on it. You often read that L2 is *weakened* in Adam. The formula says: weaker where the root is above 1, and *stronger* where it is below. If the pull $\lambda\theta$ is small beside the noise, the root is $s$, and L2 acts like a decay of $\lambda / s$. If the noise is small beside the pull, the root is the pull itself and the two cancel: a step is about $\eta$ long, and $\lambda$ does not matter at all.
#
# ## Experiment
#
# ### A weight with nothing but noise
#
# 500 weights begin at 1 and get noise of mean 0, for 500 steps with $\eta = 0.001$. What is left of them on average? Each point is another spread of the noise (the same draws, multiplied); the axis below is logarithmic.

# %% tags=["widget"]
from course_lib.experiments.decay_by_scale import what_is_left
from course_lib.experiments.optimizer_paths import ADAMW, L2
from course_lib.plots import decay_by_scale

left = {decay: what_is_left(decay) for decay in (0.01, 0.1, 1.0)}
explore(lambda decay: left[decay], decay_by_scale.draw, decay_by_scale.say, size=(8, 3.4),
        decay=choice(list(left), 0.1, label="weight decay"))

# %% [markdown]
# Dashed: AdamW takes the same off every weight. Solid: with L2, weights with large gradients keep everything, those with small ones lose nearly half. (Not quite: the pull shrinks with the weight, and $\hat v$ remembers it larger, so later steps are shorter than $\eta$.) Move the decay: the dashed line moves up or down, and the solid one only sideways. That is no accident. $g + \lambda\theta$ is $\lambda\,(\theta + g/\lambda)$, and Adam ignores the factor in front. So **Adam with L2 never sees $\lambda$ itself, only the ratio of the gradients to it.**

# %% tags=["claim"]
some, ten = left[0.1], left[1.0]
claim(
    "AdamW leaves the same at every scale of the gradients",
    some.left[ADAMW] - some.left[ADAMW].mean(), near=0, within=1e-3,
    because="eps is a hundred-thousandth of the smallest spread, and alone breaks the symmetry",
    control={"Adam with L2": some.left[L2] - some.left[L2].mean()},
)
spared = what_is_left(0.0)  # the same noise, no decay
claim(
    "What it takes is 1 less the power (1 - lr * weight_decay)^500",
    [(spared.left[ADAMW] - made.left[ADAMW]) / (1 - made.foretold) for made in left.values()],
    near=1, within=0.01, because="the noise is the same with and without; eight seeds: 0.003",
    control={"Adam with L2": [(spared.left[L2] - made.left[L2]) / (1 - made.foretold)
                              for made in left.values()]},
)

# %% tags=["claim"]
scales = torch.tensor(some.scales)
gap = {decay: what_is_left(decay).left[L2] - what_is_left(decay).left[ADAMW] for decay in (0.1, 3.0)}
claim(
    "For a decay of 0.1 the popular sentence fails below 1: there L2 takes more than AdamW",
    gap[0.1][scales < 0.5], below=-0.05,
    because="the root is below 1; eight seeds gave -0.09",
    control={"above 2": gap[0.1][scales > 2],
             "a decay of 3, whose pull alone is above 1": gap[3.0][scales < 0.5]},
)


# %% tags=["claim"]
def taken(factor):
    """What L2 takes, over what a decay of factor / s would take, well above the pull."""
    shares = []
    for decay, made in left.items():
        here = (scales >= 5 * decay) & (scales <= 1000 * decay)
        foretold = 1 - torch.exp(-0.5 * factor(decay) / scales)
        shares.append(((spared.left[L2] - made.left[L2]) / foretold)[here])
    return torch.cat(shares)


claim(
    "Well above the pull, L2 takes what AdamW takes with weight_decay / s",
    taken(lambda decay: decay), near=1, within=0.03,
    because="0.5 is the sum of all rates; eight seeds: 0.012",
    control={"a tenth more": taken(lambda decay: 1.1 * decay),
             "the power 0.95": taken(lambda decay: decay**0.95 * scales**0.05)},
)

# %% tags=["claim"]
claim(
    "Ten times the decay and ten times the gradients: with L2 nothing changes",
    ten.left[L2][2:] - some.left[L2][:-2], near=0, within=1e-4,
    because="Adam ignores a common factor, but for eps",
    control={"AdamW": ten.left[ADAMW][2:] - some.left[ADAMW][:-2]},
)

# %% tags=["predict"]
at = some.scales.index(min(some.scales, key=lambda s: abs(s - 0.01)))
pull_guess.reveal(
    f"faster: {some.left[L2][at]:.2f} of it is left, and {some.left[ADAMW][at]:.2f} of the first",
    "the pull of 0.1 is ten times the noise, so it is all that v sees: a step is nearly the "
    "learning rate long, and not 0.1 of it",
)


# %% [markdown]
# What does the paper say, then? That L2 regularises weights with *large* gradients less: less than decoupled decay would (section 1), and less than it does the other weights (section 2). Shorten it to "L2 is weak in Adam", and the condition is lost. If all gradients had one size, far above the pull, an L2 penalty with another $\lambda$ would do what AdamW does.
#
# Where nothing stands between the gradient and the step, there is nothing to decouple. In plain gradient descent the two places are one and the same line. Momentum is enough to tell them apart: with the penalty, the pull goes through the average.

# %% tags=["claim"]
def penalised(momentum):
    return run(torch.optim.SGD, noise, lr=0.01, weight_decay=0.3, momentum=momentum)


def shrunk(momentum):
    weight, pace, places = 1.0, 0.0, [1.0]
    for grad in noise:
        pace = momentum * pace + grad
        weight = (1 - 0.01 * 0.3) * weight - 0.01 * pace
        places.append(weight)
    return torch.tensor(places, dtype=torch.float64)


claim(
    "In SGD without momentum an L2 penalty is the same as shrinking the weights",
    penalised(0.0) - shrunk(0.0), near=0, within=1e-12,
    because="it is one sum, bracketed in two ways",
    control={"with a momentum of 0.9": penalised(0.9) - shrunk(0.9),
             "Adam": run(AdamL2, noise, **usual) - run(AdamW, noise, **usual)},
)

# %% [markdown]
# ### In a GPT
#
# On which side of 1 are the gradients of a language model? Four copies of a small GPT learn to repeat twelve random letters ($\eta$ = 0.003, betas 0.9 and 0.98). Decay acts on the matrices; gains and biases are spared. Two copies have the same number, 0.1, at the two places. Then there is L2 with a thousandth of it, and AdamW with a hundred times as much. (Half a minute. "Size" is the root of the mean square, over all matrices.)

# %% tags=["experiment"]
from course_lib.experiments.decay_race import FIELD, race
from course_lib.plots import decay_race
from course_lib.widgets.live import live

CHANCE, NAMES = math.log(24), [entrant.name for entrant in FIELD]
racing = live(race(n_steps=80), 80, decay_race.draw_for(NAMES, 80, CHANCE, 0.12),
              decay_race.say, size=(9, 3.4))

# %% tags=["derive"]
name = "Adam + L2, 0.1"
steepest = max(record.steepest[name] for record in racing.history)
print(f"{name}. The largest single gradient in {len(racing.history)} steps: {steepest:.2f}")
for record in (racing.history[0], racing.history[9], racing.history[-1]):
    least, most = min(record.ratios[name]), max(record.ratios[name])
    print(f"step {record.step:2}: the pull is {0.1 * least:.1f} to {0.1 * most:.0f} times as large as "
          "the gradients, by matrix")

# %% [markdown]
# All gradients here are far below 1. (The loss is a mean over all letters, and its slope is spread over all weights: each has a small part.) So L2's 0.1 is a far stronger pull than AdamW's, and another for each matrix and at each time. In some matrices it is many times as large as the gradients. There Adam divides by the pull, and what the loss asks for is divided by it too: the pull does not only act, it *drowns the gradients*. In AdamW no pull stands under the fraction line.
#
# Three other explanations are in the race. Perhaps Adam with L2 cannot learn at all? With a thousandth of the decay it learns like AdamW. Perhaps 0.1 is too much wherever it stands? In AdamW it hardly touches the weights. Perhaps the weights are just too small to learn with? AdamW with 10 shrinks them about as far, taken all together, and learns much of the task. (Not matrix by matrix: this race does not tell the uneven pull from the drowned gradients. Bjorck and others studied the drowning in larger models.)

# %% tags=["claim"]
late = {name: sum(r.losses[name] for r in racing.history[-10:]) / 10 for name in NAMES}
size = racing.history[-1].sizes
claim(
    "With the same decay of 0.1, Adam with L2 learns next to nothing here, and AdamW the task",
    late["Adam + L2, 0.1"] / CHANCE, above=0.85,
    because="one run, the mean of its last 10 steps; eight seeds gave 0.93 to 0.96",
    control={"AdamW": late["AdamW, 0.1"] / CHANCE,
             "L2 with a thousandth": late["Adam + L2, 0.0001"] / CHANCE},
)
claim(
    "Shrunk about as far by AdamW, the weights learn much of it",
    late["AdamW, 10"] / CHANCE, below=0.5,
    because="one run; eight seeds gave 0.18 to 0.32",
    control={"Adam with L2": late["Adam + L2, 0.1"] / CHANCE},
)
claim(
    "As far: the sizes at the end, L2's over that of AdamW with 10",
    size["Adam + L2, 0.1"] / size["AdamW, 10"], near=1, within=0.15,
    because="one run; eight seeds gave 0.91 to 0.97",
    control={"over AdamW's with 0.1": size["Adam + L2, 0.1"] / size["AdamW, 0.1"]},
)

# %% [markdown]
# This is a small model, one task and one run of 80 steps. Whether weight decay helps a model is another question; here you see what its number means.
#
# ### The paper's $\lambda$ and PyTorch's
#
# The paper's algorithm 2 (line 12) reads
#
# $$\theta \leftarrow \theta - \eta_t \left( \alpha\,\frac{\hat m}{\sqrt{\hat v} + \epsilon} + \lambda\,\theta \right),$$
#
# with a step size $\alpha$ and a schedule $\eta_t$ that multiplies both. PyTorch has one rate, $\eta_t \alpha$, and multiplies the decay by all of it. So its decay is $\lambda / \alpha$. (BERT's optimiser does as PyTorch.) Carrying the paper's number over as it stands makes the decay weaker by the factor $\alpha$, say a thousandfold.

# %% tags=["claim"]
from course_lib.optim.adamw import from_paper

alpha, decay = 0.01, 0.003
adam = run(AdamW, noise[:1], lr=alpha, weight_decay=0.0)[1] - 1  # Adam's part of the first step
in_paper = 1 + 0.5 * (adam - decay * 1.0)  # eta_t = 0.5, from a weight of 1
claim(
    "With lr = eta alpha and weight_decay = lambda / alpha, PyTorch's form is the paper's",
    run(AdamW, noise[:1], **from_paper(alpha, decay, schedule=0.5))[1] - in_paper,
    near=0, within=1e-14,
    because="the same products in another order; float64",
    control={"lambda as it stands":
             run(AdamW, noise[:1], lr=0.5 * alpha, weight_decay=decay)[1] - in_paper},
)
from_paper(alpha, decay, schedule=0.5)

# %% [markdown]
# In the paper's form you can halve $\alpha$ and the decay stays; in PyTorch's the decay is halved with the rate. So PyTorch's AdamW is decoupled from the gradients, and not from the rate. (A test of the course runs the paper's algorithm for 300 steps beside ours, with a schedule.)
#
# And the border between weaker and stronger? It was at 1 because PyTorch's number stood at both places. With the paper's $\lambda$ at both (its line 6 adds $\lambda\theta$ to the gradient), L2 takes $\eta_t\alpha\lambda\theta$ over the root and AdamW $\eta_t\lambda\theta$: the border is at $\alpha$.

# %% tags=["claim"]
alpha = ten.lr  # 0.001, of all runs in the figure
both = what_is_left(alpha).left[L2] - what_is_left(alpha / alpha).left[ADAMW]
claim(
    "With the paper's lambda, here 0.001, L2 is the weaker one from gradients of size alpha on",
    both[scales >= alpha], above=0.05, because="three seeds gave 0.08 or more",
    control={"PyTorch's number at both places": ten.left[L2] - ten.left[ADAMW]},
)

# %% [markdown]
# That is how one formula is told as "weakened" and as "strengthened".
#
# ## Play
#
# The bowl again, now with noise on every gradient, as from a fresh batch in each step. The sliders act *while it runs*: run the cell and move them. Nothing has to be started anew; **Stop**, or the square in the toolbar, ends it and keeps all.
#
# The loss is divided by 10 at first. Give it ten seconds. Then move it up to 100, wait, and down to 0.01, and wait again: who moves? At 1 two of them go nearly the same way; why there? Then turn the decay up and down. In a second run set `beta2` to 0.99 and do the same.

# %% tags=["widget", "experiment"]
from course_lib.experiments.optimizer_paths import ADAM, start, step
from course_lib.widgets.steer import steer

DECAYS = (ADAM, L2, ADAMW)
steered = await steer(
    step, 600, walks.draw_for(bowl, MINIMUM, 600, DECAYS), walks.say, start=start("bowl", DECAYS),
    seconds=40, unwatched=200, size=(9, 3.6),
    scale=choice([0.01, 0.1, 1.0, 10.0, 100.0], 0.1, label="loss times"),
    weight_decay=(0.0, 1.0, 0.05, 0.3), noise=(0.0, 2.0, 0.1, 1.0),
    beta2=choice([0.9, 0.99], 0.9, label="beta2"))

# %% [markdown]
# With `beta2` at 0.9: a large loss makes Adam with L2 walk like Adam without a decay; a small one lets it be drawn to 0 and forget the bowl. AdamW goes its own way, the same whatever the factor. (The noise is of size 1, so with the loss itself $s$ is about 1: the border.) After a move down it falters for a while.
#
# With 0.99 it does more than falter. $v$ still remembers gradients ten thousand times as large, squares $10^8$ times as large. To fade below the new ones they take $\ln 10^8 / \ln(1/\beta_2)$ steps: 175 with 0.9 and 1,833 with 0.99. Until then Adam's part of every step is next to nothing, for all three. Only AdamW's decay is not divided, and so goes on: now it is AdamW that is drawn to 0. Adam ignores a factor that *stays*.

# %% tags=["claim"]
ends = {s: paths("bowl", 200, DECAYS, scale=s, noise=1.0, weight_decay=0.3, beta2=0.9)[-1].positions
        for s in (0.01, 1.0, 100.0)}
claim(
    "AdamW ends at the same place whatever the loss is multiplied by, if that stays",
    [math.dist(ends[s][ADAMW], ends[1.0][ADAMW]) for s in (0.01, 100.0)], below=1e-4,
    because="the same noise is multiplied too, and eps is all that differs",
    control={"Adam with L2": [math.dist(ends[s][L2], ends[1.0][L2]) for s in (0.01, 100.0)]},
)
claim(
    "Adam with L2 ends as if without decay for a large loss",
    math.dist(ends[100.0][L2], ends[100.0][ADAM]), below=0.02,
    because="a pull of 0.3 against gradients of about 100; eight seeds: below 0.009",
    control={"for a small loss": math.dist(ends[0.01][L2], ends[0.01][ADAM])},
)


# %% tags=["claim"]
def astray(beta2):
    """How far from its undisturbed place AdamW ends after moves to 100 and to 0.01."""
    moved = kept = start("bowl", DECAYS)
    for number in range(600):
        scale = 0.1 if number < 200 else 100.0 if number < 300 else 0.01
        moved = step(moved, scale=scale, noise=1.0, weight_decay=0.3, beta2=beta2)
        kept = step(kept, scale=0.1, noise=1.0, weight_decay=0.3, beta2=beta2)
    return math.dist(moved.positions[ADAMW], kept.positions[ADAMW])


claim(
    "With a short memory AdamW is back near its place 300 steps after the drop",
    astray(0.9), below=0.25, because="five seeds gave 0.09 to 0.13",
    control={"beta2 of 0.99, drawn to 0": astray(0.99)},
)

# %% [markdown]
# ## Exercise
#
# ### What a schedule leaves

# %% tags=["exercise"]
share_left


# %% tags=["exercise"]
def my_share_left(rates, weight_decay):
    raise NotImplementedError


share_left.check(my_share_left)

# %% tags=["exercise"]
share_left.hint()

# %% [markdown]
# ### An open one
#
# With gradients that are exactly constant, not noise, how far from 0 can AdamW keep a weight? (Adam's step is then $\eta$ long, the decay $\eta\lambda\theta$. Where do they balance?) Then see: start the run of Play anew, with noise 0, decay 1 and `beta2` 0.9 set at once. The least loss is at 2 and 1; where does the first weight end? (The bowl's gradient is not constant, but it is where the weight stands still.)

# %% tags=["claim"]
still = paths("bowl", 200, DECAYS, weight_decay=1.0, beta2=0.9)[-1].positions
claim(
    "Compare: AdamW keeps the first weight where you found, one over lambda",
    still[ADAMW][0], near=1 / 1.0, within=0.02,
    because="200 steps, with v nearly settled",
    control={"Adam with L2": still[L2][0]},
)

# %% [markdown]
# ## If you have time: the start of the averages, and eps

# %% tags=["predict", "widget"]
first_guess = predict(
    "Adam corrects both of its averages for having begun at 0. Leave both corrections out, with "
    "the usual betas of 0.9 and 0.999. The first step is how many times as long?",
    ["a tenth", "the same", "about 3 times", "about 30 times"],
)
first_guess

# %% [markdown]
# ### What the corrections are for
#
# Without them both averages are too small. The step is their quotient, so the two errors work against each other: $m$ is too small by $1 - \beta_1^t$, the root of $v$ by $\sqrt{1 - \beta_2^t}$. With $\beta_2$ close to 1 the second wins, and the step is too *long*, longest not at once but when $m$ has filled and $v$ has not. One gradient, again and again; lengths in learning rates:

# %% tags=["derive"]
from course_lib.experiments.adam_steps import step_sizes

bare = step_sizes(3000, corrected=False)
for t in (1, 10, 100, 1000, 3000):
    print(f"step {t:4}: {bare[t - 1]:.2f} without, {step_sizes(t)[-1]:.2f} with the corrections")
print(f"step    1 with a beta2 of 0.95: {step_sizes(1, corrected=False, betas=(0.9, 0.95))[0]:.2f} without")

# %% tags=["claim"]
t = torch.arange(1, 3001, dtype=torch.float64)
claim(
    "Without the corrections, step t is (1 - 0.9^t) / sqrt(1 - 0.999^t) times as long",
    bare / step_sizes(3000) - (1 - 0.9**t) / (1 - 0.999**t).sqrt(), near=0, within=1e-5,
    because="equal gradients make both averages geometric sums; eps adds 1e-8 to a root of 0.03",
    control={"other betas": step_sizes(3000, corrected=False, betas=(0.9, 0.95)) / step_sizes(3000)
             - (1 - 0.9**t) / (1 - 0.999**t).sqrt()},
)

# %% tags=["predict"]
first_guess.reveal(f"{bare[0]:.2f} times",
                   "m is a tenth of what it should be, but the root of v a thirtieth")

# %% [markdown]
# Two facts from practice. BERT was pre-trained without the corrections: its released optimiser divides `next_m` by `sqrt(next_v) + epsilon`. Its learning rate rises from 0 over the first steps, which makes exactly these steps short (lesson 43). And with $\beta_2 = 0.95$, as this course trains, the first uncorrected step is too short (last line).
#
# ### Outside the root
#
# $\epsilon$ stands outside the root. Inside, the same number would be something else, since its root counts: a mean square of $10^{-16}$, and $\epsilon = 10^{-8}$.

# %% tags=["claim"]
small, eps = 1e-8, 1e-8
inside = small / math.sqrt(small**2 + eps)
claim(
    "A gradient as small as eps moves its weight by half a learning rate",
    step_sizes(1, grad=small, eps=eps), near=0.5, within=1e-6,
    because="the root is as large as eps, so the sum is twice the root",
    control={"eps inside the root": inside},
)
1 / (math.sqrt(small**2) + eps), 1 / math.sqrt(small**2 + eps)

# %% [markdown]
# The last line is what $\hat m$ is multiplied by: with $\epsilon$ outside, then inside. Inside, weights with small gradients would hardly move.

# %% [markdown]
# ## Takeaways
#
# What does decoupling change? Adam divides each gradient by its usual size. A penalty that is put into the gradient is divided as well: weights with large gradients decay less than those with small ones, and $\lambda$ counts only in relation to the gradients. In our small GPT, where all gradients are small, 0.1 pulled far more than the same number in AdamW. The penalty also enters what the loss's own gradients are divided by. AdamW takes the decay off the weights directly: the same share $\eta\lambda$ of each, whatever its gradients, so over a run the area under the rate's schedule decides, and not its peak. In SGD without momentum there is no difference. The number itself is a convention: the paper's $\lambda$ is PyTorch's times $\alpha$. The corrections for the averages' start keep the first steps from being too long (or too short), and $\epsilon$ stands outside the root.
#
# Not covered: which weights to spare (BERT's code spares layer norms and biases), and whether decay helps a model to generalise.
#
# Sources: Kingma and Ba 2015, [Adam](https://arxiv.org/abs/1412.6980), algorithm 1 and section 3; Loshchilov and Hutter 2019, [Decoupled Weight Decay Regularization](https://arxiv.org/abs/1711.05101), sections 1 and 2, algorithm 2; Bjorck, Weinberger and Gomes 2021, [Understanding Decoupled and Early Weight Decay](https://arxiv.org/abs/2012.13841); [google-research/bert](https://github.com/google-research/bert), `optimization.py`, for BERT's optimiser.
#
# Next: [43 Schedules and clipping](43_schedules_and_clipping.ipynb). [Contents](01_how_this_course_works.ipynb)
