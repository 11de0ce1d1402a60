# %% [markdown]
# # 65 BERT and GPT compared
#
# **The usual table has six differences between BERT and GPT. What is true of them, and how many are there really?** At the end you can fill each row from a measurement, say which rows follow from a single switch, and tell what that means for choosing one. You need lessons 22, 33, 41 and 52; about 50 minutes. Three cells take up to half a minute each. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [64 Real checkpoints](64_real_checkpoints.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(65)

# %% tags=["widget"]
from course_lib.experiments.depends_on import depends_on
from course_lib.plots import depends_on as depends_plot
from course_lib.widgets.controls import choice, control
from course_lib.widgets.explore import explore

explore(depends_on, depends_plot.draw, depends_plot.say, size=(9.4, 4.6),
        place=control(1, 31, 1, 15, label="word"))

# %% [markdown]
# ## Question
#
# Two models that come with this course read the same story: a BERT and a GPT, both trained on such stories. Each makes a vector at every word. The figure asks what one vector depends on. Every input is nudged a little, and the bars show how strongly the vector at the grey word reacts to each. (Bars above 60% are cut off.) It stands at "she" now. What does each model look at there? Walk it through the story. And what never happens in the lower panel?
#
# That is one row of a table that is printed in many places. Here it is, together with what is often said about its rows:
#
# | | BERT | GPT |
# |---|---|---|
# | **what is seen** | 100% of the text, both sides | only the past |
# | **cost** | $O(T^2 d)$ for $T$ words and width $d$ | the same; the causal mask saves half |
# | **what is graded** | 15% of the words, so it needs 1/0.15, nearly 7 times the training | every word |
# | **training** | in parallel | in parallel |
# | **use** | one pass | one pass a word: not parallel |
# | **norm** | Post-LN: gradients vanish towards the bottom | Pre-LN: they pass without loss |
#
# Some of it is right, some is sloppy, and some is wrong. You will fill the table anew:

# %% tags=["widget"]
from course_lib.widgets.row_table import RowTable

table = RowTable(["", "BERT", "GPT", "what decides it"],
                 ["what is seen", "norm", "cost", "what is graded", "training", "use"])
table

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

mask_guess = predict(
    "Take the blocks of a BERT with all their weights, and hide the future with a causal mask; "
    "nothing else changes. Then look at (1) what a vector depends on, (2) whether vectors stay "
    "when a word is added, (3) whether a place sees the next word, (4) how large a gradient "
    "enters the topmost of 12 blocks, compared with 2 blocks. Which become as in a GPT-2?",
    ["1", "1 and 3", "1, 2 and 3", "all four"],
)
mask_guess

# %% tags=["predict", "widget"]
cost_guess = predict(
    "A block of BERT-base (width 768) reads 512 words in place of 256. Its multiplications and "
    "additions become",
    ["about twice as many", "about three times as many", "about four times as many"],
)
cost_guess

# %% tags=["predict", "widget"]
graded_guess = predict(
    "A small GPT learns to repeat letters. Another is graded on 15% of its places only, drawn "
    "anew for each text. Until its surprise at letters that can be known is half that of "
    "guessing, it needs",
    ["about as many steps", "half as many again to three times as many", "three to five times as many",
     "about seven times as many"],
)
graded_guess

# %% tags=["predict", "widget"]
gap_guess = predict(
    "A trained GPT is to fill a gap in the middle of a story. Its vectors have only seen what "
    "stands before the gap. Can the words behind it help?",
    ["no, the mask hides them", "only after more training", "yes, as it is"],
)
gap_guess

# %% [markdown]
# ## Derive
#
# ### What is seen
#
# Lesson 22 took random blocks and found what gets through a mask: the **Jacobian**, all reactions of outputs to inputs. The figure above did it for trained models. Of all pairs of words, how many have an influence at all?

# %% tags=["claim"]
from course_lib.checks.claim import claim
from course_lib.experiments.depends_on import trained_influences

