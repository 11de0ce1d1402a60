# %% [markdown]
# # 43 Schedules and clipping
#
# **Why warm up, and what does clipping save?** At the end you can write a schedule that wastes no step and does not rise again after its end, say which explanations of warm-up one stack bears out and which not, and say what a clipped gradient changes when Adam divides by its size anyway. You need lessons 33 and 42; about 65 minutes. One cell trains for half a minute. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [42 AdamW](42_adamw.ipynb) · next: [44 Precision and loss spikes](44_precision_and_loss_spikes.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(43)

# %% tags=["widget"]
from course_lib.experiments.schedule_trial import BEYOND, DECAYS, TOTAL, schedule_trial
from course_lib.plots import schedule_trial as rate_and_loss
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

explore(schedule_trial, rate_and_loss.draw_for(TOTAL, BEYOND), rate_and_loss.say_for(TOTAL), size=(9, 3.2),
        decay=choice({d: d for d in DECAYS}, "cosine"), warmup=choice([1, 20, 80], 20, label="warm-up", unit="steps"),
        peak=choice([0.02, 0.05, 0.1, 0.2], 0.1), held=choice({"stay": True, "follow the formula": False}, True,
                                                              label="after the end"))

# %% [markdown]
# ## Question
#
# Adam fits 20 weights to noisy data, four examples a step. Left: the learning rate of each step, called a *schedule*. It rises from 0 in a straight line, the **warm-up**, and falls again, the **decay**. Right: how far the loss is above the best that these weights can reach.
#
# Set the decay to "none". The loss falls, then stays at a level that the peak sets: each batch shakes the weights by as much as the rate allows. A falling rate lets them settle; that is what decay is for. Too small a peak never arrives.
#
# And the warm-up? Here 20 steps of it gain nothing over 1, and 80 cost time. Still GPT-3 and BERT were trained with one. Why? And both clip their gradients, though Adam divides by the gradient's size. What does that save?
#
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

first_guess = predict(
    "The first gradient of a run is ten thousand times as large as you thought. "
    "How many times as long does that make Adam's first step?",
    ["1", "100", "10,000"],
)
first_guess

# %% tags=["predict", "widget"]
wiped_guess = predict(
    "A deep Post-LN stack does not learn without warm-up. You train it with warm-up for 60 steps. Then you "
    "wipe Adam's memory and go on at the full rate, as if it were the first step. What happens?",
    ["it stops learning", "it goes on learning"],
)
wiped_guess

# %% tags=["predict", "widget"]
bad_guess = predict(
    "In one batch the targets are a thousand times as noisy as in all others. Adam, nothing is clipped. "
    "That step makes the loss",
    ["about as large as before", "about ten times as large", "about a thousand times as large"],
)
bad_guess

# %% [markdown]
# ## Derive: a rate for every step
#
# With $W$ steps of warm-up, $T$ steps in all, a peak and a floor, warm-up and cosine are
#
# $$\eta(s) = \eta_{\max}\,\frac{s}{W} \;\;(s < W), \qquad \eta(s) = \eta_{\min} + \frac{\eta_{\max} - \eta_{\min}}{2}\left(1 + \cos \pi\,\frac{s - W}{T - W}\right) \;\;(W \le s \le T).$$
#
# By hand, for $W = 4$, $T = 12$, peak 1, floor 0.2: step 0 has the rate 0, step 1 a quarter, step 4 the peak. Half-way down, at step 8, the cosine is 0 and the rate $0.2 + 0.4 = 0.6$; at step 12 it is $-1$, which leaves the floor. Written down quickly, this goes wrong in two places. Find them first.

# %% tags=["exercise"]
from course_lib.checks.lesson_43 import after_spike, clip_two, repair_schedule

repair_schedule

# %% tags=["exercise"]
import math


def my_rate(update, peak, floor, warmup, total):
    """The rate of an update; updates are numbered 0, 1, 2, ..."""
    if update < warmup:
        return peak * update / warmup
    progress = (update - warmup) / (total - warmup)
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


repair_schedule.check(my_rate)

# %% tags=["exercise"]
repair_schedule.hint()

# %% [markdown]
# The library counts steps from 1; step 0 stands before the first update.

# %% tags=["derive"]
from course_lib.optim.schedules import rates, warmup_cosine

display(show_source(warmup_cosine))
small = {"peak": 1.0, "floor": 0.2, "warmup_steps": 4, "total_steps": 12}
for first_step in (1, 0):
    print(f"first update is step {first_step}:",
          *(f"{rate:.2f}" for rate in rates(lambda s: warmup_cosine(s, **small), 12, first_step=first_step)))

