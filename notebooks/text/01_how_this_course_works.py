# %% [markdown]
# # 01 How this course works
#
# **How do you read, predict, move and check here, and what will you find?** Fifteen minutes; you need some Python. Next: [11 Byte-pair encoding](11_byte_pair_encoding.ipynb). Run the cells from the top: click the first one and press Shift+Enter, again and again.

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(1)

# %% tags=["widget"]
from course_lib.experiments.temperature import TEMPERATURES, word_shares
from course_lib.plots import temperature
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

explore(word_shares, temperature.draw, temperature.say, size=(6.5, 2.6),
        temperature=choice(TEMPERATURES, 1.0, label="temperature"))

# %% [markdown]
# ## Question
#
# A language model has read *The cat sat on the* and must go on. It gives each word a score. **Softmax** turns the scores into shares, and a number called the **temperature** says how much the differences between scores count. What does it do to the shares?
#
# Move the slider: drag it, or click it and press the left and right arrow keys. Every figure of this course with controls works in this way. The sentence under it says in words what you see, also to a screen reader.
#
# ## Predict
#
# Before a lesson tells you something, it asks you. Choose an answer; nobody sees it, and it is not graded. It comes back when the measurement is in.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

guess = predict(
    "You raise the temperature further and further. Will a word with a lower score ever "
    "overtake one with a higher score?",
    ["yes, above some temperature", "no, never", "only when it is negative"],
)
guess

# %% [markdown]
# ## Derive
#
# A lesson goes in small steps: first by hand, on numbers that you can check in your head, then as an equation, then as the code that the models really run. Here by hand, with two scores and temperature 2:

# %% tags=["derive"]
import math

scores, T = [2.0, 0.0], 2.0
weights = [math.exp(score / T) for score in scores]
shares = [weight / sum(weights) for weight in weights]
shares

# %% [markdown]
# Divide by the temperature, raise $e$ to that power, divide by the sum. As an equation:
#
# $$p_i = \frac{e^{x_i / T}}{\sum_j e^{x_j / T}}$$
#
# And the library. `show_source` prints the code that is installed, so what you read is what runs; its last line hands the numbers on to the function in the cell below it. The lessons never retype a mechanism; they import it and show it.

# %% tags=["derive"]
from course_lib.mechanisms.softmax import SoftmaxFunction, softmax

show_source(softmax)

# %% tags=["derive"]
show_source(SoftmaxFunction.forward)

# %% [markdown]
# The largest score is subtracted first. That changes nothing in the shares, and it keeps $e^{1000}$ from overflowing. By hand, the library, and PyTorch's own softmax: the same, up to the rounding of 32-bit numbers.

# %% tags=["derive"]
import torch

ours = softmax(torch.tensor(scores), temperature=T)
theirs = torch.softmax(torch.tensor(scores) / T, dim=-1)
shares, ours.tolist(), theirs.tolist()

# %% [markdown]
# ## Experiment
#
# Then a lesson measures. First the five words at every temperature of the slider:

# %% tags=["experiment"]
from course_lib.experiments.temperature import share_curves
from course_lib.plots.show import show

show(temperature.draw_curves, share_curves(), temperature.say_curves, size=(6.5, 3.2))

# %% [markdown]
# A lesson also runs what is *wrong*, to see it fail. Below, the lead of each word over the next one, at 2,000 temperatures from 0.1 to 100: if a lower score ever overtook a higher one, some lead would be negative. Beside it, as a broken variant, the same with all scores multiplied by $-1$, which is what a temperature of $-1$ would do.

# %% tags=["experiment"]
from course_lib.experiments.temperature import SCORES

temperatures = torch.logspace(-1, 2, 2000).tolist()
words = torch.tensor(SCORES, dtype=torch.float64)
leads = torch.stack([-softmax(words, temperature=t).diff() for t in temperatures])
turned = -softmax(-words).diff()
leads.min().item(), turned.min().item()

# %% tags=["predict"]
guess.reveal(
    f"no, never: the smallest lead at any temperature was {leads.min().item():.2g}",
    "dividing by a positive number keeps the order, and so do the exponential and the sum",
)

# %% [markdown]
# ## Verify
#
# What the text says, a cell **claims**: the sentence, what was measured, what was wanted, and why this much and no more is allowed. When a claim is false, the notebook stops there. Each claim names a **control**, a broken variant that must fail the same check. A check that cannot fail proves nothing.

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "At 2,000 temperatures from 0.1 to 100 no lower score overtakes a higher one",
    leads.min(),
    above=0,
    because="overtaking would make a lead negative; that it holds at all others follows above",
    control={"temperature -1": turned.min()},
)

