# %% [markdown]
# # 23 Multi-head attention
#
# **What do many heads buy?** At the end you can write a layer of several heads as a sum, say what more heads cost and what they do not, measure which heads of a model matter, and tell popular sentences about heads from what is true. You need lesson 21 and matrix products; about 45 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [22 Masks](22_masks.ipynb) · next: [24 Embeddings and positions](24_embeddings_and_positions.ipynb)

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
# Try this. Click the slider and press the right arrow key: the stripes get narrower, the maps get more, and the two upper bars do not move at all. Only the shares of attention grow, because every map has its own. Then give each head the full width, as people often imagine it, and go back: now everything grows with the heads. So the usual recipe does not buy more parameters. It cuts the same ones into pieces. What is that good for?

# %% [markdown]
# ## Predict
#
# Three guesses to commit yourself to.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

angle_guess = predict(
    "In a fresh layer of 12 heads and width 768 each head reads 64 directions. People say the "
    "heads read subspaces at right angles to each other. What is the smallest angle between them?",
    ["90 degrees", "between 80 and 90 degrees", "between 60 and 80 degrees", "below 60 degrees"],
)
angle_guess

# %% tags=["predict", "widget"]
count_guess = predict(
    "A small model has to look at two or three places at once. Its layer is 64 wide, and the "
    "training is the same. How many heads learn best?",
    ["1 head, 64 wide", "4 heads, 16 wide", "16 heads, 4 wide"],
)
count_guess

# %% tags=["predict", "widget"]
silence_guess = predict(
    "A trained model has two blocks of four heads. Silence one head at a time. What happens to "
    "the loss?",
    ["it hardly rises, whichever head it is", "it rises about equally for every head",
     "it rises a lot for some heads and not at all for others"],
)
silence_guess

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
# Each head has mixed one number for each of the three positions. The recipe lays them side by side, `[first head, second head]`, and multiplies by the matrix $W^O$. Write that product out, and it falls apart into one term for each head:

# %% tags=["derive"]
def added_by_head(position):
    return [[mix[position] * entry for entry in row] for mix, row in zip(mixes, W_o)]


terms = [added_by_head(position) for position in range(3)]
by_hand = [[first + second for first, second in zip(*pair)] for pair in terms]
by_hand

# %% [markdown]
# In general: $\operatorname{head}_i = \operatorname{Attention}(X W^Q_i, X W^K_i, X W^V_i)$, and with $W^O_i$ for the rows of $W^O$ that head $i$ meets,
#
# $$\operatorname{MultiHead}(X) = [\operatorname{head}_1, \dots, \operatorname{head}_h]\, W^O = \sum_{i=1}^{h} \operatorname{head}_i\, W^O_i .$$
#
# The left form is the recipe of [Vaswani et al. 2017](https://arxiv.org/abs/1706.03762) (section 3.2.2). The right one is the same numbers, and the better way to think of it ([Elhage et al. 2021](https://transformer-circuits.pub/2021/framework/index.html)): **each head reads the stream, and adds something to it, on its own.** The library follows the recipe. It makes the queries of all heads by one matrix and cuts them:

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
# One example proves little. The same for random weights with biases, two texts, three heads and a causal mask, now including the gradients that training would use:

# %% tags=["claim"]
attn = MultiHeadAttention(12, 3).double()
twin = torch_twin(attn)
X = torch.randn(2, 5, 12, dtype=torch.float64, requires_grad=True)
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


# %% tags=["claim"]
def gradients(output, layer):
    return torch.autograd.grad(output.square().sum(), (X, layer.out_proj.weight), retain_graph=True)


theirs = gradients(wanted, twin)
claim(
    "So are the gradients that reach the input and W^O",
    [(one - other).abs().max() for one, other in zip(gradients(as_a_sum, attn), theirs)],
    below=1e-11,
    because="float64 again; the gradients are sums of about a hundred terms",
    control={"no mask": (gradients(attn(X), attn)[0] - theirs[0]).abs().max()},
)

