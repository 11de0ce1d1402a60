# %% [markdown]
# # 51 Sampling
#
# **How are words drawn?** At the end you can say what a temperature does to the entropy and how fast, write top-p and say when it serves better than top-k, and show why a greedy writer must go round in circles. You need softmax (lesson 01) and the idea of a variance; about 60 minutes. Two cells take some seconds. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [44 Precision and loss spikes](44_precision_and_loss_spikes.ipynb) · next: [52 The KV cache](52_kv_cache.ipynb)

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
# A language model does not write. It gives every word of its vocabulary a score, and *somebody* has to turn scores into a word. Then the word is appended, and the model is asked again. This lesson is about that somebody. It works on a small model that comes with the course: a GPT over 169 words, trained on stories that a grammar tells (the ones of lesson 61; `python3 -m course_lib train stories-gpt` trains it again). The figure shows how it would go on with a story: the likeliest words, and three continuations, each word of them drawn.
#
# Three knobs are in use everywhere. The **temperature** $T$ divides the scores before softmax. **Top-k** keeps the $k$ likeliest words. **Top-p** keeps as many of the likeliest as it takes to reach the probability $p$ together. Blue bars are what is drawn from, grey bars what was there before the cut; words with grey names cannot be drawn.
#
# Try this. With top-k 10, and then with top-p 0.9, go through the three stories. How many words are left? In the first, many words are right. In the second, one is. In the third one word is right as well, and it stands in the story's first sentence; but the model has not learnt to look it up, and spreads its bets.

# %% tags=["derive"]
from course_lib.experiments.next_word import stories_gpt
from course_lib.models.shipped import log

shipped, made = stories_gpt(), log("stories-gpt")
print(f"{made['parameters']:,} parameters, {made['tokens_seen']:,} words read in {made['seconds'] / 60:.0f} minutes")
print(f"held-out stories: {made['validation_loss']:.3f} nats a word; one who knows the grammar: {made['floor']:.3f}")

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
    ["about 18", "about 100", "about 200", "perhaps never"],
)
cycle_guess