# %% tags=["claim"]
claim(
    "Close to temperature 0 the best word takes everything; far above it all words are equal",
    [softmax(words, temperature=0.01)[0], 5 * softmax(words, temperature=1e4)[0]],
    near=1, within=1e-3,
    because="the scores differ by 0.7 and more, so what is left over is far smaller",
    control={"temperature 1": softmax(words)[0]},
)

# %% [markdown]
# A negative temperature is not a strange result but an error, and so is everything else that a function of this library cannot do. It says what arrived and what it needs:

# %% tags=["experiment"]
shows_error(lambda: softmax(words, temperature=-1.0), ValueError)

# %% [markdown]
# And this is what a false claim looks like. Outside `shows_error` it would stop the notebook.

# %% tags=["experiment"]
shows_error(lambda: claim(
    "At temperature 2 the best word takes everything",
    softmax(words, temperature=2.0)[0],
    near=1, within=1e-3, because="this is false", control={"temperature 5": 0.3},
))

# %% [markdown]
# ## Play: something that takes a while
#
# Training a model takes minutes. Such a cell draws while it runs, and you may stop it whenever you like: press the square in the toolbar (or Esc, then I twice). Everything up to that point is kept, and the cells below still work. Here a coin is flipped again and again. Run the cell and stop it half way, then run the next one.

# %% tags=["experiment"]
from course_lib.experiments.settling import flip_coins
from course_lib.plots import settling
from course_lib.widgets.live import live

n_flips, pause = 2000, 0.001
run = live(flip_coins(n_flips, seconds_per_flip=pause), n_flips, settling.draw, settling.say,
           size=(7, 2.6))

# %% tags=["experiment"]
f"{len(run.history)} of {n_flips} flips were made; the share of heads is {run.history[-1].share:.1%}"

# %% [markdown]
# ## Exercise
#
# At the end you write something yourself. The line that raises `NotImplementedError` is your place. Run the cell, and the check says what it found. If you made a common mistake, the check names it.

# %% tags=["exercise"]
from course_lib.checks.lesson_01 import temperature_softmax

temperature_softmax

# %% [markdown]
# To see a diagnosis before you start, here is a wrong answer of ours:

# %% tags=["exercise"]
temperature_softmax.judge(lambda logits, temperature: torch.softmax(logits * temperature, dim=-1))


# %% tags=["exercise"]
def my_softmax(logits, temperature):
    raise NotImplementedError


temperature_softmax.check(my_softmax)

# %% [markdown]
# Stuck? Each failed check opens one hint: first a question, then where to look, then the shape of the code. After two failed tries the solution is there too; write `temperature_softmax.solution()` in a cell.

# %% tags=["exercise"]
temperature_softmax.hint()

