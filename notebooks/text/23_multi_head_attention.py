# %% [markdown]
# # 23 Multi-head attention
#
# **What do many heads buy?** At the end you can write a layer of several heads as a sum, say what more heads cost and what they do not, measure which heads of a model matter, and tell which popular sentences about heads are true. You need lesson 21 and matrix products; about 80 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [22 Masks](22_masks.ipynb) · next: [24 Embeddings and positions](24_embeddings_and_positions.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(23)

# %% tags=["widget"]
from course_lib.experiments.head_split import beside_one_head
from course_lib.plots import head_split
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

widths = {"d_model / heads": False, "d_model": True}
explore(beside_one_head, head_split.draw, head_split.say, size=(9, 3.2),
        n_heads=choice([1, 2, 4, 8, 16, 32, 64], 4, label="heads"),
        full_width=choice(widths, False, label="width of each head"))

# %% [markdown]
# ## Question
#
# Lesson 21 built one attention: every position asks once, and gets one average of the values. Real models run several attentions side by side in each layer, their **heads**. The figure shows the usual recipe for a model whose vectors are 64 numbers wide, on a text of 24 positions.
#
# Left: the matrix that makes the queries. Its columns are dealt out to the heads, the first head's are dark. Middle: every head makes an attention map of its own. Right: what the layer costs, compared with a single head. ("Operations" are the multiplications and additions of all its matrix products.)
#
# Try this. Click the slider and press the right arrow key: the stripes get narrower, the maps get more, and the two upper bars do not move at all. Only the shares of attention grow, because every map has its own. Then choose `d_model` as the width of each head, as people often imagine it, and move the slider back: now everything depends on the number of heads. So the usual recipe does not buy more parameters. It cuts the same ones into pieces. What is that good for?

# %% [markdown]
# ## Predict
#
# Three guesses to commit yourself to.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

count_guess = predict(
    "A small model has to look at three places at once. Its layer is 64 wide, and the "
    "training is the same. After 100 steps, how many heads have learnt most?",
    ["1 head, 64 wide", "4 heads, 16 wide", "16 heads, 4 wide"],
)
count_guess

# %% tags=["predict", "widget"]
silence_guess = predict(
    "A trained model has two blocks (each an attention layer and a feed-forward layer) of four "
    "heads. Silence one head at a time. What happens to the loss?",
    ["it hardly rises, whichever head it is", "it rises about equally for every head",
     "it rises a lot for some heads and not at all for others"],
)
silence_guess

# %% tags=["predict", "widget"]
angle_guess = predict(
    "In a fresh layer of 12 heads and width 768 each head reads 64 directions. People say the "
    "heads read subspaces at right angles to each other. What is the smallest angle between them?",
    ["90 degrees", "between 80 and 90 degrees", "between 60 and 80 degrees", "below 60 degrees"],
)
angle_guess

# %% [markdown]
# ## Derive
#
# ### Two heads by hand
#
# Three positions, two numbers each. Two heads, as narrow as can be: a query, a key and a value of one number. So each head's three matrices are single columns, and the root of the width is 1.

# %% tags=["derive"]
import math

x = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
heads = [{"q": [2.0, 0.0], "k": [1.0, 0.0], "v": [0.0, 1.0]},
         {"q": [0.0, 1.0], "k": [0.0, 3.0], "v": [1.0, -1.0]}]
W_o = [[1.0, -1.0], [0.5, 2.0]]  # a row for each head


# %% tags=["derive"]
def head_by_hand(x, head):
    q, k, v = ([sum(a * w for a, w in zip(row, head[name])) for row in x] for name in "qkv")
    mixes = []
    for query in q:
        exponentials = [math.exp(query * key) for key in k]
        mixes.append(sum(e * value for e, value in zip(exponentials, v)) / sum(exponentials))
    return mixes


mixes = [head_by_hand(x, head) for head in heads]
mixes

# %% [markdown]
# Each head has mixed one number for each of the three positions. The recipe lays them side by side, `[first head, second head]`, and multiplies by the matrix $W^O$. Write that out for the last position, and it falls apart into one term for each head:

# %% tags=["derive"]
first = [mixes[0][2] * weight for weight in W_o[0]]
second = [mixes[1][2] * weight for weight in W_o[1]]
print("the first head adds ", first)
print("the second head adds", second)


# %% [markdown]
# The same for all positions:

# %% tags=["derive"]
def sum_by_hand(position):
    return [mixes[0][position] * W_o[0][column] + mixes[1][position] * W_o[1][column]
            for column in range(2)]


by_hand = [sum_by_hand(position) for position in range(3)]
by_hand

