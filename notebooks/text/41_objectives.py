# %% [markdown]
# # 41 Objectives
#
# **What is a model graded on? And why can't a two-sided model predict the next word?** At the end you can write down the losses of GPT and BERT, say which objectives leak the answer and prove it, count what each is asked, and name the trap in each of BERT's two tasks. You need lesson 22 and logarithms; about 75 minutes, less without the two parts marked *if you have time*. Two cells train small models, up to half a minute each. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [34 Initialisation](34_initialisation.ipynb) · next: [42 AdamW](42_adamw.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(41)

# %% tags=["widget"]
from course_lib.experiments.masking_statistics import masked_story
from course_lib.plots import masked_story as story_plot
from course_lib.widgets.controls import control
from course_lib.widgets.explore import explore

explore(masked_story, story_plot.draw, story_plot.say, size=(9.4, 3.9),
        rate=control(0.0, 1.0, 0.05, 0.15, label="share selected"),
        as_mask=control(0.0, 1.0, 0.1, 0.8, label="of these, as [MASK]"),
        redraw=control(0, 30, 1, 0, label="draw again"))

# %% [markdown]
# ## Question
#
# A GPT reads a text and names the next word at every place. A BERT reads a text in which some words have been tampered with, and names what stood there. That is **masked language modelling**, MLM. The figure shows a short story as BERT gets it. White words are only read. The coloured ones are **selected**: an arrow shows the word that the model has to name, which it does not see. Most of them read `[MASK]`; the rest is shared equally between a random word and the word as it was.
#
# Draw again a few times, with the right arrow key. Then push the share selected to 1: what is left to guess from? And to 0.05: how much does one reading of the story teach?
#
# Why this trouble? GPT's task looks simpler, and reading both sides surely helps. So let a two-sided model name the next word.

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

next_guess = predict(
    "The loss is minus the logarithm of the right token's probability. In texts of 32 tokens drawn "
    "by dice, nobody who does not know the answer gets below ln 32 = 3.47 on average. A model that "
    "reads both sides has to name the next token at each place. Its loss ends",
    ["at 3.47", "at about 2", "near 0"],
)
next_guess

# %% tags=["predict", "widget"]
own_guess = predict(
    "Now each place has to name its own token. Attention may read all other places and never its "
    "own. With one layer the loss stays at 3.47. With two layers it ends",
    ["at 3.47", "a little lower", "far lower"],
)
own_guess

# %% tags=["predict", "widget"]
false_guess = predict(
    "BERT's masking selects 15%, of which 80% become [MASK], 10% random, 10% stay. You read a "
    "token that is not [MASK]. How likely is it a random one?",
    ["about 10%", "about 5%", "about 2%", "about 0.1%"],
)
false_guess

# %% tags=["predict", "widget"]
pair_guess = predict(
    "Does piece B follow piece A? The wrong B comes (1) from another story, (2) from the same "
    "story, or (3) A and B are swapped. You may only count the words that A and B share. Where "
    "are you right in more than 3 of 4 cases?",
    ["in all three", "in 1 and 2", "in 1 only", "in none"],
)
pair_guess

# %% [markdown]
# ## Derive
#
# ### Next token, by hand
#
# A language of two letters and three places. Someone who knows it says how likely the next letter is `a`, given what came before:

# %% tags=["derive"]
import math
from itertools import product

CHANCE_OF_A = {"": 0.6, "a": 0.1, "b": 0.7, "aa": 0.5, "ab": 0.9, "ba": 0.2, "bb": 0.4}


def next_letter(letter, before):
    return CHANCE_OF_A[before] if letter == "a" else 1 - CHANCE_OF_A[before]


joint = {
    text: math.prod(next_letter(text[i], text[:i]) for i in range(3))
    for text in map("".join, product("ab", repeat=3))
}
joint


# %% [markdown]
# Multiplying along a text gives the text's probability: the **chain rule**. It holds for every distribution and assumes nothing. A GPT is this factorisation made into a network, and its loss is minus the logarithm of the product, shared out over the $T$ tokens:
#
# $$L_{\text{GPT}} = -\frac{1}{T} \sum_{i=1}^{T} \log p(x_i \mid x_1, \dots, x_{i-1})$$
#
# ([Radford et al. 2018](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf), equation 1, there to be maximised, without $1/T$ and with a window. A start token, or nothing, stands before $x_1$.) The factors need not run from left to right. Here are the same eight probabilities from right to left, with conditionals computed from the table (the fractions cancel: that is the proof):

