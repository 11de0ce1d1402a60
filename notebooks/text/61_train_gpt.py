# %% [markdown]
# # 61 Train a GPT
#
# **After a minute of training on your machine, how well does a small GPT predict text it has never seen?** At the end you know every part of a GPT, can train it, stop and resume the run, and say in bits how good it is. You need lesson 21 and the idea of a gradient; about 45 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [52 The KV cache](52_kv_cache.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(61)

# %% [markdown]
# ## Question
#
# Predicting and compressing are the same skill: who gives the next byte probability $p$ can store it in $-\log_2 p$ bits (Shannon 1948). So a compressor is a rival with a score. The text is one that every Python brings along, its manual and its own source. One file in ten is held out, for measuring only.

# %% tags=["experiment"]
from course_lib.data.corpora import python_text
from course_lib.experiments import compression
from course_lib.plots.bars import draw_bits, say_bits
from course_lib.plots.show import show

corpus = python_text()
held_out = corpus.validation[:40_000]
bits = {
    "byte frequencies": compression.frequency_bits_per_byte(held_out, corpus.train),
    "gzip": compression.gzip_bits_per_byte(held_out, corpus.train),
    "xz": compression.xz_bits_per_byte(held_out, corpus.train),
    "your GPT": None,
}
show(draw_bits, bits, say_bits, size=(8, 2.2))

# %% [markdown]
# Without compression, a byte takes 8 bits. Each rival may first read the training text, and then codes the same held-out text. *Byte frequencies* give each byte a probability by how often it occurs, whatever stands before it. *gzip* finds repeated strings, at most 32 kB back, so only the end of the training text helps it. *xz* finds them anywhere. It takes no earlier text, so we count how much longer the compressed training text grows when the held-out text follows.
#
# A piece of the held-out text:

# %% tags=["derive"]
print(corpus.validation[2000:2400].decode(errors="replace"))

# %% [markdown]
# ## Predict
#
# Where will the last bar end?

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

bits_guess = predict(
    "After about a minute of training, where will the GPT's bits per byte lie?",
    ["above byte frequencies", "between byte frequencies and gzip", "between gzip and xz", "below xz"],
)
bits_guess

# %% tags=["predict", "widget"]
start_guess = predict(
    "And before any training: what is its loss, in nats per byte?",
    ["about 0", "about 1", "about 5.5", "about 256"],
)
start_guess

# %% [markdown]
# ## Derive
#
# ### The parts
#
# You know attention. Around it stands a **block**: the vectors of all positions run through the model as a *stream*. A copy of it is normalised, a *sublayer* (attention, or the feed-forward layer) reads the copy, and what it finds is added back to the stream. Attention moves information between positions, the feed-forward layer works on each position alone. This is the code that runs:

# %% tags=["derive"]
from course_lib.mechanisms.blocks import PreNormBlock

show_source(PreNormBlock)

# %% [markdown]
# The norm stands *before* each sublayer, hence Pre-LN. A **GPT** is a table that turns ids into vectors, a table for the positions, a stack of blocks, one last norm, and a vote on the next token. Here an id is simply a byte: 256 of them, and no word is unknown. Three things in the code are not needed here: texts of unequal length (`real`, lesson 22), other ways to say where a token stands (lesson 24), and a memory that makes writing faster (`cache`, lesson 52).

# %% tags=["derive"]
from course_lib.models.gpt import GPT

show_source(GPT.__init__)

# %% tags=["derive"]
show_source(GPT.forward)

# %% tags=["derive"]
show_source(GPT.embed)

# %% tags=["derive"]
from course_lib.config import GPTConfig

shape = GPTConfig(vocab_size=256, max_seq_len=64, d_model=128, n_layers=4, n_heads=4)
model = GPT(shape)

# %% [markdown]
# Where do the parameters sit? They can be counted from the shape alone.

# %% tags=["derive"]
from course_lib.models.counting import count_gpt_parameters

counted = count_gpt_parameters(shape)
counted

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "The count from the shape is the number of parameters in the model",
    counted["total"],
    equals=sum(p.numel() for p in model.parameters()),
    because="counting is exact",
    control={"output layer counted again, though it shares the token table": counted["total"]
             + counted["tokens"]},
)