# %% [markdown]
# ### What do more heads cost?
#
# The three matrices that a layer reads with have $d_{model}$ columns in all, however these are dealt out, and $W^O$ has $d_{model}$ rows. So a layer has $4\,d_{model}^2$ weights (and $4\,d_{model}$ biases) for any number of heads. The matrix products cost the same as well. Let PyTorch count them while the layer runs:

# %% tags=["claim"]
from course_lib.experiments.head_split import measure_split

measured = [measure_split(n) for n in (1, 2, 4, 8, 16, 32, 64)]
one = measured[0]
claim(
    "One head or 64, at the same width: the same number of parameters",
    [split.parameters for split in measured],
    equals=4 * (64**2 + 64),
    because="counting is exact",
    control={"8 heads that keep the full width": measure_split(8, d_head=64).parameters},
)
claim(
    "The matrix products cost the same number of operations, too",
    [split.operations for split in measured],
    equals=one.operations,
    because="PyTorch counts them exactly, by the shapes",
    control={"8 heads that keep the full width": measure_split(8, d_head=64).operations},
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
# A head compares positions by $d_k$ numbers. So the scores of a head are a matrix $Q K^\top$ of rank at most $d_k$, however long the text is ([Bhojanapalli et al. 2020](https://arxiv.org/abs/2002.07028)). With $T$ positions any pattern at all would need rank $T$. So the popular "many heads make attention far more expressive" is half of the truth: at the same width a layer gets more patterns, each from a smaller choice.

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
# The control is worth a second look: softmax bends the scores, and the *shares* have full rank again, even those of heads that are 4 wide. The limit is on what can be compared, not on the rank of the map.

# %% [markdown]
# ## Experiment
#
# ### Do heads read subspaces at right angles?
#
# "The projections map into $h$ mutually orthogonal subspaces" is a sentence that you will meet. Nothing in the formula sees to it, so measure. Two subspaces of many dimensions have many angles between them, the *principal angles*: take the direction in each that fits the other's best, and note their angle; then the next best at right angles to these; and so on. All cosines 0 is what "orthogonal" means.
#
# What would chance give? Take one direction of a head, length 1. Its squares along the $d$ axes of the space add up to 1, and another head that knows nothing of it catches $d_k$ of these $d$ shares. So on average $\cos^2 = d_k / d$.

# %% tags=["experiment"]
from course_lib.experiments.head_subspaces import random_columns, subspace_overlaps
from course_lib.plots import head_subspaces
from course_lib.plots.show import show

fresh = subspace_overlaps(random_columns(768, 12))
show(head_subspaces.draw, fresh, head_subspaces.say, size=(7, 3))

# %% tags=["claim"]
sizes = [(768, 12), (512, 8), (256, 16)]
claim(
    "The mean cos^2 between fresh heads is d_k / d",
    [overlaps.mean_square / overlaps.expected for d, h in sizes for seed in range(3)
     for overlaps in [subspace_overlaps(random_columns(d, h, seed))]],
    near=1, within=0.05,
    because="the average over all pairs of heads is off by 1% at most in nine draws",
    control={"heads forced to right angles by QR":
             subspace_overlaps(random_columns(768, 12, orthogonal=True)).mean_square * 12},
)

# %% tags=["claim"]
claim(
    "The heads are independent all the same: together they span the whole width",
    [subspace_overlaps(random_columns(d, h)).joint_rank for d, h in sizes],
    equals=[d for d, _ in sizes],
    because="a rank is a whole number, and random vectors are never exactly dependent",
    control={"one head twice": [subspace_overlaps(random_columns(d, h)[[0, *range(h - 1)]]).joint_rank
                                for d, h in sizes]},
)

# %% [markdown]
# Independent, then, but not orthogonal: no head is built from the others, and yet every head sees a part of what any other sees. Does training push them apart? We need a trained model. Take a task that makes heads work.
#
# ### A task for several heads
#
# A text has 18 letters. It is a random word of six letters, three times, or a random word of nine, twice. Nobody says which:

# %% tags=["experiment"]
from course_lib.experiments.six_or_nine import draw_texts

token_ids, _, lengths = draw_texts(torch.Generator().manual_seed(1), 4)
for text, length in zip(token_ids.tolist(), lengths.tolist()):
    print("".join(chr(ord("A") + letter) for letter in text) + "?", "word of", length)

# %% [markdown]
# The model is graded on the last six letters. Whoever predicts one of them finds it 5 places back, and again 11 places back, if the word has six letters; 8 places back if it has nine. If the letters 5 and 11 places back agree, it must be six. So it pays to look at two or three places at once, and *to keep apart what was found there*.
#
# One head gives one average. It can look at one place sharply, or at several and blur them. Vaswani et al. name this as the reason for heads (section 3.2.2): with a single head, "averaging inhibits this". Now the experiment: one block, 64 wide, cut into 1, 4 or 16 heads, three runs each. The cell trains nine small models, which takes a quarter of a minute or so.

# %% tags=["experiment"]
from course_lib.experiments.head_roles import losses_by_heads
from course_lib.experiments.six_or_nine import COIN_FLIP
from course_lib.plots.head_roles import draw_counts, say_counts

counts = [1, 4, 16]
losses = losses_by_heads(counts)
show(draw_counts, (counts, losses, COIN_FLIP), say_counts, size=(6.5, 3.4))

# %% [markdown]
# One head does little better than someone who knows both places and flips a coin. Four heads do much better with the same number of parameters. Sixteen heads, each 4 wide, fall behind again. Vaswani et al. saw the same shape in translation (section 6.2): a single head was 0.9 BLEU worse than the best setting, and quality dropped with too many heads, too. The best number depends on the task, the width and the training; ours is one toy task after a hundred steps.

# %% tags=["claim"]
claim(
    "One head ends near the coin flip",
    losses[0],
    near=COIN_FLIP, within=0.2,
    because="three seeds; the texts decide the coin's loss exactly, training scatters by 0.05",
    control={"four heads": losses[1]},
)
claim(
    "Four heads learn this better than one, at the same number of parameters",
    losses[0] - losses[1],
    above=0.1,
    because="three seeds; runs with the same number of heads differ by less than this",
    control={"16 heads against 4": losses[1] - losses[2]},
)
claim(
    "Sixteen heads learn it worse than four, on average",
    losses[2].mean() - losses[1].mean(),
    above=0.02,
    because="runs scatter by 0.04, so the difference of two means of three by about 0.03",
    control={"1 head against 16": losses[2].mean() - losses[0].mean()},
)

# %% [markdown]
# ### Which heads matter?
#
# Now a model of two blocks with four heads each, three runs. Silence one head: set its rows of $W^O$ to 0, in a copy of the model, and see how much the loss on new texts rises. The sum makes this a clean cut: all other terms stay what they were.

# %% tags=["experiment"]
from course_lib.experiments.head_roles import head_roles, trained_reader
from course_lib.plots.head_roles import draw_effects, say_effects

models = [trained_reader(seed=seed) for seed in (0, 1, 2)]
roles = [head_roles(model) for model in models]
show(draw_effects, roles, say_effects, size=(9, 3.2))

# %% [markdown]
# The first block does the work, and there every head counts. In the second, any one could be left out. Where do they look? For each head, its average share of attention at every distance, over the places that are graded:

# %% tags=["experiment"]
from course_lib.plots.head_roles import draw_distances, say_distances

show(draw_distances, roles[0], say_distances, size=(9, 3.4))

# %% [markdown]
# The heads of the first block look 5, 8 and 11 places back and hardly anywhere else: at the places where the next letter may stand. They cannot know yet which word it is, so they spend half of their attention on the places that turn out wrong.

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
    "And in every run some head is worth nothing: the loss changes by less than 0.05",
    effects.abs().amin(dim=(1, 2)),
    below=0.05,
    because="three seeds; the least head of a first block is worth several times this",
    control={"the least of block 1": effects[:, 0].amin(dim=-1)},
)

