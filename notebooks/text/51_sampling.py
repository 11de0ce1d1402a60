# %% [markdown]
# # 51 Sampling
#
# **How are words drawn?** At the end you can say what a temperature does to the entropy and how fast, write top-p and say when it serves better than top-k, and show where a greedy writer ends. You need softmax and nats (lesson 01) and the idea of a variance; about 60 minutes. Three cells take some seconds. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [44 Precision and loss spikes](44_precision_and_loss_spikes.ipynb) · next: [52 The KV cache](52_kv_cache.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(51)

# %% tags=["widget"]
from course_lib.experiments.next_word import BEGINNINGS, CUTS, TEMPERATURES, next_word
from course_lib.plots import next_word as bars
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

explore(next_word, bars.draw, bars.say, size=(9.5, 4.4),
        beginning=choice({name: name for name in BEGINNINGS}, next(iter(BEGINNINGS)), label="story"),
        temperature=choice(TEMPERATURES, 1.0, label="temperature"),
        cut=choice({name: name for name in CUTS}, "no cut", label="cut"))

# %% [markdown]
# ## Question
#
# A language model does not write. It gives every word of its vocabulary a score, and *somebody* has to turn scores into a word. Then the word is appended, and the model is asked again. This lesson is about that somebody. It works on a small model that comes with the course: a GPT over 169 words, trained on stories that a grammar tells (the ones of lesson 61; `python3 -m course_lib train stories-gpt` trains it again). The figure shows how it would go on with the marked story: the likeliest words, and three continuations, each word of them drawn.
#
# Three knobs are in use everywhere. The **temperature** $T$ divides the scores before softmax. **Top-k** keeps the $k$ likeliest words. **Top-p** keeps as many of the likeliest as it takes to reach the probability $p$ together. Blue bars are what is drawn from, grey bars what was there before the cut; words with grey names cannot be drawn. A black name without a number has less than half a percent.
#
# Try this. With top-k 10, and then with top-p 0.9, go through the three stories. How many words are left? In the first, eight words are right, all equally. In the second, one is. In the third one word is right as well, and it stands in the story's first sentence; but the model has not learnt to look it up, and spreads its bets.

# %% tags=["derive"]
from course_lib.experiments.next_word import stories_gpt
from course_lib.models.shipped import log

shipped, made = stories_gpt(), log("stories-gpt")
print(f"{made['parameters']:,} parameters, {made['tokens_seen']:,} words read in {made['seconds'] / 60:.0f} minutes")
print(f"loss on stories it has not seen: {made['validation_loss']:.3f} nats a word")
print(f"the least possible loss, of one who knows the grammar: {made['floor']:.3f}")

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

tie_guess = predict(
    "Two words share the largest score. As the temperature goes to 0, what probability does the first of them tend to?",
    ["0", "one half", "1"],
)
tie_guess

# %% tags=["predict", "widget"]
cycle_guess = predict(
    "A writer knows 200 words, and for each of them which one is likeliest to follow. He always takes that one. After how many words does he come, on average, to one that he has had?",
    ["17 or 18", "about 100", "about 200", "perhaps never"],
)
cycle_guess

# %% tags=["predict", "widget"]
sense_guess = predict(
    "The model is given a story's first sentence and goes on at temperature 1: it draws from exactly the probabilities it was trained to give. Of 100 such stories, how many could the grammar have told, from the first word to the last?",
    ["more than 75", "50 to 75", "25 to 50", "fewer than 25"],
)
sense_guess

# %% [markdown]
# ## Derive
#
# ### Drawing
#
# Lay the probabilities side by side on a line from 0 to 1, and drop a needle on it at random. The word it falls on is drawn.

# %% tags=["derive"]
import torch

probs = torch.tensor([0.5, 0.3, 0.2])
ends = probs.cumsum(-1)
for needle in (0.1, 0.62, 0.81):
    print(f"needle at {needle}: word {(ends < needle).sum()}")