# %% [markdown]
# ### Step 0 is wasted
#
# Counted from 0, the first update has the rate 0, and the last never gets the floor. Does a rate of exactly 0 really do nothing?

# %% tags=["claim"]
import torch

from course_lib.checks.claim import claim


def first_move(first_step):
    weight = torch.nn.Parameter(torch.ones(3))
    (rate,) = rates(lambda s: warmup_cosine(s, **small), 1, first_step=first_step)
    adam = torch.optim.Adam([weight], lr=rate)
    weight.grad = torch.tensor([5.0, -2.0, 0.1])
    adam.step()
    return (weight - 1).abs().max()


claim(
    "An update made with step 0 moves no weight",
    first_move(0), equals=0.0,
    because="the rate is exactly 0, and what it multiplies is finite",
    control={"made with step 1": first_move(1)},
)

# %% [markdown]
# It does one thing: Adam remembers the gradient. Keep that in mind. BERT's released code counts from 0 (`optimization.py`), and so do the schedules of the `transformers` library: one batch is read for nothing. In a run of a million steps nobody minds; in a run of 100 it is one percent.
#
# ### After the end
#
# A cosine has a period. Leave the bare formula on, and one more fall's length behind the end it is back at the peak:

# %% tags=["claim"]
from course_lib.experiments.schedule_trial import bare_cosine

curve = {"peak": 1.0, "floor": 0.1, "warmup_steps": 100, "total_steps": 1000}
claim(
    "One fall's length after the end the bare formula is back at the peak",
    bare_cosine(1900, **curve), near=1.0, within=1e-9,
    because="the cosine of 2 pi is 1; what is left is rounding",
    control={"the library's": warmup_cosine(1900, **curve)},
)

# %% [markdown]
# You have seen in the first figure what that does to the loss. (A bare straight line goes below 0, and then the steps lead uphill.) It is no idle case. GPT-3's rate fell to a tenth over 260 billion tokens, and training went on at that tenth up to 300 billion (Brown et al. 2020, appendix B). By the bare formula the last rate would have been, as a share of the peak:

# %% tags=["derive"]
gpt3 = {"peak": 1.0, "floor": 0.1, "warmup_steps": 0.375, "total_steps": 260}  # billions of tokens
f"bare {bare_cosine(300, **gpt3):.3f}, held {warmup_cosine(300, **gpt3):.3f}"

# %% [markdown]
# ### Which decay?
#
# "Warm-up and cosine is the recipe of BERT and GPT", one reads. GPT-1 and GPT-3 have the cosine. BERT has a straight line down (Devlin et al. 2019, appendix A.2). The first transformer has one over the root of the step and no end (Vaswani et al. 2017, equation 3). Between line and cosine there is not much:

# %% tags=["claim"]
from course_lib.optim.schedules import warmup_linear

down = {"peak": 1.0, "floor": 0.0, "warmup_steps": 0, "total_steps": 1000}
gaps = torch.tensor([warmup_cosine(s, **down) - warmup_linear(s, **down) for s in range(1001)])
claim(
    "Line and cosine agree at both ends and half-way",
    gaps[[0, 500, 1000]], near=0.0, within=1e-12, because="the same numbers but for rounding",
    control={"a quarter of the way": gaps[250]},
)
claim(
    "Nowhere do they differ by more than 0.106 of the fall",
    gaps.abs(), below=0.106,
    because="the slopes are equal where the sine is 2 / pi, and there the gap is 0.1053",
    control={"inverse square root, W = 10": [abs((10 / s) ** 0.5 - warmup_linear(s, **down)) for s in (50, 500)]},
)
f"largest gap {gaps.max():.4f} at step {gaps.argmax()}"

# %% [markdown]
# ## What is warm-up for?
#
# Often you read: *the weights are random, so the first gradients are huge and noisy; warm-up shields the weights from them during the first epoch.* First the epoch. Published warm-ups are counted in steps or tokens: BERT's was 10,000 steps, and its million steps were about 40 epochs; GPT-3's was 375 million tokens.

# %% tags=["derive"]
f"BERT: {10_000 / 1_000_000:.1%} of the run, {10_000 / (1_000_000 / 40):.1f} of an epoch; GPT-3: {375e6 / 300e9:.3%} of the run"