# %% [markdown]
# The two matrices of a block that write to the stream start smaller than the rest. The stream gets $2L$ additions in $L$ blocks; with standard deviations divided by $\sqrt{2L}$ their sum stays the same size for every depth.

# %% tags=["claim"]
import math

writers = [layer for b in model.blocks for layer in (b.attn.out_proj, b.ffn.narrow)]
readers = [layer for b in model.blocks for layer in (b.attn.q_proj, b.ffn.widen)]
wanted_std = shape.init_std / math.sqrt(2 * shape.n_layers)
claim(
    "Matrices that write to the stream start with standard deviation 0.02 / sqrt(2L)",
    [layer.weight.std().item() / wanted_std for layer in writers],
    near=1, within=0.03,
    because="one standard error is 0.55%, and the worst of eight may be off by three",
    control={"the matrices that read": [r.weight.std().item() / wanted_std for r in readers]},
)

# %% [markdown]
# ### What is graded
#
# The text is cut into *windows*. A window's targets are its own bytes, one place further on: at every position the model must name the next byte.

# %% tags=["derive"]
piece = "def main():"
print("inputs ", *piece[:-1])
print("targets", *piece[1:])

# %% [markdown]
# At every position the model gives each of the 256 bytes a probability. The **loss** is the average of $-\ln p$ for the byte that really came, in nats; divided by $\ln 2$ it is in bits. A model that knows nothing gives each byte $1/256$, which costs $\ln 256$ nats.

# %% tags=["derive"]
from course_lib.data.byte_ids import byte_ids
from course_lib.data.windows import consecutive_windows
from course_lib.training.objectives import mean_loss, next_token_loss

show_source(next_token_loss)

# %% tags=["derive"]
windows = consecutive_windows(byte_ids(held_out[:6000]), shape.max_seq_len)
start_loss = mean_loss(model, *windows, batch_size=12)
start_loss, math.log(256)

# %% tags=["predict"]
start_guess.reveal(
    f"{start_loss:.2f}, where ln 256 = {math.log(256):.2f}",
    "an untrained model knows nothing, so every byte gets about 1/256. It is a little off because "
    "input and output share one table, and it starts by expecting the same byte again",
)

# %% tags=["claim"]
from dataclasses import replace

wild = GPT(replace(shape, init_std=0.2))
claim(
    "An untrained model's loss is near ln 256",
    start_loss, near=math.log(256), within=0.5,
    because="the first logits are small, not zero; with the shared table they favour the last "
    "byte, and runs of spaces make that worth up to about 0.3",
    control={"weights ten times as large": mean_loss(wild, *windows, batch_size=12)},
)

# %% [markdown]
# ### Nobody may look ahead
#
# The grade would be worthless if a position could see the byte it must predict. How strongly does the output at each position (row) react to the input at each position (column)? For every pair that is a block of the Jacobian, and below stands whether it is zero. Hidden inputs must give exactly 0.

# %% tags=["derive"]
import torch

from course_lib.experiments.looking_ahead import influence, logits_under
from course_lib.mechanisms.masks import causal_mask

ids = byte_ids("for i in").long()
mask = causal_mask(len(ids))
reaction = influence(model, ids, mask, torch.Generator().manual_seed(0))
(reaction != 0).int()

# %% tags=["claim"]
future = torch.ones(len(ids), len(ids)).triu(1).bool()
unmasked = influence(model, ids, None, torch.Generator().manual_seed(0))
claim(
    "No output reacts to a later input: above the diagonal the Jacobian is exactly 0",
    reaction[future], equals=0.0,
    because="a hidden key has probability 0, and 0 times anything finite is 0, without rounding",
    control={"without the mask": unmasked[future]},
)

# %% [markdown]
# This is also why training is fast. One pass over a window answers as many questions as it has positions, each as if the text ended there.