# %% [markdown]
# The library leaves the draw to `torch.multinomial`. Everything else is about *which* probabilities.
#
# ### How fast does the temperature act?
#
# With scores $z$, softmax gives $p_i = e^{z_i/T} / Z$. The **entropy** $H = -\sum p_i \ln p_i$ says how open the draw is: 0 when one word is certain, $\ln n$ when all $n$ are alike. As $\ln p_i = z_i/T - \ln Z$,
#
# $$H = \ln Z - \frac{\bar z}{T}, \qquad \bar z = \sum p_i z_i .$$
#
# Write $b = 1/T$. First, $\frac{d \ln Z}{d b} = \bar z$. Then $\ln p_i = b z_i - \ln Z$ has the derivative $z_i - \bar z$, so $\frac{d p_i}{d b} = p_i (z_i - \bar z)$, and $\frac{d \bar z}{d b} = \sum p_i z_i (z_i - \bar z) = \operatorname{Var}_p(z)$, the variance of the scores when words are drawn by $p$. So $\frac{dH}{db} = \bar z - \bar z - b \operatorname{Var}_p(z)$, and with $\frac{db}{dT} = -\frac{1}{T^2}$
#
# $$\frac{dH}{dT} = \frac{\operatorname{Var}_p(z)}{T^3} .$$
#
# A variance is never negative, so entropy never falls as $T$ rises. Torch can take the derivative without knowing the formula:

# %% tags=["claim"]
from course_lib.checks.claim import claim
from course_lib.experiments import entropy_slope as slopes

scores = [torch.randn(n, dtype=torch.float64, generator=torch.Generator().manual_seed(n)) * 2
          for n in (3, 10, 169)]
pairs = [(z, T) for z in scores for T in (0.4, 1.0, 2.5)]
by_torch = torch.tensor([slopes.entropy_slope_by_autograd(z, T) for z, T in pairs], dtype=torch.float64)
formula = torch.tensor([slopes.entropy_slope(z, T) for z, T in pairs], dtype=torch.float64)
powers = torch.tensor([T for _, T in pairs], dtype=torch.float64)
claim(
    "The slope of the entropy is the variance of the scores over the cube of the temperature",
    formula - by_torch,
    near=0, within=1e-12,
    because="float64 all the way, and nothing is larger than 10",
    control={"over the square, where T is not 1": (formula * powers - by_torch)[powers != 1]},
)

# %% [markdown]
# Where does it act? Here are two of the first figure's stories. The axis is logarithmic, so the lower half shows $\frac{dH}{d \ln T} = T \frac{dH}{dT}$: the area under it is what the entropy gains.

# %% tags=["experiment"]
from course_lib.experiments.next_word import OPEN, SURE, scores_after
from course_lib.plots import entropy_curve
from course_lib.plots.show import show

curves = {name: slopes.entropy_curve(scores_after(story))
          for name, story in (("sure", SURE), ("open", OPEN))}
show(entropy_curve.draw, curves, entropy_curve.say, size=(7.5, 4.2))

# %% [markdown]
# Two things are worth a look. The entropy comes near $\ln n$ only at temperatures that nobody uses: "above 1 all words become alike" is true in the limit only. And the same temperature does not mean the same amount of chance. Below 1 it acts on the open story alone, where it lets in the eight colours. Above 1 it opens both, to words that make no sense there.

# %% tags=["claim"]
import math

z = scores_after(OPEN).double()
claim(
    "All words are nearly alike at temperature 1000, and far from it at 2",
    math.log(169) - slopes.entropy(z, 1000.0), below=0.0001,
    because="the slopes from T to infinity add up to Var(z) / 2T^2, a few millionths",
    control={"temperature 2": math.log(169) - slopes.entropy(z, 2.0)},
)

# %% [markdown]
# ### Towards 0, and at 0
#
# At $T = 0$ the formula divides by zero. The limit exists, though: the largest score takes all, and equals share. That limit is not what programs do at `temperature=0`. They take *one* largest word; ours takes the first.

# %% tags=["derive"]
from course_lib.mechanisms.sampling import next_probabilities
from course_lib.mechanisms.softmax import softmax

tied = torch.tensor([2.0, 2.0, 0.0])
print("softmax by hand at T = 0 ", torch.softmax(tied / 0, dim=-1))
print("softmax at T = 0.001     ", softmax(tied, temperature=0.001))
print("taken as T = 0           ", next_probabilities(tied, temperature=0))