# %% [markdown]
# ### Huge gradients? Not under Adam
#
# At its first step Adam's two averages, corrected for bias, are the gradient $g$ and $g^2$. So it moves each weight by
#
# $$\eta\,\frac{g}{\sqrt{g^2} + \varepsilon} \approx \eta \cdot \text{sign}(g),$$
#
# however large $g$ is.

# %% tags=["claim"]
def first_step_of_adam(gradient, lr=1e-3):
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    weight.grad = torch.full_like(weight, gradient)
    torch.optim.Adam([weight], lr=lr).step()
    return -weight.item()


GRADIENTS = [1e-6, 1e-4, 1.0, 1e4]
claim(
    "Adam's first step is the learning rate, for gradients from a millionth to ten thousand",
    [first_step_of_adam(g) for g in GRADIENTS], near=1e-3, within=1.1e-5,
    because="epsilon is 1e-8, one percent of the smallest of them",
    control={"plain gradient descent": [1e-3 * g for g in GRADIENTS if g != 1]},
)
first_guess.reveal("1", f"1 gives {first_step_of_adam(1.0):.6f} and 10,000 gives {first_step_of_adam(1e4):.6f}")

# %% [markdown]
# ### Adam's first steps are its largest
#
# Two papers look for the reason in Adam. [Liu et al. 2019](https://arxiv.org/abs/1908.03265) (RAdam): at first $\sqrt v$ is known from a few gradients only, so some weights are divided by far too little. [Ma and Yarats 2021](https://arxiv.org/abs/1910.04209): the first *updates* are too large. Here is why they are. Say the gradients of all steps are unrelated noise of size 1. Adam's update is their average, with weights that fade by $\beta_1$. An average is smaller than what it averages, but at step 1 there is only one gradient. For step $t$, adding up the squared weights gives the size
#
# $$\sqrt{\frac{1 - \beta_1}{1 + \beta_1} \cdot \frac{1 + \beta_1^t}{1 - \beta_1^t}}\,, \qquad \text{1 at step 1, and } \sqrt{\tfrac{1 - \beta_1}{1 + \beta_1}} \text{ in the long run.}$$

# %% tags=["claim"]
from course_lib.experiments.warmup_purpose import averaged_size, noise_sizes

noise = noise_sizes(40)
STEPS_SEEN = (1, 2, 5, 10, 40)
claim(
    "On noise Adam's updates shrink as the law of averaging says",
    [noise[t - 1] / averaged_size(t) for t in STEPS_SEEN], near=1.0, within=0.06,
    because="4,000 weights; four draws gave 0.98 to 1.02, and the divisor is noisy, too",
    control={"a memory of 0.8 in the law": [noise[t - 1] / averaged_size(t, 0.8) for t in STEPS_SEEN[3:]]},
)
f"law for steps {STEPS_SEEN}: " + ", ".join(f"{averaged_size(t):.2f}" for t in STEPS_SEEN)

# %% [markdown]
# So without warm-up the first update is four times as large as the later ones. A plausible culprit. Is it the right one?
#
# ### Put it to the test
#
# Lesson 33 left a stack that needs warm-up: six blocks of Post-LN, weights drawn with `xavier`, which learns to repeat twelve letters. Six ways to train it, on the same texts, with the same peak (if you stop the run, start it again before you go on):
#
# - no warm-up;
# - no warm-up, and gradients clipped to a norm of 1, against huge gradients;
# - no warm-up, but Adam first sees 50 batches at a rate of 0 (step 0, fifty times). No weight moves, but Adam's memory is filled: $v$ is well known, and the first update is an average already;
# - no warm-up, and a quarter of the rate throughout;
# - 60 steps of warm-up;
# - 60 steps of warm-up, then Adam's memory is wiped. Its next update is at the full rate, and all that was said against a first step holds for it.

# %% tags=["experiment"]
from course_lib.experiments.warmup_purpose import WAYS, race
from course_lib.plots import warmup_race
from course_lib.plots.style import ACCENT, GREY, TRAIN, K, Q, V
from course_lib.widgets.live import live

N_STEPS, CHANCE = 120, math.log(24)
LOOKS = ((K, "-"), (GREY, ":"), (Q, "--"), (ACCENT, "-"), (TRAIN, "-"), (V, "-."))
runs = live(race(WAYS, N_STEPS), N_STEPS,
            warmup_race.draw_for([way.name for way in WAYS], N_STEPS, CHANCE, LOOKS), warmup_race.say, size=(9, 3.4))