# %% tags=["claim"]
first = torch.stack([run.induction[0] + run.other[0] for run in roles])
claim(
    "Heads of the first block spend nearly all attention where the next letter may stand",
    first,
    above=0.8,
    because="three of 12 to 17 places would get below 0.25 by chance; seeds differ by a few percent",
    control={"heads of the second block": roles[0].induction[1] + roles[0].other[1]},
)
claim(
    "Half of that is on places that turn out wrong: the heads do not know the word",
    [run.other[0].sum() / (run.induction[0] + run.other[0]).sum() for run in roles],
    near=0.5, within=0.05,
    because="texts of both kinds are equally many, and a first block sees single letters only",
    control={"wrong answers of the whole model": [1 - run.accuracy for run in roles]},
)

# %% [markdown]
# Two names from the literature. A **previous-token head** looks one place back. An **induction head** looks at the letter that followed when the present letter stood there before ([Olsson et al. 2022](https://arxiv.org/abs/2209.11895)); in larger models pairs of the two, in two layers, go on with any repeated text. Here the share one place back is close to nothing, and the "induction score" of the first block, its share on the right next letter, is about a half. That looks like induction heads. But these heads go by the place alone: a first block cannot know what followed what. A score tells where a head looks. It does not tell how it got there.

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
# Careful. Here is a task that one head could do: repeat twelve random letters, so that the next letter is always 11 places back (lesson 21 trained on it). One block of four heads, two runs:

# %% tags=["experiment"]
from course_lib.experiments.head_outputs import without_heads
from course_lib.experiments.head_roles import (
    copying_loss,
    effects_of_heads,
    reading_loss,
    trained_copier,
)

copiers = [trained_copier(seed=seed) for seed in (0, 1)]
alone = torch.stack([effects_of_heads(model, copying_loss)[0] for model in copiers])
together = [copying_loss(without_heads(model, *((0, head) for head in range(4)))) for model in copiers]
print("loss of the two runs:", [round(copying_loss(model), 3) for model in copiers])
for number, rises in enumerate(alone.tolist(), 1):
    print(f"run {number}, rise without one head:", [round(rise, 3) for rise in rises])
print("without all four heads:", [round(loss, 2) for loss in together])


# %% [markdown]
# Each head can be spared, for the others do the same. All four together cannot. So "silencing it changes nothing" may mean idle, or replaceable, as here. The way to tell them apart is to silence several at once. Which is it in block 2 of the readers?

# %% tags=["experiment"]
def rises_without(block):
    places = [(block, head) for head in range(4)]
    return [reading_loss(without_heads(m, *places)) - r.loss for m, r in zip(models, roles)]


first_block, spared = rises_without(0), rises_without(1)
print("sum of the single effects:", [round(run.effects[1].sum().item(), 3) for run in roles])
print("all four of block 2 silenced:", [round(rise, 3) for rise in spared])

# %% tags=["claim"]
claim(
    "The second block of the readers can be spared as a whole, at less than a nat",
    spared,
    below=1.0,
    because="three seeds; all four heads of a first block are worth more than 3 nats",
    control={"the four heads of block 1": first_block},
)

# %% tags=["claim"]
claim(
    "No single head of the copiers is worth half a nat",
    alone,
    below=0.5,
    because="two seeds; without all four the loss is above 4 nats",
    control={"all four": together},
)

# %% [markdown]
# Look at the two lines printed before as well. Where all four together cost much more than the sum of their single effects, even the heads of the second block stood in for each other a little.
#
# That is also the state of knowledge about large models. [Michel et al. 2019](https://arxiv.org/abs/1905.10650) took heads out of trained models, a translator and BERT: most could go one at a time without a significant loss, many at once could not. [Voita et al. 2019](https://arxiv.org/abs/1905.09418) pruned 38 of the 48 heads of a translation encoder for 0.15 BLEU; the last to go were heads with a role that one can name. [Clark et al. 2019](https://arxiv.org/abs/1906.04341) found heads in BERT that find the object of a verb or the word that a pronoun means, and others that mostly look at separators. So "each head attends to a linguistic feature" holds for some heads of some models. Nothing in the formula asks for it.

