# %% [markdown]
# # 44 Precision and loss spikes
#
# **Why do losses explode, and what helps?** At the end you can say what fp16 and bf16 hold and what each loses, train in half precision without that loss, make a small GPT's loss explode in four ways, and say which remedy helps against which. You need lessons 21, 42 and 43; about 60 minutes. Four cells take some seconds. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [43 Schedules and clipping](43_schedules_and_clipping.ipynb) · next: [51 Sampling](51_sampling.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(44)

# %% tags=["widget"]
from course_lib.experiments import formats
from course_lib.plots import formats as formats_plot
from course_lib.widgets.controls import choice, control
from course_lib.widgets.explore import explore

explore(formats.stored, formats_plot.draw_for(formats.ranges()), formats_plot.say, size=(9, 3.2),
        exponent=control(-10.0, 40.0, 0.25, 2.5, label="power of ten"))

# %% [markdown]
# ## Question
#
# Numbers of 32 bits (**fp32**) take twice the room of numbers of 16 bits, and models are mostly trained with the short ones. There are two kinds: **fp16** and **bf16**. The figure takes one number, a power of ten, and shows what each format makes of it. Left: does it fit? Right: which other numbers lie nearby? Between two neighbours there is nothing, so whatever falls there is rounded to one of them.
#
# Move the slider right until fp16 breaks, and on until bf16 does. Then left, to small numbers. Which of the two has the finer comb, and which the longer bar?
#
# One often reads that this figure holds the reason why training runs explode, why a loss that fell for days jumps up or becomes NaN. Does it?

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

sum_guess = predict(
    "A weight of 1, kept in bf16, gets 1000 updates of 0.0001, added one by one. Where does it end?",
    ["1", "about 1.05", "about 1.1", "infinity"],
)
sum_guess

# %% tags=["predict", "widget"]
loss_guess = predict(
    "A model that gives each of 50,257 tokens the same share has a loss of 10.8 nats. Another knows "
    "as little, but its logits are random, with standard deviation 10. Its loss?",
    ["about 11", "about 15", "about 45", "about 450"],
)
loss_guess

# %% tags=["predict", "widget"]
rate_guess = predict(
    "From one step on, a small GPT is trained at 30 times its learning rate. Which of these, alone, "
    "brings the loss closest to where it was, 60 steps later?",
    ["clip", "skip", "rewind", "qk-norm"],
)
rate_guess

# %% [markdown]
# (Clip: shorten long gradients, lesson 43. Skip: make no update with a batch whose gradient is unusually long. Rewind: ten steps later, go back once to the weights from before. qk-norm: normalise queries and keys before they meet.)
#
# ## Derive
#
# ### What the bits mean
#
# A number is stored as a sign, an exponent and a fraction. Some numbers of fp16, bit by bit:

# %% tags=["derive"]
import torch

for number in (1.0, 1.5, 2.0, 6.0, 0.25):
    bits = f"{torch.tensor(number, dtype=torch.float16).view(torch.int16):016b}"
    print(f"{number:5}  sign {bits[0]}  exponent {bits[1:6]} = {int(bits[1:6], 2):2}  fraction {bits[6:]}")

# %% [markdown]
# The fraction's bits are worth 1/2, 1/4, 1/8 and so on, behind a 1 that is not stored: 1.5 is 1.1 in binary. The exponent says by which power of two this is multiplied. To allow negative powers, a *bias* is subtracted from the stored pattern: in fp16 the pattern 15 means $2^0$. With $e$ exponent bits the bias is $2^{e-1}-1$. Two patterns are reserved: all zeros, for 0 and the numbers next to it (the light part of a bar), and all ones, for infinity and NaN.
#
# fp16 has 5 exponent bits and 10 of fraction, bf16 has 8 and 7, fp32 has 8 and 23. The rest is yours.

# %% tags=["exercise"]
from course_lib.checks.lesson_44 import format_limits, repair_step, skips

format_limits


