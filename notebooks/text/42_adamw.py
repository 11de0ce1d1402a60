# %% [markdown]
# # 42 AdamW
#
# **What does decoupling change?** At the end you can write AdamW's update from memory, say why a weight decay that goes through Adam's division becomes something else, in which direction, and what the number `weight_decay` means in PyTorch and in the paper. You need derivatives, and means and variances; about 60 minutes. Two cells take some seconds. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [41 Objectives](41_objectives.ipynb) · next: [43 Schedules and clipping](43_schedules_and_clipping.ipynb)

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
        scale=choice([0.01, 0.1, 1.0, 10.0, 100.0], 1.0, label="loss times"))

# %% [markdown]
# ## Question
#
# Three update rules walk down the same bowl, from the upper left. Left: a map of the loss over two weights, with lines of equal loss; the bowl is ten times as curved upwards as sideways. Right: the loss along the way.
#
# Now multiply the loss by 0.01, or by 100. The lowest place stays where it is, but every gradient is multiplied too. Gradient descent (SGD), with or without momentum, crawls or is thrown off the map. Adam does not notice: it divides each gradient by the size that such gradients usually have. That makes Adam easy to use.
#
# Training wants one thing more: weights that are not needed should fade. This is *weight decay*. Its oldest form is a penalty on the loss, $\frac{\lambda}{2}\theta^2$ for every weight $\theta$. The penalty has a gradient too, $\lambda\theta$. What becomes of it when Adam divides?

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

pull_guess = predict(
    "A weight's gradients are noise around 0, of size 0.01. Adam trains two copies of it. From one, "
    "the learning rate times 0.1 of the weight is taken off in every step. For the other, 0.1 of "
    "the weight is added to each gradient, before Adam divides. The second shrinks ...",
    ["not at all", "more slowly", "as fast", "faster"],
)
pull_guess

# %% tags=["predict", "widget"]
first_guess = predict(
    "Adam corrects both of its averages for having begun at 0. Leave both corrections out, with "
    "the usual betas of 0.9 and 0.999. The first step is how many times as long?",
    ["a tenth", "the same", "about 3 times", "about 30 times"],
)
first_guess

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
# Both averages begin at 0 and are far too small at first. How much too small is known: after $t$ updates the weights that they give to the gradients sum to $1 - \beta^t$, not to 1. Dividing by that repairs it (the arrows). The step is the mean over the root of the mean square, times the learning rate $\eta$, here 0.1:
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
# Now the library's code. Its memory has PyTorch's names: `exp_avg` is $m$, `exp_avg_sq` is $v$. The underscore at the end of `mul_` or `lerp_` means "in place"; `a.lerp_(b, s)` moves $a$ the share $s$ of the way to $b$. First what both rules have in common, then the two places:

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
published = run(torch.optim.AdamW, noise, **usual, foreach=False)
claim(
    "Over 300 steps ours and PyTorch's AdamW give the same weights, to the last bit",
    run(AdamW, noise, **usual) - published, equals=0.0,
    because="the same operations in the same order round alike",
    control={"Adam with L2": run(AdamL2, noise, **usual) - published,
             "a decay larger by a billionth":
             run(AdamW, noise, lr=0.01, weight_decay=0.3 * (1 + 1e-9)) - published},
)

