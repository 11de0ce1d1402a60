# %% [markdown]
# # 24 Embeddings and positions
#
# **How does order get in, and what happens past the longest text of training?** At the end you can say what enters the first block of BERT and of GPT, build a rotation that moves a position on, and say what learned, sinusoidal and rotary positions promise, and what they do not. You need lessons 21 to 23, and sine and cosine; about 60 minutes, the details near the end and the exercises besides. The two cells that train take some twenty seconds. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [23 Multi-head attention](23_multi_head_attention.ipynb) · next: [31 Layer norm](31_layer_norm.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(24)

# %% tags=["widget"]
from course_lib.experiments.encodings import KINDS, encodings
from course_lib.plots import encodings as clocks
from course_lib.widgets.controls import choice, control
from course_lib.widgets.explore import explore

explore(encodings, clocks.draw, clocks.say, size=(9, 3.2),
        kind=choice({kind: kind for kind in KINDS}, "sinusoidal", label="positions"),
        position=control(0, 63, 1, 20),
        base=choice([10.0, 100.0, 1000.0, 10_000.0], 10_000.0))

# %% [markdown]
# ## Question
#
# "Dogs chase cats" and "cats chase dogs" hold the same words, and nothing in attention knows which came first. So each position gets something that tells it apart. The figure shows three ways to do that, for 64 positions and 32 numbers each.
#
# Left: one column for each position. Middle: one column drawn as clocks, a hand for each pair of numbers, the first pair on top left. Right: how similar the position is to the others, against the distance: their dot product, scaled so that a position's product with itself is 1 on average. The grey curves are those of twelve other positions.
#
# Try this. Click the position slider and hold the right arrow key: the clocks on top run fast, those at the bottom hardly move. The blue curve slides along the grey ones and never leaves them: only the *distance* counts. Then choose `learned`, a table as it is before training: every position has a curve of its own, hands have all lengths, and the base has no part in it. Last, `rotary`: a random vector, turned clock by clock, so each hand keeps its length. Lower the base, and the slow clocks begin to move as well.

# %% [markdown]
# ## Predict
#
# Later a small GPT is trained on texts of 24 random letters, with learned, sinusoidal or rotary positions. Then it is asked the same on texts of 96 letters. (The learned table has spare rows for those; training never uses them.) Commit yourself before you go on.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

three_back_guess = predict(
    "The task: at each letter, name the one three places earlier. Which positions still give "
    "right answers at places 25 to 48, past all that was trained?",
    ["learned alone", "sinusoidal alone", "rotary alone", "sinusoidal and rotary",
     "all three", "not one of the three"],
)
three_back_guess

# %% [markdown]
# ## Derive
#
# ### Attention alone sees a bag of words
#
# Three words, two numbers each, and attention in its plainest form: every word is its own query, key and value. Then the same words in another order.

# %% tags=["derive"]
import torch

from course_lib.mechanisms.attention import scaled_dot_product_attention

words = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
new_order = [2, 0, 1]
before = scaled_dot_product_attention(words, words, words).z
shuffled_words = words[new_order]
after = scaled_dot_product_attention(shuffled_words, shuffled_words, shuffled_words).z
before[new_order], after

# %% [markdown]
# The same three vectors: an average does not mind who is named first. As an equation, with $P$ for the matrix that shuffles rows:
#
# $$\operatorname{Attn}(P X) = P \operatorname{Attn}(X) .$$
#
# This is called **permutation equivariance**: outputs are shuffled as the inputs are, and none *changes*. It holds for a whole layer with weights, too. Below, a fresh layer of two heads reads five words in two orders; `changes` says how far each word's output moved, as a share of its length. (It does not say which positions are best: a fresh table is larger or smaller than sines by choice.)

# %% tags=["derive"]
from course_lib.experiments.permutation import WORDS, shuffled

backwards = (4, 3, 2, 1, 0)
for positions in ("none", "learned", "sinusoidal", "rotary"):
    changes = shuffled(backwards, positions).changes
    print(f"{positions:10}", "  ".join(f"{w} {c:.0%}" for w, c in zip(WORDS, changes)))

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "Without positions and without a mask, no word's output notices the order",
    torch.stack([shuffled(order, "none", seed=seed).changes
                 for order in (backwards, (2, 1, 0, 3, 4)) for seed in range(3)]),
    below=1e-12,
    because="float64 rounds at 1e-16, and an average in another order rounds differently",
    control={f"with {kind} positions": shuffled(backwards, kind).changes.min()
             for kind in ("learned", "sinusoidal", "rotary")},
)

# %% [markdown]
# "Backwards" leaves every distance as it was, and turns before into after. Rotary notices that, too.
#
# One thing breaks the symmetry without any positions: the causal mask of lesson 22. The first word then reads one word, the second two, and a model can count from that. GPT-like models without positions do learn to place their words ([Haviv et al. 2022](https://arxiv.org/abs/2203.16634)). An encoder, which reads the whole text at once as BERT does, has no such mask.

# %% tags=["claim"]
claim(
    "A causal mask alone makes the output depend on the order",
    [shuffled(backwards, "none", causal=True, seed=seed).changes.max() for seed in range(3)],
    above=0.1,
    because="the last word of one order is the first of the other and reads itself alone there",
    control={"no mask": shuffled(backwards, "none", causal=False).changes.max()},
)

# %% [markdown]
# ### What enters the first block of BERT
#
# Three tables are looked up: one row for the token, one for the position, one for the *segment*. The segment says which of two sentences a token belongs to, 0 for sentence A and 1 for sentence B. Often you read that BERT's input is "the sum of the three". The library's code shows what follows the sum (dropout, in training only, comes last; see Details):

# %% tags=["derive"]
from course_lib.mechanisms.embeddings import InputEmbedding

show_source(InputEmbedding.forward)

# %% [markdown]
# By hand, for one token: the token with id 7 at position 2, in sentence B. Look up, add, then layer norm: subtract the mean, divide by the root of the variance (lesson 31).

# %% tags=["derive"]
from course_lib.config import BertConfig
from course_lib.models.bert import Bert