# %% tags=["exercise"]
def my_format_limits(exponent_bits, fraction_bits):
    raise NotImplementedError


format_limits.check(my_format_limits)

# %% tags=["exercise"]
format_limits.hint()

# %% [markdown]
# "fp16 and bf16 overflow above 65504" is a popular sentence. Run it:

# %% tags=["derive"]
large = torch.tensor([65504.0, 65519.0, 65520.0, 70000.0])
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    print(f"{str(dtype):15}", large.to(dtype).tolist())

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "bf16 does not overflow at 70000, and does not hit it either",
    torch.tensor(70000.0).bfloat16().item(), equals=70144.0,
    because="its numbers lie 512 apart there, and 70144 is 137 times 512",
    control={"fp16": torch.tensor(70000.0).half().item()},
)

# %% [markdown]
# The sentence is right for fp16, and wrong for bf16, which has the exponent of fp32. What bf16 lacks is digits.
#
# ### Too large: a score
#
# A query and a key of 64 numbers, all of them 40. When is their product divided by the root?

# %% tags=["derive"]
q = k = torch.full((1, 64), 40.0)
for dtype in (torch.float16, torch.bfloat16):
    after = (q.to(dtype) @ k.to(dtype).T) / 8
    before = (q.to(dtype) / 8) @ k.to(dtype).T
    print(f"{str(dtype):15} divided after the product: {after.item()}, before it: {before.item()}")
print("softmax of [inf, 1]:", torch.softmax(torch.tensor([float("inf"), 1.0]), -1).tolist())

# %% tags=["claim"]
claim(
    "A score can overflow in fp16 where bf16 holds it",
    [(q.to(dtype) @ k.to(dtype).T).isfinite().item() for dtype in (torch.float16, torch.bfloat16)],
    equals=[False, True], because="64 times 40 times 40 is 102400",
    control={"q divided first": [((q / 8).to(dtype) @ k.to(dtype).T).isfinite().item()
                                 for dtype in (torch.float16, torch.bfloat16)]},
)

# %% [markdown]
# A score of +infinity makes its row of shares NaN, the NaN reaches the loss, and the next update every weight. To divide the query first costs nothing, and moves the bound by the factor 8. (Numbers of 120 pass that bound as well. Fast kernels keep their scores in fp32.)
#
# ### Too small: an update, a gradient
#
# At the small end two things get lost. An update can be small *beside its weight*, and is rounded away. A gradient can be small by itself, and becomes 0:

# %% tags=["derive"]
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    weight = torch.ones((), dtype=dtype)
    for _ in range(1000):
        weight += 1e-4
    small, lifted = (torch.tensor(2e-8 * factor, dtype=dtype).item() for factor in (1, 1024))
    print(f"{str(dtype):15} 1 + 1000 x 0.0001 = {weight.item():.5f};  2e-8 is {small:.2g}, "
          f"times 1024 it is {lifted:.3g}")

# %% tags=["claim"]
claim(
    "In half precision a thousand updates of 0.0001 leave a weight of 1 where it was",
    [sum([1e-4] * 1000, torch.ones((), dtype=dtype)).item() for dtype in (torch.float16, torch.bfloat16)],
    equals=1.0, because="each is less than half the gap, so each by itself is rounded away",
    control={"fp32": sum([1e-4] * 1000, torch.ones(())).item()},
)

# %% tags=["predict"]
sum_guess.reveal("1", "each update is far below 1/256, half of bf16's gap above 1")

# %% [markdown]
# Micikevicius et al. (2018) have a device against each. **Master weights**: the model computes in half precision, but the optimiser keeps an fp32 copy, in which small updates add up. **Loss scaling**: multiply the loss by a factor, and by the chain rule every gradient grows with it, out of the underflow; divide once they are in fp32. Which factor? They chose it by hand. Today it is found by trying, the largest that does not overflow:

# %% tags=["derive"]
from course_lib.optim.loss_scaling import LossScaler, MasterWeights