# %% [markdown]
# ### Does training push the subspaces apart?
#
# Back to the angles, now for what the trained heads read (queries, keys, values) and write. By chance the mean $\cos^2$ would be $16/64$.

# %% tags=["experiment"]
from course_lib.experiments.head_outputs import head_readers


def overlap_of(model, block):
    attn = model.blocks[block].attn
    columns = [head_readers(attn, kind) for kind in "qkv"] + [head_writers(attn).transpose(-2, -1)]
    return [subspace_overlaps(matrices).mean_square for matrices in columns]


overlaps = torch.tensor([[overlap_of(model, block) for block in (0, 1)] for model in models])
for block, means in enumerate(overlaps.mean(dim=0)):
    words = [f"{name} {mean:.2f}" for name, mean in zip(("Q", "K", "V", "O"), means)]
    print(f"block {block + 1}, mean cos^2 over three runs:", ", ".join(words))

# %% [markdown]
# Training did not make them orthogonal. Where the heads do work, they now share *more* of their directions than by chance, most of all in what they write. That makes sense here: all four hand on letters, and the output layer wants letters in one form.

# %% tags=["claim"]
claim(
    "After training the heads of the first block write into subspaces that overlap more than by chance",
    overlaps[:, 0, 3],
    above=0.3,
    because="three seeds; chance gives 0.25, with a spread of about 0.005",
    control={"fresh heads": [subspace_overlaps(random_columns(64, 4, seed)).mean_square
                             for seed in range(3)]},
)

# %% [markdown]
# ## Play
#
# All heads of the first run at a glance: rows of each map read, columns are read, and bright means much attention. Colours mean the same for every head and every text.
#
# Try this. Switch between a text with a word of six and one of nine: the lowest rows of block 1 hardly change, because these heads go by the place alone. Look at one row: do two heads look at the same place there? Then choose "loss without it" and look for heads that look alike and still differ in what they are worth.

# %% tags=["widget", "experiment"]
from functools import partial

from course_lib.experiments.head_roles import MEASURES, glance
from course_lib.plots import head_maps

measures = {words: measure for measure, words in MEASURES.items()}
explore(partial(glance, models[0], roles[0]), head_maps.draw, head_maps.say, size=(9, 5),
        length=choice({"six letters": 6, "nine letters": 9}, 6, label="word of"),
        measure=choice(measures, "spread", label="above each map"))

# %% [markdown]
# "Places it spreads over" is $e^{\text{entropy}}$: 1 when a head looks at a single place, 5 when five places share equally. The heads of block 1 are nearly at 1: at each position a head looks at one place and leaves the others to its neighbours. They divide the labour by position, not by meaning.
#
# And your predictions, beside what was measured:

# %% tags=["predict"]
smallest = math.degrees(math.acos(fresh.cosines.max()))
angle_guess.reveal(
    f"{smallest:.0f} degrees",
    "nothing makes them orthogonal; of 64 directions each, the best pair fits well by chance",
)

# %% tags=["predict"]
count_guess.reveal(
    ", ".join(f"{n}: loss {mean:.2f}" for n, mean in zip(counts, losses.mean(dim=1).tolist())),
    "a single head blurs what it finds at several places, and sixteen are narrow",
)

# %% tags=["predict"]
silence_guess.reveal(
    f"in the first run by {effects[0].min():.2f} to {effects[0].max():.2f} nats",
    "in this model the first block does all the work; how it comes out depends on task and model",
)

# %% [markdown]
# ## Verify
#
# One sentence is left: "multi-head attention is an ensemble over subspaces". An **ensemble** trains several models and averages their predictions. Heads are trained together, and their outputs are added before there is any prediction. Does the difference matter? Let each head of the first block predict alone, with its three neighbours silenced, and average the four predictions, as an ensemble would.

# %% tags=["claim"]
from course_lib.experiments.head_roles import averaged_loss