config = BertConfig(vocab_size=30, max_seq_len=9, d_model=8, n_layers=1, n_heads=2)
embedding = Bert(config).double().eval().embedding  # weights drawn as in a fresh BERT
tables = embedding.tokens.weight, embedding.positions.weight, embedding.segments.weight

sum_by_hand = tables[0][7] + tables[1][2] + tables[2][1]
centred = sum_by_hand - sum_by_hand.mean()
by_hand = centred / (centred.square().mean() + config.norm_eps).sqrt()
by_hand

# %% tags=["derive"]
token_ids = torch.tensor([[3, 28, 7, 11, 3]])
segment_ids = torch.tensor([[0, 0, 1, 1, 1]])
x = embedding(token_ids, segment_ids)
x[0, 2]

# %% tags=["claim"]
claim(
    "By hand and in the library, the token's vector is the same",
    (x[0, 2] - by_hand).abs().max(),
    below=1e-12,
    because="both compute in float64",
    control={"the sum without layer norm": (x[0, 2] - sum_by_hand).abs().max(),
             "the position one too large": (x[0, 3] - by_hand).abs().max()},
)

# %% [markdown]
# GPT-2 has no segments, and its first layer norm stands inside the first block (lesson 33). What enters it is the sum of two look-ups, and with rotary positions or none it is the token's row alone:

# %% tags=["derive"]
from course_lib.models.gpt import GPT

show_source(GPT.embed)

# %% [markdown]
# ### BERT's positions are learned
#
# You will also read that BERT uses sines and cosines. The first transformer did ([Vaswani et al. 2017](https://arxiv.org/abs/1706.03762), section 3.5); BERT has a table that is trained like every other weight ([Devlin et al. 2019](https://arxiv.org/abs/1810.04805); the paper's figure 2 shows the sum, the released code the learned table; GPT-1, too: [Radford et al. 2018](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf), section 4.1). Two things to look at: does a gradient arrive at the table, and does a fresh table look like the sines?

# %% tags=["derive"]
from course_lib.mechanisms.positions import SinusoidalPositions, sinusoidal_positions

embedding(token_ids, segment_ids)[..., 0].sum().backward()  # any number made of the output will do
row_gradients = embedding.positions.weight.grad.norm(dim=-1)
row_gradients

# %% tags=["claim"]
claim(
    "A gradient reaches the rows of all five positions in use",
    row_gradients[:5], above=0.01,
    because="a table that takes no part would have exactly 0",
    control={"the four rows past the text": row_gradients[5:]},
)


# %% tags=["claim"]
def unlike_sinusoid(table):
    wave = sinusoidal_positions(*table.shape, dtype=torch.float64)
    return 1 - torch.cosine_similarity(table.flatten(), wave.flatten(), dim=0).abs()


fresh = [Bert(config).embedding.positions.weight.detach().double() for _ in range(5)]
claim(
    "At the start the learned table, of 9 rows and 8 columns, has next to nothing of the sines",
    [unlike_sinusoid(table) for table in fresh if table.shape == (9, 8)],
    above=0.5,
    because="1 is nothing in common, 0 a multiple; 72 random numbers share about a tenth",
    control={"sines at a fiftieth of their size": unlike_sinusoid(
        sinusoidal_positions(9, 8, dtype=torch.float64) / 50)},
)

# %% [markdown]
# ### A table ends
#
# A table has rows for `max_seq_len` positions, and BERT's has 512. Position 512, the 513th, has none. In plain PyTorch the look-up fails as well, with a worse message:

# %% tags=["derive"]
bert_tables = InputEmbedding(BertConfig(30, max_seq_len=512, d_model=8, n_layers=1, n_heads=2))
display(shows_error(lambda: bert_tables(torch.zeros(1, 513, dtype=torch.int64)), ValueError))
display(shows_error(lambda: torch.nn.Embedding(512, 8)(torch.tensor([512])), IndexError))

# %% [markdown]
# That is the end of this table, not of learned positions: one can add rows and train on. Below you will see what added rows do without training.

# %% [markdown]
# ### Sines and cosines
#
# Back to the clocks. Pair $i$ of position $p$ is a hand at the angle $p\,\theta_i$, written down as its sine and its cosine; $\theta_i$ says how fast the clock runs. The first turns one radian a position, each next one is slower by the same factor:
#
# $$PE_{p,\,2i} = \sin(p\,\theta_i), \qquad PE_{p,\,2i+1} = \cos(p\,\theta_i), \qquad \theta_i = 10000^{-2i/d} .$$
#
# By hand, for position 3 and four numbers, then from the library:

# %% tags=["derive"]
import math

pe_by_hand = [math.sin(3 * 1), math.cos(3 * 1), math.sin(3 / 100), math.cos(3 / 100)]
pe_by_hand

# %% tags=["derive"]
from course_lib.mechanisms.positions import position_angles

show_source(position_angles)

# %% tags=["claim"]
PE = sinusoidal_positions(400, 64, dtype=torch.float64)
claim(
    "By hand and in the library, position 3 has the same vector",
    (sinusoidal_positions(4, 4, dtype=torch.float64)[3] - torch.tensor(pe_by_hand).double()).abs(),
    below=1e-7,
    because="torch.tensor rounds the numbers by hand to float32",
    control={"position 2": (sinusoidal_positions(4, 4)[2] - torch.tensor(pe_by_hand)).abs().max()},
)
claim(
    "Position 0 is 0, 1, 0, 1 and so on, and every pair of every position has length 1",
    [(PE[0] - torch.tensor([0.0, 1.0]).repeat(32)).abs().max(),
     (PE.unflatten(-1, (-1, 2)).norm(dim=-1) - 1).abs().max()],
    below=1e-14,
    because="sine and cosine of one angle, in float64",
    control={"a random table": (torch.randn(400, 32, 2).norm(dim=-1) - 1).abs().max()},
)