# %% tags=["derive"]
def total(pattern):
    """The probability of all texts that fit; a dot fits any letter."""
    return sum(p for text, p in joint.items()
               if all(m in (".", c) for m, c in zip(pattern, text)))


def right_to_left(text):
    a, b, c = text
    last, middle = total(f"..{c}"), total(f".{b}{c}")
    return last * (middle / last) * (total(text) / middle)


def filled_in(text):
    """Each letter given both others, multiplied."""
    a, b, c = text
    return math.prod(total(text) / total(gap) for gap in (f".{b}{c}", f"{a}.{c}", f"{a}{b}."))


# %% tags=["claim"]
from course_lib.checks.claim import claim

sums = {way.__name__: sum(map(way, joint)) for way in (total, right_to_left, filled_in)}
claim(
    "From the left or from the right, the probabilities of all eight texts sum to 1",
    [sums["total"], sums["right_to_left"]],
    near=1, within=1e-12,
    because="float64 rounds at 1e-16",
    control={"each letter given both others": sums["filled_in"]},
)

# %% [markdown]
# Mind the control. "Each word given all the others", multiplied, is the probability of nothing. Filling gaps is a task of its own. It does not say how likely a text is. A real network in place of the table:

# %% tags=["claim"]
from course_lib.config import GPTConfig
from course_lib.experiments.looking_ahead import total_probability
from course_lib.mechanisms.masks import causal_mask
from course_lib.models.gpt import GPT

toy = GPT(GPTConfig(4, 3, d_model=8, n_layers=2, n_heads=2, init_std=0.8)).double()
claim(
    "A random GPT's probabilities of all 64 texts of three tokens sum to 1",
    total_probability(toy, 3, causal_mask(3)), near=1, within=1e-9,
    because="64 products in float64",
    control={"without the causal mask": total_probability(toy, 3, None)},
)

# %% [markdown]
# ### Nats, bits, perplexity
#
# Minus the logarithm of a probability is the **surprise**. The stories of this course come from a grammar, and a reader who knows the grammar can say the probability of every word. On average nobody can do better: a **floor**.

# %% tags=["derive"]
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import surprises
from course_lib.experiments.masking_statistics import one_story

grammar, words = everyday_stories(), one_story()
nats = surprises(grammar, words)
print(" ".join(f"{word}({abs(s):.1f})" for word, s in zip(words[:24], nats)))
mean = sum(nats) / len(nats)
print(f"mean {mean:.3f} nats = {mean / math.log(2):.3f} bits, perplexity {math.exp(mean):.2f}")

# %% [markdown]
# **Perplexity** is $e^{\text{mean nats}}$, or $2^{\text{mean bits}}$: a fair choice among that many words would be as hard. New names and things are dear; what grammar or memory settles is free.

# %% [markdown]
# ## Experiment
#
# ### What both sides tell
#
# Two perfect readers of the story, the one-sided in the left panel and the two-sided in the right one. Nothing is trained: both answers follow from the grammar.

# %% tags=["experiment", "widget"]
from course_lib.experiments.two_sides import two_sides
from course_lib.plots import two_sides as sides_plot

explore(two_sides, sides_plot.draw, sides_plot.say, size=(9.4, 3.6),
        place=control(1, 42, 1, 22, label="place of the word"))

# %% [markdown]
# Walk through the story. At a first mention (4, 16) the one-sided reader knows little; the two-sided one finds the word told again later. At 28 both are sure. At 10 the second side hardly helps: nothing later speaks of the park.

# %% tags=["claim"]
import torch

from course_lib.experiments.two_sides import mean_surprises

means = mean_surprises(n_stories=10)
one_sided, both_sided, one_ahead = map(torch.tensor, (means.before, means.both, means.one_ahead))
claim(
    "In each of ten stories, seeing both sides saves more than 45% of the nats a word",
    both_sided / one_sided, below=0.55,
    because="exact for each story; the largest ratio of 40 other stories was 0.50",
    control={"one word of the second side": one_ahead / one_sided},
)

# %% [markdown]
# (Only the one-sided reader's nats add up to the surprise of the whole story.)
#
# ### The leak
#
# So reading both sides is worth having. Can it be had with GPT's task? The test uses texts with nothing to learn: tokens drawn independently from 32. Without the answer nobody gets below $\ln 32$, whatever the model. Whoever does has *seen* the answer. Five small transformers, one figure:

