# %% [markdown]
# # 65 BERT and GPT compared
#
# **The usual table has six differences between BERT and GPT. What is true of them, and how many are there really?** At the end you can fill each row from a measurement, say which choice decides each row, and tell what that means for choosing one. You need lessons 22, 33, 41 and 52; about 50 minutes. Three cells take up to half a minute each. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [64 Real checkpoints](64_real_checkpoints.ipynb)

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
# Two models that come with this course read the same story: a BERT and a GPT, both trained on such stories. Each makes a vector at every word. The figure asks what one vector depends on. Every input is nudged a little, and the bars show how strongly the vector at the grey word reacts to each. (One bar is cut off at 60%: the GPT's at its first word, which has nothing else to react to.) It stands at "she" now. What does each model look at there? Walk it through the story. And what never happens in the lower panel?
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
# | **norm** | Post-LN: gradients vanish towards the bottom | Pre-LN: they pass unchanged |
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
    "Take fresh blocks built as BERT's, with weights drawn by Xavier, and hide the future with a "
    "causal mask; nothing else changes. Then look at (1) what a vector depends on, (2) whether "
    "vectors stay when a word is added, (3) whether a place sees the next word, (4) how large a "
    "gradient enters the topmost of 12 blocks, compared with 2 blocks. Which become as in blocks "
    "built as GPT-2's and drawn in the same way?",
    ["1", "1 and 3", "1, 2 and 3", "all four"],
)
mask_guess

# %% tags=["predict", "widget"]
cost_guess = predict(
    "A block of BERT-base (width 768) reads 512 tokens in place of 256. Its multiplications and "
    "additions become",
    ["about twice as many", "about three times as many", "about four times as many"],
)
cost_guess