# %% [markdown]
# ### Moving on is a rotation
#
# What does it take to get from position $p$ to position $p + k$? Each hand turns on by $b = k\,\theta_i$. With $a = p\,\theta_i$, the addition theorems say
#
# $$\begin{pmatrix} \sin(a + b) \\ \cos(a + b) \end{pmatrix} = \begin{pmatrix} \cos b & \sin b \\ -\sin b & \cos b \end{pmatrix} \begin{pmatrix} \sin a \\ \cos a \end{pmatrix} .$$
#
# The matrix holds $k$ and not $p$. With one such block for each pair along the diagonal there is a matrix $M_k$ with $PE_{p+k} = M_k\,PE_p$ at *every* position. It is a rotation: it keeps lengths, $M_k M_k^\top$ is the identity, and it mirrors nothing.

# %% tags=["derive"]
from course_lib.mechanisms.positions import shift_matrix

show_source(shift_matrix)


# %% tags=["derive"]
def shift_error(k, matrix):
    return (PE[:-k] @ matrix.T - PE[k:]).abs().max()


[(k, shift_error(k, shift_matrix(k, 64)).item()) for k in (1, 7, 100)]

# %% tags=["claim"]
claim(
    "One matrix moves every position on by k, for k = 1, 7, 100",
    [shift_error(k, shift_matrix(k, 64)) for k in (1, 7, 100)],
    below=1e-12,
    because="400 positions in float64; the angles themselves are rounded at about 1e-14",
    control={"the matrix of k + 1": shift_error(7, shift_matrix(8, 64)),
             "kept in float32": shift_error(7, shift_matrix(7, 64).float().double())},
)
noise = torch.randn(64, 64, generator=torch.Generator().manual_seed(0)) / 8
claim(
    "It is a rotation: its transpose takes it back, and its determinant is 1",
    [[(M @ M.T - torch.eye(64)).abs().max(), (M.det() - 1).abs()]
     for M in (shift_matrix(k, 64) for k in (1, 7, 100))],
    below=1e-12,
    because="cos^2 + sin^2 = 1 in every block, to the rounding of float64",
    control={"a random matrix of the same size": (noise @ noise.T - torch.eye(64)).abs().max()},
)

# %% [markdown]
# Is that special? Any matrix may be fitted to any table: take the best linear map from each row to the one seven places on, and see how much of the later rows it misses.

# %% tags=["claim"]
from course_lib.experiments.relative_positions import unexplained_by_a_matrix

claim(
    "For sines and cosines the best matrix misses nothing",
    [unexplained_by_a_matrix(sinusoidal_positions(512, 64, dtype=torch.float64), k)
     for k in (1, 7, 100)],
    below=1e-12,
    because="M_k is such a matrix; the fit is exact but for rounding",
    control={f"random table {seed}": unexplained_by_a_matrix(
        torch.randn(512, 64, generator=torch.Generator().manual_seed(seed)), 7)
        for seed in range(3)},
)

# %% [markdown]
# ## Experiment
#
# ### Does the model then know the distance?
#
# So it is often said: *hence the model naturally learns relative positions*. The paper itself writes "we hypothesized". Two vectors $PE_m$ and $PE_n$ do have a dot product that depends on $m - n$ alone, because each pair adds $\cos((m - n)\,\theta_i)$. But attention does not take that product. It multiplies by its weights first: $(PE_m W_q) \cdot (PE_n W_k)$. Here with random weights:

# %% tags=["experiment"]
from course_lib.experiments.relative_positions import (
    diagonal_spread,
    position_scores,
    share_within_diagonals,
)
from course_lib.plots import relative_positions as distances
from course_lib.plots.show import show

draws = [position_scores(seed=seed) for seed in range(5)]
show(distances.draw_scores, (draws[0].raw, draws[0].mixed), distances.say_scores, size=(8, 3.3))

# %% [markdown]
# Left, every diagonal has one colour: one distance, one score. Right (mind its own colour scale), the score depends on where the two stand. The stripes come from the slow clocks, whose cosines are near 1 at all these positions: as a query they are always the same, so that only the key's position counts, and the other way round. A model *can* learn weights that keep the distance, for instance the identity, or an $M_k$. Nothing makes it do so.

# %% tags=["claim"]
claim(
    "Between the vectors themselves, only the distance counts",
    diagonal_spread(draws[0].raw).max(), below=1e-10,
    because="the standard deviation along a diagonal is rounding alone",
    control={"after random weights": diagonal_spread(draws[0].mixed).min()},
)
claim(
    "After random weights, most of the scores' variance is within the diagonals",
    [share_within_diagonals(draw.mixed) for draw in draws], above=0.5,
    because="0 if the distance decides, 1 if it has no part; five draws lie above 0.7",
    control={"weights left out": share_within_diagonals(draws[0].raw)},
)


# %% [markdown]
# ### Turn after the weights
#
# Then turn the queries and keys themselves, after $W_q$ and $W_k$. That is **rotary**, RoPE for short ([Su et al. 2021](https://arxiv.org/abs/2104.09864)). Nothing is added to $x$; the query at position $m$ is turned by $R_m$, the key at position $n$ by $R_n$. Such an $R_p$ has one block for each pair along its diagonal, like $M_k$:
#
# $$\begin{pmatrix} \cos p\,\theta_i & -\sin p\,\theta_i \\ \sin p\,\theta_i & \cos p\,\theta_i \end{pmatrix} .$$
#
# (The minus is at another corner than in $M_k$, because there the sine stood first. Here the pair $(1, 0)$ becomes cosine, then sine.) In the product of a query and a key the two rotations meet. The transpose turns back, so $R_m^\top R_n = R_{-m} R_n$, and turning on by $n$ and back by $m$ is one turn by $n - m$:
#
# $$(R_m q)^\top (R_n k) = q^\top R_m^\top R_n\, k = q^\top R_{n-m}\, k .$$
#
# Whatever the weights are, position enters a score through the *offset* $n - m$ alone: how far, and to which side. By hand, one pair, $\theta = 1$:

# %% tags=["derive"]
def turned_by_hand(a, b, angle):
    return (a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle))


def score_by_hand(m, n):
    q, k = turned_by_hand(1.0, 2.0, m), turned_by_hand(3.0, -1.0, n)
    return q[0] * k[0] + q[1] * k[1]


score_by_hand(5, 3), score_by_hand(105, 103), score_by_hand(3, 5)