in_bert, in_gpt = trained_influences()
T = len(in_gpt)
pairs_bert, pairs_gpt = ((found > 0).double().mean().item() for found in (in_bert, in_gpt))
claim(
    "In the trained BERT every vector depends on every word",
    pairs_bert, equals=1.0, because="a word that is out of sight has a reaction of exactly 0, any other has not",
    control={"the trained GPT": pairs_gpt},
)
claim(
    "In the trained GPT it is (T + 1) / 2T of the pairs",
    pairs_gpt, near=(T + 1) / (2 * T), within=1e-12, because="a word that is out of sight has a reaction of exactly 0, any other has not",
    control={"the trained BERT": pairs_bert},
)

# %% tags=["derive"]
import torch

distance = (torch.arange(T)[:, None] - torch.arange(T)).abs()


def within(found, n_words):
    """Of all reactions, the share to words at most so far away; a mean over the story's words."""
    shares = found / found.sum(dim=-1, keepdim=True)
    return (shares * (distance <= n_words)).sum(dim=-1).mean().item()


for name, found in (("BERT", in_bert), ("GPT", in_gpt)):
    print(f"{name:4} itself {within(found, 0):.0%}, at most 3 words away {within(found, 3):.0%}, "
          f"at most 10 {within(found, 10):.0%}")
table.fill("what is seen", f"{pairs_bert:.0%} of the pairs", f"{pairs_gpt:.0%}: (T + 1) / 2T", "the mask")

# %% [markdown]
# "100%" says what *can* get through. It says nothing about how much does: a good part of the reactions, in both models, goes to the word itself and to those close by.
#
# ### Two switches
#
# Behind most of the table are two things that a builder decides: whether attention may read both sides, and whether the norm stands behind each sublayer (Post-LN) or before it (Pre-LN). BERT and GPT-2 differ in both. A comparison of two models cannot tell which of the two makes a difference. Four can. In the figure you set both switches. The blocks always have the same random weights. Each row is measured anew, and the colour tells whose value it is:

# %% tags=["widget"]
from course_lib.experiments.two_switches import switched
from course_lib.plots import two_switches as switches_plot

explore(switched, switches_plot.draw, switches_plot.say, size=(9.4, 3.3),
        causal=choice({"both sides": False, "only the past": True}, False, label="attention reads"),
        norm_first=choice({"behind each sublayer": False, "before each sublayer": True}, False,
                          label="the norm stands"),
        n_words=choice([4, 8, 16], 8, label="words"))

# %% [markdown]
# *Vectors that stay when a word is added* decides two things. If they stay, keys and values may be cached (lesson 52). And one pass over $T$ words gives what $T$ passes over its beginnings would, so that all of them can be graded at once. *Places that see the next word* cannot be asked for it: they would copy (lesson 41). *The gradient on top* is the one that enters the last of 12 blocks, compared with the last of 2 (lesson 33).
#
# Flip one switch at a time. Is there a row that both switches change? Then look at three draws of the weights:

# %% tags=["claim"]
from course_lib.experiments.two_switches import Design, measured


def of_all(row, causal=(False, True), norm_first=(False, True)):
    """One row, for some settings of both switches and three draws."""
    return [getattr(measured(Design(c, n), seed=seed), row)
            for c in causal for n in norm_first for seed in range(3)]


claim(
    "With a causal mask all vectors stay when a word is added, wherever the norm stands",
    of_all("kept", causal=(True,)), equals=1.0,
    because="no earlier word can read the new one",
    control={"both sides visible": of_all("kept", causal=(False,))},
)
claim(
    "And no place sees the next word",
    of_all("next_seen", causal=(True,)), equals=0.0,
    because="every way to it goes through a share of 0",
    control={"both sides visible": of_all("next_seen", causal=(False,))},
)

# %% tags=["claim"]
claim(
    "Norm behind, either mask: 12 blocks leave the gradient on top as it is with 2",
    of_all("top", norm_first=(False,)), near=1.0, within=0.1,
    because="every block ends with a norm, whatever stands below; six draws gave 0.95 to 0.97",
    control={"the norm before": of_all("top", norm_first=(True,))},
)
mask_guess.reveal("1, 2 and 3", "the gradient at the top goes with the norm, not with the mask")

