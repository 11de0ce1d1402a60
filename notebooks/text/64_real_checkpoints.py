# %% [markdown]
# # 64 Real checkpoints
#
# **Do published weights run in our code, number for number? And does a picture of their attention say why they answer as they do?** At the end you can read a file of weights with nothing but Python, turn its names and matrices into yours, tell a model that agrees from one that almost does, and say what attention shows and what not. You need lessons 21, 23 and 62 (24, 31 and 52 help); about 60 minutes. The published weights come with an optional package of 84 MB (`python3 -m course_lib extras pretrained`). Without it the lesson runs as well, with a BERT of the course's own, and says what it leaves out. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [63 Fine-tune a BERT](63_fine_tune_bert.ipynb) · next: [65 BERT and GPT compared](65_bert_and_gpt_compared.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(64)

# %% tags=["widget"]
from course_lib.experiments.encoders import published_or_own
from course_lib.experiments.explored import explorer_of
from course_lib.widgets.attention_explorer import attention_explorer

encoder = published_or_own()
print(encoder.name)
KING = "The king went up to the city and spoke to the people of the city."
attention_explorer(explorer_of(encoder), KING, layer=0, head=2, query=3)

# %% [markdown]
# ## Question
#
# These are the heads of a BERT that was not trained here: *MiniLM*, six layers of twelve heads, published for comparing sentences (where the package is not installed, you see a smaller BERT of the course's own, trained on one book). Its weights were made for another program. Here they run in `Bert`, the class that you have used since lesson 24.
#
# How would you know that this is the same model? A program that takes one matrix the wrong way round gives numbers, too. And suppose it is the same: you see who reads whom. Is that the reason for what the model answers?
#
# The head that you see first is one of the first layer. In MiniLM it reads one place back, whatever stands there. Walk through the layers with the first slider, and through the heads of one layer with the second. Is there one that mostly reads `[CLS]`? One in which the second "city" reads the first?

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

square_guess = predict(
    "GPT-2's file keeps the matrices of its linear layers the other way round than ours do. You "
    "forget to turn one that is square, and load. What happens?",
    ["an error", "no error, and the same answers", "no error, and other answers"],
)
square_guess

# %% tags=["predict", "widget"]
SIZES = ["less than 0.000001", "0.000001 to 0.00003", "0.00003 to 0.01", "more than 0.01"]
eps_guess = predict(
    "A layer norm adds a tiny number to the variance: 1e-12 in BERT, 1e-5 in GPT-2. You take "
    "GPT-2's for the BERT above, and read 'We sat on the bank of the river and watched the boats.' "
    "What is the largest error of any number in its last layer?",
    SIZES,
)
eps_guess

# %% tags=["predict", "widget"]
LOST = ["nothing", "about a tenth", "about a quarter", "more than a third"]
other_guess = predict(
    "A text of more than 50 tokens. In all heads of the first layer you take attention away from "
    "the key that each query reads most, and hand it to other keys, so that every vector which the "
    "layer writes stays the same. How much of its share does such a favourite lose, on average?",
    LOST,
)
other_guess

# %% [markdown]
# ## Derive
#
# ### What is in the file
#
# A published model is a folder. Make one: the course's own little storyteller is built as GPT-2 is, so it can be written in GPT-2's form.

# %% tags=["derive"]
import tempfile
from pathlib import Path

from course_lib.models.checkpoints import read_tensors, write_gpt2
from course_lib.models.shipped import load

storyteller = load("stories-gpt")
place = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # it goes when the kernel stops
folder = write_gpt2(storyteller.model, Path(place.name) / "stories-gpt2")
for file in sorted(folder.iterdir()):
    print(f"{file.name:20} {file.stat().st_size:>9,} bytes")

# %% [markdown]
# `config.json` says which shape, the other file holds the numbers. Its form, *safetensors*, is so simple that you can read it by hand: eight bytes say how long the header is; the header is JSON and says where each tensor lies, counted from the header's end; then come the numbers.

# %% tags=["derive"]
import json
import struct

raw = (folder / "model.safetensors").read_bytes()
(n_header,) = struct.unpack("<Q", raw[:8])
header = json.loads(raw[8 : 8 + n_header])
for end in ("wte.weight", "h.0.attn.c_attn.weight", "h.0.attn.c_proj.weight"):
    print("transformer." + end, header["transformer." + end], sep="\n    ")

# %% tags=["derive"]
import torch


def tensor_by_hand(name, first=8 + n_header):
    entry = header[name]
    start, end = (first + offset for offset in entry["data_offsets"])
    numbers = struct.unpack(f"<{(end - start) // 4}f", raw[start:end])  # a float32 has 4 bytes
    return torch.tensor(numbers).reshape(entry["shape"])


# %% tags=["claim"]
from course_lib.checks.claim import claim