# %% tags=["derive"]
from course_lib.mechanisms.rotary import Rotary

show_source(Rotary.__call__)

# %% tags=["claim"]
pair, at_five = torch.tensor([[1.0, 2.0]], dtype=torch.float64), torch.tensor([5])
claim(
    "The pair (1, 2) at position 5 is turned the same by hand and by the library",
    (Rotary()(pair, at_five) - torch.tensor(turned_by_hand(1.0, 2.0, 5)).double()).abs(),
    below=1e-6,
    because="torch.tensor rounds the numbers by hand to float32",
    control={"the other way": (Rotary()(pair, -at_five)
                               - torch.tensor(turned_by_hand(1.0, 2.0, 5))).abs().max()},
)

# %% [markdown]
# Which entries make a pair? The paper takes neighbours, 0 with 1; many released models take halves, 0 with $d/2$. Both work, and weights trained with one do not fit the other.

# %% tags=["claim"]
from course_lib.experiments.relative_positions import rotary_scores

starts = [0, 1, 17, 500, 4000, 8000]
claim(
    "With rotary, the same offset gives the same score wherever it stands, in both pairings",
    torch.stack([scores - scores.mean() for scores in (
        rotary_scores(64, distance, starts, pairing=pairing, seed=seed)
        for distance in (1, 40) for pairing in ("adjacent", "halves") for seed in range(3))]),
    near=0.0, within=1e-10,
    because="float64; at position 8000 the angles are rounded at 1e-12",
    control={"only the query turned":
             rotary_scores(64, 40, starts, turn_key=False).std(),
             "the other side": rotary_scores(64, 40, [500]) - rotary_scores(64, -40, [540])},
)

# %% tags=["claim"]
vectors = torch.randn(5, 64, dtype=torch.float64)
far_out = torch.tensor([0, 3, 700, 4095, 8191])
claim(
    "Turning keeps the length of every query and key",
    [(Rotary(pairing=pairing)(vectors, far_out).norm(dim=-1) / vectors.norm(dim=-1) - 1).abs().max()
     for pairing in ("adjacent", "halves")],
    below=1e-14,
    because="a rotation keeps lengths, to the rounding of float64",
    control={"adding the sinusoid": ((vectors + SinusoidalPositions(64)(far_out)).norm(dim=-1)
                                     / vectors.norm(dim=-1) - 1).abs().max()},
)

# %% [markdown]
# ### Slow clocks never get round
#
# Rotary has an angle for every distance, however long the text. But has a model *seen* those angles? A clock needs $2\pi / \theta_i = 2\pi \cdot 10000^{2i/d}$ positions for a turn. In training on $L$ positions the slower ones stay on a part of the dial, and a longer text takes them where they have never been. Those are the pairs with
#
# $$i > \frac{d}{2} \cdot \frac{\ln (L / 2\pi)}{\ln 10000} .$$

# %% tags=["experiment"]
show(distances.draw_turns, (128, [2048, 4096], 10_000.0), distances.say_turns, size=(6.5, 3.3))

# %% tags=["claim"]
from course_lib.experiments.relative_positions import unfinished_turns