# %% [markdown]
# So the table holds two independent things, and the first carries most rows. All four models exist. GPT-2's paper says that the norm "was moved to the input of each sub-block": the first GPT was causal with Post-LN. [ModernBERT](https://arxiv.org/abs/2412.13663) reads both sides (in most layers through a window) with Pre-LN. So the norm does not belong to a family.
#
# ### Norm
#
# What of the sentences that come with it? Twelve blocks each, three draws; the gradient of the second matrix of the feed-forward layer, in the first block over the last (lesson 33 has all matrices, starts and depths). For Post-LN the control detaches what a sublayer reads, so that it returns no gradient: what the popular argument silently assumes.

# %% tags=["claim"]
from course_lib.experiments.gradient_flow import PLACEMENTS, Stack, gradient_flow
from course_lib.experiments.return_path import cut_flow

POST, PRE = PLACEMENTS


def flows(placement, **changes):
    """Twelve blocks under both masks, three draws each."""
    stacks = [Stack(placement, "xavier", causal, 12, 64, **changes) for causal in (False, True)]
    return [gradient_flow(stack, seed) for stack in stacks for seed in range(3)]


post_flows, pre_flows = flows(POST), flows(PRE)
cut = [cut_flow(Stack(POST, "xavier", False, 12, 64), seed=seed).flow for seed in range(3)]
claim(
    "Post-LN, either mask: at the start, the gradient of W2 does not vanish towards the bottom",
    [flow.bottom_over_top("W2") for flow in post_flows], above=0.3,
    because="16 draws gave 0.5 to 2.4, on both sides of 1: chance, not depth",
    control={"the way back cut": [flow.bottom_over_top("W2") for flow in cut]},
)

# %% tags=["claim"]
claim(
    "Pre-LN, either mask: the gradient does not pass unchanged; at the bottom it is larger",
    [flow.stream_ratio for flow in pre_flows], above=2.0,
    because="it grows downwards as the stream grows upwards (lesson 33); 16 draws gave 2.8 to 4.5",
    control={"weights a twentieth as large": [flow.stream_ratio for flow in flows(PRE, gain=0.05)]},
)

# %% tags=["derive"]
from statistics import mean

tops = {kind: of_all("top", norm_first=(kind,)) for kind in (False, True)}
table.fill("norm",
           f"Post-LN: on top of 12 blocks {mean(tops[False]):.2f} of the gradient on top of 2",
           f"Pre-LN (GPT-2): {mean(tops[True]):.2f}", "where the norm stands, under either mask")

# %% [markdown]
# ### Cost
#
# Count for one block. Per word: four matrices of $d \times d$ in attention and two of $d \times 4d$ in the feed-forward layer, a multiplication and an addition for each weight. Per pair of words: a score and a share of the mix, $2d$ each.
#
# $$24\,T d^2 + 4\,T^2 d$$
#
# $O(T^2 d)$ keeps the second term alone. Let PyTorch count a block of the published width:

# %% tags=["claim"]
from course_lib.config import BERT_SIZES
from course_lib.experiments.operation_counts import counted
from course_lib.mechanisms.blocks import PostNormBlock

block = PostNormBlock(BERT_SIZES["bert-base"]).eval().requires_grad_(False)
ops = {n: counted(lambda n=n: block(torch.zeros(1, n, 768))) for n in (256, 512)}
claim(
    "In a block of BERT-base 512 words take 2.1 times the operations of 256",
    ops[512] / ops[256], near=2.1, within=0.01,
    because="2 (24 d + 4 T) / (24 d + 2 T) is 2.105 for d = 768 and T = 512",
    control={"T^2 d": 4.0, "T d^2": 2.0},
)
pair_share = 1 - 24 * 512 * 768**2 / ops[512]
claim(
    "At 512 words, the longest that BERT reads, pairs take a tenth of the block",
    pair_share, near=0.1, within=1e-9,
    because="4 T / (24 d + 4 T)",
    control={"T^2 d": 1.0},
)
cost_guess.reveal("about twice as many", "at this width most operations go with words, not with pairs")