averaged = [averaged_loss(model) for model in models]
claim(
    "Averaged predictions of lone heads are much worse than the model that adds the heads",
    [loss - run.loss for loss, run in zip(averaged, roles)],
    above=0.1,
    because="three seeds; a head alone sees one place and must guess, which costs up to 0.65",
    control={"heads added": [reading_loss(m) - r.loss for m, r in zip(models, roles)]},
)
claim(
    "They are about as good as a coin flip between the two places",
    averaged,
    near=COIN_FLIP, within=0.2,
    because="three seeds; heads are not perfectly sharp, which costs up to a tenth more",
    control={"the models themselves": [run.loss for run in roles]},
)


# %% [markdown]
# That is no accident: each head alone finds one of the two letters, and averaging two certain answers that contradict each other is a coin. What the model needs is to have both in front of it *before* it decides. And the heads are not trained apart: what one head has to learn depends on what the others do. Silence a head, and the gradient of its neighbour is another one.

# %% tags=["claim"]
def gradient_of_a_head(model):
    token_ids, targets, _ = draw_texts(torch.Generator().manual_seed(5))
    logits = model(token_ids).flatten(0, 1)
    loss = torch.nn.functional.cross_entropy(logits, targets.flatten())  # -100 is left out
    return torch.autograd.grad(loss, model.blocks[0].attn.v_proj.weight)[0][:16]  # head 1's rows


with_all = [gradient_of_a_head(model) for model in models]
without_one = [gradient_of_a_head(without_heads(model, (0, 3))) for model in models]
claim(
    "The gradient of one head changes by more than its own size when another head is silenced",
    [(b - a).norm() / a.norm() for a, b in zip(with_all, without_one)],
    above=1,
    because="members of an ensemble that are trained apart would give 0",
    control={"a copy with all heads": [(gradient_of_a_head(without_heads(model)) - a).norm() / a.norm()
                                       for model, a in zip(models, with_all)]},
)

# %% [markdown]
# ## Exercise
#
# ### 1. Lay the heads side by side
#
# The most common slip with heads, and the quietest:

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
# Silence *pairs* of heads of the first block with `without_heads(model, (0, 0), (0, 1))` and `reading_loss`. For which pairs is the rise more than the sum of the two single ones, for which is it less? What does each case tell about the two?

# %% [markdown]
# ## Takeaways
#
# What do many heads buy? Several places that are read at once and kept apart. A layer of heads is a sum: each head reads the stream and adds to it on its own. At the same width it has the same parameters and matrix products for any number of heads; more heads means more maps from narrower queries and keys. In our task four heads beat one, and sixteen were too narrow.
#
# Heads do not read subspaces at right angles, neither at the start nor after training, and they are no ensemble: they are added before anything is predicted. Which heads matter is a question for measurement, and a head that can be spared alone may be one of several that do the same.
#
# Not covered: heads that share keys and values (lesson 52), and what heads of real models look at (lesson 64). What this toy does not show: heads with a meaning. Ours sort by position, in a model of two small blocks, on a task that we made so that several places count.
#
# Sources: Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), sections 3.2.2 and 6.2; Bhojanapalli et al. 2020, [Low-Rank Bottleneck in Multi-head Attention Models](https://arxiv.org/abs/2002.07028); Michel, Levy and Neubig 2019, [Are Sixteen Heads Really Better than One?](https://arxiv.org/abs/1905.10650); Voita et al. 2019, [Analyzing Multi-Head Self-Attention](https://arxiv.org/abs/1905.09418); Clark et al. 2019, [What Does BERT Look At?](https://arxiv.org/abs/1906.04341); Olsson et al. 2022, [In-context Learning and Induction Heads](https://arxiv.org/abs/2209.11895); Elhage et al. 2021, [A Mathematical Framework for Transformer Circuits](https://transformer-circuits.pub/2021/framework/index.html).
#
# Next: [24 Embeddings and positions](24_embeddings_and_positions.ipynb) shows how order gets in. [Contents](01_how_this_course_works.ipynb)