in_file = read_tensors(folder)
some = ["transformer.h.0.ln_1.weight", "transformer.h.3.attn.c_attn.bias", "transformer.wpe.weight"]
claim(
    "By hand and by the library: the same numbers",
    [(tensor_by_hand(name) - in_file[name]).abs().max() for name in some], equals=0.0,
    because="bytes are copied, not computed",
    control={"counted from the beginning of the file": [
        (tensor_by_hand(name, first=0) - in_file[name]).nan_to_num().abs().max() for name in some]},
)

# %% [markdown]
# A header and numbers: nothing in this file can be *run*. That is not so in the older form, Python's pickle (`pytorch_model.bin`, `.pt`). A pickle is a list of instructions for building objects, and one of them is "call this function":

# %% tags=["derive"]
import pickle


class Trap:
    def __reduce__(self):
        return print, ("This was printed by a file that was only being read.",)


pickle.loads(pickle.dumps(Trap()))

# %% [markdown]
# It might have deleted your files. So the library reads no pickle unless you ask for it, and then follows only those few instructions that build tensors. (PyTorch's switch for that had a hole of its own up to version 2.5.1, CVE-2025-32434.)

# %% tags=["derive"]
from textwrap import fill

torch.save({"wte.weight": Trap()}, folder / "weights.bin")
refused = [shows_error(lambda: read_tensors(folder / "weights.bin"), ValueError),
           shows_error(lambda: read_tensors(folder / "weights.bin", allow_pickle=True), ValueError)]
print(*(fill(repr(error), 100) for error in refused), sep="\n\n")

# %% [markdown]
# ### Other names, other ways round
#
# Each parameter of ours has to be found in the file. Most have one tensor there, under another name. The output layer has none, for it is the token table again (tied). GPT-2's queries, keys and values stand in one. The prefix `transformer.` is there in some files and not in others, so it is taken off first:

# %% tags=["derive"]
from course_lib.models.checkpoints import gpt2_names

names = gpt2_names(storyteller.model.config)
for theirs in ("wte.weight", "h.0.ln_1.weight", "h.0.attn.c_attn.weight", "h.0.attn.c_proj.weight"):
    print(theirs, "(turned)" if names[theirs].turned else "")
    print("   ", ", ".join(names[theirs].ours))

# %% [markdown]
# *Turned*, because there are two ways to write the same layer. GPT-2's code computes $x W$, so $W$ has a row for each input. `nn.Linear` keeps a row for each *output*, and computes $x A^\top$. (In transformers GPT-2's kind is called `Conv1D`. It is a linear layer.)

# %% tags=["derive"]
x = torch.tensor([1.0, 2.0])
matrix = torch.tensor([[1.0, 0.0, 3.0], [0.0, 1.0, -1.0]])  # [d_in, d_out]
linear = torch.nn.Linear(2, 3, bias=False)
with torch.no_grad():
    linear.weight.copy_(matrix.T)  # [d_out, d_in]
by_hand = [sum(x[i] * matrix[i, j] for i in range(2)).item() for j in range(3)]
print(by_hand, (x @ matrix).tolist(), linear(x).tolist())

# %% [markdown]
# Joined and turned: that is all there is to it.

# %% tags=["derive"]
from course_lib.models.checkpoints.names import Stored

show_source(Stored.unpack)

# %% [markdown]
# Our model wrote that file. If it reads it back, both could be wrong in the same way. So here is a second reader: GPT-2 in some twenty lines of PyTorch's own parts, straight on the names of the file, with no class of this course.

# %% tags=["derive"]
from course_lib.experiments.plain_gpt2 import plain_gpt2

show_source(plain_gpt2)

# %% tags=["derive"]
from course_lib.models.checkpoints import from_folder, load_gpt2
from course_lib.models.gpt import GPT

doubled = {name.removeprefix("transformer."): tensor.double() for name, tensor in in_file.items()}
ids = storyteller.prompt("one windy day Kate and Hugo were in the garden . Kate found a")
shape = storyteller.model.config
_, plain_scores = plain_gpt2(doubled, ids, shape.n_heads, shape.norm_eps)


def gap(model):
    with torch.no_grad():
        return (model.double()(ids) - plain_scores).abs().max()


# %% tags=["claim"]
square = "h.0.attn.c_proj.weight"
careless = GPT(shape).double()
load_gpt2(careless, {**doubled, square: doubled[square].T})
claim(
    "Our model, read from the folder, gives the scores of the second reader",
    gap(from_folder(folder)), below=1e-9,
    because="float64; only the order of some sums differs",
    control={"one square matrix not turned": gap(careless)},
)

# %% tags=["predict"]
square_guess.reveal(
    "no error, and other answers",
    f"a square matrix fits both ways round; some score is off by {gap(careless):.2f}",
)

# %% [markdown]
# The careless model loaded without a word. Shapes are a weak test; answers are a strong one.
#
# ### What does not fit
#
# A file of another model should give an error that tells all of it at once. Here is a model with two layers more and fewer places, and a file with a tensor too many:

# %% tags=["derive"]
from dataclasses import replace

from course_lib.models.checkpoints import Misfit

other_shape = replace(shape, n_layers=6, max_seq_len=64)
other = GPT(other_shape).double()
odd_file = {**doubled, "score.weight": torch.zeros(2, shape.d_model)}
misfit = shows_error(lambda: load_gpt2(other, odd_file), Misfit)
print(fill(repr(misfit), 100))

# %% [markdown]
# `h.{4..5}.ln_1.weight` stands for one tensor in each of the layers 4 and 5, counted from 0. PyTorch's own `load_state_dict` has a switch that is in many examples, `strict=False`. It lets missing names and names too many go by. A wrong shape under a right name is an error even then, as you see once the names are ours:

# %% tags=["derive"]
parameters = dict(storyteller.model.named_parameters())
translated = {}
for theirs, stored in names.items():
    translated |= stored.unpack(doubled[theirs], parameters)
another = GPT(other_shape).double()
shape_error = shows_error(lambda: another.load_state_dict(translated, strict=False), RuntimeError)
print(fill(repr(shape_error), 100))

# %% [markdown]
# So leave the table of places out. Now nothing complains:

# %% tags=["claim"]
before = {name: tensor.clone() for name, tensor in other.state_dict().items()}


def unchanged():
    return sum(torch.equal(tensor, before[name]) for name, tensor in other.state_dict().items())


shows_error(lambda: load_gpt2(other, odd_file), Misfit)
after_error = unchanged()
del translated["positions.weight"]
answer = other.load_state_dict(translated, strict=False)
print(f"strict=False: no error; {unchanged()} of {len(before)} tensors kept their random numbers")

# %% tags=["claim"]
claim(
    "The error counts everything that differs, and nothing has been copied",
    [*map(len, (misfit.error.missing, misfit.error.left_over, misfit.error.reshaped)), after_error],
    equals=[2 * 12, 1, 1, len(before)],
    because="two layers of twelve tensors each; one tensor too many; one table too long",
    control={"strict=False, without the places": [
        len(answer.missing_keys), len(answer.unexpected_keys), 0, unchanged()]},
)

# %% [markdown]
# Two layers and all places are random, and nothing says so. A model that answers nonsense without an error is the worst outcome.
#
# ## Experiment
#
# ### GPT-2 in its published shape
#
# GPT-2's weights fill half a gigabyte and more and are not part of the course. But shapes cost nothing: PyTorch's *meta* tensors have a shape and no numbers. So build all four sizes, and add up what their files must hold.

# %% tags=["experiment"]
from course_lib.config import GPT2_SIZES

with torch.device("meta"):
    empty = {name: GPT(size) for name, size in GPT2_SIZES.items()}


def numbers_in_file(model, names):
    parameters = dict(model.named_parameters())
    return sum(torch.Size(stored.shape(parameters)).numel() for stored in names.values())


held = {name: numbers_in_file(model, gpt2_names(model.config)) for name, model in empty.items()}
for name, model in empty.items():
    print(f"{name:12} {len(gpt2_names(model.config)):4} tensors {held[name]:13,} numbers")

# %% [markdown]
# (Published files also hold each layer's causal mask, as `h.0.attn.bias` and so on. A mask is not learnt; the loader skips it, and so does this count.)
#
# Whether the *numbers* agree is asked with random weights. OpenAI published code for TensorFlow; what most people run is the GPT-2 of Hugging Face transformers. It is not part of the course's installation; where it is there, the next cell copies a random GPT-2 of its making into ours, at full width and with the full vocabulary, in two layers. With all twelve it was done once (`python3 -m course_lib bench agreement`, which takes up to 2 GB), and the result is stored.

# %% tags=["experiment"]
from course_lib.bench.agreement import gpt2_differences, has_transformers
from course_lib.experiments.published_answers import published_answers

answers = published_answers()
found = {"12 layers, recorded": answers.gpt2}
if has_transformers():
    found["2 layers, now"] = gpt2_differences(replace(GPT2_SIZES["gpt2"], n_layers=2))
else:
    print("Left out: the comparison on this machine. It needs the package transformers.")
for name, both in found.items():
    print(f"{name:20} stream {max(both['hidden']):.1e}, scores {both['logits']:.1e}")

# %% tags=["claim"]
largest = max(both["largest"] for both in found.values())
claim(
    "Ours and transformers' GPT-2, with the same random weights, agree behind every layer",
    [number for both in found.values() for number in (*both["hidden"], both["logits"])], below=1e-5,
    because=f"float32; sums in another order, for numbers of up to {largest:.1f}",
    control={"one square matrix not turned, recorded": answers.gpt2_not_turned["logits"]},
)