# %% [markdown]
# How large were the updates, in units of the rate? (Root mean square over all weights.)

# %% tags=["experiment"]
from course_lib.plots import update_sizes
from course_lib.plots.show import show

shown = ("no warm-up", "no warm-up, memory filled", "warm-up, memory wiped")
sizes = {name: [step.sizes[name] for step in runs.history] for name in shown}
show(update_sizes.draw, (sizes, [averaged_size(t) for t in range(1, len(runs.history) + 1)]),
     update_sizes.say, size=(9, 3.2))


# %% tags=["claim"]
def end(name):
    return sum(step.losses[name] for step in runs.history[-10:]) / 10


claim(
    "It learns with warm-up, also when Adam's memory is wiped, and with a quarter of the rate",
    [end(name) for name in ("warm-up", "warm-up, memory wiped", "a quarter of the rate")], below=3.05,
    because="over the last ten steps; eight seeds gave 0.4 to 3.0, and blind guessing costs 3.18",
    control={name: end(name) for name in ("no warm-up", "no warm-up, clipped")},
)
after_wipe = sizes["warm-up, memory wiped"][60]
claim(
    "The update after the wipe is as large as a first one",
    after_wipe, near=1.0, within=0.05,
    because="Adam's first step is the rate for every weight; hardly a gradient is as small as epsilon",
    control={"the update before it": sizes["warm-up, memory wiped"][59],
             "the first with a filled memory": sizes["no warm-up, memory filled"][0]},
)
wiped_guess.reveal("it goes on learning", f"the loss was {runs.history[59].losses['warm-up, memory wiped']:.2f} at "
                   f"step 60 and is {end('warm-up, memory wiped'):.2f} at the end")

# %% [markdown]
# What does this rule out, for this stack? **Huge gradients**: clipping cures nothing, and Adam does not even notice them. **Adam's own start**: once 60 steps have been made with care the stack stands it, at the cost of some steps. And taking it away is not enough: with its memory filled, Adam's first update is no larger than the later ones and $v$ rests on 50 batches, yet of eight seeds four were still above 3.04 after 120 steps (four were not, so it helps; without it all eight stayed above 3.15). Nor is it enough to warm up only until the updates have shrunk by themselves: with 20 steps of warm-up neither of two seeds learned within 140.
#
# What is left is the *stack*. Fresh, it cannot stand steps that it stands well some dozens of steps later; warm-up waits for that. A rate that is low enough from the start does, too. It never gets up to speed, as the curve shows. *What* changes in the stack in these steps, this experiment does not say. (Not how far one step moves the top: for the first two seeds a full first step moved it by 1.0 and 1.2 times its length at the start, and by 1.2 and 1.3 at step 60 of a longer warm-up.) And it is one stack, one task, one optimiser. For other models Adam's start may matter more: both papers have measurements.
#
# ## What does clipping save?
#
# Clipping shortens a gradient $g$ that is longer than a threshold $\gamma$, without turning it: $g \leftarrow g\,\gamma / \lVert g \rVert$. The length goes over *all* numbers of *all* parameters. Two parameters with the gradients 3 and 4: together 5 long. Clipped to 1, they become 0.6 and 0.8. Your turn:

# %% tags=["exercise"]
clip_two


# %% tags=["exercise"]
def my_clip_two(matrix, vector, max_norm):
    """The two gradients, clipped together; unchanged when their norm is not finite."""
    raise NotImplementedError


clip_two.check(my_clip_two)

# %% tags=["exercise"]
clip_two.hint()

# %% tags=["derive"]
from course_lib.optim.clipping import clip_by_global_norm

show_source(clip_by_global_norm)


# %% tags=["claim"]
def clipped(gradients, max_norm=1.0, clip=clip_by_global_norm):
    weights = [torch.nn.Parameter(torch.zeros(len(g))) for g in gradients]
    for weight, g in zip(weights, gradients):
        weight.grad = torch.tensor(g)
    clip(weights, max_norm)
    return torch.cat([weight.grad for weight in weights])


def clip_each(weights, max_norm):
    for weight in weights:
        clip_by_global_norm([weight], max_norm)


long, arrow = [[3.0], [0.0, 4.0]], torch.tensor([3.0, 0.0, 4.0])
claim(
    "Clipping by the common norm keeps the direction",
    torch.cosine_similarity(clipped(long), arrow, dim=0), near=1.0, within=1e-6,
    because="one factor for all numbers; float32 rounds",
    control={"each tensor by its own norm": torch.cosine_similarity(clipped(long, clip=clip_each), arrow, dim=0)},
)
print(*(f"{g:.2f}" for g in clipped(long)), "; a short one:", *(f"{g:.2f}" for g in clipped([[0.06], [0.0, 0.08]])))