# %% tags=["experiment"]
from course_lib.experiments.leaks import CONTESTANTS, FLOOR, race
from course_lib.plots import leaks
from course_lib.widgets.live import live

STEPS = 100
run = live(race(STEPS), STEPS, leaks.draw_for([*CONTESTANTS], STEPS, FLOOR), leaks.say, size=(9.4, 3.3))


# %% tags=["claim"]
def ends(*names):
    """Mean loss over the last 20 steps; every step has new texts."""
    return [sum(r.losses[name] for r in run.history[-20:]) / 20 for name in names]


NEXT_BOTH, NEXT_PAST, HIDDEN, OWN_1, OWN_2 = CONTESTANTS
claim(
    "Three of them stay at the floor",
    ends(NEXT_PAST, HIDDEN, OWN_1), near=FLOOR, within=0.08,
    because="a little above it: 100 steps leave some noise in the answers",
    control={"two sides, next token": ends(NEXT_BOTH)},
)
claim(
    "Two of them get far below it: they have seen the answer",
    ends(NEXT_BOTH, OWN_2), below=1.0,
    because="below 1 nat the right token of 32 gets more than a third",
    control={"the same with one layer": ends(OWN_1)},
)

# %% [markdown]
# The two-sided next-token model found the answer one place to the right and copies it. That is a perfect loss and an empty model: at the end of a text, where the next word is wanted, there is no place to the right.
#
# Can the answer be hidden by forbidding each place to read *itself*? Here place $i$ asks by its number alone, there is no residual stream, and attention skips $i$. With one layer that works. With two, my neighbour reads my token, and I read my neighbour. [Devlin et al. 2019](https://arxiv.org/abs/1810.04805) (section 3.1) say it: with two sides "each word" could "indirectly see itself". No training is needed to see it. Draw two texts that differ in one token, give both the same task (and the same masks), and look whether the scores of a fresh model move where this token is asked for:

# %% tags=["claim"]
from course_lib.experiments.leaks import answer_influence


def moved(name):
    return [answer_influence(CONTESTANTS[name], seed) for seed in range(5)]


claim(
    "Where the loss stays at the floor, the answer has no influence at all",
    moved(NEXT_PAST) + moved(HIDDEN) + moved(OWN_1), equals=0.0,
    because="every way from the answer to the question goes through a share of 0, or it was taken out",
    control={NEXT_BOTH: moved(NEXT_BOTH), OWN_2: moved(OWN_2)},
)

# %% tags=["predict"]
next_guess.reveal(f"near 0: {ends(NEXT_BOTH)[0]:.3f} nats", "the answer stands one place to the right")

# %% tags=["predict"]
own_guess.reveal(f"far lower: {ends(OWN_2)[0]:.2f} nats", "the second layer reads what the first carried to the neighbours")

# %% [markdown]
# Two ways out: hide the future with a mask *on attention*, and read one side: GPT. Or take the answer *out of the input*, and read both: BERT. (There are others: two one-sided models side by side, or "the future" of a shuffled order, as in XLNet.)
#
# ### Hide some, ask for those
#
# $$L_{\text{MLM}} = -\frac{1}{|M|} \sum_{i \in M} \log p(x_i \mid \tilde x)$$
#
# $M$ is the set of selected places, $\tilde x$ the corrupted text. (Where you find "$i \in KL$" under the sum, it is a misprint for this set.) Selecting and corrupting is done to the data. Whoever wants other masks changes this function, not the model's `forward`:

# %% tags=["derive"]
from course_lib.data.masking import mask_tokens

show_source(mask_tokens)

# %% tags=["claim"]
from course_lib.experiments.masking_statistics import bert_masking, count_ours, count_printed

ours, printed = [count_ours(bert_masking(), seed=seed) for seed in range(5)], count_printed()


def split(counts):
    return [counts.selected, counts.mask_of_selected, counts.random_of_selected, counts.kept_of_selected]


claim(
    "15% of the ordinary tokens are selected; of these 80% become [MASK], 10% random, 10% stay",
    [split(counts) for counts in ours],
    near=[0.15, 0.8, 0.1, 0.1], within=[0.0022, 0.0062, 0.0047, 0.0047],
    because="four standard errors of 450,000 tokens and of the 67,000 selected ones",
    control={"a masking as printed": split(printed)},
)
claim(
    "[CLS], [SEP] and padding are never touched",
    [counts.special_changed for counts in ours], equals=0.0,
    because="they are taken out of the selection",
    control={"a masking as printed": printed.special_changed},
)