# %% [markdown]
# "The causal mask saves half." Of what? Take a strip of queries at a time, and leave out all keys behind its end. Nothing that may be read is lost:

# %% tags=["derive"]
from course_lib.experiments.hidden_pairs import in_strips, skipped

show_source(in_strips)

# %% tags=["claim"]
STRIPS = (1, 2, 4, 48)
strips = [skipped(48, n) for n in STRIPS]
claim(
    "In strips, causal attention comes out the same",
    [each.causal for each in strips], below=1e-12,
    because="float64; what is left out had the share 0",
    control={"against attention to both sides": [each.two_sided for each in strips]},
)
claim(
    "In n strips it takes (n + 1) / 2n of its operations",
    [each.share for each in strips], near=[(n + 1) / (2 * n) for n in STRIPS], within=1e-12,
    because="1 + 2 + ... + n strips of keys, of n times n",
    control={"half, however many strips": [0.5] * len(STRIPS)},
)

# %% [markdown]
# So half of the *second* term, at best. Push the text and the width about: where does the mask come near to half of the block?

# %% tags=["widget"]
from course_lib.experiments.hidden_pairs import block_cost
from course_lib.plots import hidden_pairs as hidden_plot

explore(block_cost, hidden_plot.draw, hidden_plot.say, size=(9.4, 3),
        d_model=choice([64, 256, 768, 1600, 12_288], 768, label="width"),
        n_words=choice([2**power for power in range(5, 18)], 512, label="words"))

# %% tags=["claim"]
claim(
    "With 512 words and width 768 the mask can save a twentieth of the block",
    1 - block_cost(768, 512).needed, near=0.05, within=0.001,
    because="nearly half of a tenth",
    control={"half of the block": 0.5, "1,024 words, width 64": 1 - block_cost(64, 1024).needed},
)
table.fill("cost", f"24 T d² + 4 T² d; at 512 words pairs take {pair_share:.0%}",
           f"the same; {1 - block_cost(768, 512).needed:.1%} less if hidden pairs are left out",
           "width and length; the mask only a little")

# %% [markdown]
# The library computes all pairs and hides half, so in our own code the row has no difference at all. (Whether a machine turns fewer operations into less time is another question; nothing is timed here.)
#
# ## Experiment
#
# ### What is graded
#
# First the count, on pairs of story parts, with BERT's own masking:

# %% tags=["derive"]
from course_lib.data.story_pairs import next_part_pairs, story_masking
from course_lib.experiments.pair_masks import count_asked

held_out = next_part_pairs(n_pairs=2, n_held_out=300).validation
asked = count_asked(held_out.rows, story_masking())
per_text = held_out.n_tokens / len(held_out)
print(f"a pair of {per_text:.0f} tokens: BERT is asked for {asked.a_pair:.1f}, "
      f"a GPT would be for {per_text - 1:.0f}")

# %% [markdown]
# That is a fact. "So it needs nearly seven times the training" is a conclusion. Test it where everything else is equal: one small transformer, the same texts, the same steps. The texts say six random letters twice, and the model names the next letter. One is graded everywhere, one on 15% of its places. A third reads both sides, and 15% of its letters are hidden. The curves show the surprise at letters that can be known, in new texts.

# %% tags=["experiment"]
from course_lib.experiments.graded_places import ALL, ENTRANTS, FEW, GUESSING, race, steps_until
from course_lib.plots import graded_places as graded_plot
from course_lib.widgets.live import live

STEPS = 200
run = live(race(STEPS), STEPS, graded_plot.draw_for([*ENTRANTS], STEPS, GUESSING),
           graded_plot.say, size=(9.4, 3))