show_source(LossScaler.update)

# %% tags=["derive"]
show_source(MasterWeights)

# %% [markdown]
# This rule is that of PyTorch's `GradScaler`. Both meet three bad batches:

# %% tags=["claim"]
ours, theirs = LossScaler(1024.0, interval=4), torch.amp.GradScaler("cpu", 1024.0, growth_interval=4)
lone = torch.nn.Parameter(torch.ones(()))
sgd = torch.optim.SGD([lone], lr=0.0)
our_path, their_path = [], []
for step in range(20):
    sgd.zero_grad()
    theirs.scale(lone * (float("inf") if step in (3, 4, 13) else 1.0)).backward()
    ours.update(bool(lone.grad.isfinite()))
    theirs.step(sgd)
    theirs.update()
    our_path.append(ours.scale)
    their_path.append(theirs.get_scale())

claim("Our factor is PyTorch's, step by step", our_path, equals=their_path,
      because="both multiply by powers of two", control={"never changed": [1024.0] * 20})

# %% [markdown]
# Do the devices matter? Micikevicius et al. met gradients too small for fp16 in deep networks. This small one, which sorts vectors into eight classes, has none of that size; so they are made by hand: its summed loss is divided by $2^{22}$, and the learning rate is larger in turn. Plain gradient descent, five ways, one start:

# %% tags=["experiment"]
import math

from course_lib.experiments import half_training
from course_lib.plots.race import draw_race, say_race
from course_lib.plots.style import TRAIN, K, Q
from course_lib.widgets.live import live

STEPS = 120
looks = ((TRAIN, "-"), (Q, "--"), (Q, ":"), (K, "--"), (K, ":"))
ways = [way.name for way in half_training.FIELD]
halves = live(half_training.race(n_steps=STEPS), STEPS,
              draw_race(ways, STEPS, math.log(8), "blind guessing", "nats", looks),
              say_race, size=(9, 3.2))

# %% tags=["claim"]
ends = halves.history[-1].losses
claim(
    "With its device each half precision learns like fp32",
    [ends["bf16 + masters"] / ends["fp32"], ends["fp16 + masters + scaling"] / ends["fp32"]],
    near=1, within=0.01,
    because="eight starts gave 0.9996 to 1.0001",
    control={"bf16 without masters": ends["bf16"] / ends["fp32"],
             "fp16 without scaling": ends["fp16 + masters"] / ends["fp32"]},
)
claim(
    "In fp16 a part of the first gradient is 0; multiplied by 1024, hardly any",
    half_training.lost_gradients(), above=0.1, because="eight starts gave 14% to 22%",
    control={"times 1024": half_training.lost_gradients(1024.0),
             "a mean over 4096, as in a usual batch": half_training.lost_gradients(batch_tokens=4096),
             "bf16": half_training.lost_gradients(dtype="bf16")},
)

# %% [markdown]
# So bf16 needs masters and no scaling; fp16 needs masters, and scaling where gradients are small. (With a mean over a few thousand vectors this network would lose none.) (`torch.autocast` is the same from the other end: weights stay fp32, and products are made of half-precision copies.)

# %% tags=["exercise"]
repair_step


# %% tags=["exercise"]
def my_repair_step(master, gradient, scale, lr, max_norm):
    norm = gradient.float().norm()
    gradient = gradient * torch.clamp(max_norm / norm, max=1.0)
    gradient = gradient / scale
    if not gradient.isfinite().all():
        scale = scale / 2
    return master - lr * gradient, scale


repair_step.check(my_repair_step)

# %% tags=["exercise"]
repair_step.hint()

# %% [markdown]
# ### How high can a loss jump?
#
# "To hundreds", one reads. A model that knows nothing, and says so, loses $\ln V$ for $V$ tokens. To lose more it must be *sure*, and wrong. Random logits, random targets:

# %% tags=["derive"]
from course_lib.experiments.guessing_loss import guessing_loss