# %% [markdown]
# ### What the corrections are for
#
# Without them both averages are too small. The step is their quotient, so the two errors work against each other: $m$ is too small by $1 - \beta_1^t$, the root of $v$ by $\sqrt{1 - \beta_2^t}$. With $\beta_2$ close to 1 the second wins, and the step is too *long*. One gradient, again and again; lengths in learning rates:

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
#
# ### What division does to the penalty
#
# Let the gradients of a weight be noise $s z$ of spread $s$ around 0, much larger than the pull: $s \gg \lambda\theta$. Adam with L2 averages $g + \lambda\theta$. The noise cancels in $\hat m$ and leaves $\lambda\theta$; in $\hat v$ it does not cancel, and leaves $s^2$. So a step takes
#
# $$\eta\,\frac{\lambda\theta}{s} \quad \text{with L2}, \qquad\qquad \eta\,\lambda\theta \quad \text{with AdamW.}$$
#
# The division that makes Adam blind to the size of the gradients makes the penalty depend on it. You often read that L2 is *weakened* in Adam. The formula says: weaker when $s$ is above 1, and *stronger* below. And when the pull itself is larger than the noise, it is all that $\hat m$ and $\hat v$ see. Then the two cancel: $\lambda\theta / \sqrt{(\lambda\theta)^2} = 1$. Every step is about $\eta$ long, and $\lambda$ does not matter at all.
#
# ## Experiment
#
# ### A weight with nothing but noise
#
# 500 weights begin at 1 and get noise of mean 0, for 500 steps with $\eta = 0.001$. What is left of them on average? Each point is another spread of the noise; the axis below is logarithmic.

# %% tags=["widget"]
from course_lib.experiments.decay_by_scale import what_is_left
from course_lib.experiments.optimizer_paths import ADAMW, L2
from course_lib.plots import decay_by_scale

left = {decay: what_is_left(decay) for decay in (0.01, 0.1, 1.0)}
explore(lambda decay: left[decay], decay_by_scale.draw, decay_by_scale.say, size=(8, 3.4),
        decay=choice(list(left), 0.1, label="weight decay"))

# %% [markdown]
# Dashed: AdamW takes the same off every weight. Solid: with L2, weights with large gradients keep everything, those with small ones lose nearly half. Move the decay: the dashed line moves up or down, and the solid one only sideways. That is no accident. $g + \lambda\theta$ is $\lambda\,(\theta + g/\lambda)$, and Adam ignores the factor in front. So **Adam with L2 never sees $\lambda$ itself, only the ratio of the gradients to it.**

# %% tags=["claim"]
some, ten = left[0.1], left[1.0]
claim(
    "AdamW leaves the same at every scale of the gradients",
    some.left[ADAMW] - some.left[ADAMW].mean(), near=0, within=1e-3,
    because="eps is a hundred-thousandth of the smallest spread, and alone breaks the symmetry",
    control={"Adam with L2": some.left[L2] - some.left[L2].mean()},
)
claim(
    "What it leaves is the power (1 - lr * weight_decay)^500",
    [made.left[ADAMW] / made.foretold for made in left.values()], near=1, within=0.01,
    because="the noise moves the mean of 500 weights too, by two thousandths here",
    control={"Adam with L2": [made.left[L2] / made.foretold for made in left.values()]},
)

# %% tags=["claim"]
scales = torch.tensor(some.scales)
claim(
    "The popular sentence fails below 1: there L2 takes more than AdamW",
    (some.left[L2] - some.left[ADAMW])[scales < 0.5], below=-0.05,
    because="the pull is divided by the spread, or is all there is",
    control={"above 2, where the sentence holds": (some.left[L2] - some.left[ADAMW])[scales > 2]},
)
claim(
    "Well above the pull, L2 takes what AdamW takes with weight_decay / s",
    torch.cat([(made.left[L2] / torch.exp(-0.5 * decay / scales))[scales > 20 * decay]
               for decay, made in left.items()]), near=1, within=0.01,
    because="0.5 is the sum of all rates; noise moves the mean by two thousandths",
    control={"not divided by s": some.left[L2] / math.exp(-0.5 * 0.1)},
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
    "the pull of 0.1 is larger than the noise, so nearly every step is a learning rate long",
)

# %% [markdown]
# What does the paper say, then? It compares weights with *each other*: those with large gradients are regularised less than the rest (section 2). That holds in the whole figure. If all gradients had one size, far above the pull, an L2 penalty with another $\lambda$ would do what AdamW does.
#
# Without a division there is nothing to decouple. In plain gradient descent the two places are one and the same line:

# %% tags=["claim"]
decayed = torch.tensor(1.0, dtype=torch.float64)
by_penalty = run(torch.optim.SGD, noise, lr=0.01, weight_decay=0.3)
by_factor = [decayed := (1 - 0.01 * 0.3) * decayed - 0.01 * g for g in noise]
claim(
    "In SGD an L2 penalty is the same as shrinking the weights",
    by_penalty[1:] - torch.stack(by_factor), near=0, within=1e-12,
    because="it is one sum, bracketed in two ways",
    control={"Adam: penalty against shrinking":
             run(AdamL2, noise, **usual)[1:] - run(AdamW, noise, **usual)[1:]},
)

# %% [markdown]
# ### In a GPT
#
# On which side of 1 are the gradients of a language model? Four copies of a small GPT learn to repeat twelve random letters. Decay acts on the matrices; gains and biases are spared. Two copies have the same number, 0.1, at the two places. Then there is L2 with a thousandth of it, and AdamW with 300 times as much. (Some seconds. "Size" is the root of the mean square, over all matrices.)

# %% tags=["experiment"]
from course_lib.experiments.decay_race import FIELD, race
from course_lib.plots import decay_race
from course_lib.widgets.live import live

CHANCE, NAMES = math.log(24), [entrant.name for entrant in FIELD]
racing = live(race(n_steps=80), 80, decay_race.draw_for(NAMES, 80, CHANCE, 0.12),
              decay_race.say, size=(9, 3.4))

# %% tags=["derive"]
for record in (racing.history[0], racing.history[9], racing.history[-1]):
    name = "Adam + L2, 0.1"
    print(f"{name}, step {record.step:2}: size of the gradients {record.gradients[name]:.4f}, "
          f"of the penalty's pull {0.1 * record.sizes[name]:.4f}")

# %% [markdown]
# All gradients here are far below 1. The pull of the penalty starts as large as the gradients, is soon larger, and falls only as the weights do. So it is a large part of what Adam averages, and of each step. The same 0.1 hardly touches the weights in AdamW.
#
# Two other explanations are in the race. Perhaps Adam with L2 cannot learn at all? With a thousandth of the decay it learns like AdamW. Perhaps AdamW is safe with any number? With 30 its weights are wiped out too. So what hurts is how strong the pull is, not where it stands. But where it stands decides how strong it is, and with L2 that is another strength for each weight and at each time.

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
    "The weights of both strong pulls end below a third of AdamW's with 0.1",
    [size["Adam + L2, 0.1"] / size["AdamW, 0.1"], size["AdamW, 30"] / size["AdamW, 0.1"]],
    below=1 / 3,
    because="one run; eight seeds gave 0.17 to 0.18, and 0.03",
    control={"L2 with a thousandth": size["Adam + L2, 0.0001"] / size["AdamW, 0.1"]},
)

# %% [markdown]
# This is a small model, one task and one run, and no decay was needed for it. Whether weight decay helps a model is another question; here you see what its number means.
#
# ### The paper's $\lambda$ and PyTorch's
#
# The paper's algorithm 2 (line 12) reads
#
# $$\theta \leftarrow \theta - \eta_t \left( \alpha\,\frac{\hat m}{\sqrt{\hat v} + \epsilon} + \lambda\,\theta \right),$$
#
# with a step size $\alpha$ and a schedule $\eta_t$ that multiplies both. PyTorch has one rate, $\eta_t \alpha$, and multiplies the decay by all of it. So its decay is $\lambda / \alpha$. Carrying the paper's number over as it stands makes the decay weaker by the factor $\alpha$, say a thousandfold.

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
# In the paper's form you can halve $\alpha$ and the decay stays; in PyTorch's the decay is halved with the rate. (A test of the course runs the paper's algorithm for 300 steps beside ours, with a schedule.)
#
# ## Play
#
# The bowl again, now with noise on every gradient, as from a fresh batch in each step. The sliders act *while it runs*: run the cell and move them. Nothing has to be started anew; **Stop**, or the square in the toolbar, ends it and keeps all.
#
# The loss is divided by 10 at first. Let the three settle. Then move it up to 100, and down to 0.01: who moves? At 1 two of them go nearly the same way; why there? Then turn the decay up and down.