# %% tags=["claim"]
one_pass = model(ids[None])[0]
prefixes = torch.stack([model(ids[None, : i + 1])[0, -1] for i in range(len(ids))])
no_mask = logits_under(model, ids[None], None)[0]
claim(
    "One pass gives the answers of all the shorter texts",
    (one_pass - prefixes).abs().max().item(), below=1e-5,
    because="the same sums in another order; float32 keeps about seven digits",
    control={"without the mask": (no_mask - prefixes).abs().max().item()},
)

# %% [markdown]
# The mask also makes the product of all these probabilities a probability: that of the whole text (the chain rule). With four tokens and three places all 64 texts can be listed.

# %% tags=["claim"]
from course_lib.experiments.looking_ahead import total_probability

toy = GPT(GPTConfig(4, 3, d_model=8, n_layers=2, n_heads=2, init_std=0.8)).double()
claim(
    "The probabilities of all 64 texts add up to 1",
    total_probability(toy, 3, causal_mask(3)), near=1, within=1e-9,
    because="float64 rounds at about 1e-16, and 64 products are added",
    control={"each position sees its answer": total_probability(toy, 3, None)},
)

# %% [markdown]
# ### One update
#
# Draw windows, grade, follow the gradient a little way. The optimiser, AdamW, keeps a running average of each parameter's gradient and of its square, and divides the one by the root of the other (lesson 42 takes it apart). If the gradient is too long it is shortened, and a loss that is not a number stops the run *before* it can spoil the weights.

# %% tags=["derive"]
from course_lib.training.loop import train, update

show_source(update)

# %% [markdown]
# The learning rate rises for a few steps, then falls along half a cosine, down to a floor. The bare cosine would rise again after the end, so the floor must be held.

# %% tags=["claim"]
from course_lib.optim.schedules import warmup_cosine

curve = {"peak": 3e-3, "floor": 3e-4, "warmup_steps": 25, "total_steps": 500}
bare = 3e-4 + 0.5 * (3e-3 - 3e-4) * (1 + math.cos(math.pi * (900 - 25) / (500 - 25)))
claim(
    "After the last step the learning rate stays at its floor",
    [warmup_cosine(step, **curve) for step in (500, 501, 900)], equals=3e-4,
    because="the floor is returned, not computed",
    control={"the bare cosine at step 900": bare},
)

# %% [markdown]
# ## Experiment
#
# ### A rehearsal: stop, save, go on
#
# Before a long run, test the brakes. Three steps, save, three more. Then read the file and do those last three again. What a step draws follows from the seed and the step's number, so no random state is saved. The weights, the settings, the step, and what the optimiser remembers are enough.

# %% tags=["experiment"]
from course_lib.config import TrainConfig
from course_lib.training.state import TrainState, resume, save

train_ids, validation_ids = byte_ids(corpus.train), byte_ids(corpus.validation)
rehearsal = TrainState.fresh(GPT(shape), TrainConfig(6, warmup_steps=1, sample_every=0))
for record in train(rehearsal, train_ids, validation_ids):
    if record.step == 3:
        break

# %% tags=["experiment"]
import io

file = io.BytesIO()
save(rehearsal, file)


def losses(state):
    return [record.train_loss for record in train(state, train_ids, validation_ids)]


straight_on = losses(rehearsal)

# %% tags=["experiment"]
file.seek(0)
resumed = losses(resume(file))

file.seek(0)
forgetful = resume(file)
forgetful.optimizer = TrainState.fresh(forgetful.model, forgetful.config).optimizer
straight_on, resumed


# %% tags=["claim"]
def differences(some_losses):
    return [a - b for a, b in zip(some_losses, straight_on, strict=True)]


claim(
    "A resumed run has the same losses, to the last bit",
    differences(resumed), equals=0.0,
    because="the same numbers go through the same operations in the same order",
    control={"weights saved, the optimiser's memory not": differences(losses(forgetful))},
)

# %% [markdown]
# ### The run
#
# One number decides how long it is. As shipped it takes about a minute on two cores. For a longer run, change it, and run from this cell on; the model starts anew.

# %% tags=["experiment"]
STEPS = 400