# %% tags=["experiment"]
runs = [run.history, *(list(race(STEPS, (ALL, FEW), seed=seed)) for seed in (1, 2))]
needed = {name: [steps_until(history, name) for history in runs] for name in (ALL, FEW)}
for name, steps in needed.items():
    print(f"{name:31} halfway down after", steps, "steps")
slower = [few / every for few, every in zip(needed[FEW], needed[ALL])]

# %% tags=["claim"]
claim(
    "Graded on 15% of its places, the same model does not need 1 / 0.15 times as many steps",
    slower, below=3.0,
    because="chance moves it by a few tenths: draws 1 to 4 gave 1.7 to 2.0",
    control={"1 / 0.15": 1 / 0.15},
)
graded_guess.reveal(
    f"{min(slower):.1f} to {max(slower):.1f} times, in three runs",
    "the gradient is a mean over what is graded: with less of it, noisier and not smaller",
)

# %% [markdown]
# The count of questions and the cost in steps are two things. The loss is a *mean* over the places that are graded. With fewer of them its gradient points the same way on average and scatters more. What that costs depends on the task, the batch and the optimiser, and this is one small setting. The third curve is there to be seen, not to be compared: its questions are other ones. For real models [Clark et al. 2020](https://arxiv.org/abs/2003.10555) (ELECTRA) report that a task which asks about every word is more efficient than one that asks about the hidden ones. So fewer questions do cost something; how much cannot be read off the 15%.
#
# And the words that nobody asks for are not wasted. They are what the answers are told from, so the gradient reaches them, and all weights that made their vectors. In the small model of the third curve, untrained:

# %% tags=["claim"]
from course_lib.experiments.graded_places import unasked_reached

claim(
    "With both sides in sight, all words that are not asked for get a gradient",
    [unasked_reached(seed) for seed in range(3)], equals=1.0,
    because="every answer depends on every word of its text",
    control={"where each place reads itself alone": [unasked_reached(seed, alone=True) for seed in range(3)]},
)
table.fill("what is graded", f"{asked.selected:.0%} of the words, each from both sides",
           "every word but the first, each from the left",
           "the mask: who sees a word cannot be asked for it")

# %% [markdown]
# ### Training and use
#
# In training both say "parallel", and that is true: all questions of a text are asked in one pass. For BERT that takes nothing special. For a GPT it takes the mask: its answer at each word has to be what it would say if the text ended there. The trained GPT, on the story of the first figure:

# %% tags=["claim"]
from course_lib.experiments.depends_on import TEXT
from course_lib.experiments.looking_ahead import logits_under
from course_lib.models.shipped import load

gpt = load("modern-stories-gpt")
ids = gpt.prompt(TEXT)[0]
with torch.no_grad():
    at_once = gpt.model(ids[None])[0].softmax(-1)
    one_by_one = torch.stack([gpt.model(ids[None, :n])[0, -1].softmax(-1) for n in range(1, len(ids) + 1)])
    unmasked = logits_under(gpt.model, ids[None], None)[0].softmax(-1)
claim(
    "One pass over a text gives a GPT's answers to all its beginnings",
    (at_once - one_by_one).abs().max().item(), below=1e-4,
    because="the same sums in another order; float32 keeps about seven digits",
    control={"without the mask": (unmasked - one_by_one).abs().max().item()},
)
table.fill("training", f"one pass: {asked.a_pair:.0f} questions on {per_text:.0f} tokens",
           f"one pass: {len(ids) - 1} questions on {len(ids)} tokens", "nothing; for GPT the mask makes it possible")

# %% [markdown]
# "BERT needs one pass, GPT one a word" compares two different jobs. Give both the same jobs, and count what they read. *Judge a text*: one vector for all of it. *Fill a gap*: the likeliest of 100 words, given both sides. *Score every word*: how likely each is, given those before it (GPT) or all others (BERT; each has to be hidden once). *Write on*: eight words behind a text, one after the other. All texts have 24 words; a GPT has its cache.