# %% [markdown]
# Trained weights were not compared: a trained GPT-2 has far larger numbers in its stream ([Sun et al. 2024](https://arxiv.org/abs/2402.17762)), and rounding grows with them, so this bound would not do there.
#
# ### Sizes that one reads about
#
# An aside, which you can skip: the same count, for sizes that are printed everywhere. (GPT-2's paper calls the smallest model 117M. You have just counted it; the authors have corrected their number since.) BERT's paper has 12 and 24 layers, and dropped the decoder of the first transformer.

# %% tags=["claim"]
from course_lib.config import BERT_SIZES
from course_lib.models.bert import BertPretraining
from course_lib.models.checkpoints import bert_names

with torch.device("meta"):
    berts = [BertPretraining(BERT_SIZES[name]) for name in ("bert-base", "bert-large")]
counts, decoder = [], []
for bert in berts:
    inner = {n: s for n, s in bert_names(bert).items() if not n.startswith("cls.")}
    counts.append(numbers_in_file(bert, inner))
    d = bert.config.d_model
    decoder.append(counts[-1] + bert.config.n_layers * (4 * d**2 + 6 * d))
claim(
    "BERT-base and BERT-large, with the pooler and without the heads, hold so many numbers",
    counts, equals=[109_482_240, 335_141_888],
    because="both are whole numbers; those on the right are of the published models",
    control={"with a decoder's second attention and norm in each block": decoder},
)

# %% [markdown]
# GPT-3's table has 96 layers of width 12,288 (Brown et al. 2020, table 2.1):

# %% tags=["claim"]
from course_lib.config import GPTConfig
from course_lib.models.counting import count_gpt_parameters

gpt3 = GPTConfig(50257, 2048, d_model=12288, n_layers=96, n_heads=96)
claim(
    "96 layers of width 12,288 make the 175 billion of GPT-3, in whole billions",
    count_gpt_parameters(gpt3)["total"] / 1e9, near=175, within=0.5,
    because="rounding to whole billions hides up to half a billion",
    control={"95 layers": count_gpt_parameters(replace(gpt3, n_layers=95))["total"] / 1e9},
)


# %% tags=["claim"]
def bytes_per_token(model):
    return model.half().new_cache(1).n_bytes_reserved / model.config.max_seq_len


one_head = replace(GPT2_SIZES["gpt2"], n_kv_heads=1)
with torch.device("meta"):
    shared = GPT(one_head)
claim(
    "A token in GPT-2's cache takes 2 (keys, values) · 12 layers · 12 heads · 64 · 2 bytes",
    bytes_per_token(empty["gpt2"]), equals=2 * 12 * 12 * 64 * 2.0,
    because="64 half-precision numbers a head (lesson 52); both are whole numbers of bytes",
    control={"one head of keys for all": bytes_per_token(shared)},
)

# %% [markdown]
# ### MiniLM, layer by layer
#
# Now the real weights. For one sentence the numbers of transformers' `BertModel` are stored with the course: the first twelve of every token's vector, in every layer. Where transformers is installed, all of them are computed now. Beside that stand some almost-models, our `Bert` with one slip each: GPT-2's tiny number in the norms; the approximate GELU; places counted from 1, where BERT counts from 0; no segment's vector, which BERT adds to every token; every layer's output matrix not turned. None of them gives an error.

# %% tags=["experiment"]
from course_lib.bench.agreement import published_minilm
from course_lib.experiments.inside import look_inside
from course_lib.experiments.near_misses import differences, near_misses

reference, agreed, text_ids = None, [], encoder.read(answers.text)
if encoder.is_published:
    reference = answers.first_numbers
    if has_transformers():
        reference = published_minilm(text_ids)
    ours = look_inside(encoder.model, text_ids).hidden[..., : reference.shape[-1]]
    agreed = differences(ours, reference).tolist()
    print(f"{reference.numel():,} numbers compared: {answers.text}")
else:
    print("Left out: MiniLM beside the published code. It needs the extra 'pretrained'.")
missed = near_misses(encoder.model, text_ids, reference=reference)
misses = {name: line.tolist() for name, line in missed.items()}

# %% tags=["experiment"]
from course_lib.plots import layer_differences as layers_plot
from course_lib.plots.show import show

lines = layers_plot.LayerDifferences(agreed, misses, 1e-5)
show(layers_plot.draw, lines, layers_plot.say, size=(9.4, 3.8))

# %% tags=["claim"]
if agreed:
    claim(
        "In every layer, ours and the published code differ by less than 0.00001 in any number "
        "compared", agreed, below=1e-5,
        because=f"float32; sums in another order, for numbers of up to {reference.abs().max():.0f}",
        control={f"{name}, its worst layer": max(line) for name, line in misses.items()},
    )
else:
    print("Left out: the claim that goes with it.")

# %% tags=["predict"]
from course_lib.experiments.near_misses import norm_variances