# %% [markdown]
# The control is a function that a published article prints under a comment that says 80, 10, 10. It gives 50, 50, 0, tampers with special tokens and returns no targets. Exercise 2 is its repair.
#
# The loss leaves out every place whose target is $-100$. So "graded on 15%" is one line of code:

# %% tags=["claim"]
from course_lib.experiments.masking_statistics import random_texts
from course_lib.mechanisms.losses import cross_entropy

texts = random_texts(6, 40)
masked = mask_tokens(texts, bert_masking(), torch.Generator().manual_seed(0))
logits = torch.randn(*texts.shape, 1000, dtype=torch.float64)
log_p = logits.log_softmax(dim=-1).gather(-1, texts[..., None]).squeeze(-1)
asked = masked.targets != -100
claim(
    "The loss is the mean surprise over the selected places",
    cross_entropy(logits, masked.targets), near=-log_p[asked].mean(), within=1e-12,
    because="the same sum in float64",
    control={"the mean over all places": -log_p.mean(), "the sum": -log_p[asked].sum()},
)

# %% [markdown]
# What does that cost? One pass over $T$ tokens asks a GPT $T - 1$ questions, in parallel (lesson 61 shows that one pass answers as many passes over prefixes would). BERT's pass is as parallel, and asks about $0.15\,T$. A short text may get no question at all, with probability $0.85^T$.

# %% tags=["claim"]
from course_lib.experiments.masking_statistics import share_without_target

lengths = [5, 10, 20]
for length in (*lengths, 128):
    print(f"{length:>4} tokens: GPT {length - 1:>3} questions, BERT {0.15 * length:5.1f}, none at all in {0.85**length:.2g} of the texts")
claim(
    "A text of T tokens has no target with probability 0.85^T",
    [share_without_target(0.15, length) for length in lengths],
    near=[0.85**length for length in lengths], within=0.015,
    because="20,000 texts: four standard errors are at most 0.014",
    control={"1 - 0.15 T, by addition": [1 - 0.15 * length for length in lengths]},
)

# %% [markdown]
# ([BERT's released code](https://github.com/google-research/bert/blob/master/create_pretraining_data.py) selects a fixed share and at least one.) Fewer questions are not the same as less learned: each of BERT's is answered from both sides. [ELECTRA](https://arxiv.org/abs/2003.10555) starts from this cost and asks at every place.
#
# ### Each gap on its own
#
# MLM's sum treats the gaps as independent, given the rest. Hide the word for the weather in *both* places where the story says it:

# %% tags=["derive"]
from course_lib.experiments.two_sides import fill_in

first, again = fill_in(grammar, words, [1, 35])  # "one foggy evening" ... "the foggy evening of"
print({word: round(p, 3) for word, p in first.items()})
agree = sum(p * again[word] for word, p in first.items())
print(f"filled in independently, the two agree in {agree:.1%} of the stories; the grammar says 100%")


# %% [markdown]
# Both answers are perfect, and together they are wrong: the best product of the two makes seven stories of eight impossible. The size of the error is a Kullback-Leibler divergence, how many nats the product pays more than the truth. By hand, with two cities: "I flew to [MASK] [MASK]", New York or Los Angeles, equally likely.

# %% tags=["claim"]
def extra_nats(joint, factors):
    return sum(p * math.log(p / math.prod(f[w] for f, w in zip(factors, pair)))
               for pair, p in joint.items())


cities = {("New", "York"): 0.5, ("Los", "Angeles"): 0.5}
marginals = [{"New": 0.5, "Los": 0.5}, {"York": 0.5, "Angeles": 0.5}]
weather = {(word, word): p for word, p in first.items()}
claim(
    "Independent gaps cost ln 2 for two cities, and ln 8 for eight kinds of weather",
    [extra_nats(cities, marginals), extra_nats(weather, [first, again])],
    near=[math.log(2), math.log(8)], within=1e-9,
    because="sums of two and of eight terms in float64",
    control={"the second gap after the first": [
        extra_nats(cities, [marginals[0], {"York": 1, "Angeles": 1}]),
        extra_nats(weather, [first, dict.fromkeys(first, 1)])]},
)