# %% [markdown]
# In general: $\operatorname{head}_i = \operatorname{Attention}(X W^Q_i, X W^K_i, X W^V_i)$, and with $W^O_i$ for the rows of $W^O$ that head $i$ meets,
#
# $$\operatorname{MultiHead}(X) = [\operatorname{head}_1, \dots, \operatorname{head}_h]\, W^O = \sum_{i=1}^{h} \operatorname{head}_i\, W^O_i .$$
#
# The left form is the recipe of [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762) (section 3.2.2). The right one is the same numbers, and often the better way to think of it ([Elhage et al. 2021](https://transformer-circuits.pub/2021/framework/index.html)): **each head reads the stream (the vectors that run through the model, one for each position), and adds something to it, on its own.** The library follows the recipe. It makes the queries of all heads by one matrix and cuts them (what is called `cache` in it is for lesson 52):

# %% tags=["derive"]
from course_lib.mechanisms.attention import MultiHeadAttention, merge_heads, split_heads

show_source(split_heads)

# %% tags=["derive"]
show_source(merge_heads)

# %% tags=["derive"]
show_source(MultiHeadAttention.forward)

# %% [markdown]
# And the sum, head by head. `head_writers` cuts $W^O$ into the rows that belong to each head.

# %% tags=["derive"]
from course_lib.experiments.head_outputs import head_outputs, head_writers, torch_twin

show_source(head_outputs)

# %% [markdown]
# Give the library's layer the numbers from above, and PyTorch's own layer too. Four ways to the same numbers:

# %% tags=["derive"]
import torch

attn = MultiHeadAttention(2, 2).double()
with torch.no_grad():
    for parameter in attn.parameters():
        parameter.zero_()  # no biases
    for name, layer in (("q", attn.q_proj), ("k", attn.k_proj), ("v", attn.v_proj)):
        layer.weight.copy_(torch.tensor([head[name] for head in heads]))  # a row for each head
    attn.out_proj.weight.copy_(torch.tensor(W_o).T)

# %% tags=["claim"]
from course_lib.checks.claim import claim

X = torch.tensor(x, dtype=torch.float64)
parts = head_outputs(attn, X)
swapped = attn.attend(X).z @ head_writers(attn).flip(0)
wanted = torch_twin(attn)(X, X, X)[0]


def largest_difference(numbers):
    return (numbers - wanted).abs().max()


claim(
    "By hand, as a sum over heads, by the recipe and in torch: the same numbers",
    [largest_difference(torch.tensor(by_hand, dtype=torch.float64)),
     largest_difference(parts.sum(dim=0)), largest_difference(attn(X))],
    below=1e-12,
    because="all four compute in float64, which rounds at 1e-16 of the size",
    control={"the mean over heads": largest_difference(parts.mean(dim=0)),
             "rows of W^O swapped": largest_difference(swapped.sum(dim=0))},
)

# %% [markdown]
# One example proves little. The same for random weights with biases, two texts, three heads and a causal mask:

# %% tags=["claim"]
attn = MultiHeadAttention(12, 3).double()
twin = torch_twin(attn)
X = torch.randn(2, 5, 12, dtype=torch.float64)
visible = torch.ones(5, 5, dtype=torch.bool).tril()
by_head, bias = head_outputs(attn, X, visible), attn.out_proj.bias
as_a_sum = by_head.sum(dim=1) + bias
wanted = twin(X, X, X, attn_mask=~visible)[0]  # torch's mask is True where reading is forbidden
claim(
    "For random weights the sum over heads is what torch computes",
    largest_difference(as_a_sum),
    below=1e-12,
    because="float64 rounds at 1e-16 of the size",
    control={"the last head left out": largest_difference(by_head[:, :2].sum(dim=1) + bias)},
)

# %% [markdown]
# ### What do more heads cost?
#
# The three matrices that a layer reads with have $d_{model}$ columns in all, however these are dealt out, and $W^O$ has $d_{model}$ rows. So a layer has $4\,d_{model}^2$ weights (and $4\,d_{model}$ biases) for any number of heads. The matrix products cost the same as well. Let PyTorch count them while the layer runs:

# %% tags=["claim"]
from course_lib.experiments.head_split import measure_split

measured = [measure_split(n) for n in (1, 2, 4, 8, 16, 32, 64)]
one, wide = measured[0], measure_split(8, d_head=64)
claim(
    "One head or 64, at the same width: the same number of parameters",
    [split.parameters for split in measured],
    equals=4 * (64**2 + 64),
    because="counting is exact",
    control={"8 heads that keep the full width": wide.parameters},
)
claim(
    "The matrix products cost the same number of operations, too",
    [split.operations for split in measured],
    equals=one.operations,
    because="PyTorch counts them exactly, by the shapes",
    control={"8 heads that keep the full width": wide.operations},
)