# %% tags=["experiment"]
from course_lib.experiments.jobs import FILL, JUDGE, SCORE, WRITE, jobs
from course_lib.plots import jobs as jobs_plot
from course_lib.plots.show import show

done = jobs(n_words=24, n_new=8)
show(jobs_plot.draw, done, jobs_plot.say, size=(9.4, 3.4))

# %% tags=["claim"]
claim(
    "To write, both need a pass for each new word",
    [done[WRITE][family].passes for family in ("BERT", "GPT")], equals=8,
    because="each word depends on the one before, so no two can be had at once",
    control={"to judge": [done[JUDGE][family].passes for family in ("BERT", "GPT")]},
)
ratio = {job: done[job]["BERT"].tokens / done[job]["GPT"].tokens for job in done}
claim(
    "To write and to score, BERT reads several times as much",
    [ratio[WRITE], ratio[SCORE]], above=5,
    because="a new word changes all its vectors; and to score, it hides each word once",
    control={"to judge": ratio[JUDGE], "to fill a gap": ratio[FILL]},
)
use = {family: f"judge: {done[JUDGE][family].passes} pass; write: {done[WRITE][family].passes} passes, "
               f"{done[WRITE][family].tokens} tokens" for family in ("BERT", "GPT")}
table.fill("use", *use.values(), "the job; and the mask: whether vectors stay")

# %% [markdown]
# No family wins all four. And look at the second job: how does a GPT fill a gap at all?
#
# ### A gap, from the left
#
# By hand, with two letters and three places. Somebody knows how likely the next letter is `a`, given those before. The text is `a ? b`:

# %% tags=["derive"]
CHANCE_OF_A = {"a": 0.1, "aa": 0.5, "ab": 0.9}


def chance(letter, before):
    return CHANCE_OF_A[before] if letter == "a" else 1 - CHANCE_OF_A[before]


weight = {letter: chance(letter, "a") * chance("b", "a" + letter) for letter in "ab"}
by_hand = {letter: w / sum(weight.values()) for letter, w in weight.items()}
print("from the left", {letter: chance(letter, "a") for letter in "ab"}, "from both sides", by_hand)

# %% [markdown]
# Put each letter into the gap and multiply along the text. What makes the whole likelier is the likelier letter: Bayes' rule.
#
# $$p(w \mid \text{left}, \text{right}) = \frac{p(w \mid \text{left})\; p(\text{right} \mid \text{left}, w)}{\sum_{w'} p(w' \mid \text{left})\; p(\text{right} \mid \text{left}, w')}$$
#
# Every factor is a next-word probability, so a GPT has them all. The library tries every word of the vocabulary:

# %% tags=["derive"]
from course_lib.experiments.gap_by_scoring import both_answers

show_source(both_answers)

# %% [markdown]
# The stories come from a grammar, so there is a referee: the *perfect* reader, who knows every rule. If the GPT beats the perfect reader who has seen the left side only, it must have used the right side. 24 gaps, one each in new stories (some seconds):

# %% tags=["experiment"]
from course_lib.experiments.gap_by_scoring import fill_gaps, mean_surprises
from course_lib.plots.bars import draw_gaps, say_gaps

gaps = fill_gaps(gpt, 24, load("stories-bert").model)
means = mean_surprises(gaps)
names = {"left": "GPT, from the left", "perfect_left": "perfect reader, from the left",
         "scored": "GPT, by scoring the story", "bert": "BERT", "perfect": "perfect reader, both sides"}
show(draw_gaps, {name: means[key] for key, name in names.items()}, say_gaps, size=(9, 2.8))

# %% tags=["claim"]
claim(
    "By scoring, the GPT fills gaps better than anyone could from the left",
    means["perfect_left"] - means["scored"], above=0.2,
    because="24 gaps scatter; two other draws of 24 gave 0.4 and 0.8",
    control={"the GPT from the left": means["perfect_left"] - means["left"]},
)
gap_guess.reveal("yes, as it is", "it knows how likely whole texts are, and the right side is part of one")