settings = TrainConfig(STEPS, warmup_steps=min(25, STEPS - 1), eval_every=50)
state = TrainState.fresh(GPT(shape), settings)
history = []

# %% [markdown]
# The dashed grey lines are two of the rivals. Press the square in the toolbar (interrupt) whenever you like. The step is completed, and nothing is lost: all later cells work with what is there. Run the next cell again, and it goes on where it stopped.

# %% tags=["experiment", "widget"]
from course_lib.plots.training import BITS, TrainingCurves
from course_lib.widgets.live import live

rivals = {name: bits[name] for name in ("byte frequencies", "gzip")}
curves = TrainingCurves(BITS, rivals, settings.max_grad_norm)
run = live(
    train(state, train_ids, validation_ids), STEPS, curves.draw, curves.say, history=history
)
history = run.history

# %% [markdown]
# To keep the model, call `save(state, "my_gpt.safetensors")`. To go on with it another day, run all cells up to the one with `STEPS`, then `state = resume("my_gpt.safetensors")`, then the cell above; the curve begins where you resumed. The file is written beside this lesson under a temporary name and then renamed, so that a power cut leaves the old one whole.
#
# ### How good is it?
#
# Now the model codes the same held-out text as its rivals. Each byte but the first few is predicted from at least the 32 before it. (The plot above measures other places of the held-out text, in windows that start with nothing before them, so its numbers differ a little.)

# %% tags=["experiment"]
bits["your GPT"] = compression.model_bits_per_byte(state.model, held_out)
show(draw_bits, bits, say_bits, size=(8, 2.2))

# %% [markdown]
# One thing is unfair to the GPT: how much of the training text has it seen?

# %% tags=["experiment"]
seen = state.step * settings.batch_size * shape.max_seq_len
print(f"{seen:,} bytes drawn in {state.step} steps; xz read all {len(corpus.train):,}")

# %% tags=["predict"]
ranking = sorted(bits, key=bits.get)
place = ranking.index("your GPT")
better_than = ", ".join(ranking[place + 1 :]) or "nobody"
bits_guess.reveal(
    f"{bits['your GPT']:.2f} bits after {state.step} steps: better than {better_than}",
    "a model first learns letters, indentation and common words; a compressor copies whole "
    "lines from the start, and only a longer run catches up with that",
)

# %% [markdown]
# ### Does it write programs?
#
# Let it write, up to five lines or 200 bytes at a time. Python itself can judge: does `ast.parse` accept them, and is there at least one statement that is not a comment? Common indentation is removed first, because five lines out of a function start indented.

# %% tags=["experiment"]
from course_lib.experiments import snippets

written = snippets.written_by(state.model, 24, torch.Generator().manual_seed(1), max_bytes=200)
print("\n".join(written[:3]))

# %% [markdown]
# That share means something only beside two others, cut at 200 bytes as well: five lines of real held-out text, and bytes drawn by their frequency.

# %% tags=["experiment"]
from course_lib.plots.bars import draw_shares, say_shares

draws = torch.Generator().manual_seed(2)
random_bytes = [s[:200] for s in snippets.drawn_by_frequency(corpus.train, 400, draws)]
real = [s[:200] for s in snippets.windows_of(corpus.validation, 2000, draws)]
sources = {"drawn by frequency": random_bytes, "real text": real, "your GPT": written}
shares = {name: snippets.share_of_programs(some) for name, some in sources.items()}
show(draw_shares, shares, say_shares, size=(8, 1.9))

# %% [markdown]
# Real text does not come close to 100% either: five lines cut at random often end in the middle of something. And only a few snippets of the model were judged, so its bar is rough: each one counts for several percentage points.

# %% [markdown]
# ### Another text, with a floor
#
# How good *could* the model be? For Python's source nobody knows. So here is a text for which it is known: short stories about who is where, has what and feels what, told by a grammar of this course. Each story is drawn by chance, word for word, from probabilities that are written down, so the surprise of one who knows them all can be worked out. It is the **floor**: no model gets below it in the long run.

# %% tags=["experiment"]
from course_lib.data.stories.sampling import tell