# %% tags=["predict", "widget"]
graded_guess = predict(
    "A small GPT learns to repeat letters, 32 texts a step. Another is graded on 15% of its places only, drawn "
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


even = torch.ones(T, T)
for name, found in (("BERT", in_bert), ("spread over all words", even),
                    ("GPT", in_gpt), ("spread over the past", even.tril())):
    print(f"{name:21} itself {within(found, 0):.0%}, at most 3 words away {within(found, 3):.0%}, "
          f"at most 10 {within(found, 10):.0%}")
table.fill("what is seen", f"{pairs_bert:.0%} of the pairs", f"{pairs_gpt:.0%}: (T + 1) / 2T", "the mask")

# %% [markdown]
# "100%" says what *can* get through, not how much does. The lines "spread" are what reactions would give that are alike for all words in sight. BERT's are much more local than that, the GPT's only a little. (One text, one random direction of the output and tiny nudges stand behind these shares; they are not a measure of importance.)
#
# ### Two switches
#
# Behind most of the table are two things that a builder decides: whether attention may read both sides, and whether the norm stands behind each sublayer (Post-LN) or before it (Pre-LN). BERT and GPT-2 differ in both. A comparison of two models cannot tell which of the two makes a difference. Four can. In the figure you set both switches. The blocks are fresh, and all three columns have the same random weights. A third menu says how they are drawn: by Xavier's rule, or as GPT-2's, with small matrices where a sublayer writes to the stream (lesson 34). The colour tells whose value a row has:

# %% tags=["widget"]
from course_lib.experiments.two_switches import switched
from course_lib.plots import two_switches as switches_plot

explore(switched, switches_plot.draw, switches_plot.say, size=(9.4, 3.3),
        causal=choice({"both sides": False, "only the past": True}, False, label="attention reads"),
        norm_first=choice({"behind each sublayer": False, "before each sublayer": True}, False,
                          label="the norm stands"),
        start=choice({"by Xavier": "xavier", "as GPT-2's": "scaled"}, "xavier", label="weights drawn"),
        n_words=choice([4, 8, 16], 8, label="words"))

# %% [markdown]
# *Vectors that stay when a word is added* decides two things. If they stay, keys and values may be cached (lesson 52). And one pass over $T$ words gives what $T$ passes over its beginnings would, so that all of them can be graded at once. *Places that see the next word* cannot be asked for it: they would copy (lesson 41). *The gradient on top* is the one that enters the last of 12 blocks from above, compared with the last of 2 ([Xiong et al. 2020](https://arxiv.org/abs/2002.04745), lesson 33).
#
# Flip one switch at a time. Is there a row that both switches change? Then draw the weights as GPT-2's. What becomes of the last row? Here are three draws:

# %% tags=["claim"]
from course_lib.experiments.two_switches import Design, measured


def of_all(row, causal=(False, True), norm_first=(False, True), start="xavier"):
    """One row, for some settings of both switches and three draws."""
    return [getattr(measured(Design(c, n, start), seed=seed), row)
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
    "Drawn by Xavier, norm before, either mask: on top of 12 blocks arrives about half of what does on top of 2",
    of_all("top", norm_first=(True,)), below=0.6,
    because="the stream grows, and the norm on top divides by its spread; ten draws gave 0.42 to 0.48",
    control={"the norm behind": of_all("top", norm_first=(False,)),
             "the norm before, drawn as GPT-2's": of_all("top", norm_first=(True,), start="scaled")},
)
mask_guess.reveal("1, 2 and 3", "the mask leaves the gradient on top as it was")

# %% [markdown]
# No row follows both switches, and most follow the mask. The last one follows the norm, but only with Xavier's weights. GPT-2 starts otherwise: it divides the matrices that write to the stream by a root of their number. Then the stream hardly grows, and the row has no difference. The norm in front *lets* the stream grow; the start decides whether it does.
#
# All four models exist. GPT-2's paper says that the norm "was moved to the input of each sub-block": the first GPT was causal with Post-LN. [ModernBERT](https://arxiv.org/abs/2412.13663) reads both sides (in most layers through a window) with Pre-LN. So the norm does not belong to a family.
#
# ### Norm
#
# And the sentences about the bottom? Twelve blocks at the start of training, three draws under each mask. Measured is the gradient of $W_2$, the second matrix of the feed-forward layer: in the first block, over the last. If gradients vanished, that would be near 0; if they passed unchanged, 1. (Lesson 33 has all matrices, starts and depths.)
#
# Post-LN first. The control detaches what a sublayer reads, so that it returns no gradient: what the popular argument silently assumes.

# %% tags=["claim"]
from course_lib.experiments.gradient_flow import PLACEMENTS, Stack, gradient_flow
from course_lib.experiments.return_path import cut_flow

POST, PRE = PLACEMENTS


def bottom_over_top(placement, start):
    """The gradient of W2 in the first of twelve blocks, over the last; three draws a mask."""
    stacks = [Stack(placement, start, causal, 12, 64) for causal in (False, True)]
    return [gradient_flow(stack, seed).bottom_over_top("W2") for stack in stacks for seed in range(3)]


post = {start: bottom_over_top(POST, start) for start in ("xavier", "normal")}
cut = [cut_flow(Stack(POST, "xavier", False, 12, 64), seed=seed).flow for seed in range(3)]
claim(
    "Post-LN, drawn by Xavier or as BERT's: W2's gradient does not vanish towards the bottom",
    post["xavier"] + post["normal"], above=0.3,
    because="ten draws gave 0.5 to 2.4 (chance, on both sides of 1) and 0.9 to 1.2",
    control={"the way back cut": [flow.bottom_over_top("W2") for flow in cut]},
)

# %% tags=["claim"]
pre = {start: bottom_over_top(PRE, start) for start in ("xavier", "scaled")}
claim(
    "Pre-LN, drawn by Xavier: W2's gradient does not pass unchanged; at the bottom it is larger",
    pre["xavier"], above=1.8,
    because="it grows downwards as the stream grows upwards (lesson 33); ten draws gave 2.1 to 4.3",
    control={"drawn as GPT-2's": pre["scaled"]},
)

# %% tags=["derive"]
from statistics import mean

table.fill("norm",
           f"Post-LN; gradient of W2, bottom over top: {mean(post['xavier']):.1f} drawn by Xavier, "
           f"{mean(post['normal']):.1f} as BERT's",
           f"Pre-LN: {mean(pre['xavier']):.1f} drawn by Xavier, {mean(pre['scaled']):.1f} as GPT-2's",
           "where the norm stands, and how the weights are drawn")

# %% [markdown]
# So "they pass unchanged" is nearly true of GPT-2's own start and false with larger weights. With the weights that the two families start from, the row hardly shows a difference, at this depth and before training.
#
# ### Cost
#
# Count for one block and $T$ words (in real models: tokens). Per word: four matrices of $d \times d$ in attention and two of $d \times 4d$ in the feed-forward layer, a multiplication and an addition for each weight. Per pair of words: a score and a share of the mix, $2d$ each.
#
# $$24\,T d^2 + 4\,T^2 d$$
#
# $O(T^2 d)$ keeps the second term alone. It is printed for the attention layer ([Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), table 1), and right for texts that are long enough. Let PyTorch count all matrix products in a block of the published width:

# %% tags=["claim"]
from course_lib.config import BERT_SIZES
from course_lib.experiments.operation_counts import counted
from course_lib.mechanisms.blocks import PostNormBlock

block = PostNormBlock(BERT_SIZES["bert-base"]).eval().requires_grad_(False)
ops = {n: counted(lambda n=n: block(torch.zeros(1, n, 768))) for n in (256, 512)}
claim(
    "In a block of BERT-base 512 tokens take 2.1 times the operations of 256",
    ops[512] / ops[256], near=2.1, within=0.01,
    because="2 (24 d + 4 T) / (24 d + 2 T) is 2.105 for d = 768 and T = 512",
    control={"T^2 d": 4.0, "T d^2": 2.0},
)
pair_share = 1 - 24 * 512 * 768**2 / ops[512]
claim(
    "At 512 tokens, the longest that BERT reads, pairs take a tenth of the block",
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
        n_words=choice([2**power for power in range(5, 18)], 512, label="tokens"))

# %% tags=["claim"]
claim(
    "With 512 tokens and width 768 the mask can save a twentieth of the block",
    1 - block_cost(768, 512).needed, near=0.05, within=0.001,
    because="nearly half of a tenth",
    control={"half of the block": 0.5, "1,024 tokens, width 64": 1 - block_cost(64, 1024).needed},
)
table.fill("cost", f"24 T d² + 4 T² d; at 512 tokens pairs take {pair_share:.0%}",
           f"the same; {1 - block_cost(768, 512).needed:.1%} less if hidden pairs are left out",
           "width and length; the mask only a little")

# %% [markdown]
# It comes near to half only where $T$ is far above $6d$: a narrow model, a very long text. And the library computes all pairs and hides half, so in our own code this row has no difference at all. (Whether a machine turns fewer operations into less time is another question; nothing is timed here.)
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
# That is a fact. "So it needs nearly seven times the training" is a conclusion. Test it where everything else is equal: one small transformer, the same texts, the same steps. The texts say six random letters of an alphabet of 16 twice, 32 texts a step, and the model names the next letter. One is graded everywhere, one on 15% of its places. A third reads both sides, and 15% of its letters are hidden. The curves show the surprise at letters that can be known, in new texts.

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
slower = [few / every for few, every in zip(needed[FEW], needed[ALL])]
small_steps = list(race(400, (ALL, FEW), batch=4))
needed_by_4 = {name: steps_until(small_steps, name) for name in (ALL, FEW)}
for name, steps in needed.items():
    print(f"{name:31} halfway down after", steps, "steps; with 4 texts a step", needed_by_4[name])

# %% tags=["claim"]
claim(
    "With 32 texts a step, the model graded on 15% does not need 1 / 0.15 times as many steps",
    slower, below=3.0,
    because="chance moves it by a few tenths: draws 1 to 4 gave 1.7 to 2.0",
    control={"1 / 0.15": 1 / 0.15},
)
claim(
    "With 4 texts a step it needs more",
    needed_by_4[FEW] / needed_by_4[ALL], above=2.2,
    because="five draws gave 2.5 to 3.1",
    control={"32 texts a step": slower},
)
graded_guess.reveal(
    f"{min(slower):.1f} to {max(slower):.1f} times, in three runs",
    "the gradient is a mean over what is graded: with less of it, noisier and not smaller",
)

# %% [markdown]
# The count of questions and the cost in steps are two things. The loss is a *mean* over the places that are graded. With fewer of them its gradient points the same way on average and scatters more. How much that costs depends on the batch. In 32 texts, 15% of the places are still some fifty questions; in two texts, about three. Four runs with two texts a step, too long for this page, took 3.8 to 6.3 times as many steps: not so far from 1 / 0.15. The task and the optimiser matter, too. The third curve is there to be seen, not to be compared: its questions are other ones.
#
# For real models, [Clark et al. 2020](https://arxiv.org/abs/2003.10555) have a task that asks about every word (ELECTRA). Asked about 15% of the words only, it lost most of what it had gained over BERT (section 3.4). And [BERT's paper](https://arxiv.org/abs/1810.04805) (appendix C.1) finds that asking for hidden words takes slightly longer to converge than going from left to right, and gives better models almost from the start. So fewer questions do cost something; how much cannot be read off the 15%.
#
# The words that nobody asks for are not wasted, either. They are what the answers are told from, so the gradient reaches them, and all weights that made their vectors. (That is so in both families, and does not make up for questions.) In the small model of the third curve, untrained:

# %% tags=["claim"]
from course_lib.experiments.graded_places import unasked_reached

claim(
    "With both sides in sight, all words that are not asked for get a gradient",
    [unasked_reached(seed) for seed in range(3)], equals=1.0,
    because="every answer depends on every word of its text",
    control={"where each place reads itself alone": [unasked_reached(seed, alone=True) for seed in range(3)]},
)
table.fill("what is graded", f"{asked.selected:.0%} of the words, each from both sides",
           "every token but the boundary, each from the left",
           "the task, within what the mask allows")

# %% [markdown]
# So a third choice stands beside the two switches: the **task**, what is asked and how often. The mask only limits it: who sees a word can copy it. Within that, a causal model may be graded on 15% (the race did it), BERT asks for some words that stand there unchanged (lesson 41), ELECTRA asks about all, and 15% is a number that somebody chose ([Wettig et al. 2022](https://arxiv.org/abs/2202.08005) do better with 40% in large models).
#
# ### Training and use
#
# In training both say "parallel", and that is true: the text is known, so all its questions are asked in one pass. (In writing, the next word is not there yet.) For BERT that takes nothing special. For a GPT it takes the mask: its answer at each word has to be what it would say if the text ended there. The trained GPT, on the story of the first figure:

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
           f"one pass: {per_text - 1:.0f} questions on as many", "no difference; for a GPT thanks to the mask")