# %% [markdown]
# So MLM's loss is no joint probability of the hidden words; [XLNet](https://arxiv.org/abs/1906.08237) (section 2) starts from here. Had the second gap been filled *after* the first, nothing would be lost. That is the chain rule again.
#
# ### [MASK] does not come back
#
# In fine-tuning, when a trained BERT learns a task of its own, it meets texts without any `[MASK]`. This is called the **mismatch**. (When a model is used to fill gaps, there is none.) The two tenths are there for it ([Devlin et al.](https://arxiv.org/abs/1810.04805), appendix A.1): any token may be false, any may be asked for. How much doubt is that? Of all tokens 12% read `[MASK]`, 1.5% were swapped:

# %% tags=["claim"]
from course_lib.experiments.masking_statistics import random_among_ordinary


def doubt(rate, as_mask, as_random):
    return rate * as_random / (1 - rate * as_mask)


splits = [(0.15, 0.8, 0.1), (0.15, 0.5, 0.5), (0.4, 0.8, 0.2)]
claim(
    "Of the tokens that do not read [MASK], rate x random / (1 - rate x mask) are false",
    [random_among_ordinary(bert_masking(*one)) for one in splits],
    near=[doubt(*one) for one in splits], within=0.0015,
    because="two million tokens; one random token in a thousand is the right one by chance",
    control={"rate x random": [rate * random for rate, _, random in splits]},
)

# %% tags=["predict"]
false_guess.reveal(f"{doubt(0.15, 0.8, 0.1):.2%}", "0.15 x 0.1 are false, of the 0.88 that do not read [MASK]")

# %% [markdown]
# What does so little doubt do? A small two-sided model, trained with four splits (`[MASK]` / random / kept) on texts that say six random letters twice, so that a hidden letter can be found at its other place. Then each reads new texts *without any mask*. Three numbers a seed: the mean probability of the right letter where `[MASK]` stands, where the right letter itself stands, and where a false one does.

# %% tags=["experiment"]
from course_lib.experiments.mismatch import trained

SPLITS = {"100 / 0 / 0": (1.0, 0.0), "80 / 0 / 20": (0.8, 0.0), "80 / 20 / 0": (0.8, 0.2), "80 / 10 / 10": (0.8, 0.1)}
answers = {name: [trained(*how, seed) for seed in range(2)] for name, how in SPLITS.items()}
for name, found in answers.items():
    print(f"{name:<13}", *(f"{a.hidden:.2f} {a.in_place:.2f} {a.corrupted:.2f}  " for a in found))


# %% tags=["claim"]
def in_place(name):
    return [a.in_place for a in answers[name]]


def corrupted(name):
    return [a.corrupted for a in answers[name]]


claim(
    "With 80/10/10 the model names the right letter where it reads it",
    in_place("80 / 10 / 10"), above=0.91,
    because="eight seeds gave 0.94 or more, and 100/0/0 at most 0.88",
    control={"100/0/0": in_place("100 / 0 / 0")},
)
claim(
    "With 80/10/10 it names the right letter where it reads a false one",
    corrupted("80 / 10 / 10"), above=0.7,
    because="eight seeds gave 0.83 or more, and without random letters at most 0.49",
    control={"none random": corrupted("80 / 0 / 20")},
)

# %% tags=["claim"]
trust = {name: [a - b for a, b in zip(in_place(name), corrupted(name))] for name in SPLITS}
claim(
    "With 80/10/10 what stands at a place counts: a right letter there helps",
    trust["80 / 10 / 10"], above=0.03,
    because="eight seeds gave 0.04 or more, and without kept letters at most 0.01",
    control={"none kept": trust["80 / 20 / 0"]},
)

# %% [markdown]
# The first line is the mismatch: fine at `[MASK]`, worse at ordinary letters, for which it was never asked; and what stands there makes little difference. Without random letters (second line) the model trusts what it reads, right or wrong. With random letters only (third line) it trusts nothing: right or wrong, the answers are the same. Both tenths together give trust with doubt. The doubt has a price: at `[MASK]`, too, both lines with random letters are a little less sure.
#
# This is a toy, asked the question it was trained on. On real tasks [Devlin et al.](https://arxiv.org/abs/1810.04805) (appendix C.2) call fine-tuning "surprisingly robust" to the split; where BERT stays frozen and only its vectors are used, masks alone were "problematic".
#
# ### The same masks again? (if you have time)
#
# BERT's masks were drawn once, when the data was made, with ten copies of each text for 40 passes. [RoBERTa](https://arxiv.org/abs/1907.11692) (section 4.1) draws new ones whenever a text is read: **dynamic masking**. What share of the tokens is ever asked for?