# %% tags=["widget", "experiment"]
from course_lib.experiments.optimizer_paths import ADAM, start, step
from course_lib.widgets.steer import steer

DECAYS = (ADAM, L2, ADAMW)
steered = await steer(
    step, 600, walks.draw_for(bowl, MINIMUM, 600, DECAYS), walks.say, start=start("bowl", DECAYS),
    seconds=40, unwatched=200, size=(9, 3.6),
    scale=choice([0.01, 0.1, 1.0, 10.0, 100.0], 0.1, label="loss times"),
    weight_decay=(0.0, 1.0, 0.05, 0.3), noise=(0.0, 2.0, 0.1, 1.0), lr=(0.0, 0.1, 0.005, 0.03))

# %% [markdown]
# Only Adam with L2 reacts to the size of the loss. With a large loss it walks like Adam without decay, with a small one it is drawn to 0 and forgets the bowl. AdamW stands between the two, wherever you put the factor. (It does not stand still: noise divided by its own size is always of size 1.)

# %% tags=["claim"]
ends = {s: paths("bowl", 200, DECAYS, scale=s, noise=1.0, weight_decay=0.3)[-1].positions
        for s in (0.01, 1.0, 100.0)}
claim(
    "AdamW ends at the same place whatever the loss is multiplied by",
    [math.dist(ends[s][ADAMW], ends[1.0][ADAMW]) for s in (0.01, 100.0)], below=1e-4,
    because="the same noise is multiplied too, and eps is all that differs",
    control={"Adam with L2": [math.dist(ends[s][L2], ends[1.0][L2]) for s in (0.01, 100.0)]},
)
claim(
    "Adam with L2 ends as if without decay for a large loss",
    math.dist(ends[100.0][L2], ends[100.0][ADAM]), below=0.1,
    because="a pull of 0.3 against gradients of about 100",
    control={"for a small loss": math.dist(ends[0.01][L2], ends[0.01][ADAM])},
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
# With gradients that are exactly constant, not noise, how far from 0 can AdamW keep a weight? (Adam's step is then $\eta$ long, the decay $\eta\lambda\theta$. Where do they balance?) Then steer there: no noise, and decay 1. The least loss is at 2 and 1; where does the first weight end?
#
# ## Takeaways
#
# What does decoupling change? Adam divides each gradient by its usual size. A penalty that is put into the gradient is divided as well: weights with large gradients hardly decay, those with small ones, such as all of our small GPT, far more than meant, and $\lambda$ counts only in relation to the gradients. AdamW takes the decay off the weights directly: the same share $\eta\lambda$ of each, whatever its gradients. In SGD there is no difference. The number itself is a convention: the paper's $\lambda$ is PyTorch's times $\alpha$. The corrections for the averages' start keep the first steps from being too long (or too short), and $\epsilon$ stands outside the root.
#
# Not covered: which weights to spare (BERT's code spares layer norms and biases), and whether decay helps a model to generalise.
#
# Sources: Kingma and Ba 2015, [Adam](https://arxiv.org/abs/1412.6980), algorithm 1 and section 3; Loshchilov and Hutter 2019, [Decoupled Weight Decay Regularization](https://arxiv.org/abs/1711.05101), algorithm 2; [google-research/bert](https://github.com/google-research/bert), `optimization.py`, for BERT's optimiser.
#
# Next: [43 Schedules and clipping](43_schedules_and_clipping.ipynb). [Contents](01_how_this_course_works.ipynb)