# %% tags=["predict"]
tie_guess.reveal(
    f"{softmax(tied, temperature=0.001)[0]:.1f}",
    "equal scores stay equal whatever they are divided by. Only a program's special case for 0 chooses one of them",
)

# %% [markdown]
# **First exercise.** What if you do not see the scores?

# %% tags=["exercise"]
from course_lib.checks.lesson_51 import reheat, top_p

reheat


# %% tags=["exercise"]
def my_reheat(probs, temperature):
    raise NotImplementedError


reheat.check(my_reheat)

# %% tags=["exercise"]
reheat.hint()

# %% [markdown]
# ### Cutting off the tail
#
# Between the words that make sense and those that do not, softmax draws no line: every word keeps a little. There may be many such words, and a story has some fifty-five places where one can be drawn. So people cut the tail. Whether that helps will be measured below. Top-k (Fan, Lewis and Dauphin 2018) cuts at a rank. Top-p (Holtzman and others 2020) cuts at a sum. **Second exercise:**

# %% tags=["exercise"]
top_p


# %% tags=["exercise"]
def my_top_p(probs, p):
    raise NotImplementedError


top_p.check(my_top_p)

# %% tags=["exercise"]
top_p.hint()

# %% [markdown]
# When you have tried, compare with the library's version. It ranks by scores, not by probabilities, because at a very high temperature different scores round to equal probabilities. Among equals the lower id comes first, so that `top_k=1`, a tiny `top_p` and temperature 0 all agree.

# %% tags=["derive"]
show_source(next_probabilities)

# %% tags=["derive"]
from course_lib.mechanisms.sampling import _nucleus

show_source(_nucleus)

# %% tags=["claim"]
rows = torch.randn(500, 169, generator=torch.Generator().manual_seed(1)).double() * 3
whole = softmax(rows)
kept = [whole * (next_probabilities(rows, top_p=p) > 0) for p in (0.3, 0.9, 0.99)]
claim(
    "Top-p keeps enough: at least p in every row",
    torch.stack([k.sum(-1) - p for k, p in zip(kept, (0.3, 0.9, 0.99))]), above=-1e-12,
    because="float64 rounds at 1e-16; a sum that is p but for rounding counts as p",
    control={"the 20 likeliest": (whole * (next_probabilities(rows, top_k=20) > 0)).sum(-1) - 0.9},
)
claim(
    "Top-p keeps no more than enough: without its smallest word less than p is left",
    torch.stack([p - k.sum(-1) + k.where(k > 0, 1.0).amin(-1) for k, p in zip(kept, (0.3, 0.9, 0.99))]),
    above=0.0,
    because="that is what fewest means; no sum of random numbers is exactly p",
    control={"the 60 likeliest": 0.9 - whole.topk(60).values[:, :-1].sum(-1)},
)

# %% [markdown]
# ## Experiment
#
# ### What a cut costs
#
# A good cut takes away words that make no sense, and none that do. Usually nobody can say which are which. Here the grammar that tells the stories knows for every place which words may follow, and how probable each is. So at every place of 40 fresh stories: how much of the *true* probability does the cut remove, and how much of what is left stands on words that *cannot* follow?

# %% tags=["experiment"]
from course_lib.experiments import cuts
from course_lib.plots import cut_costs

where = cuts.places(shipped, n_stories=40)
families = {
    "top-k": [(str(k), cuts.cost(where, {"top_k": k})) for k in (5, 10, 20)],
    "top-p": [(str(p), cuts.cost(where, {"top_p": p})) for p in (0.8, 0.9, 0.95)],
    "no cut": cuts.cost(where, {}),
}
show(cut_costs.draw, families, cut_costs.say, size=(8, 3.8))

# %% [markdown]
# Right on this figure means that sense is lost, down means that nonsense is kept out. For each of these top-k there is a top-p that is better in both. Does it simply keep fewer words, or more?

# %% tags=["claim"]
costs = {name: dict(points) for name, points in families.items() if name != "no cut"}


def gains(pairs):
    both = [(costs["top-k"][k], costs["top-p"][p]) for k, p in pairs]
    return [x for k, p in both for x in (k.lost - p.lost, k.wrong - p.wrong)]