# %% tags=["experiment"]
from course_lib.data.masking import share_ever_selected
from course_lib.experiments.masking_statistics import ever_selected
from course_lib.plots import ever_selected as ever_plot
from course_lib.plots.show import show

copies = {"static": 1, "10 copies": 10, "dynamic": None}
ever = [(name, ever_selected(n), [share_ever_selected(0.15, min(i, n or i)) for i in range(1, 41)])
        for name, n in copies.items()]
show(ever_plot.draw, ever, ever_plot.say, size=(7, 3.2))

# %% tags=["claim"]
claim(
    "With k different sets of masks, 1 - 0.85^k of the tokens are asked for at least once",
    [counted for _, counted, _ in ever], near=[foretold for _, _, foretold in ever], within=0.012,
    because="20,000 tokens: a standard error is at most 0.0036",
    control={"0.15 k": [[0.15 * k for k in range(1, 41)]] * 3},
)

# %% [markdown]
# With ten copies a fifth of the tokens is never asked for; with new masks hardly any. What that is worth is another question: in RoBERTa's own comparison dynamic masking did about as well as ten copies, or slightly better.
#
# ### BERT's second task
#
# In **next sentence prediction**, NSP, BERT reads two pieces, `[CLS] A [SEP] B [SEP]`, and says whether B followed A, which is so in half of the cases. The answer is read off the vector at `[CLS]`, after one more layer with tanh (the *pooler*). Both losses are added:

# %% tags=["derive"]
from course_lib.models.bert import PretrainingLogits, pretraining_loss

show_source(pretraining_loss)

# %% tags=["claim"]
pairs = PretrainingLogits(logits, torch.randn(6, 2, dtype=torch.float64))
not_next = torch.tensor([0, 1, 1, 0, 0, 1])  # BERT's numbering: 0 is "follows"
chance_of_next = pairs.next_sentence.softmax(dim=-1)[:, 0]
y = 1.0 - not_next  # the formula's numbering: 1 is "follows"
by_formula = -(y * chance_of_next.log() + (1 - y) * (1 - chance_of_next).log()).mean()
claim(
    "BERT's loss is the sum of two means, whichever answer has the number 1",
    pretraining_loss(pairs, masked.targets, not_next),
    near=cross_entropy(logits, masked.targets) + by_formula, within=1e-12,
    because="the same sums in float64",
    control={"labels taken the other way": pretraining_loss(pairs, masked.targets, 1 - not_next)},
)

# %% [markdown]
# You will also find NSP's loss as $-\log P(\text{IsNext})$ alone. Look what it rewards. Someone answers every pair with the same probability $p$:

# %% tags=["claim"]
grid = torch.linspace(0.001, 1, 1000, dtype=torch.float64)
truncated = -grid.log()
full = -0.5 * grid.log() - 0.5 * (1 - grid).log()
claim(
    "With -log P(IsNext) alone, always saying yes costs nothing",
    truncated.min(), equals=0.0,
    because="the logarithm of 1 is 0",
    control={"with the wrong pairs scored too": full.min()},
)
claim(
    "With both terms and half the pairs wrong, no constant answer is better than ln 2",
    full.min(), near=math.log(2), within=1e-6,
    because="the best constant, 1/2, is on the grid",
    control={"-log P(IsNext) alone": truncated.min()},
)

# %% [markdown]
# ### What does NSP test?
#
# The wrong B comes from another text. Need one understand anything to notice? Stories again, in pieces of two sentences. Count the content words (names, things, places, ...) that A and B share, and learn from half of the pairs which answer each number goes with:

# %% tags=["experiment"]
from course_lib.experiments.word_overlap import TASKS, overlap
from course_lib.plots import word_overlap as overlap_plot

overlaps = {task: [overlap(task, seed=seed) for seed in range(3)] for task in TASKS}
show(overlap_plot.draw, [found[0] for found in overlaps.values()], overlap_plot.say, size=(9.4, 3.4))