for story in tell(3, seed=1):
    print(story.text, "\n")

# %% [markdown]
# Choose what to train on, and what an id is. `TEXT` may be `"stories"`, or the name of a real text: `"python"`, `"tiny-shakespeare"` (a download of 1 MB), `"wikipedia"` or `"web-bible"` (`python3 -m course_lib extras text` installs them), or the path of a file of yours. `IDS` may be `"bytes"`, `"bpe"` (byte-pair merges, lesson 11, learnt from the training part), and for stories also `"words"`. Stories are trained whole, one a row; a real text is cut into windows.

# %% tags=["experiment"]
from course_lib.data.corpora import corpus as corpus_named
from course_lib.data.training_text import corpus_ids, story_ids

TEXT, IDS, OTHER_STEPS = "stories", "words", 150

text = story_ids(IDS, 8000) if TEXT == "stories" else corpus_ids(corpus_named(TEXT), IDS)
longest = text.train.inputs.shape[1] if TEXT == "stories" else 64
other_shape = replace(shape, vocab_size=text.vocab_size, max_seq_len=max(longest, 96))
other_settings = TrainConfig(
    OTHER_STEPS, warmup_steps=min(25, OTHER_STEPS - 1), eval_every=50, sample_every=0)
other, other_history = TrainState.fresh(GPT(other_shape), other_settings), []

# %% tags=["experiment", "widget"]
from course_lib.plots.training import NATS

other_curves = TrainingCurves(NATS, {"floor": text.floor} if text.floor else {}, 1.0)
other_live = live(train(other, text.train, text.validation), OTHER_STEPS,
                  other_curves.draw, other_curves.say, history=other_history)
other_history = other_live.history

# %% [markdown]
# The distance to the floor is what is left to learn, and it has an address. Split the loss by the kind of word. *First mention*: a name or thing that the story has not had yet, and that nobody can foresee. *Name*, *place*, *object*: one that the story has had, where a reader who remembers is nearly sure. The black line is the floor of each kind.

# %% tags=["experiment"]
from course_lib.experiments import story_writing
from course_lib.plots import kinds

by_words = TEXT == "stories" and IDS == "words"
by_kind = story_writing.loss_by_kind(other.model, text) if by_words else None
show(kinds.draw, by_kind, kinds.say, size=(8, 3)) if by_words else print("for stories in words")

# %% [markdown]
# After a short run the bars of closed words and first mentions are near their lines: the model knows how sentences are built and which words there are. Those of names, places and objects are not: it does not yet look up who had what. So let it tell stories, and let the grammar judge: the first word that cannot stand where it does is marked.

# %% tags=["experiment"]
if TEXT == "stories":
    story_draws = torch.Generator().manual_seed(5)
    stories = story_writing.write_stories(other.model, text, 10, story_draws)
    print(*map(story_writing.marked, stories[:3]), sep="\n\n")
    print(f"\npossible from the first word to the last: {story_writing.share_possible(stories):.0%}")

# %% tags=["claim"]
from course_lib.data.stories.floors import EVERYDAY_FLOOR
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import surprises

held_out_stories = tell(1000, seed=62)
knows = sum(sum(surprises(everyday_stories(), story.words)) for story in held_out_stories)
read = sum(len(story.words) for story in held_out_stories)
claim(
    "One who knows the grammar is surprised by as much as the floor says",
    knows / read, near=EVERYDAY_FLOOR.nats_per_word, within=0.02,
    because="a thousand stories; eight such draws scattered by 0.004",
    control={"your model": other_history[-1].train_loss if by_words and other_history else math.log(169)},
)

# %% [markdown]
# ## Play
#
# Try this. Sample again with `temperature=0.3`, then with `1.2`. Low temperatures repeat the safest thing, high ones invent. Try another prompt.

# %% tags=["experiment"]
from course_lib.training.loop import byte_sampler

write = byte_sampler("def __init__(self", n_new=160, temperature=0.8)
print(write(state.model, torch.Generator().manual_seed(3)))

# %% [markdown]
# ## Verify
#
# How far you come depends on how long you trained, so the first claims ask for at least 200 steps.