claim(
    "To each top-k there is a top-p that loses less sense and leaves less nonsense",
    gains([("5", "0.8"), ("10", "0.9"), ("20", "0.95")]), above=0.0,
    because="it held in all of eight draws of forty stories",
    control={"pairs the other way": gains([("20", "0.8"), ("10", "0.8")])},
)
claim(
    "Top-p 0.95, which loses next to nothing, keeps fewer words than top-k 5, on average",
    costs["top-p"]["0.95"].kept, below=5,
    because="eight draws of forty stories gave 4.3 to 4.6",
    control={"top-k 10": costs["top-k"]["10"].kept},
)

# %% [markdown]
# So it is not how many words are kept, but where. Top-k keeps the same number everywhere. Top-p follows the model's doubt: in the first figure top-p 0.9 keeps one word of the sure story and seven of the open one. Where doubt is in place, that is a gain. Where the model merely does not know, it is none: of the thirteen words that are kept in the third story, twelve are wrong.
#
# Look at the dashed line as well. No cut brings the nonsense down to nothing, not even `top_k=1`; most of it was never in the tail. Is it what the model firmly, and wrongly, believes? Look at the places where its likeliest word cannot follow:

# %% tags=["claim"]
largest, likeliest = softmax(where.logits).max(-1)
follows = where.truth.gather(-1, likeliest[:, None])[:, 0] > 0
print(f"the likeliest word cannot follow at {(~follows).float().mean():.1%} of all places")
claim(
    "Taking the likeliest word leaves more than half of the nonsense that no cut leaves",
    cuts.cost(where, {"top_k": 1}).wrong / families["no cut"].wrong, above=0.5,
    because="draws of forty stories gave 0.62 to 0.79",
    control={"a model that knows the grammar": cuts.cost(
        cuts.Places(where.truth.log(), where.truth), {"top_k": 1}).wrong / families["no cut"].wrong},
)
claim(
    "Where its likeliest word cannot follow, the model is not sure of it",
    largest[~follows].median(), below=0.2,
    because="the median; eight draws of forty stories gave 0.09, one of fourteen places",
    control={"where it can follow": largest[follows].median()},
)

# %% [markdown]
# It is not belief but ignorance. The model bets on fourteen places, and the right one is not in front. A cut takes away what the model thinks unlikely; what it cannot tell apart, no cut can.
#
# ### Variety and sense
#
# Now whole stories. At each of six temperatures the model goes on from the first sentences of the same eighty stories; once, at temperature 1, with a cut. *Variety* is measured as distinct-4, the share of different ones among all runs of four words (after Li and others 2016). The share falls with the amount of text, whoever writes, so all are cut to the same number of words. *Sense* is strict: could the grammar have told this story, to the last word? (This cell takes some seconds.)

# %% tags=["experiment"]
from course_lib.experiments import written_stories as writing
from course_lib.plots import variety

temperatures = (0.0, 0.3, 0.6, 1.0, 1.4, 2.0)
written = writing.at_temperatures(shipped, temperatures, n=80, n_words=3000)
cut = writing.finished_and_judged(shipped, n=80, n_words=3000, top_p=0.8)
known = writing.told_by_the_grammar(80, 3000)
show(variety.draw, (written, known, ("top-p 0.8", cut)), variety.say, size=(9, 3.4))

# %% tags=["predict"]
possible = {T: found.possible for T, found in written.items()}
sense_guess.reveal(
    f"{100 * possible[1.0]:.0f} of 100 (from 80 stories)",
    "a few nonsensical words in a hundred are little, but all the words of a story have to be right",
)