guesses = {spread: guessing_loss(spread, 50257) for spread in (0.0, 1.0, 10.0, 100.0)}
for spread, nats in guesses.items():
    print(f"logits of standard deviation {spread:5}: {nats:7.2f} nats")

# %% tags=["claim"]
claim(
    "Random logits of standard deviation 1 lose half a nat more than ln V",
    [guessing_loss(1.0, 50257, seed=seed) - math.log(50257) for seed in range(3)],
    near=0.5, within=0.4,
    because="exp of a standard normal number is exp(1/2) on average; 64 targets leave an error of 1/8",
    control={"no logits": guesses[0.0] - math.log(50257)},
)

# %% tags=["predict"]
loss_guess.reveal(f"{guesses[10.0]:.0f}", "the largest of so many logits is four standard deviations "
                  "above the mean, and gets about three quarters of the share")

# %% [markdown]
# Hundreds take logits that are spread by about a hundred, which an undecided model does not have.
#
# ### A guard
#
# Is overflow the usual cause of spikes? In fp16 it has a part: Zhang et al. (2022) saw their loss scale fall to 0 when the loss of OPT diverged, and Zeng et al. (2022) keep the softmax of GLM-130B in fp32, since scores left fp16's range. But PaLM was trained on TPUs, where half precision means bf16. Chowdhery et al. (2022, section 5.1) saw about 20 spikes all the same, with clipping on. The same batches, read from an earlier checkpoint, made no spike; so bad data alone was not it either. Dehghani et al. (2023) name attention scores that grow. For OPT they went back to a checkpoint and lowered the learning rate.
#
# Whatever the cause, before each update one number is known that may give it away: the gradient norm. A guard can compare it with its usual size.

# %% tags=["exercise"]
skips


# %% tags=["exercise"]
def my_skips(norms, factor, decay):
    raise NotImplementedError


skips.check(my_skips)

# %% tags=["exercise"]
skips.hint()

# %% [markdown]
# Twenty weights learn a linear map from noisy data; in three batches (dotted) all targets are too large. Move the size of the mistake, then the guard's factor. What goes wrong when the factor is very small, and when it is very large?

# %% tags=["widget"]
from course_lib.experiments import spike_toy
from course_lib.plots import spike_toy as toy_plot

explore(lambda times, factor: spike_toy.toy_run(times, factor),
        toy_plot.draw_for(spike_toy.SPIKES), toy_plot.say, size=(9, 3.2), continuous_update=False,
        times=choice([1.0, 10.0, 100.0, 1000.0, 10000.0], 100.0, label="targets times"),
        factor=choice([1.2, 2.0, 4.0, 10.0, 100.0, 1000.0], 4.0, label="guard's factor"))

# %% tags=["claim"]
toys = [spike_toy.toy_run(100.0, 4.0, seed).distances for seed in range(3)]
claim(
    "Skipping keeps out what throws the weights far away",
    [max(toy["skip"][spike_toy.SPIKES[0]:]) for toy in toys], below=0.4,
    because="eight draws gave 0.17 to 0.19; the noise keeps the weights that far from the right ones",
    control={"nothing": [max(toy["nothing"][spike_toy.SPIKES[0]:]) for toy in toys],
             "factor 1000": max(spike_toy.toy_run(100.0, 1000.0).distances["skip"][spike_toy.SPIKES[0]:])},
)
claim(
    "A factor of 1.2 skips healthy batches",
    [spike_toy.toy_run(1.0, 1.2, seed).n_skipped for seed in range(3)], above=8,
    because="nothing is corrupted there; eight draws gave 10 to 26 skipped",
    control={"factor 4": [spike_toy.toy_run(1.0, 4.0, seed).n_skipped for seed in range(3)]},
)