# %% [markdown]
# ### What it does not catch
#
# "Clipping is the last line of defence against spikes." It stops nothing that is not a number. An infinite gradient has an infinite norm; the factor is $\gamma/\infty = 0$, and $\infty \cdot 0$ is NaN:

# %% tags=["claim"]
from course_lib.lesson import shows_error


def clip_without_looking(weights, max_norm):
    norm = torch.cat([weight.grad for weight in weights]).norm()
    for weight in weights:
        weight.grad *= min(1.0, max_norm / norm.item())


def skipping(weights, max_norm):
    return clip_by_global_norm(weights, max_norm, non_finite="skip")


broken = [[math.inf, 1.0], [1.0]]
claim(
    "Told to skip, the library leaves all gradients as they are",
    clipped(broken, clip=skipping), equals=torch.tensor([math.inf, 1.0, 1.0]),
    because="the norm is looked at before anything is multiplied",
    control={"not looked at": clipped(broken, clip=clip_without_looking)},
)
print("not looked at:", clipped(broken, clip=clip_without_looking).tolist())
shows_error(lambda: clipped(broken))

# %% [markdown]
# ### Adam is blind to a factor
#
# If Adam's first step is blind to the gradient's size, so is the whole run. Multiply every gradient by the same number: both $m$ and $\sqrt v$ are multiplied by it. So a threshold that shortens every gradient of a run by the same factor does nothing to Adam. (A small GPT, 20 steps in float64; the factor is $2^{-10}$, so that nothing is rounded, and epsilon is next to nothing.)

# %% tags=["claim"]
from course_lib.experiments.rescaled import weights_after


def adam(parameters):
    return torch.optim.Adam(parameters, lr=3e-3, eps=1e-100)


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1)


claim(
    "With all gradients times 1/1024, Adam ends with the same weights",
    (weights_after(adam, 2**-10) - weights_after(adam)).abs().max(), below=1e-10,
    because="a power of two and no epsilon to speak of: not even rounding differs",
    control={"SGD": (weights_after(sgd, 2**-10) - weights_after(sgd)).abs().max()},
)

# %% [markdown]
# ### What is left: one step that is unlike the others
#
# Only a *relative* change can matter. Here is one. The problem of the first figure again; in step 60 the targets of one batch are so many times as noisy as usual. Where does Adam pay for it, and when? Where does SGD? (Grey and blue lie on each other most of the time.)

# %% tags=["widget"]
from course_lib.experiments.bad_batch import AT, OPTIMISERS, bad_batch
from course_lib.plots import bad_batch as one_bad

explore(bad_batch, one_bad.draw_for(AT), one_bad.say_for(AT), size=(9, 3.4),
        optimiser=choice({o: o for o in OPTIMISERS}, "Adam"),
        noise=choice([1.0, 10.0, 100.0, 1000.0], 1000.0, label="noise", unit="times"),
        beta2=choice([0.95, 0.98, 0.999], 0.98, label="Adam's beta2"))


# %% tags=["claim"]
def jump(optimiser, run):
    losses = bad_batch(optimiser, 1000.0).losses[run]
    return losses[AT - 1] / losses[AT - 2]


claim(
    "SGD is thrown far away in the bad step itself, and clipping saves it",
    jump("SGD", "clipped"), below=1.2,
    because="the mean of 16 runs; clipped, the update is at most 0.3 long",
    control={"not clipped": jump("SGD", "not clipped")},
)
claim(
    "Adam, not clipped, hardly notices in that step",
    jump("Adam", "not clipped"), below=1.2,
    because="Kingma and Ba bound the step by (1 - beta1) / sqrt(1 - beta2) rates a weight, here 0.7",
    control={"SGD": jump("SGD", "not clipped")},
)
bad_guess.reveal("about as large as before", f"it is {jump('Adam', 'not clipped'):.2f} times as large")

# %% [markdown]
# The bound stands in [Kingma and Ba 2015](https://arxiv.org/abs/1412.6980), section 2.1. Adam pays later. The square of the spike goes into $v$, which forgets by $\beta_2$ a step; $m$ forgets by $\beta_1$, which is sooner. So for a long time a small $m$ is divided by a large $\sqrt v$, and the run stands still. That is what clipping saves under Adam: not the step, but the *memory*.