# %% tags=["claim"]
shared = {task: [o.accuracy for o in found] for task, found in overlaps.items()}
other_text, same_text, swapped = TASKS
claim(
    "Counting shared words tells a stranger from another text in most cases",
    shared[other_text], above=0.85,
    because="eight seeds gave 0.89 to 0.92",
    control={"stranger from the same text": shared[same_text], "swapped": shared[swapped]},
)
claim(
    "It tells next to nothing about order",
    shared[swapped], near=0.5, within=0.05,
    because="three standard errors of 1,150 pairs; A and B share the same words either way round",
    control={"stranger from another text": shared[other_text]},
)

# %% tags=["predict"]
pair_guess.reveal("in 1 only", "names and things give another story away; inside one story they are shared by all pieces")

# %% [markdown]
# Are the other two tasks impossible, then? **Sentence order prediction**, SOP, is the third ([Lan et al. 2020](https://arxiv.org/abs/1909.11942), ALBERT, section 3.1). A reader who knows the grammar solves it:

# %% tags=["claim"]
from course_lib.data.stories.order import in_order, order_pairs

ordered = order_pairs(grammar, 60, seed=0)


def right_answers(shown):
    """The share of pairs in which the reader's likelier answer is right."""
    return sum((in_order(grammar, *shown(pair)) > 0.5) == pair.follows for pair in ordered) / len(ordered)


claim(
    "Who knows the grammar tells the order of two neighbouring sentences in most cases",
    right_answers(lambda pair: (pair.first, pair.second)), above=0.75,
    because="eight seeds gave 0.85 to 0.98",
    control={"shown in alphabetical order": right_answers(lambda pair: sorted((pair.first, pair.second)))},
)

# %% [markdown]
# The label of SOP must be made with the pair. A snippet in print reads it off the segment ids (0 for A, 1 for B, 0 for padding) afterwards:

# %% tags=["experiment"]
segments = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1, 1, 1, 1]])
labels = (segments[:, 1:] < segments[:, :-1]).long()
print(labels)
shows_error(lambda: torch.nn.functional.cross_entropy(torch.zeros(2, 2), labels), RuntimeError)

# %% [markdown]
# One label for every two neighbouring tokens, 1 exactly where padding begins, the same whether the pair was swapped or not, and in a form that a two-way loss refuses. Exercise 3 repairs it.
#
# ### What papers measured (if you have time)
#
# "Without NSP, GLUE drops by 1.2% and SQuAD by 3 to 5%." (GLUE is a set of tasks on sentences, SQuAD one of finding answers in a text.) The source would be table 5 of [Devlin et al.](https://arxiv.org/abs/1810.04805), BERT-base with and without NSP, and left to right without it:

# %% tags=["experiment"]
TASK_NAMES = ["MNLI", "QNLI", "MRPC", "SST-2", "SQuAD F1"]
table = {"BERT": [84.4, 88.4, 86.7, 92.7, 88.5],
         "no NSP": [83.9, 84.9, 86.5, 92.6, 87.9],
         "left to right, no NSP": [82.1, 84.3, 77.5, 92.1, 77.8]}
scores = torch.tensor(list(table.values()), dtype=torch.float64)
loss_of_nsp = scores[0] - scores[1]
print(*(f"{name} {lost:.1f}" for name, lost in zip(TASK_NAMES, loss_of_nsp)), sep="   ")

# %% tags=["claim"]
claim(
    "Without NSP: 1.075 points less over the four GLUE tasks, 0.27 without QNLI, 0.6 on SQuAD",
    [loss_of_nsp[:4].mean(), loss_of_nsp[[0, 2, 3]].mean(), loss_of_nsp[4]],
    near=[1.075, 0.27, 0.6], within=0.005,
    because="arithmetic on the printed table",
    control={"the popular sentence": [1.2, 1.2, 4.0]},
)
claim(
    "Reading from left to right costs SQuAD 10.1 points more",
    scores[1, 4] - scores[2, 4], near=10.1, within=0.005,
    because="arithmetic on the printed table",
    control={"dropping NSP": loss_of_nsp[4]},
)

# %% [markdown]
# The table has four tasks of GLUE, not all; the 3.5 is QNLI's; what hurts SQuAD is losing the second side. RoBERTa (section 4.2) finds that dropping NSP does no harm or helps a little, but packs its inputs differently at the same time; perhaps, it says, BERT's "no NSP" still read pairs. ALBERT's table 5 compares no second task, NSP and SOP:

# %% tags=["claim"]
albert = {"none": [(88.6, 81.5), (78.1, 75.3), 81.5, 89.9, 61.7],
          "NSP": [(88.4, 81.5), (77.2, 74.6), 81.6, 91.1, 62.3],
          "SOP": [(89.3, 82.3), (80.0, 77.1), 82.0, 90.3, 64.0]}


def average(row, of_two=lambda two: sum(two) / 2):
    """Over five benchmarks; SQuAD 1.1 and 2.0 have two scores each, F1 and exact match."""
    return sum(of_two(score) if isinstance(score, tuple) else score for score in row) / 5


claim(
    "ALBERT's printed averages are 79.0 without, 79.2 with NSP, 80.1 with SOP",
    [average(row) for row in albert.values()], near=[79.0, 79.2, 80.1], within=0.05,
    because="printed to one decimal",
    control={"F1 alone": [average(row, max) for row in albert.values()]},
)

# %% [markdown]
# The same table has what you measured above, for a real model: trained on NSP it is right in 90.5% of NSP's pairs and in 52.0% of SOP's; trained on SOP, in 78.9% and 86.5%.
#
# ## Exercise
#
# ### 1. What a GPT is asked

# %% tags=["exercise"]
from course_lib.checks.lesson_41 import broken_masking, next_token_targets, repair_masking

next_token_targets


# %% tags=["exercise"]
def my_targets(token_ids, real):
    raise NotImplementedError


next_token_targets.check(my_targets)

# %% tags=["exercise"]
next_token_targets.hint()

# %% [markdown]
# ### 2. Repair the masking

# %% tags=["exercise"]
show_source(broken_masking)

# %% tags=["exercise"]
repair_masking


# %% tags=["exercise"]
def my_masking(token_ids, special, draw, fate, strangers, mask_id):
    masked = token_ids.clone()
    chosen = draw < 0.15
    masked[chosen] = mask_id
    random = chosen & (fate < 0.5)
    masked[random] = strangers[random]
    return masked


repair_masking.check(my_masking)

# %% tags=["exercise"]
repair_masking.hint()

# %% [markdown]
# ### 3. Labels for order

# %% tags=["exercise"]
from course_lib.checks.lesson_41 import broken_sop, sop_batch

show_source(broken_sop)

# %% tags=["exercise"]
sop_batch


# %% tags=["exercise"]
def my_sop_batch(first, second, swap):
    token_ids = torch.cat([first, second], dim=1)
    segment_ids = torch.cat([torch.zeros_like(first), torch.ones_like(second)], dim=1)
    labels = (segment_ids[:, 1:] < segment_ids[:, :-1]).long()
    return token_ids, segment_ids, labels


sop_batch.check(my_sop_batch)

# %% tags=["exercise"]
sop_batch.hint()

# %% [markdown]
# ### An open one
#
# In the race, the hidden tokens all became `[MASK]`. With 80/10/10 on the same dice texts, a perfect reader gets *below* $\ln 32$. Which tokens give something away, and how much? (You should come to about 3.24 nats.)

# %% [markdown]
# ## Takeaways
#
# What is a model graded on? A GPT on every token but the first, each given the words before it; the factors multiply to the probability of the text. A BERT on the 15% that were selected, each on its own given the corrupted text: both sides help, but the answers are no joint probability. And, second, on whether two pieces belong together, which shared words nearly settle when the stranger comes from another text.
#
# Why can't a two-sided model predict the next word? Because it reads it. Forbidding each place to read itself helps for one layer only: in the second a neighbour hands the answer back. Either attention hides the future, or the input hides the answer.
#
# The toys show what *can* be learned from an objective and what leaks. They do not show which objective makes the better model; that is what the tables of the papers are for, and those change several things at once.
#
# Not covered: spans as targets (T5), permuted orders (XLNet), replaced-token detection (ELECTRA).
#
# Sources: Radford et al. 2018; Devlin et al. 2019, sections 3.1 and 5.1, appendix A; Liu et al. 2019 (RoBERTa), section 4; Lan et al. 2020 (ALBERT), sections 3.1 and 4; Yang et al. 2019 (XLNet), section 2; Clark et al. 2020 (ELECTRA).
#
# Next: [42 AdamW](42_adamw.ipynb). [Contents](01_how_this_course_works.ipynb)