tiny = "GPT-2's 1e-5 in the norms"
eps_off = near_misses(encoder.model, text_ids, (tiny,))[tiny][-1].item()
first, *later = norm_variances(encoder.model, text_ids)
eps_guess.reveal(
    SIZES[sum(eps_off >= bound for bound in (1e-6, 3e-5, 1e-2))],
    f"here it is {eps_off:.1e}: 0.00001 is tiny beside 1, but the smallest variance is only "
    f"{first:.1e} in the embedding, and {min(later):.1e} behind it",
)

# %% [markdown]
# Read the figure from the left. Every line is compared with the published code (if that is not there, with ours). Where a line leaves the level of rounding tells where the mistake sits. A wrong table and the norms' tiny number are off from the embedding on, a wrong matrix or another GELU only from the first layer on. That is what comparing *every* layer is for. If only the last one is compared, you learn that something is wrong, and not where. And the tiny number does most harm in the embedding, where the variance is smallest; later norms divide by the spread anew, which takes much of it out.
#
# ### Places are a table of numbers
#
# BERT learns a vector for each place (lesson 24). Nothing else tells it the order of the words. Take the table away and deal the words out anew: every word should keep its vector, and only move with it.

# %% tags=["experiment"]
import copy

n = text_ids.shape[1]
order = torch.tensor([0, *range(n - 2, 0, -1), n - 1])  # [CLS] and [SEP] stay


def moved_by_order(model):
    with torch.no_grad():
        return (model(text_ids[:, order])[0] - model(text_ids)[0, order]).abs().max()


# %% tags=["claim"]
if encoder.model.embedding.positions is None:
    print("Left out: the table of places. The course's own BERT turns queries and keys instead.")
else:
    placeless = copy.deepcopy(encoder.model)
    torch.nn.init.zeros_(placeless.embedding.positions.weight)
    claim(
        "Without its table of places MiniLM gives a text and its reverse the same vectors",
        moved_by_order(placeless), below=1e-4,
        because="float32, rounded in another order in six layers",
        control={"with the table": moved_by_order(encoder.model)},
    )

# %% [markdown]
# ## Play
#
# Back to the picture, with your own sentences. Choose a token on the left; the sentence below tells its three favourites.

# %% tags=["widget"]
DOG = "The dog chased the cat because it was hungry."
place_of_it = encoder.tokens(encoder.read(DOG)).index("it")
attention_explorer(explorer_of(encoder), DOG, layer=3, query=place_of_it)

# %% [markdown]
# Some things to try. Which layer has a head in which "it" reads "dog" or "cat"? Change "hungry" to "fast": does another noun get the attention? Write a sentence with the same noun twice: is there a head in which the second one reads the first? When you have looked, compare:

# %% tags=["experiment"]
from course_lib.experiments.explored import strongest_head, word_reads

if encoder.is_published:
    texts = [DOG, DOG.replace("hungry", "fast")]
    dog, cat = (torch.stack([word_reads(encoder, text, "it", noun) for text in texts])
                for noun in ("dog", "cat"))  # each [text, layer, head]
    print("“it” reads “dog”:", strongest_head(dog[0]))
    print("“it” reads “cat”:", strongest_head(cat[0]))
    reads_one = torch.maximum(dog, cat).amax(dim=0) > 0.2  # [layer, head]
    same = ((dog > cat)[0] == (dog > cat)[1])[reads_one].sum()
    print(f"With “fast”, {same} of the {reads_one.sum()} heads that read a noun keep theirs")
    city = word_reads(encoder, KING, "city", "city")
    print("The second “city” reads the first:", strongest_head(city))
    print("“spoke” reads [CLS]:", strongest_head(word_reads(encoder, KING, "spoke", "[CLS]")))
else:
    print("Left out: these heads of MiniLM.")

# %% [markdown]
# A head in which "it" reads "cat" has not decided that "it" *is* the cat.
#
# ## What attention weights are not
#
# What follows is measured on MiniLM, which is no sample of all BERTs. It was made to imitate the attention of a larger model's last layer ([Wang et al. 2020](https://arxiv.org/abs/2002.10957)), and then trained on a billion pairs of sentences, so that those that belong together get vectors that are alike (so says the model card).
#
# ### A share is not a contribution
#
# A head adds up vectors: for query $i$ and key $j$ it adds $a_{ij}\, v_j W^O$, attention times a vector that the key hands over (the value's bias is part of $v_j$). A key may get much attention and hand over a short vector. So multiply each share by the length of its vector, and divide by the sum over all keys ([Kobayashi et al. 2020](https://arxiv.org/abs/2004.10102)). Here is what `[CLS]` gets, on five sentences:

# %% tags=["experiment"]
from course_lib.plots import attention_worth as worth_plot

SENTENCES = [answers.text, "She gave him the letter that he had asked for.", KING, DOG,
             "Water boils at a hundred degrees."]
inside = [look_inside(encoder.model, encoder.read(text)) for text in SENTENCES]