# %% tags=["claim"]
late = {beta2: bad_batch("Adam", 100.0, beta2) for beta2 in (0.95, 0.98, 0.999)}
claim(
    "After a batch 100 times as noisy, clipped Adam gets there as soon as without it",
    [run.slower_by("clipped") for run in late.values()], near=0, within=5,
    because="steps until the loss stays below 0.5; a few good batches are clipped, too",
    control={"not clipped": [run.slower_by("not clipped") for run in late.values()]},
)
{f"beta2 = {beta2}": f"{run.slower_by('not clipped')} steps lost" for beta2, run in late.items()}

# %% [markdown]
# ### By hand
#
# How long does it last? The last exercise takes the noise away, so that you can work it out.

# %% tags=["exercise"]
after_spike


# %% tags=["exercise"]
def my_after_spike(size, beta1, beta2, later):
    """The update of a weight, in units of the rate, `later` steps after the spike."""
    raise NotImplementedError


after_spike.check(my_after_spike)

# %% tags=["exercise"]
after_spike.hint()


# %% [markdown]
# With the solution: how many steps does it take until the updates are back at nine tenths of a rate?

# %% tags=["derive"]
def steps_short(size, beta2):
    slow = [n for n in range(6000) if after_spike.reference(size, 0.9, beta2, n) < 0.9]
    return slow[-1] + 1 if slow else 0


for spike in (10.0, 100.0):
    print(f"gradient {spike:.0f} times as large:",
          ", ".join(f"{steps_short(spike, beta2)} steps with beta2 = {beta2}" for beta2 in (0.95, 0.98)))


# %% [markdown]
# (Fewer are lost: updates that are too short still lead downhill.)
#
# ### Cliffs
#
# The older argument for clipping is a *cliff*: the loss is flat, then steep like a wall. [Pascanu et al. 2013](https://arxiv.org/abs/1211.5063) drew it for recurrent networks. In one dimension, with plain gradient descent, down a slope of 0.1 to the foot of a wall:

# %% tags=["claim"]
def thrown_to(steepness, max_norm):
    place, farthest = torch.nn.Parameter(torch.tensor([1.0])), 0.0
    for _ in range(100):
        place.grad = torch.tensor([0.1 if place.item() > 0 else -steepness])
        clip_by_global_norm([place], max_norm)
        with torch.no_grad():
            place -= 0.5 * place.grad
        farthest = max(farthest, place.item())
    return farthest


walls = (10.0, 100.0, 1000.0)
claim(
    "Clipped to 1, the wall throws it back by half a unit at most, however steep",
    [thrown_to(wall, 1.0) for wall in walls], below=1.0,
    because="it started at 1, and a step is at most 0.5 long",
    control={"not clipped": [thrown_to(wall, math.inf) for wall in walls]},
)

# %% [markdown]
# A picture of the idea, no more. That the losses of large transformers are "full of cliffs", as one also reads, it does not show.
#
# The usual threshold is 1: BERT's released code, GPT-3 (appendix B) and LLaMA ([Touvron et al. 2023](https://arxiv.org/abs/2302.13971), section 2.2) all have it. Whether 1 is much or little depends on how long gradients are in that run, so look at their norms before you choose. Lesson 44 does.
#
# ## Answer
#
# **Why warm up?** In the stack that we could test, because a fresh stack cannot stand full steps: clipping did not replace warm-up, and Adam's large and ill-informed first steps no longer stopped it 60 steps later. It is not against huge gradients, which Adam divides away. Count steps from 1, and stop the curve at its end.
#
# **What does clipping save?** With SGD, from being thrown far by one step. With Adam the step is bounded anyway; clipping keeps a spike out of the average of squares, which would slow the run down long after. It changes nothing if all gradients shrink alike, and it does not catch what is not finite.
#
# Not covered: other optimisers and tasks, real text, how to choose the peak, restarts.
#
# Sources: Kingma and Ba 2015, section 2.1; Vaswani et al. 2017; Loshchilov and Hutter 2017; Radford et al. 2018; Devlin et al. 2019 and its released code; Brown et al. 2020; Liu et al. 2019; Ma and Yarats 2021; Pascanu et al. 2013; Touvron et al. 2023.
#
# Next: [44 Precision and loss spikes](44_precision_and_loss_spikes.ipynb). [Contents](01_how_this_course_works.ipynb)