# %% [markdown]
# "Heads cost nothing" would still be too much said. Every head has its own map of scores and shares, to be made by softmax and kept in memory:

# %% tags=["claim"]
claim(
    "The shares of attention that must be made grow in proportion to the heads",
    [split.probabilities / split.n_heads for split in measured],
    equals=24 * 24,
    because="each head has one share for every pair of the 24 positions",
    control={"one map for all heads": one.probabilities / measured[-1].n_heads},
)

# %% [markdown]
# ### What does a narrow head lose?
#
# A head compares positions by $d_k$ numbers. So the scores of a head are a matrix $Q K^\top$ of rank at most $d_k$, however long the text is ([Bhojanapalli et al. 2020](https://arxiv.org/abs/2002.07028)). To make *every* pattern of shares over $T$ positions possible, the rank would have to be about $T$. So the popular "many heads make attention far more expressive" is half of the truth: at the same width a layer gets more patterns, each from a smaller choice.

# %% tags=["claim"]
from course_lib.experiments.head_outputs import score_ranks

ranks = {n: score_ranks(n) for n in (1, 2, 4, 16)}
claim(
    "Cut into n heads, a layer of width 64 has scores of rank min(24, 64 / n) over 24 positions",
    [rank for n in ranks for rank in ranks[n][0]],
    equals=[min(24, 64 // n) for n in ranks for _ in range(n)],
    because="a rank is a whole number, and random vectors are never exactly dependent",
    control={"after softmax": [rank for n in ranks for rank in ranks[n][1]]},
)

# %% [markdown]
# The control is worth a second look: softmax bends the scores, and the *shares* have full rank again, even those of heads that are 4 wide. But full rank does not mean that any map can be made: all maps still come from comparing $d_k$ numbers.

# %% [markdown]
# ## Experiment
#
# ### A task with three places to look at
#
# A text has 18 letters. It is a random word of six letters, three times, or a random word of nine, twice. Nobody says which:

# %% tags=["experiment"]
from course_lib.experiments.six_or_nine import COIN_FLIP, FIRST_SCORED, draw_texts

token_ids, _, lengths = draw_texts(torch.Generator().manual_seed(1), 4)
for text, length in zip(token_ids.tolist(), lengths.tolist()):
    print("".join(chr(ord("A") + letter) for letter in text) + "?", "word of", length)

# %% [markdown]
# The model is graded on the last six letters only. Whoever predicts one of them finds it 5 places back, and again 11 places back, if the word has six letters; 8 places back if it has nine. If the letters 5 and 11 places back differ, the word must have nine letters. So it pays to look at three places at once.
#
# One head gives one average of what it looks at. Vaswani et al. name this as the reason for heads (section 3.2.2): with a single head, "averaging inhibits this". Does it? One block, 64 wide, cut into 1, 4 or 16 heads, three runs each (two for sixteen heads, and not as far), measured on new texts on the way. The loss is the mean of $-\ln p$ of the right letter, in nats: 0 is certain and right, and $\ln 16$, about 2.8, is what equal chances for all 16 letters cost. Who knows the two letters that may come, but not which of them, can only toss a coin. That costs $\ln 2$ where they differ, $\frac{15}{16}\ln 2$ on average: the dashed line. The cell trains eight small models; it takes a quarter of a minute or so.

# %% tags=["experiment"]
from course_lib.experiments.head_learning import learn_with_heads
from course_lib.plots.head_learning import draw_learning, say_learning
from course_lib.plots.show import show

one_head, four_heads = learn_with_heads(1), learn_with_heads(4)
sixteen_heads = learn_with_heads(16, n_steps=100, seeds=(0, 1))
show(draw_learning, ([one_head, four_heads, sixteen_heads], COIN_FLIP), say_learning, size=(7, 3.8))


# %% [markdown]
# Read the curves from left to right. With the same parameters, four heads are ahead at every step that we looked at. But one head does not stop at the coin. Its loss goes on falling, and after twice the steps it is about where four heads were. Stop early, and you would conclude that one head cannot do it. Here heads buy **speed of learning**.

# %% tags=["claim"]
def lead(slower, faster):
    return slower.losses.amin(dim=0) - faster.losses.amax(dim=0)  # worst case, at each step


claim(
    "At every step the worst run with four heads is ahead of the best run with one",
    lead(one_head, four_heads)[1:],
    above=0.05,
    because="three seeds each; runs with four heads differ by about 0.03 in the end",
    control={"before the first step": lead(one_head, four_heads)[0],
             "one head with all its steps, four with half":
             one_head.losses[:, -1].min() - four_heads.losses[:, 4].max()},
)
claim(
    "One head gets far below the coin, too; it only needs more steps",
    one_head.losses[:, -1],
    below=COIN_FLIP - 0.2,
    because="three seeds; their losses differ by about 0.05 at this step",
    control={"halfway": one_head.losses[:, 4]},
)

# %% tags=["claim"]
claim(
    "After 100 steps sixteen heads lie behind four, on average",
    sixteen_heads.losses[:, -1].mean() - four_heads.losses[:, 4].mean(),
    above=0.05,
    because="three runs against two; runs with four or sixteen heads scatter by about 0.03 at most",
    control={"1 head against 16": sixteen_heads.losses[:, -1].mean()
             - one_head.losses[:, 4].mean()},
)

# %% [markdown]
# None of these orders is a law, that of 1 and 4 included. All runs use one learning rate, chosen by us; another rate may well change who is ahead. Vaswani et al. saw a best number in translation (section 6.2): a single head was 0.9 BLEU worse than the best setting (BLEU scores a translation by the word sequences it shares with a human one), and too many heads cost quality as well.
#
# ### How can one average be enough?
#
# Look at where the heads look. Here is one new text; each row is one of the six graded readers. Left: the single head. Then the four heads of a model that has four.

# %% tags=["experiment"]
from course_lib.experiments.head_roles import attention_maps
from course_lib.plots.head_learning import draw_maps, say_maps

pair = [attention_maps(run.models[0], token_ids[:1])[0, 0] for run in (one_head, four_heads)]
titles = ["the only head", *(f"head {number} of 4" for number in range(1, 5))]
show(draw_maps, (titles, torch.cat(pair), FIRST_SCORED), say_maps, size=(9, 2.8))

# %% [markdown]
# The single head blurs, as feared: it spreads over the three places. The four heads mostly look at one place each, and not all at the same one. But look at the single head's shares:

# %% tags=["experiment"]
from course_lib.experiments.head_learning import shares_of_places, voting_loss

shares = torch.stack([shares_of_places(model)[0] for model in one_head.models])
for row in shares.tolist():
    print("5, 8 and 11 places back:", [round(share, 2) for share in row])

# %% [markdown]
# The place 8 back gets more than each of the others, and less than both together. That is a **vote**. In a word of six, the places 5 and 11 back hold the same letter, and together they outvote the one 8 back. In a word of nine these two (nearly always) differ, and each alone loses against 8 back. The average holds the sums of the votes, and what comes after picks the largest. A readout (the step from the average to a score for each letter) made by hand, with shares of 0.3, 0.4 and 0.3, multiplies the sums by 20 and takes the softmax. It shows that this works:

# %% tags=["claim"]
by_vote = voting_loss([0.3, 0.4, 0.3], sharpness=20)
claim(
    "One average and a readout that takes a vote lose less than half of what the coin does",
    by_vote,
    below=COIN_FLIP / 2,
    because="256 new texts, nothing is trained; a tie in every word of six would cost about half",
    control={"a tie in words of six": voting_loss([0.25, 0.5, 0.25]),
             "equal shares, a tie in words of nine": voting_loss([1 / 3, 1 / 3, 1 / 3])},
)
claim(
    "The vote by hand does about as well as four heads after all their steps",
    four_heads.losses[:, -1] - by_vote,
    near=0, within=0.05,
    because="three seeds; they differ by 0.03 at most",
    control={"one head after all its steps": one_head.losses[:, -1] - by_vote},
)

# %% tags=["claim"]
claim(
    "The trained single heads share their attention as the vote needs it: "
    "8 back beats each of the others, not both together",
    torch.stack([shares[:, 1] - shares[:, 0], shares[:, 1] - shares[:, 2],
                 shares[:, 0] + shares[:, 2] - shares[:, 1]]),
    above=0.02,
    because="three seeds; each share differs by less than 0.05 between runs",
    control={"equal shares": [0.0, 0.0, 1 / 3]},
)

# %% [markdown]
# "One head cannot use several places at once" is false here, then, and so is "what was found must be kept apart". A blurred average and a vote are enough: the vote by hand does about as well as four heads after all their steps. Our single heads were slower. Whether training takes them as far in the end, these runs do not show. [Liu, Liu and Han 2021](https://arxiv.org/abs/2106.09650) come to a related view of large models, by another way: many layers of one head each attend to several places as well, and the main advantage of many heads is that training is more stable, because fewer layers are needed for the same number of heads. What our toy does not show is why four heads are faster.
#
# ### Which heads matter?
#
# Now a model of two blocks, one after the other, with four heads each; three runs. Silence one head: set its rows of $W^O$ to 0, in a copy of the model, and see how much the loss on new texts rises. The sum makes this a clean cut inside this layer: the other heads' terms stay what they were. (What comes after sees a changed stream, and 0 is a choice: the head's average output would be another.)

# %% tags=["experiment"]
from course_lib.experiments.head_roles import (
    effects_of_heads,
    head_roles,
    reading_accuracy,
    trained_reader,
)
from course_lib.plots.head_roles import draw_effects, say_effects

models = [trained_reader(seed=seed) for seed in (0, 1, 2)]
roles = [head_roles(model) for model in models]
show(draw_effects, roles, say_effects, size=(9, 3.2))

# %% [markdown]
# A rise of the loss can look larger than it is, because a model that is certain and wrong pays more than one that knows nothing. So look at the share of right letters as well (run 1):

# %% tags=["experiment"]
changes = effects_of_heads(models[0], reading_accuracy)
print(f"all heads there: {roles[0].accuracy:.2f} of the letters right")
for block, row in enumerate((roles[0].accuracy + changes).tolist(), 1):
    print(f"one head of block {block} silenced:", [round(share, 2) for share in row])

# %% [markdown]
# In the first block every head counts. In the second, any single one could be left out.

# %% tags=["claim"]
effects = torch.stack([run.effects for run in roles])  # [run, block, head]
claim(
    "In every run some head is worth much: without it the loss rises by more than half a nat",
    effects.amax(dim=(1, 2)),
    above=0.5,
    because="three seeds; the loss itself is below half a nat before",
    control={"the best head of block 2": effects[:, 1].amax(dim=-1)},
)
claim(
    "And in every run some head can be spared: the loss changes by less than 0.05",
    effects.abs().amin(dim=(1, 2)),
    below=0.05,
    because="three seeds; the least head of a first block is worth several times this",
    control={"the least of block 1": effects[:, 0].amin(dim=-1)},
)

# %% [markdown]
# Where do the heads of the first block look? At a single position mostly at one place, as in the model above (Play shows this one's maps). Which one changes from position to position, so take averages over the graded positions:

# %% tags=["claim"]
first = torch.stack([run.induction[0] + run.other[0] for run in roles])
claim(
    "Heads of the first block spend nearly all attention where the next letter may stand",
    first,
    above=0.8,
    because="three of 12 to 17 places would get at most 0.25 by chance; seeds differ by a few percent",
    control={"heads of the second block": roles[0].induction[1] + roles[0].other[1]},
)
claim(
    "They do not know the word: 8 places back gets the same share in words of six and of nine",
    torch.stack([run.word_gap[0] for run in roles]).abs(),
    below=0.03,
    because="three seeds; two sets of about 128 texts differ by less than 0.01",
    control={"one head against another, at 8 places back":
             [run.by_distance[0, :, 8].max() - run.by_distance[0, :, 8].min() for run in roles]},
)

# %% [markdown]
# Two names from the literature. A **previous-token head** looks one place back. An **induction head** looks at the letter that followed when the present letter stood there before ([Olsson et al. 2022](https://arxiv.org/abs/2209.11895)). In models with at least two layers, pairs of the two go on with any repeated text. Here the share one place back is close to nothing, and the "induction score" of the first block, its share on the right next letter, is about a half. That looks like induction heads. But a head that looks at any of the three places without knowing the word is right in half of the texts. A score tells where a head looks. It does not tell how it got there.

# %% tags=["claim"]
claim(
    "No previous-token head has formed in the first block",
    torch.stack([run.previous[0] for run in roles]),
    below=0.06,
    because="0.06 is what one of 17 places would get if all shared equally",
    control={"the same heads' induction score": torch.stack([run.induction[0] for run in roles])},
)

# %% [markdown]
# ### Is a head that can be spared useless?
#
# Silence all heads of block 2 together (its feed-forward layer stays):

# %% tags=["experiment"]
from course_lib.experiments.head_outputs import without_heads
from course_lib.experiments.head_roles import reading_loss

silenced = [without_heads(model, *((1, head) for head in range(4))) for model in models]
shares_lost = []
for run, model in zip(roles, silenced):
    gain, rise = COIN_FLIP - run.loss, reading_loss(model) - run.loss
    shares_lost.append(rise / gain)
    print(f"one by one {run.effects[1].sum():.3f}, together {rise:.3f}: {rise / gain:.0%} of what "
          f"the model gains on the coin; {reading_accuracy(model):.2f} right, was {run.accuracy:.2f}")

# %% [markdown]
# In the first run, heads that each cost nothing cost most of the gain when they go together. They were not idle. They were **replaceable**: the others make up for any one that is missing. (Or they only add a constant that the rest counts on. Silencing with 0 cannot tell; the mean output in its place could.) In the other two runs the heads of block 2 really add little. Silencing heads one at a time cannot tell these cases apart.

# %% tags=["claim"]
claim(
    "In run 1 the heads of block 2 carry more than a third of the gain on the coin, together",
    shares_lost[0],
    above=1 / 3,
    because="one run, as an example that this happens; it need not in every run",
    control={"their single effects, added up": roles[0].effects[1].sum() / (COIN_FLIP - roles[0].loss),
             "the other runs": shares_lost[1:]},
)

# %% [markdown]
# The clearest case is a task that one head could do: repeat twelve random letters, so that the next letter is always 11 places back (lesson 21 trained on it). One block of four heads, two runs. Silence each head alone, then all but one:

# %% tags=["experiment"]
from course_lib.experiments.head_roles import copying_loss, trained_copier

copiers = [trained_copier(seed=seed) for seed in (0, 1)]


def rises(model, silent):
    whole, places = copying_loss(model), [[(0, h) for h in silent(head)] for head in range(4)]
    return [copying_loss(without_heads(model, *place)) - whole for place in places]


alone = [rises(model, lambda head: [head]) for model in copiers]
left = [rises(model, lambda head: [h for h in range(4) if h != head]) for model in copiers]
for number, (without, only) in enumerate(zip(alone, left), 1):
    print(f"run {number}: without this head", [round(r, 2) for r in without],
          "with this head only", [round(r, 2) for r in only])

# %% tags=["claim"]
claim(
    "Each head of the copiers can be spared",
    alone,
    below=0.2,
    because="two seeds; leaving one head alone costs more than this, even the best one",
    control={"all but one silenced, the best one left": [min(only) for only in left]},
)

# %% [markdown]
# Any three heads do without the fourth. A head left alone does not do the task as well: some get near, others are far off. So they stand in for each other, and do not simply all do the same.
#
# That is also the state of knowledge about large models. [Michel et al. 2019](https://arxiv.org/abs/1905.10650) took heads out of trained models, a translator and BERT: large parts can go, some layers do with a single head, but not everything can go. [Voita et al. 2019](https://arxiv.org/abs/1905.09418) went on training a translation model while pruning it, and took out 38 of the 48 heads of its encoder for 0.15 BLEU; the last to go were heads with a role that one can name. [Clark et al. 2019](https://arxiv.org/abs/1906.04341) found heads in BERT that find the object of a verb or the word that a pronoun means, and others that mostly look at the marks between sentences. So "each head attends to a linguistic feature" holds for some heads of some models. Nothing in the formula asks for it.

# %% [markdown]
# ### Do heads read subspaces at right angles?
#
# You may hear that "the projections map into $h$ mutually orthogonal subspaces". Nothing in the formula sees to it, so measure. Two subspaces have several angles between them, the *principal angles*: take the direction in each that fits the other's best, and note their angle; then the next best at right angles to these; and so on. "Orthogonal" means that all cosines are 0.
#
# What would chance give? With $d$ for the width of the model, turn the axes so that $d_k$ of the $d$ lie in the other head's subspace. A random direction of length 1 has squares along the axes that add up to 1, so on average $d_k / d$ of its squared length falls there. The mean of this over any set of perpendicular directions that span the head is the same number, and the principal angles come from one such set, where the caught share is $\cos^2$. So on average $\cos^2 = d_k / d$.

# %% tags=["experiment"]
from course_lib.experiments.head_subspaces import random_columns, subspace_overlaps
from course_lib.plots import head_subspaces

fresh = subspace_overlaps(random_columns(768, 12))
show(head_subspaces.draw, fresh, head_subspaces.say, size=(7, 3))

# %% tags=["claim"]
sizes = [(768, 12), (512, 8), (256, 16)]
draws = [subspace_overlaps(random_columns(d, h, seed)) for d, h in sizes for seed in (0, 1)]
claim(
    "The mean cos^2 between fresh heads is d_k / d",
    [overlaps.mean_square / overlaps.expected for overlaps in draws],
    near=1, within=0.05,
    because="the average over all pairs of heads is off by 1% at most in six draws",
    control={"heads forced to right angles": 12 * subspace_overlaps(
        random_columns(768, 12, orthogonal=True)).mean_square},
)

# %% tags=["claim"]
twice = [subspace_overlaps(random_columns(d, h)[[0, *range(h - 1)]]) for d, h in sizes[1:]]
claim(
    "The heads are independent all the same: together they span the whole width",
    [overlaps.joint_rank / overlaps.d_model for overlaps in draws],
    equals=1,
    because="a rank is a whole number, and random vectors are never exactly dependent",
    control={"one head twice": [overlaps.joint_rank / overlaps.d_model for overlaps in twice]},
)

# %% [markdown]
# Independent, then, but not orthogonal: every head sees a part of what any other sees. Does training push them apart? Here is what the heads of the first block read, by their queries, keys and values, and what they write, after training. Chance gives $16/64$.

# %% tags=["experiment"]
from course_lib.experiments.head_outputs import head_readers


def overlap(columns):
    return subspace_overlaps(columns).mean_square


attns = [model.blocks[0].attn for model in models]
read = {kind: [overlap(head_readers(attn, kind)) for attn in attns] for kind in "qkv"}
written = [overlap(head_writers(attn).transpose(-2, -1)) for attn in attns]
for name, numbers in {**read, "output": written}.items():
    print(f"{name:6}", [round(number, 2) for number in numbers])

# %% tags=["claim"]
claim(
    "Training does not push the heads of the first block apart, in what they read or write",
    [*read["q"], *read["k"], *read["v"], *written],
    above=0.22,
    because="three seeds; chance gives 0.25 with a spread of less than 0.01, right angles give 0",
    control={"heads forced to right angles": overlap(random_columns(64, 4, orthogonal=True))},
)
claim(
    "Where they read their values, and where they write, they overlap more than by chance",
    [*read["v"], *written],
    above=0.3,
    because="three seeds; chance gives 0.25 with a spread of less than 0.01",
    control={"fresh heads": [overlap(random_columns(64, 4, seed)) for seed in range(3)]},
)

# %% [markdown]
# ## Play
#
# All heads of the first run at a glance: rows of each map read, columns are read, and bright means much attention. The model is graded on the last six rows. Colours mean the same for every head and every text.
#
# Try this. Switch between a text with a word of six and one of nine: the last six rows of block 1 hardly change, because these heads go by the place alone. Look at one of these rows: do two heads look at the same place there? Then choose "loss without it" and compare the blocks.

# %% tags=["widget", "experiment"]
from functools import partial

from course_lib.experiments.head_roles import MEASURES, glance
from course_lib.plots import head_maps

measures = {words: measure for measure, words in MEASURES.items()}
explore(partial(glance, models[0], roles[0]), head_maps.draw, head_maps.say, size=(9, 5),
        length=choice({"six letters": 6, "nine letters": 9}, 6, label="word of"),
        measure=choice(measures, "spread", label="above each map"))

# %% [markdown]
# "Places it spreads over" is $e^{\text{entropy}}$: 1 when a head looks at a single place, 5 when five places share equally. The heads of block 1 are nearly at 1: at most positions a head looks at one place and leaves the others to its neighbours. They divide the labour by position, not by meaning.
#
# And your predictions, beside what was measured:

# %% tags=["predict"]
count_guess.reveal(
    ", ".join(f"{run.n_heads}: loss {run.losses[:, 4].mean():.2f}"
              for run in (one_head, four_heads, sixteen_heads)),
    "but one head goes on learning: with twice the steps it comes about as far, "
    "with shares that fit a vote",
)

# %% tags=["predict"]
silence_guess.reveal(
    f"run 1: {effects[0, 0].min():.2f} to {effects[0, 0].max():.2f} nats in block 1, "
    f"at most {effects[0, 1].abs().max():.2f} in block 2",
    "but in this run the heads of block 2 matter together; it depends on task and model",
)

# %% tags=["predict"]
smallest = math.degrees(math.acos(fresh.cosines.max()))
angle_guess.reveal(
    f"{smallest:.0f} degrees",
    "nothing makes them orthogonal; among 64 angles for each pair of heads, chance makes "
    "some much smaller than 90 degrees",
)

# %% [markdown]
# ## Verify
#
# One sentence is left: "multi-head attention is an ensemble over subspaces". An **ensemble** trains several models apart and averages their predictions. Heads are trained together, and their outputs are added before there is any prediction. Does the difference matter? Make a real ensemble from the models that you have: three with one head each, trained apart, every one as large as the whole model with four heads. Both after the same number of steps:

# %% tags=["claim"]
from course_lib.experiments.head_learning import ensemble_loss

together = [reading_loss(model) for model in four_heads.halfway]
apart = ensemble_loss(one_head.halfway)
print(f"ensemble: {apart:.2f}, its members:", [round(one, 2) for one in one_head.losses[:, 4].tolist()])
claim(
    "Four heads in one model beat an ensemble of three one-head models after 100 steps",
    [apart - loss for loss in together],
    above=0.1,
    because="three seeds of the model against one ensemble; models differ by about 0.03",
    control={"the ensemble with all its steps": [ensemble_loss(one_head.models) - loss
                                                 for loss in together]},
)

# %% [markdown]
# So a layer of heads is not the same thing as an ensemble. At equal steps the heads that are added and trained together got further, with a third of the parameters; with twice the steps the ensemble caught up. What decides is the definition: there is one prediction, made from what all of them have put into the stream.

# %% [markdown]
# ## Exercise
#
# ### 1. Lay the heads side by side
#
# A common slip with heads, and a quiet one. The library's right version stands above; try it without looking back.

# %% tags=["exercise"]
from course_lib.checks.lesson_23 import (
    broken_merge,
    head_contributions,
    join_heads,
    silence_head,
)

show_source(broken_merge)

# %% tags=["exercise"]
join_heads


# %% tags=["exercise"]
def my_join_heads(z):
    batch, n_heads, seq, d_head = z.shape
    return z.reshape(batch, seq, n_heads * d_head)


join_heads.check(my_join_heads)

# %% tags=["exercise"]
join_heads.hint()

# %% [markdown]
# ### 2. What each head adds

# %% tags=["exercise"]
head_contributions


# %% tags=["exercise"]
def my_head_contributions(z, out_weight):
    raise NotImplementedError


head_contributions.check(my_head_contributions)

# %% tags=["exercise"]
head_contributions.hint()

# %% [markdown]
# ### 3. A model without one head

# %% tags=["exercise"]
silence_head


# %% tags=["exercise"]
def my_silence_head(out_weight, n_heads, head):
    raise NotImplementedError


silence_head.check(my_silence_head)

# %% tags=["exercise"]
silence_head.hint()

# %% [markdown]
# ### An open one
#
# Silence *pairs* of heads of the first block with `without_heads(model, (0, 0), (0, 1))` and `reading_loss`. For which pairs is the rise more than the sum of the two single ones, for which is it less? Look at `reading_accuracy` as well: a loss above $\ln 16$ means that the model is certain and wrong, and then sums of losses say little. What does each case tell about the two?

# %% [markdown]
# ## Takeaways
#
# What do many heads buy? Several attention maps in a layer, for the parameters of one. They are not needed to read several places at once: one head can do that, too. On our task the maps bought speed of learning: at equal parameters four heads were ahead of one at every step we looked at. One head needed about twice the steps to come to where four were at halfway, with a blurred average, shared out as a vote needs it. At the same width a layer has the same parameters and matrix products for any number of heads; more heads means more maps from narrower queries and keys.
#
# A layer of heads is a sum: each head reads the stream and adds to it on its own. Heads do not read subspaces at right angles, neither in a fresh layer nor in the first block of our trained models, and they are no ensemble: they are added before anything is predicted. Which heads matter is a question for measurement, and a head that can be spared alone may be one of several that stand in for each other.
#
# Not covered: heads that share keys and values (lesson 52), and what heads of real models look at (lesson 64). What this toy does not show: why four heads learn faster, whether one head would get as far in the end, whether the order holds for other tasks and learning rates, and heads with a meaning. Ours sort by position, in a model of two small blocks, on a task that we made so that several places count.
#
# Sources: Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), sections 3.2.2 and 6.2; Bhojanapalli et al. 2020, [Low-Rank Bottleneck in Multi-head Attention Models](https://arxiv.org/abs/2002.07028); Liu, Liu and Han 2021, [Multi-head or Single-head?](https://arxiv.org/abs/2106.09650); Michel, Levy and Neubig 2019, [Are Sixteen Heads Really Better than One?](https://arxiv.org/abs/1905.10650); Voita et al. 2019, [Analyzing Multi-Head Self-Attention](https://arxiv.org/abs/1905.09418); Clark et al. 2019, [What Does BERT Look At?](https://arxiv.org/abs/1906.04341); Olsson et al. 2022, [In-context Learning and Induction Heads](https://arxiv.org/abs/2209.11895); Elhage et al. 2021, [A Mathematical Framework for Transformer Circuits](https://transformer-circuits.pub/2021/framework/index.html).
#
# Next: [24 Embeddings and positions](24_embeddings_and_positions.ipynb) shows how order gets in. [Contents](01_how_this_course_works.ipynb)