# %% [markdown]
# Clipping ends as near here: it cannot tell a bad batch from a good one, but no batch can pull hard. On the way it lets the weights farther off than skipping does, and how far depends on its threshold. (That is plain gradient descent; how little Adam minds the length of a gradient is in lesson 43.)
#
# With a small factor the guard keeps out ordinary batches. Worse: when the norms have risen for good, a guard that remembers only what it lets in would skip for ever. The library's guard differs in two ways. It lets in the first ten finite norms, while its average forms (`settle`). And it refuses to starve: after `patience` long norms in a row it lets one in and starts its average anew. Not a number is never let in; too often in a row, it is an error, because no other batch will mend the weights.

# %% tags=["derive"]
from course_lib.optim.spike_guard import SpikeGuard

show_source(SpikeGuard.lets_in)

# %% tags=["claim"]
risen = [1.0] * 20 + [50.0] * 40
guard = SpikeGuard(4.0, patience=10)
claim(
    "When the norms rise fifty-fold for good, the guard skips ten batches and goes on",
    sum(not guard.lets_in(norm) for norm in risen), equals=10, because="that is its patience",
    control={"the rule without patience": skips.reference(torch.tensor(risen), 4.0, 0.95).sum().item()},
)

# %% [markdown]
# ## Experiment
#
# ### Four injuries, six remedies
#
# A GPT of two blocks has learnt to repeat twelve letters, of which one in ten is smudged, so that there is always something to be unsure of. (Some seconds: two models are trained, one of them with qk-norm.)

# %% tags=["experiment"]
from course_lib.experiments import spiked_gpt as spiked

healthy = spiked.healthy_models()

# %% [markdown]
# From step 21 on it is injured, in one of four ways. *Corrupted batches*: three batches, in which every target is the same letter. *Output logits grow*: by a quarter in each of ten steps. *Overflow in the scores*: the products of queries and keys are kept in fp16, and in ten steps both grow by a half each time. *Rate too high*: 30 times the learning rate, for good.
#
# Seven copies go on: one with nothing done, six with a remedy. Clip and skip work from the start. At step 31 somebody has seen the loss: the rate is divided by ten, or the run goes back to the weights from before step 21, or both. (By then nothing grows any more by force, and no batch is bad; only the high rate stays. A tenth of it is three times the usual one.) The figure shows the loss on clean text. Inject one injury after the other: change the name and run the cell again.

# %% tags=["experiment"]
from course_lib.plots import spiked_gpt as spiked_plot

INJURY = "rate too high"  # or "corrupted batches", "output logits grow", "overflow in the scores"
draw = spiked_plot.draw_for(spiked.REMEDIES, spiked.N_STEPS, spiked.ONSET, spiked.NOTICED, math.log(24))
shown = live(spiked.inject(healthy, INJURY), spiked.N_STEPS, draw, spiked_plot.say, size=(9, 3.6))

# %% [markdown]
# All four as a table: how far the loss of the last 20 steps lies above that of a copy to which nothing happened. (Half a minute on a slow machine.)

# %% tags=["experiment"]
from course_lib.experiments.spike_outcomes import alarms, all_injuries, late_loss, table

outcomes = all_injuries(healthy)
excess = outcomes.excess
print(table(excess))

# %% tags=["claim"]
rate = excess["rate too high"]
claim(
    "At a rate far too high qk-norm saves most of the loss",
    rate["qk-norm"], below=0.8,
    because="eleven runs gave 0.22 to 0.35, and 0.3 to 2.2 with the rate lowered, hence no control",
    control={remedy: rate[remedy] for remedy in ("nothing", "clip", "skip", "rewind")},
)
claim(
    "To go back and lower the rate helps against each of the four",
    [row["rewind + lower"] for row in excess.values()], below=0.2,
    because="at the high rate eight runs gave 0.04 to 0.06, with the others two gave about -0.01",
    control={remedy: [row[remedy] for row in excess.values()] for remedy in spiked.REMEDIES[:5]},
)
wide = list(spiked.inject(healthy, "overflow in the scores", ("nothing",), score_dtype=torch.float32))
wide_excess = late_loss(wide, "nothing") - late_loss(outcomes.unhurt, "nothing")
claim(
    "Scores that overflow in fp16 do next to no harm in fp32",
    wide_excess, below=0.1, because="seven runs gave 0.001 to 0.05",
    control={"fp16": excess["overflow in the scores"]["nothing"]},
)