# %% [markdown]
# "BERT needs one pass, GPT one a word" compares two different jobs. Give both the same jobs, as near as they come, and count what they read. *Judge a text*: one vector for all of it. *Fill a gap*: the likeliest of 100 words (we chose that number), given both sides. *Score every word*: how likely each is, given those before it (GPT) or all others (BERT; each has to be hidden once). *Write on*: eight words behind a text, one after the other. All texts have 24 words. Texts that do not wait for each other count as one pass. A GPT writes with its cache; for the gap it reads every text whole (a cache would save it most of the left sides). And tokens are not time: each pass has a price of its own (lesson 52).

# %% tags=["experiment"]
from course_lib.experiments.jobs import FILL, JUDGE, SCORE, WRITE, jobs
from course_lib.plots import jobs as jobs_plot
from course_lib.plots.show import show

done = jobs(n_words=24, n_new=8)
show(jobs_plot.draw, done, jobs_plot.say, size=(9.4, 3.4))

# %% tags=["claim"]
claim(
    "To write one word at a time, both need a pass for each new word",
    [done[WRITE][family].passes for family in ("BERT", "GPT")], equals=8,
    because="it is how the job is set: each word is chosen when the one before is known",
    control={"to judge": [done[JUDGE][family].passes for family in ("BERT", "GPT")]},
)
ratio = {job: done[job]["BERT"].tokens / done[job]["GPT"].tokens for job in done}
claim(
    "With 24 words and 8 new ones, to write and to score BERT reads several times as much",
    [ratio[WRITE], ratio[SCORE]], above=5,
    because="a new word changes all its vectors; and to score, it hides each word once",
    control={"to judge": ratio[JUDGE], "to fill a gap": ratio[FILL]},
)
use = {family: f"judge: {done[JUDGE][family].passes} pass; write: {done[WRITE][family].passes} passes, "
               f"{done[WRITE][family].tokens} tokens" for family in ("BERT", "GPT")}