def two_shares(place):
    """What the key at this place gets of attention and of attention times length, by layer."""
    both = [[part[..., place].mean(dim=(1, 2)) for part in (one.probs, one.written)]
            for one in inside]
    return torch.stack([torch.stack(pair) for pair in both]).mean(dim=0)  # [2, layer]


cls, sep = two_shares(0), two_shares(-1)
show(worth_plot.draw, worth_plot.Worth(*cls.tolist(), "[CLS]"), worth_plot.say, size=(9, 3))

# %% tags=["claim"]
if encoder.is_published:
    claim(
        "In every layer of MiniLM [CLS] gets less of the lengths than of the attention",
        cls[0] - cls[1], above=0.1,
        because="means over all queries of five sentences; the bound leaves room for others",
        control={"[SEP]": sep[0] - sep[1]},
    )
else:
    print("Left out: two claims about MiniLM. See the figure for the course's own BERT.")


# %% tags=["claim"]
def words_beside(place):
    """How many times longer the words' vectors are than the one at this place, by layer."""
    lengths = [one.lengths.mean(dim=1) for one in inside]  # each [layer, seq]
    return torch.stack([x[:, 1:-1].mean(dim=1) / x[:, place] for x in lengths]).mean(dim=0)


if encoder.is_published:
    claim(
        "In its layers 2 to 5 a word's vector is more than ten times longer than that of [CLS]",
        words_beside(0)[1:5], above=10, because="means over twelve heads and five sentences",
        control={"[SEP]": words_beside(-1)[1:5]},
    )

# %% [markdown]
# In the middle layers of MiniLM `[CLS]` gets over half of the attention and hands over next to nothing. `[SEP]` is treated otherwise: little attention, and a vector as long as a word's. A picture of the shares alone does not show that; the button *attention × length* in the explorer above does. (In BERT, Kobayashi and others found short vectors for `[SEP]`, commas and full stops. Here these are not short. Clark and others, [2019](https://arxiv.org/abs/1906.04341), suggest that a head which finds nothing rests on such a token. That is a reading of the measurement, not the measurement.)
#
# Nor is attention times length the contribution. Lengths do not add: two long vectors can cancel. And the residual stream, which carries the token's own vector past attention, is left out ([Kobayashi et al. 2021](https://arxiv.org/abs/2109.07152) take it in).
#
# ### The shares are not the only ones
#
# A head with values of width $d_k$ writes $d_k$ numbers for each query: that is $d_k$ equations for its shares, and one more, for they add up to 1. A text with more tokens than that leaves shares free ([Brunner et al. 2020](https://arxiv.org/abs/1908.04211)). How free? Start from the true shares, and take from each query's favourite key. Each step is `less`, minus the part of it that any equation would notice (`_unnoticed`), so the mix stays. `room` is how far one can go until a share is 0; that key then drops out (`free`), and the next step begins:

# %% tags=["derive"]
from course_lib.experiments.other_attention import lowered

show_source(lowered)

# %% [markdown]
# By hand first, on one query, three keys and values of one number. The first two keys hand over the same:

# %% tags=["derive"]
shares = torch.tensor([[[0.7, 0.2, 0.1]]], dtype=torch.float64)
values = torch.tensor([[[1.0], [1.0], [5.0]]], dtype=torch.float64)
changed = lowered(shares, values, torch.tensor([[0]]))
print(changed.tolist(), "mix", (shares @ values).item(), "and", (changed @ values).item())

# %% [markdown]
# Now all heads of the encoder, in its first layer and in its third one, on a long text. The picture shows the query that loses most in the first layer.

# %% tags=["experiment"]
from course_lib.experiments.other_attention import other_attention

LONG = (
    "In the morning the king went up to the city with all his men , and the people of the city "
    "came out to him with bread and water , and the king said to them , Who is the man who built "
    "this house by the river , and where are his sons ?"
)
long_ids = encoder.read(LONG)
swapped = {layer: other_attention(encoder.model, long_ids, layer) for layer in (0, 2)}
print(f"{long_ids.shape[1]} tokens, {encoder.model.config.d_head + 1} equations for each query")
for layer, found in swapped.items():
    was, now = found.favourite_shares
    others = (found.now.argmax(dim=-1) != found.favourite).double().mean()
    print(f"layer {layer + 1}: favourites lose {(1 - now / was).mean():.0%} of their share, on "
          f"average; {others:.0%} of the queries get another one")

# %% tags=["experiment"]
from course_lib.plots import other_shares as other_plot

first = swapped[0]
was, now = first.favourite_shares
head, query = divmod((was - now).argmax().item(), first.tokens)
rows = [part[head, query].tolist() for part in (first.was, first.now)]
tokens = list(encoder.tokens(long_ids))
reader = f"“{tokens[query]}” in layer 1, head {head + 1}"
show(other_plot.draw, other_plot.OtherShares(tokens, *rows, first.moved, reader), other_plot.say,
     size=(9.4, 4.4))