# %% [markdown]
# The bar of BERT stands there to be seen. The two models differ in size and training, so which of both is ahead says nothing about families.
#
# So "GPT cannot use the right side" is not true either. It pays for it: as many texts as there are words to choose from, where a BERT reads one. The other way round is worse. A BERT's answers, each given all others, do not multiply to the probability of anything (lesson 41), and two gaps that must agree are filled in without a look at each other (lesson 62).
#
# ## What follows for choosing
#
# The table does not say which model is better. It says what each can do cheaply.
#
# Is something to be written, or the probability of a text wanted? A causal model writes with a cache and scores a text in one pass. Are many places of a text to be labelled, each in the light of both sides: tags, spans, gaps? A two-sided model does that in one pass; a causal one has to decide at each word before it has read on. Is one vector or one label wanted for a whole text? Both read it in one pass, and the last word of a causal model has seen everything. There the table decides nothing. What decides is which model has learnt more that helps, and that has to be tried: with several seeds, and beside simple rivals (lesson 63).
#
# Nor is a family for life. [BehnamGhader et al. 2024](https://arxiv.org/abs/2404.05961) take large causal models, switch the mask off, and after a short training use them as encoders. [T5](https://arxiv.org/abs/1910.10683) has both: an encoder that reads and a decoder that writes. And norm, word pieces, positions and size can be chosen without regard to the family.
#
# What is not in the table often weighs more: how large a model is, how much text it has learnt from, what it costs to run, and whether its weights can be had.
#
# ## Exercise
#
# ### Fill the row of costs

# %% tags=["exercise"]
from course_lib.checks.lesson_65 import operations_needed, tokens_to_write

operations_needed


# %% tags=["exercise"]
def my_operations_needed(n_words, d_model, causal):
    raise NotImplementedError


operations_needed.check(my_operations_needed)

# %% tags=["exercise"]
operations_needed.hint()

# %% [markdown]
# ### Fill the row of writing

# %% tags=["exercise"]
tokens_to_write


# %% tags=["exercise"]
def my_tokens_to_write(n_prompt, n_new, cached):
    raise NotImplementedError


tokens_to_write.check(my_tokens_to_write)

# %% tags=["exercise"]
tokens_to_write.hint()

# %% [markdown]
# ### Fill a row of your own
#
# Which row is missing? Memory while writing (lesson 52), what becomes of padding (lesson 22), the parameters of both (lesson 62)? Measure it, say what decides it, and put it in with `table.fill("my row", "...", "...", "...")`.

# %% [markdown]
# ## Takeaways

# %% tags=["derive"]
table

# %% [markdown]
# What is true of the usual table? What is seen, what is graded, and that training is parallel. Sloppy: the cost, of which $T^2 d$ is the smaller part as long as $T$ is well below $6d$, and of which the mask can save half of that part. Wrong: that grading 15% means seven times the training, at least in the small race above; that use is one pass here and one a word there, which compares two jobs; and that Post-LN loses its gradients at the bottom while Pre-LN passes them unchanged (which was tried here at the start of training, for one matrix and one way to draw; lesson 33 has the cases where something is lost).
#
# How many differences are there? In this table, two switches. The *mask* decides what is seen; whether vectors stay, and with it the cache and grading every place in one pass; and so which jobs are cheap. The *norm* decides how large the gradient on top is, and belongs to no family. Cost hardly differs. (Word pieces, segments and BERT's second question, about pairs of texts, differ as well; the table leaves them out.)
#
# The switches were tried on random blocks, the race on six letters, the gaps on stories from a grammar. None of it says how good a large model is at anything.
#
# Sources: Radford et al. 2018 and [2019](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf) (section 2.3, where the norm moved); Devlin et al. 2019; Raffel et al. 2020 (T5); Clark et al. 2020 (ELECTRA); BehnamGhader et al. 2024, LLM2Vec; Warner et al. 2024, ModernBERT.
#
# [Contents](01_how_this_course_works.ipynb) · previous: [64 Real checkpoints](64_real_checkpoints.ipynb)