# %% [markdown]
# ## Contents
#
# | lesson | question | minutes |
# |---|---|---|
# | 01 How this course works | how do I read, predict, move, check? | 15 |
# | [11 Byte-pair encoding](11_byte_pair_encoding.ipynb) | how does text become ids, and can a word be unknown? | 50 |
# | [12 WordPiece](12_wordpiece.ipynb) | why does BERT cut words differently? | 45 |
# | [21 Scaled dot-product attention](21_scaled_dot_product_attention.ipynb) | why divide by $\sqrt{d_k}$? | 40 |
# | [22 Masks](22_masks.ipynb) | how is the future hidden, and what else must be? | 45 |
# | [23 Multi-head attention](23_multi_head_attention.ipynb) | what do many heads buy? | 80 |
# | [24 Embeddings and positions](24_embeddings_and_positions.ipynb) | how does order get in, and what happens past the longest text of training? | 60 |
# | [31 Layer norm](31_layer_norm.ipynb) | what does normalising remove? | 60 |
# | [32 GELU and feed-forward](32_gelu_and_feed_forward.ipynb) | why GELU, and what is the gate? | 65 |
# | [33 Pre-LN and Post-LN](33_pre_ln_and_post_ln.ipynb) | where do gradients go in a deep stack? | 90 |
# | [34 Initialisation](34_initialisation.ipynb) | why $\sigma / \sqrt{2L}$? | 45 |
# | [41 Objectives](41_objectives.ipynb) | what is a model graded on? why can't a two-sided model predict the next word? | 75 |
# | [42 AdamW](42_adamw.ipynb) | what does decoupling change? | 65 |
# | [43 Schedules and clipping](43_schedules_and_clipping.ipynb) | why warm up, and what does clipping save? | 60 |
# | [44 Precision and loss spikes](44_precision_and_loss_spikes.ipynb) | why do losses explode, and what helps? | 60 |
# | [51 Sampling](51_sampling.ipynb) | how are words drawn? | 60 |
# | [52 The KV cache](52_kv_cache.ipynb) | what is remembered, what does it cost? | 60 |
# | [61 Train a GPT](61_train_gpt.ipynb) | how near to the best possible does a GPT come in a minute of training? | 70 |
# | [62 Train a BERT](62_train_bert.ipynb) | which gaps does a BERT fill after two minutes, and what does it understand of two texts? | 75 |
# | [63 Fine-tune a BERT](63_fine_tune_bert.ipynb) | what is a pre-trained encoder worth when labels are few, and for which tasks? | 60 |
# | [64 Real checkpoints](64_real_checkpoints.ipynb) | do published weights run in our code, and does a picture of attention say why? | 60 |
# | [65 BERT and GPT compared](65_bert_and_gpt_compared.ipynb) | what is true of the usual table, and how many differences are there really? | 50 |
#
# The first digit of a number is the part of the course, the second the lesson; the gaps are for lessons that are being written: 1 text to ids, 2 attention, 3 the block, 4 learning, 5 writing text, 6 whole models. Each lesson runs alone, and says what it needs.
#
# If you work with `python3 -m course_lib lab`, these notebooks are your own copies in the folder `my_course`. Change what you like. `python3 -m course_lib lab --fresh 21` gives you a new copy of lesson 21 and keeps your old one beside it. `python3 -m course_lib doctor` says whether your machine is fit, and what to do if it is not.
#
# **In VS Code**: open the folder of the course, open a lesson, click *Select Kernel* at the top right, choose *Python Environments*, and there the one called `.venv`. If it is missing, run `python3 -m course_lib lab` once in a terminal and close it again. The sliders need the Jupyter extension of VS Code.
#
# ## Takeaways
#
# You read a question, commit to a prediction, follow a derivation from a hand-sized case to the running code, see it measured next to something broken, and check it yourself. The temperature divides the scores: low, and the best word takes everything; high, and all become equal; the order never changes. What five words do not show is what a temperature does to whole texts; lesson 61 draws text from a model that you train.
#
# Sources: Bridle 1990, [Probabilistic interpretation of feedforward classification network outputs](https://doi.org/10.1007/978-3-642-76153-9_28); Hinton, Vinyals and Dean 2015, [Distilling the knowledge in a neural network](https://arxiv.org/abs/1503.02531), equation 1, for the temperature.
#
# Next: [11 Byte-pair encoding](11_byte_pair_encoding.ipynb)

# %% [markdown]
# ## Appendix: names
#
# The papers, the published code and this course do not use the same words. Here they are side by side; the lessons use the first column.
#
# | here | meaning | papers | Hugging Face BERT | Hugging Face GPT-2 |
# |---|---|---|---|---|
# | `vocab_size` | how many ids there are | | `vocab_size` | `vocab_size` |
# | `max_seq_len` | longest input | | `max_position_embeddings` | `n_positions` |
# | `d_model` | width of the vectors that run through the model (the residual stream) | $d_{model}$ | `hidden_size` | `n_embd` |
# | `n_layers` | blocks | $N$ | `num_hidden_layers` | `n_layer` |
# | `n_heads` | attention heads a block | $h$ | `num_attention_heads` | `n_head` |
# | `d_head` | width of a head | $d_k$, $d_v$ | (computed) | (computed) |
# | `d_ff` | inner width of the feed-forward layer | $d_{ff}$ | `intermediate_size` | `n_inner` |
# | `n_segments` | kinds of sentence in one input | | `type_vocab_size` | |
# | `norm_eps` | added inside the root of layer norm | $\epsilon$ | `layer_norm_eps` | `layer_norm_epsilon` |
# | `token_ids`, `segment_ids` | the input: which token, which sentence | | `input_ids`, `token_type_ids` | `input_ids` |
# | `real` | True at a token, False at padding | | `attention_mask` of the model | `attention_mask` of the model |
# | `visible` | True where a query may read a key | mask $M$ | `attention_mask` of a layer | `attention_mask` of a layer |
# | `logits` | one score for each token of the vocabulary | | `logits` | `logits` |
# | `W_q` | in formulas $[d_{in}, d_{out}]$; `q_proj.weight` is its transpose | $W^Q$ | `query.weight` | first third of `c_attn.weight`, not transposed |
#
# Masks deserve a second look, because libraries disagree: here **True means "may be read"**, as in PyTorch's `scaled_dot_product_attention`. In PyTorch's `nn.MultiheadAttention`, True means "hidden". A loss is in nats per scored token: minus the natural logarithm of the probability that the right token got. Divide by $\ln 2$ for bits. A *step* is one update of the weights.