# %% tags=["claim"]
distinct = torch.tensor([written[T].distinct for T in (0.0, 0.3, 1.0, 2.0)])
claim(
    "Variety rises with the temperature",
    distinct.diff(), above=0.03,
    because="eighty stories of the grammar itself scatter by 0.01; three draws rose by 0.07 or more",
    control={"the grammar, twice": writing.told_by_the_grammar(80, 3000, seed=5).distinct - known.distinct},
)
claim(
    "Sense falls with it, from 0 to 0.6 and from 0.6 to 1.4",
    [possible[0.0] - possible[0.6], possible[0.6] - possible[1.4]], above=0.05,
    because="three draws of eighty stories fell by 0.11 or more",
    control={"from 1.4 to 2, where little is left": possible[1.4] - possible[2.0]},
)
others = writing.finished_and_judged(shipped, n=80, n_words=3000, top_k=20)
claim(
    "A cut at top-p 0.8 makes more stories possible",
    cut.possible - possible[1.0], above=0.03,
    because="eighty stories are uncertain by 0.04; three draws gained 0.10 or more",
    control={"top-k 20, which hardly cuts": others.possible - possible[1.0]},
)

# %% [markdown]
# So low temperatures make most sense here, and what they cost is variety: greedy writing has one story to each beginning. High temperatures are varied, more than the grammar itself at 2; but those words are new because they are wrong. A cut at temperature 1 does much the same as a temperature of 0.6, at much the same price. Each share is uncertain by up to 6 percentage points, so do not read a best setting off this figure.
#
# Sure of its sense greedy writing is not. Without a beginning it has one story in all, and this is it. The first word that cannot stand where it does is marked.

# %% tags=["experiment"]
from textwrap import fill

from course_lib.experiments.story_writing import marked

(only,) = writing.write_stories(shipped, 1, torch.Generator(), temperature=0)
print(fill(marked(only), 100))

# %% [markdown]
# ### Greedy ends in a circle
#
# *Greedy* means temperature 0. Take the simplest writer, who looks at one word and takes the likeliest to follow. With 200 words there are 200 *states* he can be in. After 200 steps he has been in 201, so in one of them twice. From there he does what he did before, and so on for ever. That holds for every writer with finitely many states who never rolls dice. It says nothing about when.

# %% tags=["experiment"]
from course_lib.experiments import cycles as chains
from course_lib.plots import cycles as walks

chain = chains.random_chain(200, seed=0)
greedy = chains.walk(chain, 60, temperature=0)
drawn = chains.walk(chain, 60, 1.0, torch.Generator().manual_seed(0))
show(walks.draw, {"greedy": (greedy, chains.first_cycle(greedy.tolist())), "drawn": (drawn, None)},
     walks.say, size=(9, 3))

# %% [markdown]
# The grey band is the first round. The dice-roller comes to old words as well, and leaves them another way. For the greedy one the first old word is the end. In this chain it comes soon, as in the birthday problem: after $k$ different words the next is new with probability $1 - k/n$, and these multiply. The mean comes out near $\sqrt{\pi n / 2}$.

# %% tags=["claim"]
steps = chains.steps_to_repeat(200, range(2000))
claim(
    "Chains of 200 random words come back after about 17.4 words, as the birthday problem has it",
    steps.mean(), near=chains.expected_steps_to_repeat(200), within=4 * steps.std() / 2000**0.5,
    because="2,000 chains: four standard errors of their mean",
    control={"half as many words": chains.steps_to_repeat(100, range(400)).mean()},
)

# %% tags=["predict"]
cycle_guess.reveal(
    f"after {steps.mean():.1f}, and at the latest (of 2,000 chains) after {steps.max():.0f}",
    "every word is another chance to meet one of those before, and there are more of those with each step",
)

# %% [markdown]
# A GPT's state is all that it reads: the last `max_seq_len` tokens. So the argument holds for it too, and says nothing that one could see:

# %% tags=["derive"]
config = shipped.model.config
print(f"states: {config.vocab_size}^{config.max_seq_len}, a number of "
      f"{len(str(config.vocab_size**config.max_seq_len))} digits")

# %% [markdown]
# Give the same GPT a shorter memory: the mark of a story's beginning, which it has always seen first, and the last $w$ words. Eight texts, begun with "one sunny", "one rainy" and so on, 200 steps. After how many words does a state come again? Beside it, what the birthday problem says for a writer whose $n = 169^w$ states follow each other at random:

# %% tags=["experiment"]
weathers = "sunny rainy windy cloudy snowy foggy warm cold".split()
starts = torch.tensor([shipped.encode(f"one {weather}") for weather in weathers])
texts = {width: chains.short_memory(shipped, starts, width, 200) for width in (1, 4, 8, 16)}
for width, ids in texts.items():
    at_random = (math.pi * config.vocab_size**width / 2) ** 0.5
    print(f"memory {width:2}: {chains.steps_to_cycle(ids, width)}, at random {at_random:.2g}")
for width in (4, 8, 16):
    print(f"\nmemory {width}: {shipped.decode(texts[width][0, :24])} ...")

# %% tags=["claim"]
dice = chains.short_memory(shipped, starts, 4, 200, 1.0, torch.Generator().manual_seed(0))


def periods(texts):
    return [chains.has_period(text[-100:], 50) or 0 for text in texts]


claim(
    "With a memory of 4 words each of the eight texts ends in an exact repetition",
    periods(texts[4]), above=0,
    because="the period of the last hundred words, 0 where there is none",
    control={"drawn at temperature 1": periods(dice)},
)

# %% [markdown]
# The circle must come; that is the theorem. With 4 words it comes more than a thousand times sooner than among states that follow each other at random, so the number of states is not what brings it. It is what this model writes: after many different states the same few words. (Several of the eight run into the same circle.) And with 16 words none of the eight has come to its circle in 200 steps.
#
# Does it happen with a text that people wrote, and without a shortened memory? A larger GPT comes with the course, too: `bible-gpt` was trained on the World English Bible, in 2,048 tokens of byte-level BPE (lesson 11). It reads the last 256 tokens, so all that it writes here. Eight beginnings of three tokens, greedily and by dice. (Some seconds.)

# %% tags=["experiment"]
from course_lib.models.shipped import load

bible, about = load("bible-gpt"), log("bible-gpt")
print(f"{about['parameters']:,} parameters; on chapters it has not seen: {about['bits_per_byte']:.2f} bits a byte\n")
first_words = ["In the first", "The king said", "Behold, the", "Jesus said to", "Now it happened", "The sons of",
               "Yahweh your God", "When they had"]
openings = torch.tensor([bible.encode(words)[:3] for words in first_words])
greedily = bible.model.generate(openings, 240, temperature=0)
by_dice = bible.model.generate(openings, 240, generator=torch.Generator().manual_seed(0))
for row in (*greedily[:3], by_dice[0]):
    print(fill("... " + bible.decode(row[-40:]).replace("\n", " / "), 100))


# %% tags=["claim"]
def n_repeating(texts):
    return sum(chains.has_period(text[-60:], 30) is not None for text in texts)


print(f"greedy: {n_repeating(greedily)} of 8 end in an exact repetition, by dice {n_repeating(by_dice)}")
claim(
    "Greedily, some texts end in an exact repetition though all that was written is read",
    n_repeating(greedily), above=1,
    because="the last sixty tokens; which texts these are, and how many, may differ between machines",
    control={"drawn at temperature 1": n_repeating(by_dice)},
)

# %% [markdown]
# None of these texts has been in the same state twice: with each token there is more to read. The theorem does not cover them, and the model repeats itself all the same. Why, these eight do not say. Holtzman and others (2020, figure 4) saw that GPT-2 finds a phrase more probable with each time it is repeated. That is an observation, and no theorem.
#
# ## Play
#
# Your own beginning. It must be made of the words that this model knows; unlike BPE (lesson 11) it has no way to spell another. The first impossible word is marked again. Leave a space in front of a full stop: it is a word of its own.

# %% tags=["derive"]
print(fill(" ".join(sorted(shipped.words)), 100))
shows_error(lambda: shipped.encode("Leo had a zebra"))

# %% tags=["experiment"]
BEGINNING = "one sunny morning Ruth was in the"  # at most 95 words
HOW = {"temperature": 0.7, "top_p": 0.95, "top_k": None}

own = writing.write_stories(shipped, 3, torch.Generator().manual_seed(1), BEGINNING, **HOW)
print(*(fill(marked(story), 100) for story in own), sep="\n\n")

# %% [markdown]
# Try temperature 0.1 and then 1.5 with the same beginning. Then take 1.5 again and cut with `top_p` 0.8: a cut makes a high temperature bearable, for it takes away the tail that the temperature has lifted. Not all of it, though.
#
# `bible-gpt` can spell, so its beginning may be any text, with full stops where they usually are:

# %% tags=["experiment"]
REAL_BEGINNING = "In those days there was a zebra in Babylon, and he"

for T in (0.3, 0.8, 1.5):
    draws = torch.Generator().manual_seed(1)
    ids = bible.model.generate(bible.prompt(REAL_BEGINNING), 60, temperature=T, generator=draws)
    print(f"\nT = {T}: " + fill(bible.decode(ids[0]).replace("\n", " / "), 100))

# %% [markdown]
# ## Verify
#
# Which comes first, the temperature or the cut? In ours the temperature, as in `transformers`; in llama.cpp it is by default the last. At temperature 1 they do the same. Above, the lifted tail helps to fill $p$, so that more of it is kept; a cut that comes first takes away more nonsense, and more sense:

# %% tags=["claim"]
hot_first = [cuts.cost(where, {"temperature": T, "top_p": 0.8}) for T in (1.5, 2.0)]
cut_first = [cuts.cut_then_heated(where, T, {"top_p": 0.8}) for T in (1.5, 2.0)]
cold = [cuts.cost(where, {"top_p": 0.8}), cuts.cut_then_heated(where, 1.0, {"top_p": 0.8})]
for T, a, b in zip((1.5, 2.0), hot_first, cut_first):
    print(f"T = {T}: temperature first {a.wrong:.1%} nonsense, {a.lost:.1%} of sense lost; "
          f"cut first {b.wrong:.1%} and {b.lost:.1%}")
claim(
    "Top-p 0.8 leaves more nonsense when the temperature comes first, and loses less sense",
    [x for a, b in zip(hot_first, cut_first) for x in (a.wrong - b.wrong, b.lost - a.lost)], above=0.01,
    because="eight draws of forty stories gave 0.012 or more",
    control={"at temperature 1": [cold[0].wrong - cold[1].wrong, cold[1].lost - cold[0].lost]},
)

# %% [markdown]
# So a good $p$ holds for one temperature. And all ways to be greedy agree:

# %% tags=["claim"]
claim(
    "Top-k 1, a tiny top-p and temperature 0 take the same word, also among equals",
    [next_probabilities(tied.expand(3, 3), **how)[:, 0] for how in
     ({"top_k": 1}, {"top_p": 1e-6}, {"temperature": 0})], equals=1.0,
    because="among equal scores the lower id ranks first, in all three",
    control={"temperature 0.001": next_probabilities(tied, 0.001)[0]},
)

# %% [markdown]
# ## Takeaways
#
# Words are drawn from softmax of the scores, after up to three changes. The temperature divides the scores; entropy changes with it at the rate $\operatorname{Var}(z)/T^3$, which is never negative, and comes to $\ln n$ in the limit only. Temperature 0 is a rule of its own: take one largest word. Top-k keeps a fixed number of words, top-p as many as the model is in doubt about, and word by word it kept more sense and less nonsense here. Neither mends what the model does not know. Low temperatures and cuts both buy sense with variety. A greedy writer with finitely many states ends in a circle; how soon, the argument does not say.
#
# What this does not show: nearly all of it was measured on one small model with 169 words and one kind of story. Where the best cut lies for a large model, these numbers do not say.
#
# Sources: Fan, Lewis and Dauphin 2018, [Hierarchical Neural Story Generation](https://arxiv.org/abs/1805.04833), section 5.4, for top-k; Holtzman et al. 2020, [The Curious Case of Neural Text Degeneration](https://arxiv.org/abs/1904.09751), section 3.1 and figure 4; Li et al. 2016, [A Diversity-Promoting Objective Function for Neural Conversation Models](https://arxiv.org/abs/1510.03055), for distinct-n; Flajolet and Odlyzko 1990, [Random Mapping Statistics](https://doi.org/10.1007/3-540-46885-4_34), for the birthday problem of the chains; [llama.cpp issue 4091](https://github.com/ggml-org/llama.cpp/issues/4091) on the order of temperature and cuts.
#
# Next: [52 The KV cache](52_kv_cache.ipynb). [Contents](01_how_this_course_works.ipynb)