# %% tags=["claim"]
if state.step >= 200:
    claim(
        "The GPT predicts held-out text better than byte frequencies do",
        bits["your GPT"], below=bits["byte frequencies"] - 0.5,
        because="after 200 steps it was ahead by twice as much; the bound leaves room for other seeds",
        control={"the untrained model": start_loss / math.log(2)},
    )
else:
    print(f"Only {state.step} steps were made; the claim is about 200 or more.")

# %% tags=["claim"]
if 200 <= state.step <= 600:
    claim(
        "A run this short stays behind gzip",
        bits["your GPT"], above=bits["gzip"],
        because="three seeds ended 0.8 to 1.3 bits behind; versions of Python differ by less",
        control={"xz": bits["xz"]},
    )
    claim(
        "What it writes is a program less than half as often as real text is",
        shares["your GPT"], below=0.5 * shares["real text"],
        because="hardly any of its snippets is one; in so few, as many as in real text would be luck",
        control={"other real text": snippets.share_of_programs(
            snippets.windows_of(corpus.validation, 1000, draws))},
    )
else:
    print(f"{state.step} steps were made; these two claims are about 200 to 600.")

# %% tags=["claim"]
claim(
    "Real text holds far more programs than bytes drawn by frequency",
    shares["real text"], above=0.1,
    because="one in four here; the text differs between versions of Python, so the bound is loose",
    control=shares["drawn by frequency"],
)

# %% tags=["claim"]
order = torch.randperm(len(held_out), generator=torch.Generator().manual_seed(4))
shuffled = bytes(byte_ids(held_out)[order].tolist())
claim(
    "gzip and xz predict better than byte frequencies, because they look back",
    [bits["gzip"], bits["xz"]], below=0.75 * bits["byte frequencies"],
    because="both need about half; the bound leaves room for other versions of Python",
    control={"the same bytes in random order": [
        compression.gzip_bits_per_byte(shuffled, corpus.train),
        compression.xz_bits_per_byte(shuffled, corpus.train)]},
)

# %% [markdown]
# ## Exercise
#
# Open ones, for as long as you like.
#
# 1. Set `STEPS` ten times as large, run from that cell on, and go for a walk. Does the model pass gzip? Does the train curve leave the validation curve behind?
# 2. Spend the minute differently: two blocks instead of four, or windows of 32 bytes. Change `shape`, run that cell and everything from `STEPS` on, and raise `STEPS` until it takes a minute again. What gives the fewest bits?
# 3. Sample with `temperature=0`. Why does it end in a loop?

# %% [markdown]
# ## Takeaways
#
# How well does a small GPT predict after a minute? Far better than counting bytes, and, as shipped, still behind a compressor. It has learned which letters and words follow each other, and how code is laid out; almost none of what it writes is a program. A loss becomes meaningful beside something: the untrained model, byte frequencies, gzip and xz. A run can be stopped at any step and resumed exactly, because the seed and the step decide every draw.
#
# What the toy does not show: what size and weeks of training bring. A comparison of compressed sizes would also have to count the model itself, and its parameters take more room than the text. Bytes are hard work for a model; a tokenizer gives it longer tokens. One run is one seed: small differences between two runs mean nothing.
#
# Sources: Radford et al. 2019, [Language Models are Unsupervised Multitask Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf) (the architecture, section 2.3); Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762); Shannon 1948, [A Mathematical Theory of Communication](https://doi.org/10.1002/j.1538-7305.1948.tb01338.x), and 1951, [Prediction and Entropy of Printed English](https://doi.org/10.1002/j.1538-7305.1951.tb01366.x) (bits per character); Loshchilov and Hutter 2017, [SGDR](https://arxiv.org/abs/1608.03983) (cosine), and 2019, [Decoupled Weight Decay Regularization](https://arxiv.org/abs/1711.05101) (AdamW). Text: Python's documentation and standard library, Python Software Foundation License.
#
# [Contents](01_how_this_course_works.ipynb) · previous: [52 The KV cache](52_kv_cache.ipynb)