# %% tags=["claim"]
from course_lib.experiments.other_attention import read_with

double = copy.deepcopy(encoder.model).double()
last = read_with(double, long_ids, {})
next_key = [read_with(double, long_ids, {layer: found.was.roll(1, dims=-1)})
            for layer, found in swapped.items()]
claim(
    "With these other shares in all heads of a layer, the model gives the same vectors",
    [found.moved / found.scale for found in swapped.values()], below=1e-9,
    because="float64; the mixes are the same, and nothing else leaves attention",
    control={"each share handed to the next key": [
        (other - last).abs().max() / first.scale for other in next_key]},
)

# %% tags=["predict"]
lost = 1 - now / was
other_guess.reveal(
    LOST[sum(lost.mean().item() > bound for bound in (0.02, 0.17, 0.33))],
    f"{lost.mean():.0%} of it, and {(now < 1e-9).double().mean():.0%} are read no more at all",
)

# %% [markdown]
# That is a mean. Which favourites can be emptied?

# %% tags=["claim"]
for low, high in ((0, 0.1), (0.1, 0.2), (0.2, 0.5), (0.5, 1)):
    group = lost[(was > low) & (was <= high)]
    if len(group):
        shares = f"{low:.0%} to {high:.0%} of the attention"
        print(f"{len(group):3} favourites with {shares} lose {group.mean():.1%} of it")
if (was > 0.5).any():
    claim(
        "In the first layer favourites with more than half of the attention keep nearly all of it",
        lost[was > 0.5].mean(), below=0.05, because="a mean over all of them, in one text",
        control={"favourites with less than a tenth": lost[was < 0.1].mean()},
    )

# %% [markdown]
# And in a short text? Then there are fewer shares than equations. That alone is not enough:

# %% tags=["claim"]
short = other_attention(encoder.model, encoder.read("The king went up to a city."), layer=0)
on_a_line = torch.arange(3.0, dtype=torch.float64)[None, :, None].expand(1, 3, 8)  # 0, 1, 2
before_line = torch.tensor([[[0.2, 0.6, 0.2]]], dtype=torch.float64)
after_line = lowered(before_line, on_a_line, torch.tensor([[1]]))
print("values on a line:", before_line.tolist(), "becomes", after_line.round(decimals=9).tolist())
claim(
    "In this short text every favourite keeps its share",
    (short.now - short.was).abs().max(), below=1e-6,
    because="float64; one solution, if no value is a mix of others with factors that add up to 1; "
    "values as wide as here have room for that",
    control={"the long text": (first.now - first.was).abs().max(),
             "three values on a line": (after_line - before_line).abs().max()},
)

# %% [markdown]
# So "the model read this word, that is why" cannot be taken from what a layer writes: on a long text, other shares would make the very same. How much can be moved is not the same everywhere; a weak favourite may be emptied, a strong one hardly. (The steps do not look for the lowest share; an exact search, a linear programme run once for every query of both layers, took on average less than one percent of the share more.)
#
# There is an objection. The shares found here contain zeros, and a softmax gives none, so this layer could not make them from any query. If only shares count that its own keys allow, much less is free ([Bhardwaj et al. 2021](https://arxiv.org/abs/2106.01269) say so of Brunner and others). What is shown is that the shares cannot be told from the mix *alone*.
#
# ### And they are not nothing
#
# Do the shares matter at all, then? Give every key the same share, in all heads of all layers, and compare what the model says of the whole text (the mean of its vectors, by which MiniLM compares sentences):

# %% tags=["experiment"]
from course_lib.experiments.other_attention import even_attention

every_layer = range(encoder.model.config.n_layers)


def meaning(text, layers=()):
    """The mean vector of a text, with equal shares in these layers."""
    return even_attention(encoder.model, encoder.read(text), layers).mean(dim=0)


def cosine(one, other):
    return torch.cosine_similarity(one, other, dim=0).item()


everywhere, alone, strangers = [], [], []
for text in SENTENCES:
    true, even = meaning(text), meaning(text, every_layer)
    everywhere.append(cosine(even, true))
    alone.append(min(cosine(meaning(text, [layer]), true) for layer in every_layer))
    strangers.append(max(cosine(even, meaning(other)) for other in SENTENCES if other != text))
    print(f"all layers {everywhere[-1]:.2f}, worst single layer {alone[-1]:.2f}, "
          f"another sentence {strangers[-1]:.2f}")

# %% tags=["claim"]
SAME_SENSE = [
    "We sat by the river and looked at the boats.", "She handed him the letter he wanted.",
    "The king went to the city and talked to its people.",
    "The dog ran after the cat because it wanted food.",
    "At a hundred degrees water starts to boil.",
]
if encoder.is_published:
    claim(
        "Equal shares everywhere leave about half of what MiniLM says of a text",
        everywhere, near=0.5, within=0.2,
        because="cosines, 1 for the same direction; five sentences differ by less than that",
        control={"the worst single layer": alone, "the nearest other sentence": strangers,
                 "said in other words": [cosine(meaning(one), meaning(other))
                                         for one, other in zip(SENTENCES, SAME_SENSE)]},
    )