# %% tags=["claim"]
growth = excess["output logits grow"]
claim(
    "When logits have grown, lowering the rate makes it worse",
    growth["lower the rate"] - growth["nothing"], above=0.5, because="eight runs gave 0.78 to 1.37",
    control={remedy: growth[remedy] - growth["nothing"] for remedy in ("rewind", "qk-norm")},
)
peaks = outcomes.peaks["corrupted batches"]
claim(
    "Corrupted batches make a spike, unless they are clipped or skipped",
    [peaks["clip"], peaks["skip"]], below=0.15, because="eight runs gave -0.02 to 0.05",
    control={remedy: peaks[remedy] for remedy in ("nothing", "qk-norm")},
)
raised = [hurt.losses["nothing"] - fine.losses["nothing"]
          for hurt, fine in zip(outcomes.runs["corrupted batches"], outcomes.unhurt, strict=True)]
claim(
    "Fifteen steps after the first of them the model has mended itself",
    sum(raised[35:40]) / 5, below=0.15, because="six runs gave 0.03 to 0.07",
    control={"five steps after": sum(raised[25:30]) / 5},
)

# %% tags=["predict"]
rate_guess.reveal(min(("clip", "skip", "rewind", "qk-norm"), key=rate.get),
                  "of the four it alone keeps the loss within 0.8 nats of where it would be")


# %% [markdown]
# No single remedy helps against everything. Bad batches are over soon: kept out, they do no harm, and let in, the model mends itself. Grown logits are in the weights: to rewind takes them out, while a lower rate, and clip and skip too, only slow the model's own repair. (PaLM and Wortsman et al. keep them from growing by a term in the loss, z-loss; it is not tried here.) NaN is for ever: only older weights help, or what keeps it from coming, such as fp32 scores. (That qk-norm does is no finding: it undoes any factor on queries and keys.) And a rewound run is safe only when the cause is gone: at the high rate it goes the same way again. So the two together, as OPT did it.
#
# Why does qk-norm help against a high rate? Look at the largest product of a query and a key. (With qk-norm it can never exceed 16: both are vectors of 16 numbers, with length 4.)

# %% tags=["claim"]
def grown(steps, remedy):
    """How many times the largest score at the end is that of the step before the injury."""
    return steps[-1].scores[remedy] / steps[spiked.ONSET - 2].scores[remedy]


fast = outcomes.runs["rate too high"]
claim(
    "At the high rate scores grow more than a hundredfold",
    grown(fast, "nothing"), above=100, because="eleven runs gave 189 to 662",
    control={"usual rate": grown(outcomes.unhurt, "nothing")},
)
claim(
    "No overflow is needed for that: fp16 would have held them all",
    max(step.scores["nothing"] for step in fast), below=65504, because="fp16 ends there; eight runs gave 17,000 to 38,000",
    control={"grown by force": max(step.scores["nothing"] for step in wide)},
)

# %% [markdown]
# So growth comes with the damage. Does it cause it? qk-norm changes more than the size of scores. Hence three runs without it. In each, one part of the model keeps the usual rate, and everything else has 30 times that: the query and key matrices; for comparison the value and output matrices, which have as many weights; and again queries and keys, which now learn slowly but are made to grow, as they do at the high rate.

# %% tags=["claim"]
calm = list(spiked.inject(healthy, "rate too high", spiked.TESTS))
calm_qk, calm_vo, grown_qk = (
    late_loss(calm, test) - late_loss(outcomes.unhurt, "nothing") for test in spiked.TESTS
)
claim(
    "With 30 times the rate for all but the query and key matrices, the loss comes back too",
    calm_qk, below=0.8, because="eight runs gave 0.17 to 0.23",
    control={"all but values and outputs": calm_vo},
)
claim(
    "When they learn slowly but have grown, it does not",
    grown_qk, above=1.5, because="eight runs gave 2.57 to 2.70",
    control={"grown as far, the usual rate for all": wide_excess, "not grown": calm_qk},
)