# %% tags=["predict", "widget"]
sense_guess = predict(
    "At temperature 1 the model draws from exactly the probabilities it was trained to give. Of 100 such stories, how many could the grammar have told, from the first word to the last?",
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
# The library leaves that to `torch.multinomial`. Everything else is about *which* probabilities.
#
# ### How fast does the temperature act?
#
# With scores $z$, softmax gives $p_i = e^{z_i/T} / Z$. The **entropy** $H = -\sum p_i \ln p_i$ says how open the draw is: 0 nats when one word is certain, $\ln n$ when all $n$ are alike. As $\ln p_i = z_i/T - \ln Z$,
#
# $$H = \ln Z - \frac{\bar z}{T}, \qquad \bar z = \sum p_i z_i .$$
#
# Write $b = 1/T$. Two derivatives are needed, and both are short: $\frac{d \ln Z}{d b} = \bar z$, and $\frac{d \bar z}{d b} = \sum p_i z_i (z_i - \bar z) = \operatorname{Var}_p(z)$, the variance of the scores when words are drawn by $p$. So $\frac{dH}{db} = \bar z - \bar z - b \operatorname{Var}_p(z)$, and with $\frac{db}{dT} = -\frac{1}{T^2}$
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
by_torch = torch.tensor([slopes.entropy_slope_by_autograd(z, T) for z, T in pairs])
claim(
    "The slope of the entropy is the variance of the scores over the cube of the temperature",
    torch.tensor([slopes.entropy_slope(z, T) for z, T in pairs]) - by_torch,
    near=0, within=1e-6,
    because="float64 all the way; only the list that compares them is float32",
    control={"over the square": torch.tensor([slopes.entropy_slope(z, T) * T for z, T in pairs]) - by_torch},
)

# %% [markdown]
# Where does it act? Here are two of the first figure's stories.

# %% tags=["experiment"]
from course_lib.experiments.next_word import OPEN, SURE, scores_after
from course_lib.plots import entropy_curve
from course_lib.plots.show import show

curves = {name: slopes.entropy_curve(scores_after(story))
          for name, story in (("sure", SURE), ("open", OPEN))}
show(entropy_curve.draw, curves, entropy_curve.say, size=(7.5, 4.2))

# %% [markdown]
# Two things are worth a look. The entropy comes near $\ln n$ only at temperatures that nobody uses: "above 1 all words become alike" is true as a limit alone. And a temperature is no amount of chance. Below 1 it acts on the open story alone; the sure one stays shut up to 1, and then opens all at once, to words that make no sense there.

# %% tags=["claim"]
z = scores_after(OPEN).double()
claim(
    "All words are nearly alike at temperature 1000, and far from it at 2",
    torch.tensor(169.0).log() - slopes.entropy(z, 1000.0), below=0.001,
    because="scores differ by less than 30, so the shares by less than 3%; the gap is half the square of that",
    control={"temperature 2": torch.tensor(169.0).log() - slopes.entropy(z, 2.0)},
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
# **First exercise.** Scores are often out of sight.

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
# Between the words that make sense and those that do not, softmax draws no line: every word keeps a little. There may be many such words, and over a story of fifty words a little adds up. So the tail is cut. Top-k (Fan, Lewis and Dauphin 2018) cuts at a rank. Top-p (Holtzman and others 2020) cuts at a sum. **Second exercise:**

# %% tags=["exercise"]
top_p


# %% tags=["exercise"]
def my_top_p(probs, p):
    raise NotImplementedError


top_p.check(my_top_p)

# %% tags=["exercise"]
top_p.hint()

# %% [markdown]
# When you have tried, compare with the library's version. It ranks by scores, not by probabilities, because two scores may differ where their probabilities have both become 0. Among equals the lower id comes first, so that `top_k=1`, a tiny `top_p` and temperature 0 all agree.

# %% tags=["derive"]
show_source(next_probabilities)

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
}
show(cut_costs.draw, families, cut_costs.say, size=(8, 3.8))

# %% [markdown]
# Right on this figure means that sense is lost, down means that nonsense is kept out. For each of these top-k there is a top-p that is better in both. Does it simply keep more words, or fewer? Count them:

# %% tags=["claim"]
costs = {name: cuts.cost(where, how) for name, how in
         {"top-k 5": {"top_k": 5}, "top-k 10": {"top_k": 10}, "top-p 0.95": {"top_p": 0.95}}.items()}
claim(
    "Top-p 0.95 keeps fewer words than top-k 5, on average",
    costs["top-p 0.95"].kept, below=5,
    because="eight draws of forty stories gave 4.4 to 4.6",
    control={"top-k 10": costs["top-k 10"].kept},
)
claim(
    "And it loses less than a tenth of what top-k 5 loses",
    costs["top-p 0.95"].lost / costs["top-k 5"].lost, below=0.1,
    because="eight draws of forty stories gave 0.03 to 0.04",
    control={"top-k 10": costs["top-k 10"].lost / costs["top-k 5"].lost},
)

# %% [markdown]
# So it is not how many words are kept, but where. You saw it in the first figure: top-k keeps the same number everywhere; top-p keeps one here and thirteen there.
#
# Look at the scale on the left as well. No cut brings the nonsense down to nothing, not even `top_k=1`: often the model's *likeliest* word is one that cannot follow. A cut mends what is in the tail. What a model firmly believes, and wrongly, is in the head.

# %% tags=["claim"]
knows_it_all = cuts.Places(where.truth.log(), where.truth)
claim(
    "Taking the likeliest word leaves more than half of the nonsense that no cut leaves",
    cuts.cost(where, {"top_k": 1}).wrong / cuts.cost(where, {}).wrong, above=0.5,
    because="eight draws of forty stories gave 0.64 to 0.72",
    control={"a model that knows the grammar": cuts.cost(knows_it_all, {"top_k": 1}).wrong
             / cuts.cost(where, {}).wrong},
)

# %% [markdown]
# ### Variety and sense
#
# Now whole stories: forty at each of six temperatures, nothing cut. *Variety* is measured as distinct-4, the share of different ones among all runs of four words (after Li and others 2016). The share falls with the amount of text, whoever writes, so all are cut to the same number of words. *Sense* is strict: could the grammar have told this story, to the last word? (This cell takes some seconds.)

# %% tags=["experiment"]
from course_lib.experiments import written_stories as writing
from course_lib.plots import variety

temperatures = (0.0, 0.3, 0.6, 1.0, 1.4, 2.0)
written = writing.at_temperatures(shipped, temperatures, n=40, n_words=1500)
show(variety.draw, (written, writing.told_by_the_grammar(40, 1500)), variety.say, size=(9, 3.2))

# %% tags=["predict"]
possible = {T: found.possible for T, found in written.items()}
sense_guess.reveal(
    f"{100 * possible[1.0]:.0f} of 100 (from 40 stories)",
    "a few nonsensical words in a hundred are little, but a story has more than fifty, and all of them must be right",
)

# %% tags=["claim"]
distinct = torch.tensor([written[T].distinct for T in (0.0, 0.3, 1.0, 2.0)])
longer = torch.tensor([writing.distinct_n(written[1.0].stories, 4, n) for n in (300, 600, 1200)])
claim(
    "Variety rises with the temperature",
    distinct.diff(), above=0.03,
    because="forty stories scatter by 0.02; between these temperatures eight draws rose by 0.05 or more",
    control={"one temperature, more and more text": longer.diff()},
)
claim(
    "Above temperature 1 sense is lost",
    [possible[1.4], possible[2.0]], below=0.08,
    because="at most 1 of 40 in eight draws",
    control={"temperature 0.3": possible[0.3]},
)

# %% [markdown]
# At temperature 0 all forty stories are one story, and what it says is not even possible. So "low is safe" is not the whole truth, nor is "high is creative": far above 1 the words are new because they are wrong. In between the share of possible stories is highest here, but with forty stories it is uncertain by 6 percentage points or so; do not read a best temperature off this figure.

# %% [markdown]
# ### Greedy goes in circles
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
# The dice-roller comes to old words as well, and leaves them another way. For the greedy one the first old word is the end. It comes soon, as in the birthday problem: after $k$ different words the next is an old one with probability $k/n$, and these probabilities add up.

# %% tags=["claim"]
steps = chains.steps_to_repeat(200, range(400))
claim(
    "Chains of 200 random words come back after about 17.4 words, as the birthday problem has it",
    steps.mean(), near=chains.expected_steps_to_repeat(200), within=4 * steps.std() / 20,
    because="400 chains: four standard errors of their mean",
    control={"half as many words": chains.steps_to_repeat(100, range(400)).mean()},
)

# %% tags=["predict"]
cycle_guess.reveal(
    f"after {steps.mean():.1f}, and at the latest (of 400 chains) after {steps.max():.0f}",
    "every word is another chance to meet one of those before, and there are more of those with each step",
)

# %% [markdown]
# A GPT's state is all that it reads: the last `max_seq_len` tokens. So the argument holds for it too, but says little:

# %% tags=["derive"]
config = shipped.model.config
print(f"states: {config.vocab_size}^{config.max_seq_len}, a number of "
      f"{len(str(config.vocab_size**config.max_seq_len))} digits")

# %% [markdown]
# No run can be long enough to need the bound. Give the same GPT a shorter memory, and the circle comes into sight. Eight texts, each begun with another word, 300 steps; how many steps until a state comes again?

# %% tags=["experiment"]
starts = torch.arange(0, 160, 20)[:, None]
for width in (1, 4, 16, 64):
    texts = chains.short_memory(shipped.model, starts, width, 300)
    print(f"memory of {width:2} words:", chains.steps_to_cycle(texts, width))
    if width == 4:
        short = texts

# %% tags=["claim"]
dice = chains.short_memory(shipped.model, starts, 4, 300, 1.0, torch.Generator().manual_seed(0))


def periods(texts):
    return [chains.has_period(text[-100:], 50) or 0 for text in texts]


claim(
    "With a memory of 4 words each of the eight texts ends in an exact repetition",
    periods(short), above=0,
    because="the period of the last hundred words, 0 where there is none; it was 1 or 4",
    control={"drawn at temperature 1": periods(dice)},
)

# %% [markdown]
# A memory of $w$ words is not full before step $w$, so no state can come again earlier; texts that repeat one word from the start show just that. Others go on for longer, and with 64 words some have not met their circle after 300 steps. That large language models fall into loops *early* when they write greedily is another matter, an observation and no theorem: Holtzman and others (2020, figure 4) saw that GPT-2 finds a phrase more probable with each time it is repeated.
#
# ## Play
#
# Your own beginning. It must be made of the words that this model knows; unlike BPE (lesson 11) it has no way to spell another. The first word that cannot stand where it does is marked.

# %% tags=["derive"]
from textwrap import fill

print(fill(" ".join(sorted(shipped.words)), 100))
shows_error(lambda: shipped.encode("Leo had a zebra"))

# %% tags=["experiment"]
from course_lib.experiments.story_writing import marked

BEGINNING = "one sunny morning Ruth was in the"
HOW = {"temperature": 0.7, "top_p": 0.95, "top_k": None}

own = writing.write_stories(shipped, 3, torch.Generator().manual_seed(1), BEGINNING, **HOW)
print(*(fill(marked(story), 100) for story in own), sep="\n\n")


# %% [markdown]
# Try temperature 0.1 and then 1.5 with the same beginning. Then take 1.5 again and cut with `top_p` 0.8. A cut makes a high temperature bearable, because the temperature acts first and lifts the tail, and the cut then takes it away.
#
# ## Verify
#
# That order matters, and libraries differ in it. In ours the temperature comes first, as in `transformers`, so what top-p keeps depends on the temperature:

# %% tags=["claim"]
def left(temperature, **cut):
    return (next_probabilities(where.logits, temperature, **cut) > 0).sum(-1).float().mean()


claim(
    "Top-p 0.9 keeps more words at a higher temperature",
    [left(1.0, top_p=0.9) - left(0.5, top_p=0.9), left(2.0, top_p=0.9) - left(1.0, top_p=0.9)],
    above=0.2,
    because="eight draws of stories gave 0.4 and 26, or more",
    control={"top-k 10": [left(T, top_k=10) - left(1.0, top_k=10) for T in (0.5, 2.0)]},
)
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
# Words are drawn from softmax of the scores, after up to three changes. The temperature divides the scores; entropy rises with it at the rate $\operatorname{Var}(z)/T^3$, from 0 towards $\ln n$, which only the limit reaches. Temperature 0 is a rule of its own: take one largest word. Top-k keeps a fixed number of words, top-p as many as the model is unsure of, and here it kept more sense and less nonsense. Neither mends what the model believes. A greedy writer with finitely many states ends in a circle, soon if it remembers little.
#
# What this does not show: all of it was measured on one small model with 169 words and one kind of story. Where the best cut lies for a large model, these numbers do not say. Next: what the model need not compute twice while it writes.