else:
    print("Left out: a claim about MiniLM. See the numbers above for the course's own BERT.")

# %% [markdown]
# Each text is still nearer to itself than to another sentence, and much farther than the same thing said in other words. So who reads whom carries much of what the model computes. (How much is not known from this: it was never trained with equal shares. Part of the fall may be that, and a model trained so might do better.) What the shares do not carry is a reason that you could read off. The dispute about this has two famous titles. *Attention is not Explanation* ([Jain and Wallace 2019](https://arxiv.org/abs/1902.10186)) found that learnt attention often does not go together with what gradients say of the inputs' importance, and that very different shares can give the same predictions. *Attention is not not Explanation* ([Wiegreffe and Pinter 2019](https://arxiv.org/abs/1908.04626)) answers that it depends on what you call an explanation, and that one has to look at the whole model: shares that somebody has found for one text afterwards are not shares that a model would compute. Both are mostly about recurrent networks with one attention layer, not about a BERT. Our calculation above is of the kind that the second paper objects to: it changes one text's shares by hand, and we have not shown a model that computes those. (Models can be trained so that their shares mislead while the answers stay: [Pruthi et al. 2020](https://arxiv.org/abs/1909.07913).)
#
# A last caution needs no calculation. From the second layer on a key is not a word. It is what the layers below have written at its place, out of all words.
#
# ## Your own GPT-2
#
# If you have a folder with a GPT-2 (`config.json` and `model.safetensors`, in one piece or several), any of the four sizes, write its path here. Otherwise the storyteller speaks, from the folder that you made above. Nothing is downloaded.

# %% tags=["experiment"]
MY_FOLDER = None  # such as "models/gpt2"
START = "one windy day Kate and Hugo were in the"

writer = from_folder(MY_FOLDER or folder)
if MY_FOLDER is None:
    vocabulary = storyteller
else:
    from course_lib.tokenizers.bpe.published import load_gpt2 as published_bpe

    vocabulary = published_bpe()  # from the extra 'pretrained'
start = storyteller.prompt(START) if MY_FOLDER is None else torch.tensor([vocabulary.encode(START)])
longer = writer.generate(start, 30, temperature=0.7, generator=torch.Generator().manual_seed(64))
print(fill(vocabulary.decode(longer[0].tolist()), 100))

# %% [markdown]
# ## Exercise
#
# ### One name
#
# A function that turns BERT's names into ours. It runs on every name, and some of its answers are right. This is its table:

# %% tags=["exercise"]
from course_lib.checks.lesson_64 import TABLE, our_name, split_c_attn

for theirs, ours in TABLE.items():
    print(f"{theirs:28} {ours}")
our_name


# %% tags=["exercise"]
def my_our_name(name, table):
    name = name.replace("encoder.layer.", "blocks.")
    for theirs, ours in table.items():
        name = name.replace(theirs, ours)
    return name


our_name.check(my_our_name)

# %% tags=["exercise"]
our_name.hint()

# %% [markdown]
# ### One matrix

# %% tags=["exercise"]
split_c_attn


# %% tags=["exercise"]
def my_split_c_attn(c_attn):
    raise NotImplementedError


split_c_attn.check(my_split_c_attn)

# %% tags=["exercise"]
split_c_attn.hint()

# %% [markdown]
# ## Takeaways
#
# Do published weights run in our code? A file is a list of names, shapes and numbers. Once names are translated and matrices turned, our models give what transformers gives, in every layer, to the rounding of float32: MiniLM with its published weights on one sentence, GPT-2 with random ones. GPT-2's own weights were not run here. Shapes do not prove agreement: a square matrix the wrong way round, another GELU or another tiny number under a root run without a word. And does attention say why? It says where each head takes from. It does not say how much that counts, for the vectors may be short; on a long text, if any shares were allowed, others would give the same answer; and above the first layer its keys are not words.
#
# Not covered: other families' names, half-precision and quantised files, and gradients or removed words as measures of importance, which have troubles of their own.
#
# Sources: Radford et al. 2019 and [Devlin et al. 2019](https://arxiv.org/abs/1810.04805) with the code and weights released; the names are those of Hugging Face transformers. MiniLM: [Wang et al. 2020](https://arxiv.org/abs/2002.10957); the weights are all-MiniLM-L6-v2 of sentence-transformers (Apache-2.0). Brown et al. 2020, Language Models are Few-Shot Learners. On attention: the papers named above.
#
# Next: [65 BERT and GPT compared](65_bert_and_gpt_compared.ipynb). [Contents](01_how_this_course_works.ipynb)