table.fill("use", *use.values(), "the job; and the mask: whether vectors stay")

# %% [markdown]
# No family wins all four. (To guess several words at once and check them, or to fill several masks in a pass, saves passes: [Leviathan et al. 2023](https://arxiv.org/abs/2211.17192), [Ghazvininejad et al. 2019](https://arxiv.org/abs/1904.09324). Those are other jobs.) And look at the second job: how does a GPT fill a gap at all?
#
# ### A gap, from the left
#
# By hand, with two letters and three places. Somebody knows how likely the next letter is `a`, given those before. The text is `a ? b`:

# %% tags=["derive"]
CHANCE_OF_A = {"a": 0.1, "aa": 0.5, "ab": 0.95}


def chance(letter, before):
    return CHANCE_OF_A[before] if letter == "a" else 1 - CHANCE_OF_A[before]


weight = {letter: chance(letter, "a") * chance("b", "a" + letter) for letter in "ab"}
by_hand = {letter: w / sum(weight.values()) for letter, w in weight.items()}
for letter in "ab":
    print(f"{letter}: from the left {chance(letter, 'a'):.2f}, from both sides {by_hand[letter]:.2f}")

# %% [markdown]
# Put each letter into the gap and multiply along the text. (The first letter's own probability is in both products, so it cancels.) What makes the whole likelier is the likelier letter, and here the right side turns the answer round: Bayes' rule.
#
# $$p(w \mid \text{left}, \text{right}) = \frac{p(w \mid \text{left})\; p(\text{right} \mid \text{left}, w)}{\sum_{w'} p(w' \mid \text{left})\; p(\text{right} \mid \text{left}, w')}$$
#
# Every factor is a product of next-word probabilities, so a GPT has them all. The library tries every word of the vocabulary:

# %% tags=["derive"]
from course_lib.experiments.gap_by_scoring import both_answers

show_source(both_answers)

# %% [markdown]
# The stories come from a grammar, so there is a referee: the *perfect* reader, who knows every rule. If the GPT, on average over many gaps, beats the perfect reader who has seen the left side only, it must have used the right side. 100 gaps, one each in new stories:

# %% tags=["experiment"]
from course_lib.experiments.gap_by_scoring import fill_gaps, mean_surprises
from course_lib.plots.bars import draw_gaps, say_gaps

gaps = fill_gaps(gpt, 100, load("stories-bert").model)
means = mean_surprises(gaps)
names = {"left": "GPT, from the left", "perfect_left": "perfect reader, from the left",
         "scored": "GPT, by scoring the story", "bert": "BERT", "perfect": "perfect reader, both sides"}
show(draw_gaps, {name: means[key] for key, name in names.items()}, say_gaps, size=(9, 2.8))

# %% tags=["derive"]
quarters = [mean_surprises(gaps[i : i + 25]) for i in range(0, 100, 25)]
for reader in ("perfect_left", "bert"):
    differences = [f"{each[reader] - each['scored']:.2f}" for each in quarters]
    print("25 gaps at a time,", names[reader], "minus GPT by scoring:", *differences)

# %% tags=["claim"]
claim(
    "By scoring, the GPT fills gaps better than anyone could from the left, on average",
    means["perfect_left"] - means["scored"], above=0.2,
    because="100 gaps scatter by about 0.1; four other draws of 100 gave 0.4 to 0.5",
    control={"the GPT from the left": means["perfect_left"] - means["left"]},
)
gap_guess.reveal("yes, as it is", "it knows how likely whole texts are, and the right side is part of one")

# %% [markdown]
# On 25 gaps the difference moves a good deal; only the mean of many says something. The bar of BERT stands there to be seen. The two models differ in size and training, so which of both is ahead says nothing about families.
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
# What is true of the usual table? What is seen, what is graded, and that training is parallel. Sloppy: the cost, of which $T^2 d$ is the smaller part as long as $T < 6d$, and of which the mask can save half of that part. It depends: that grading 15% means seven times the training (in the small race it took far fewer with large batches, and nearly as many with tiny ones); and that Pre-LN passes gradients unchanged (with Xavier's weights they grow several-fold on the way down, with GPT-2's own they do pass almost unchanged). Wrong: that use is one pass here and one a word there, which compares two jobs; and that Post-LN loses its gradients at the bottom. The norm was tried here at the start of training, with twelve blocks and for one matrix; lesson 33 has the cases where something is lost.
#
# How many differences are there? In this table, three choices. The *mask* decides what is seen and whether vectors stay; with that come the cache, grading every place in one pass, and which jobs are cheap. The *task* decides what is asked and how often; the mask forbids some tasks, and 15% is a number. The *norm*, together with the way weights are drawn, decides how gradients spread at the start, and belongs to no family. The cost of one pass hardly differs. (Word pieces, segments and BERT's second question, about pairs of texts, differ as well; the table leaves them out.)
#
# The switches were tried on random blocks, the race on six letters of an alphabet of 16, the gaps on stories from a grammar. None of it says how good a large model is at anything.
#
# Sources: [Radford et al. 2018](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf) and [2019](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf) (section 2.3, where the norm moved); Devlin et al. 2019, [BERT](https://arxiv.org/abs/1810.04805); the others are linked where they are used.
#
# [Contents](01_how_this_course_works.ipynb) · previous: [64 Real checkpoints](64_real_checkpoints.ipynb)