models = [(128, 2048), (128, 4096), (64, 1024)]  # width of a head, positions in training
by_counting = [sum(2 * math.pi * 10_000 ** (2 * i / d) > length for i in range(d // 2))
               for d, length in models]
claim(
    "At widths 128, 128, 64 and lengths 2048, 4096, 1024, this many pairs never complete a turn",
    [unfinished_turns(d, length) for d, length in models], equals=by_counting,
    because="counting is exact, and no pair needs a whole number of positions for its turn",
    control={"the factor 2 pi forgotten":
             [unfinished_turns(d, round(2 * math.pi * length)) for d, length in models]},
)

# %% [markdown]
# More than a third of the pairs, at the sizes of LLaMA 7B (heads 128 wide, trained on 2048 positions). So "rotary works at any length" is true of the formula, and a question about the trained model. An unfinished turn need not do harm: the toy below has 32 pairs and trains on 24 positions, so nearly all stay unfinished, and one of its tasks does not mind.
#
# ### Past the trained length
#
# Ask a model, then: a GPT of one block and one head, on texts of 24 random letters. "Three back": at each letter, name the one three places earlier. "First letter": at each letter, name the first one of the text. The first task needs one distance, the same everywhere; the second needs a distance that grows with the text. You have a prediction for the first. And the second?

# %% tags=["predict", "widget"]
first_letter_guess = predict(
    "The task: at each letter, name the first letter of the text. Which positions give mostly "
    "wrong answers at places 25 to 48?",
    ["learned alone", "sinusoidal alone", "rotary alone", "learned and sinusoidal",
     "all three", "not one of the three"],
)
first_letter_guess

# %% [markdown]
# The table of learned positions has rows for 96 positions, so that longer texts raise no error; training touches 24 of them. Training stops when a batch of texts is solved, or after 140 steps. Three runs for each version, and one without positions.

# %% tags=["experiment"]
from course_lib.experiments.beyond_length import (
    TASKS,
    TRAINED,
    accuracy_by_position,
    learn,
    named_instead,
    scores_by_distance,
    scores_by_pair,
)

n_runs = {"learned": 3, "sinusoidal": 3, "rotary": 3, "none": 1}
learners = {task: {} for task in TASKS}
for task in TASKS:
    for kind, n in n_runs.items():
        runs = learners[task][kind] = [learn(task, kind, seed=seed) for seed in range(n)]
        print(f"{task:12}  {kind:10}", "  ".join(f"{r.steps} steps, loss {r.loss:.2f}" for r in runs))

# %% tags=["experiment"]
from course_lib.plots import beyond_length

accuracy = {task: {kind: [accuracy_by_position(learner) for learner in runs]
                   for kind, runs in kinds.items()} for task, kinds in learners.items()}
show(beyond_length.draw_accuracy, (TRAINED, accuracy), beyond_length.say_accuracy, size=(9, 3.6))


# %% [markdown]
# (Lines are means over the runs, faint points the single runs. One answer in 16 is right by chance; without positions it is more at the start, where a model that reads only a few letters may name any of them.) To work past the trained length is called *length generalisation*, or extrapolation.

# %% tags=["predict"]
def right_answers(task, kind, places=slice(TRAINED, 2 * TRAINED), by_place=accuracy):
    """Share of right answers of each run, by default just past the trained length."""
    return [run[places].nanmean().item() for run in by_place[task][kind]]


def measured(task):
    means = {kind: sum(runs) / len(runs) for kind in ("learned", "sinusoidal", "rotary")
             if (runs := right_answers(task, kind))}
    return ", ".join(f"{kind} {mean:.0%}" for kind, mean in means.items())


three_back_guess.reveal(
    f"rotary alone: right answers at places 25 to 48 are {measured('three back')}",
    "rotary sees offsets alone, three is a trained one wherever it stands, and none of the "
    "untrained ones scores as high",
)

# %% tags=["predict"]
first_letter_guess.reveal(
    f"rotary alone: right answers at places 25 to 48 are {measured('first letter')}",
    "the first letter is at a distance that was never trained, but at a trained position",
)

# %% [markdown]
# On "three back" rotary goes on as if nothing had happened, and both kinds of added positions break at once. On "first letter" rotary breaks at once and the learned table goes on. The sines go on up to twice the length; further out it is a matter of luck, and three runs are too few to say how often.
#
# Why? For a table, position 0 is an *address*: its row is the same in every text, and the model has learned to read there. "Three back from row 60", however, links two rows that no training ever brought together: they hold noise. The sines of position 60 are no noise, but the weights have never met them, and whether they still point to position 0 is left to chance. Rotary knows offsets only. Three is a trained one, everywhere, and that is enough as long as no untrained one scores as high. From position 60 the first letter is 60 back, and there the clocks show what they never showed in training. Which letter does the model name instead?

# %% tags=["experiment"]
wrong = [named_instead(learner) for learner in learners["first letter"]["rotary"]]
for run in wrong:
    shares, distances = run.by_distance[:48].topk(4)
    print("  ".join(f"{d} back: {share:.0%}" for d, share in zip(distances, shares)))

# %% [markdown]
# The letter 24 back or one of its neighbours. (Shares of the wrong answers; two places can hold the same letter.) The model has learned "as far back as possible", and that ends at the longest trained distance, 23, or just past it. The scores show it:

# %% tags=["experiment"]
scores = {task: scores_by_distance(learners[task]["rotary"][0]) for task in TASKS}
show(beyond_length.draw_scores, (TRAINED, scores), beyond_length.say_scores, size=(9, 3.2))

# %% [markdown]
# One rotary run of each task; the score is the average over all pairs a distance apart, in *nats*: with one nat more, softmax gives $e$ times as much. Left, $W_q$ and $W_k$ have turned queries and keys so that the fast pairs' cosines peak together at distance 3. Those clocks do get round within 24 positions, so every angle was trained. Further out some of them agree now and then, never all, because their speeds differ. Right, "the further back, the better" was the right rule up to 23. It is made of middling clocks, which need up to four times 24 positions for a turn: they rise as far as training goes, and turn round just after. The slowest two thirds hardly take part.

# %% tags=["claim"]
by_pair = {task: [scores_by_pair(learner) for learner in learners[task]["rotary"]]
           for task in TASKS}
done = 32 - unfinished_turns(64, TRAINED)  # so many pairs get round in training
last = 2 * TRAINED - 1
claim(
    'The clocks that get round in training hold the score of "three back"',
    [run[:done, 3].sum() / run[:, 3].sum() for run in by_pair["three back"]], above=0.7,
    because="the three runs lie above 85%; above 100% where slower pairs count against it",
    control={"first letter, at 23": [run[:done, 23].sum() / run[:, 23].sum()
                                     for run in by_pair["first letter"]]},
)
drops = [run[:, TRAINED - 1] - run[:, last] for run in by_pair["first letter"]]
claim(
    "Past the end, the five pairs next to those lose what \"first letter\" is built on",
    [drop[done:done + 5].sum() / drop.sum() for drop in drops], above=0.7,
    because="the three runs lie just below 90%",
    control={"the slower pairs, two thirds of all":
             [drop[done + 5:].sum() / drop.sum() for drop in drops]},
)

# %% tags=["claim"]
by_run = {task: [scores_by_distance(learner) for learner in learners[task]["rotary"]]
          for task in TASKS}
claim(
    "Rotary's score for \"three back\" is highest at distance 3, at trained and untrained ones",
    [run.argmax() for run in by_run["three back"]], equals=3,
    because="a distance is a whole number",
    control={"first letter": [run[:TRAINED].argmax() for run in by_run["first letter"]]},
)
claim(
    "Rotary's score for \"first letter\" falls again past the trained length",
    [run[2 * TRAINED - 1] - run[TRAINED - 1] for run in by_run["first letter"]], below=-5,
    because="softmax turns 5 nats into a factor of 150; the runs fall by 20 and more",
    control={"inside, over half the length":
             [run[TRAINED - 1] - run[TRAINED // 2 - 1] for run in by_run["first letter"]]},
)
claim(
    'Past the end, most wrong answers to "first letter" name a letter 23, 24 or 25 back',
    [run.by_distance[23:26].sum() for run in wrong], above=0.6,
    because="three letters agree by chance in 3 of 16; the runs lie at about 1, overlaps included",
    control={"12, 13 or 14 back": [run.by_distance[12:15].sum() for run in wrong],
             "the first three letters": [run.by_place[:3].sum() for run in wrong]},
)

# %% tags=["claim"]
added = ("learned", "sinusoidal")
claim(
    "Within the trained length, the three kinds of positions solve both tasks in every run",
    [right_answers(task, kind, slice(0, TRAINED)) for task in TASKS
     for kind in (*added, "rotary")],
    above=0.9,
    because="the loss is a few hundredths at most; without positions about a quarter is right",
    control={"no positions": [right_answers(task, "none", slice(0, TRAINED)) for task in TASKS]},
)

# %% tags=["claim"]
claim(
    '"Three back" up to twice the length: rotary goes on in every run',
    right_answers("three back", "rotary"), above=0.9,
    because="the distance is a trained one; all runs are near 100%",
    control={kind: right_answers("three back", kind) for kind in added},
)
claim(
    '"Three back" up to twice the length: learned and sinusoidal positions break in every run',
    [right_answers("three back", kind) for kind in added], below=0.3,
    because="1 in 16 is chance; a few sinusoidal places still work",
    control={"rotary": right_answers("three back", "rotary")},
)

# %% tags=["claim"]
claim(
    '"First letter" up to twice the length: rotary breaks in every run',
    right_answers("first letter", "rotary"), below=0.3,
    because="1 in 16 is chance; the first few places past the end still work",
    control={kind: right_answers("first letter", kind) for kind in added},
)
claim(
    '"First letter" up to twice the length: learned and sinusoidal positions go on in every run',
    [right_answers("first letter", kind) for kind in added], above=0.8,
    because="the runs lie around 95%",
    control={"rotary": right_answers("first letter", "rotary")},
)
claim(
    '"First letter" at four times the length: the learned table still goes on in every run',
    right_answers("first letter", "learned", slice(72, None)), above=0.7,
    because="all rows past 24 are alike: fresh draws",
    control={"the worst sinusoidal run": min(right_answers("first letter", "sinusoidal",
                                                           slice(72, None)))},
)

# %% [markdown]
# ### Squeeze the long text into the trained one
#
# If unseen distances are the trouble, use seen ones: divide all positions by 4, and a text of 96 has distances below 24 again, with quarters in between. This is **position interpolation** ([Chen et al. 2023](https://arxiv.org/abs/2306.15595), section 2.3). The same rotary models, not trained any further:

# %% tags=["experiment"]
rest = slice(TRAINED, None)
squeezed = {task: {"rotary": [accuracy_by_position(learner, squeeze=4.0)
                              for learner in learners[task]["rotary"]]} for task in TASKS}
for task in TASKS:
    plain, after = (right_answers(task, "rotary", rest, by) for by in (accuracy, squeezed))
    print(f"{task:12}  as trained: {', '.join(f'{a:.0%}' for a in plain)}   "
          f"squeezed: {', '.join(f'{a:.0%}' for a in after)}")

# %% [markdown]
# It mends the one task, mostly, and breaks the other. What is named where the answer is wrong?

# %% tags=["experiment"]
near_start, far_back = ([named_instead(learner, squeeze=4.0) for learner in learners[task]["rotary"]]
                        for task in ("first letter", "three back"))
for one, other in zip(near_start, far_back):
    place, distance = one.by_place[:48].argmax(), other.by_distance[:48].argmax()
    print(f"first letter: place {place}, {one.by_place[place]:.0%}    "
          f"three back: {distance} back, {other.by_distance[distance]:.0%}")

# %% [markdown]
# The first letter and the second (place 1) are now a quarter of a step apart, too little to tell them apart every time. And three trained steps are now twelve places. That is why the paper goes on to train the squeezed model, for up to 1000 steps.

# %% tags=["claim"]
claim(
    'Squeezed into the trained distances, rotary answers "first letter" again',
    right_answers("first letter", "rotary", rest, squeezed), above=0.5,
    because="the runs lie around 73%, ten times the unsqueezed share",
    control={"as trained": right_answers("first letter", "rotary", rest)},
)
claim(
    '"Three back" is lost by squeezing without further training',
    right_answers("three back", "rotary", rest, squeezed), below=0.2,
    because="1 in 16 is chance",
    control={"as trained": right_answers("three back", "rotary", rest)},
)
claim(
    'Squeezed, the letter most often named in place of the first is the second',
    [run.by_place[1] - torch.cat([run.by_place[:1], run.by_place[2:48]]).max()
     for run in near_start], above=0.2,
    because="it has about 80%, the next one, the third letter, about a third",
    control={"not squeezed": [run.by_place[1] - run.by_place[2:48].max() for run in wrong]},
)
claim(
    'Squeezed, "three back" most often names the letter twelve back',
    [run.by_distance[:48].argmax() for run in far_back], equals=12,
    because="a quarter of twelve steps is three, and a distance is a whole number",
    control={"\"first letter\"": [run.by_distance[:48].argmax() for run in near_start]},
)

# %% [markdown]
# ### Without positions, but with two blocks
#
# The version without positions failed both tasks. Is that what no positions (*NoPE*) can do? One block reads bare letters and cannot count them. A second block reads what the first has made of the causal mask:

# %% tags=["experiment"]
deeper = [learn("first letter", "none", n_steps=400, seed=seed, n_blocks=2) for seed in range(3)]
beyond = [accuracy_by_position(learner)[TRAINED:] for learner in deeper]
print("  ".join(f"{run.mean():.0%}" for run in beyond))

# %% tags=["claim"]
claim(
    'Without positions, two blocks answer "first letter" up to four times the trained length',
    [run.mean() for run in beyond], above=0.8,
    because="the runs lie above 90%",
    control={"one block": right_answers("first letter", "none", slice(TRAINED, None))},
)

# %% [markdown]
# ### What this says about real models, and what it does not
#
# "Rotary extrapolates" and "learned positions do not" are both half-truths: here it depends on whether the task needs a trained distance or a trained address. The toy does not show which of the two real text needs, how heads and blocks share the work, or how far a large model gets. Nor is it a fair race of learned against sinusoidal: the sines here are several times as long as the letters' vectors, which the first transformer multiplied by $\sqrt{d}$ before it added (section 3.4).
#
# Measured on large models: changing the positions alone can make a model work past its length, and the kinds of its time did not do it well ([Press et al. 2022](https://arxiv.org/abs/2108.12409), whose ALiBi subtracts a penalty that grows with the distance). Plain rotary past its length "may lead to catastrophically high attention scores" (Chen et al.; in the toy they come out too low instead). On a set of reasoning and mathematical tasks, decoders without any positions did best at longer texts ([Kazemnejad et al. 2023](https://arxiv.org/abs/2305.19466)).
#
# So "learned positions end at 512, and *that* is why everybody went over to rotary" is too short. Rotary's paper asks for scores that depend on relative positions; freedom of length is one property of several. And relative positions came before it: [Shaw et al. 2018](https://arxiv.org/abs/1803.02155), Transformer-XL ([Dai et al. 2019](https://arxiv.org/abs/1901.02860)), T5 ([Raffel et al. 2020](https://arxiv.org/abs/1910.10683)).

# %% [markdown]
# ## Play
#
# The permutation test, for you to try. Left, what a fresh attention layer gives to each word. Middle, what it gives to the same word in the new order, rows put back in place. Right, how far each word moved.
#
# Try this. Without positions, try all the orders: not one bar. Switch the causal mask on and swap the first two words: who notices, and why do the last three not? Then choose rotary, without the mask, and move every word on by one place: four words keep their distances; why do their outputs change all the same?

# %% tags=["widget"]
from course_lib.experiments.permutation import shuffled as compute
from course_lib.plots import permutation

orders = {"dogs and cats swapped": (2, 1, 0, 3, 4), "first two swapped": (1, 0, 2, 3, 4),
          "moved on by one": (4, 0, 1, 2, 3), "backwards": (4, 3, 2, 1, 0)}
kinds = {kind: kind for kind in ("none", "learned", "sinusoidal", "rotary")}
explore(compute, permutation.draw, permutation.say,
        order=choice(orders, orders["backwards"], label="new order"),
        positions=choice(kinds, "none", label="positions"),
        causal=False)


# %% [markdown]
# With the mask, the last three words read the same words before them in both orders, and without positions their order does not count. With rotary, the four words that move on together keep the distances among themselves. But each of them reads "night" too, which came from the end to the front. Its share of their attention changes, and with it everybody else's. How much this matters differs from draw to draw of the weights.

# %% [markdown]
# ## Verify
#
# The claims above stand beside what they claim. One more, on a confusion that is easy to make: in the first figure similarity is highest at distance 0 and mostly lower further out, and one reads that rotary *therefore* attends less to far words. (Its paper, section 3.3, argues so from an upper bound on the score.) It is so for a query that equals its key, where every pair adds most at the angle 0. A query and a key of their own can prefer any distance.

# %% tags=["claim"]
def best_distance(same, seed):
    turn, width, back = Rotary(), 64, torch.arange(64)
    q, k = torch.randn(2, width, generator=torch.Generator().manual_seed(seed)).double()
    keys = turn((q if same else k).expand(64, -1), 63 - back)
    return (keys @ turn(q[None], torch.tensor([63]))[0]).argmax()


def elsewhere(same):
    return sum(best_distance(same, seed) != 0 for seed in range(200)) / 200


claim(
    "Nearly all random pairs of query and key score highest at some other distance than 0",
    elsewhere(same=False), above=0.85,
    because="a few in a hundred score highest at 0, as any one distance may; 200 draws",
    control={"queries that equal their keys": elsewhere(same=True)},
)

# %% [markdown]
# ## Details
#
# Four things that belong to the subject and not to the question. You may skip to the exercises and come back.
#
# ### What is adding?
#
# Write each id as a row of zeros with a single one (*one-hot*), lay the three rows side by side, and stack the three tables. One matrix product then gives the same sum: adding is one linear layer on all three ids. Laying three vectors side by side is the special case in which each table has zeros where the others write. So what adding can lose is up to the tables, and those are trained.

# %% tags=["derive"]
places = torch.arange(5).unsqueeze(0)
one_hot = torch.cat(
    [torch.nn.functional.one_hot(ids, len(table))
     for ids, table in zip((token_ids, places, segment_ids), tables)], dim=-1).double()
stacked = torch.cat(tables)
total = tables[0][token_ids] + tables[1][places] + tables[2][segment_ids]
one_hot.shape, stacked.shape

# %% tags=["claim"]
claim(
    "The sum of the three look-ups is one matrix product of the joined one-hot rows",
    (one_hot @ stacked - total).abs().max(),
    below=1e-15,
    because="all products but three are zeros; only the order of the additions may differ",
    control={"segments forgotten": (one_hot[..., :-2] @ stacked[:-2] - total).abs().max()},
)
claim(
    "What the first block reads is the normalised sum, not the sum",
    [(x - embedding.norm(total)).abs().max(), x.mean(-1).abs().max(),
     (x.square().mean(-1) - 1).abs().max()],
    below=1e-6,
    because="mean 0 and variance 1 but for eps, which takes off 1e-9 here",
    control={"the sum": (x - total).abs().max()},
)

# %% [markdown]
# ### Dropout, and a text of one sentence
#
# Dropout comes last: in training, and only there, it sets a random share of the numbers to 0. And a text of one sentence has segment A everywhere, which is also what the library does when `segment_ids` is left out.

# %% tags=["claim"]
segment_a, segment_b = (embedding(token_ids, torch.full_like(token_ids, n)) for n in (0, 1))
claim(
    "A single sentence uses segment A only",
    (embedding(token_ids) - segment_a).abs().max(), equals=0.0,
    because="the same rows are looked up",
    control={"segment B": (embedding(token_ids) - segment_b).abs().max()},
)
wide = BertConfig(vocab_size=30, max_seq_len=9, d_model=64, n_layers=1, n_heads=2, dropout=0.25)
training = Bert(wide).embedding  # a fresh module is in training mode
zeros = [(training(token_ids.expand(40, -1)) == 0).double().mean() for _ in range(3)]
claim(
    "In training, the given share of the normalised sum is set to 0",
    zeros, near=0.25, within=0.02,
    because="12,800 numbers each; the standard error is 0.4%",
    control={"evaluation mode": (training.eval()(token_ids) == 0).double().mean()},
)

# %% [markdown]
# ### It is not enough that the widths match
#
# "To use these embeddings, only `hidden_size` must match" is wrong as well. Weights of the same width do not fit when a table has another number of rows, be it of tokens, positions or segments. And a model's heads must divide the width, unless it gives them a width of their own:

# %% tags=["derive"]
sizes = dict(vocab_size=30, max_seq_len=9, d_model=8, n_layers=1, n_heads=2)
display(shows_error(lambda: BertConfig(**sizes | {"d_model": 50, "n_heads": 4}), ValueError))
for other in ({"vocab_size": 31}, {"max_seq_len": 16}, {"n_segments": 3}):
    weights = InputEmbedding(BertConfig(**sizes | other)).state_dict()
    display(shows_error(lambda w=weights: embedding.load_state_dict(w), RuntimeError))

# %% [markdown]
# ### Where float32 ends
#
# The angles grow with the position. At position 8191 a float32 spends 13 of its 24 binary digits before the point; a bfloat16 has eight in all. The controls below show what that does. In float32 the worst angle is off by a small fraction of a degree, which few models would notice; in bfloat16 by more than half a turn, so the fast clocks show anything. The library works the angles out in float64 and rounds the sines and cosines afterwards.

# %% tags=["claim"]
from course_lib.experiments.relative_positions import angle_error

hands = torch.tensor([[1.0, 0.0]]).repeat(1, 32)  # every hand at angle 0, length 1
last = torch.tensor([8191])
claim(
    "In a float32 model, every hand of length 1 ends where it should at position 8191",
    (Rotary()(hands, last).double() - Rotary()(hands.double(), last)).abs().max(),
    below=1e-6,
    because="float32 rounds a number up to 1 at 6e-8",
    control={"angles in float32": angle_error(8191, 64, torch.float32),
             "angles in bfloat16": angle_error(8191, 64, torch.bfloat16)},
)

# %% [markdown]
# ## Exercise
#
# Three exercises, each with a check that looks for known mistakes and names the one you made. After a wrong try, the hint cell opens one hint further; after two, the solution is yours for the asking.
#
# ### 1. The matrix, from two positions

# %% tags=["exercise"]
from course_lib.checks.lesson_24 import (
    broken_rotary_attention,
    matrix_between,
    repair_rotary,
    rotate,
)

matrix_between


# %% tags=["exercise"]
def my_matrix_between(now, later):
    raise NotImplementedError


matrix_between.check(my_matrix_between)

# %% tags=["exercise"]
matrix_between.hint()

# %% [markdown]
# ### 2. Rotary

# %% tags=["exercise"]
rotate


# %% tags=["exercise"]
def my_rotate(x, position_ids, base):
    raise NotImplementedError


rotate.check(my_rotate)

# %% tags=["exercise"]
rotate.hint()

# %% [markdown]
# ### 3. Repair an attention that turns too much

# %% tags=["exercise"]
show_source(broken_rotary_attention)

# %% [markdown]
# Move the whole text on by ten places. Every offset stays, so nothing may change. How much does its output change?

# %% tags=["exercise"]
near_start = position_angles(torch.arange(4), 8)
further_on = position_angles(torch.arange(10, 14), 8)
broken = [broken_rotary_attention(*[vectors[:4, :8]] * 3, angles)[0]
          for angles in (near_start, further_on)]
(broken[0] - broken[1]).abs().max().item()

# %% tags=["exercise"]
repair_rotary


# %% tags=["exercise"]
def my_rotary_attention(q, k, v, angles):
    def turn(x):
        first, second = x[..., 0::2], x[..., 1::2]
        cos, sin = torch.cos(angles), torch.sin(angles)
        pairs = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(pairs, dim=-1).flatten(-2)

    q, k, v = turn(q), turn(k), turn(v)
    probs = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return probs @ v, probs


repair_rotary.check(my_rotary_attention)

# %% tags=["exercise"]
repair_rotary.hint()

# %% [markdown]
# ### An open one
#
# Mend "first letter" in another way than by squeezing: train on texts whose positions start at a random number. A skeleton for the loop:
#
# ```python
# from course_lib.experiments.beyond_length import TESTED, task_texts
# from course_lib.mechanisms.losses import cross_entropy
# from course_lib.mechanisms.masks import causal_mask
#
# model = learn("first letter", "rotary", n_steps=1).model
# optimiser = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
# generator = torch.Generator().manual_seed(0)
# for step in range(200):
#     letters, targets = task_texts("first letter", generator, batch=16, length=TRAINED)
#     position_ids = torch.arange(TRAINED) + ...  # where this batch starts
#     x = model.embed(letters, position_ids)
#     for block in model.blocks:
#         x = block(x, causal_mask(TRAINED), position_ids)
#     loss = cross_entropy(model.lm_head(model.final_norm(x)), targets)
#     ...
# ```
#
# Does rotary learn anything from it? Do learned positions?

# %% [markdown]
# ## Takeaways
#
# How does order get in? By attention alone it does not: without positions and mask, the outputs are shuffled as the words are. BERT looks three learned tables up, adds them, normalises the sum and drops some of it; GPT-2 adds learned positions to its tokens. Sines and cosines need no table, and moving on by $k$ is one rotation for all positions; but the weights of attention stand between that and a model that knows distances. Rotary turns queries and keys after the weights, so that scores depend on the offset alone.
#
# What happens past the trained length? A table ends, or holds rows that nobody trained. Formulas go on, but what the model has learned to do with them need not. Rotary went on where the distance was a trained one, with no untrained one to rival it, and broke where it was not. The learned table broke where two untrained rows had to find each other and went on where a trained row was to be read; the sines did so for a while. With two blocks, the causal mask alone was enough for one of the tasks.
#
# Not covered: biases on the scores (T5, ALiBi), other ways to stretch rotary, and whether any of this decides what large models can do.
#
# Sources: Vaswani et al. 2017, section 3.5; Devlin et al. 2019, section 3 and figure 2, and the released code (`embedding_postprocessor`) for learned positions, norm and dropout; Radford et al. 2018; Su et al. 2021, [RoFormer](https://arxiv.org/abs/2104.09864); Press et al. 2022; Chen et al. 2023; Haviv et al. 2022; Kazemnejad et al. 2023; Touvron et al. 2023, [LLaMA](https://arxiv.org/abs/2302.13971), table 2, for its width, and Chen et al., figure 1, for its length.
#
# Next: [31 Layer norm](31_layer_norm.ipynb) asks what is done to a position before a layer reads it. [Contents](01_how_this_course_works.ipynb)