# %% [markdown]
# So the harm comes with large scores, however they have become large, *and* a high rate: at the usual rate scores three thousand times too large did nearly none (that was the injury with scores in fp32). (Wortsman et al. 2023 provoke the same growth in small models by a high rate, and cure it by qk-norm. They speak of slow divergence, not of spikes.)
#
# ### What did the norm show beforehand?
#
# For each injury, with nothing done: when did the norm first exceed twice its largest usual value, and when the loss 1.5 times its own, on the same batch and on clean text? (NaN counts, inf is never.) The last row is the overflow with scores in fp32, where there is none.

# %% tags=["experiment"]
for injury, steps in {**outcomes.runs, "the same in fp32": wide}.items():
    norm, same, clean = alarms(steps)
    print(f"{injury:24} norm: step {norm}, loss of the batch: {same}, of clean text: {clean}")

# %% tags=["claim"]
norm, same, clean = alarms(outcomes.runs["corrupted batches"])
claim(
    "A corrupted batch is seen by its own loss as soon as by its norm",
    same - norm, equals=0, because="in eight of eight runs both left their range at once", control={"the loss on clean text": clean - norm},
)
usual = [step.norms["nothing"] for step in outcomes.unhurt]
claim(
    "Without an injury the norm raises no alarm",
    max(usual) / max(usual[:20]), below=2, because="eight runs gave 1.00 to 1.19",
    control={"corrupted": max(step.norms["nothing"] for step in outcomes.runs["corrupted batches"]) / max(usual[:20])},
)

# %% [markdown]
# Zeng et al. (2022) report of GLM-130B: a collapse came a few steps after a jump of the gradient norm. Here only the overflow shows that, and with scores in fp32 the norm raises the same alarm, and nothing follows. What comes later with bad batches is the harm to other texts; to the batch itself norm and loss react in the same step. So the norm is worth watching, and is no prophet.
#
# ### An open one
#
# Give the guard the rate: after three skips in a row it could halve it. Which rows of the table would that change, and which would it make worse?
#
# ## Takeaways
#
# Why do losses explode? Not for one reason. fp16 ends at 65504, so a score can become infinite; bf16 ends where fp32 does, and loses digits instead. Master weights keep small updates, loss scaling keeps small gradients. Here the loss also jumped in fp32, from bad batches, grown logits or too high a rate, and PaLM's did in bf16. A remedy has to fit: skip or clip a bad batch, rewind what has got into the weights, and lower the rate as well if it was too high, or normalise queries and keys so that it is not. The gradient norm is known before the update is made; so is the loss of the batch.
#
# What a toy does not show: large models spike rarely, for reasons that are partly unknown, and one remedy is judged after days, not after sixty steps.
#
# Sources: Micikevicius et al. 2018, [Mixed Precision Training](https://arxiv.org/abs/1710.03740), section 3; Chowdhery et al. 2022, [PaLM](https://arxiv.org/abs/2204.02311), section 5.1, who go back about 100 steps and skip 200 to 500 batches; Zhang et al. 2022, [OPT](https://arxiv.org/abs/2205.01068), section 2.5; Zeng et al. 2022, [GLM-130B](https://arxiv.org/abs/2210.02414); Dehghani et al. 2023, [Scaling Vision Transformers to 22 Billion Parameters](https://arxiv.org/abs/2302.05442), section 2, for qk-norm; Wortsman et al. 2023, [Small-scale proxies for large-scale Transformer training instabilities](https://arxiv.org/abs/2309.14322).
#
# Next: [51 Sampling](51_sampling.ipynb). [Contents](01_how_this_course_works.ipynb)
