# %% [markdown]
# # 64 Real checkpoints
#
# **Do published weights run in our code, number for number? And does a picture of their attention say why they answer as they do?** At the end you can read a file of weights with nothing but Python, turn its names and matrices into yours, tell a model that agrees from one that almost does, and say what attention shows and what not. You need lessons 21, 23 and 62 (24, 31 and 52 help); about 60 minutes. The published weights come with an optional package of 84 MB (`python3 -m course_lib extras pretrained`). Without it the lesson runs as well, with a BERT of the course's own, and says what it leaves out. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [62 Train a BERT](62_train_bert.ipynb) · next: [65 BERT and GPT compared](65_bert_and_gpt_compared.ipynb)

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
attention_explorer(explorer_of(encoder), "The king went up to the city and spoke to the people.", layer=2, query=3)

# %% [markdown]
# ## Question
#
# These are the heads of a BERT that was not trained here: *MiniLM*, six layers of twelve heads, published for comparing sentences (where the package is not installed, you see a smaller BERT of the course's own, trained on one book). Its weights were made for another program. Here they run in `Bert`, the class that you have used since lesson 24.
#
# How would you know that this is the same model? A program that takes one matrix the wrong way round gives numbers, too. And suppose it is the same: you see who reads whom. Is that the reason for what the model answers?
#
# Walk through the layers with the first slider, then through the heads of one layer with the second. Is there a head that reads one place back nearly always, and one that mostly reads `[CLS]`?

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

square_guess = predict(
    "GPT-2's file keeps every matrix the other way round than our layers do. You forget to turn one "
    "that is square, and load. What happens?",
    ["an error", "no error, and the same answers", "no error, and other answers"],
)
square_guess

# %% tags=["predict", "widget"]
SIZES = ["less than 0.00001", "0.00001 to 0.001", "0.001 to 0.1", "more than 0.1"]
eps_guess = predict(
    "A layer norm adds a tiny number to the variance: 1e-12 in BERT, 1e-5 in GPT-2. You take GPT-2's "
    "for the BERT above. In its last layer, by how much is the number off that is off most?",
    SIZES,
)
eps_guess

# %% tags=["predict", "widget"]
LOST = ["nothing", "about a tenth", "about a quarter", "more than a third"]
other_guess = predict(
    "A text of more than 50 tokens. In all heads of the first layer you take attention away from the key "
    "that each query reads most, and hand it to other keys, so that every vector which the layer writes "
    "stays the same. How much of its share does such a favourite lose, on average?",
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
# `config.json` says which shape, the other file holds the numbers. Its form, *safetensors*, is so simple that you can read it by hand: eight bytes say how long the header is; the header is JSON and says where each tensor lies; then come the numbers.

# %% tags=["derive"]
import json
import struct

raw = (folder / "model.safetensors").read_bytes()
(n_header,) = struct.unpack("<Q", raw[:8])
header = json.loads(raw[8 : 8 + n_header])
for name in ("transformer.wte.weight", "transformer.h.0.attn.c_attn.weight", "transformer.h.0.attn.c_proj.weight"):
    print(name, header[name], sep="\n    ")

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
        (tensor_by_hand(name, first=8) - in_file[name]).nan_to_num().abs().max() for name in some]},
)

# %% [markdown]
# A header and numbers: nothing there can be *run*. That is not so in the older form, Python's pickle (`pytorch_model.bin`, `.pt`). A pickle is a list of instructions for building objects, and one of them is "call this function":

# %% tags=["derive"]
import pickle


class Trap:
    def __reduce__(self):
        return print, ("This was printed by a file that was only being read.",)


pickle.loads(pickle.dumps(Trap()))

# %% [markdown]
# It might have deleted your files. So the library reads no pickle unless you ask for it, and then follows only those few instructions that build tensors:

# %% tags=["derive"]
from textwrap import fill

torch.save({"wte.weight": Trap()}, folder / "weights.bin")
refused = [shows_error(lambda: read_tensors(folder / "weights.bin"), ValueError),
           shows_error(lambda: read_tensors(folder / "weights.bin", allow_pickle=True), ValueError)]
print(*(fill(repr(error), 100) for error in refused), sep="\n\n")

# %% [markdown]
# ### Other names, other ways round
#
# Each parameter of ours has to be found in the file. Most have one tensor there, under another name. GPT-2's queries, keys and values stand in one:

# %% tags=["derive"]
from course_lib.models.checkpoints import gpt2_names

names = gpt2_names(storyteller.model.config)
for theirs in ("wte.weight", "h.0.ln_1.weight", "h.0.attn.c_attn.weight", "h.0.attn.c_proj.weight"):
    print(theirs, "(turned)" if names[theirs].turned else "")
    print("   ", ", ".join(names[theirs].ours))

# %% [markdown]
# *Turned*, because there are two ways to write the same layer. GPT-2's code computes $x W$, so $W$ has a row for each input. `nn.Linear` keeps a row for each *output*, and computes $x A^\top$:

# %% tags=["derive"]
x, matrix = torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 0.0, 3.0], [0.0, 1.0, -1.0]])  # [d_in, d_out]
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
# `h.{4..5}.ln_1.weight` stands for one tensor in each of the layers 4 and 5. PyTorch's own `load_state_dict` has a switch that makes such errors go away, `strict=False`, and it is in many examples. Then what fits is copied and the rest is left as it was. How much is that here?

# %% tags=["claim"]
before = {name: tensor.clone() for name, tensor in other.state_dict().items()}
shows_error(lambda: load_gpt2(other, odd_file), Misfit)
unchanged = sum(torch.equal(tensor, before[name]) for name, tensor in other.state_dict().items())
answer = other.load_state_dict(doubled, strict=False)
still = sum(torch.equal(tensor, before[name]) for name, tensor in other.state_dict().items())
print(f"strict=False: no error; {still} of {len(before)} tensors have kept the numbers they had")
claim(
    "The error counts everything that differs, and nothing has been copied",
    [len(misfit.error.missing), len(misfit.error.left_over), len(misfit.error.reshaped), unchanged],
    equals=[2 * 12, 1, 1, len(before)],
    because="two layers of twelve tensors each; one tensor too many; one table too long",
    control={"strict=False, which lists our names": [
        len(answer.missing_keys), len(answer.unexpected_keys), 0, still]},
)

# %% [markdown]
# All of them, since not one name is ours. A model that answers nonsense without an error is the worst outcome.
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
# Whether the *numbers* agree is asked with random weights. The published implementation is Hugging Face transformers. It is not part of the course's installation; where it is there, the next cell copies a GPT-2 of its making into ours, at full width and with the full vocabulary, in two layers. With all twelve it was done once (`python3 -m course_lib bench agreement`, which takes up to 2 GB), and the result is stored.

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
    "Ours and the published GPT-2 give the same numbers behind every layer, and the same scores",
    [number for both in found.values() for number in (*both["hidden"], both["logits"])], below=1e-5,
    because=f"float32; sums in another order, for numbers of up to {largest:.1f}",
    control={"one square matrix not turned, recorded": answers.gpt2_not_turned["logits"]},
)

# %% [markdown]
# ### Sizes that one reads about
#
# The same count, for claims that are printed everywhere. BERT's paper has 12 and 24 layers, and dropped the decoder of the first transformer; GPT-3's has 96 layers of width 12,288 (Brown et al. 2020, table 2.1).

# %% tags=["claim"]
from course_lib.config import BERT_SIZES, GPTConfig
from course_lib.models.bert import BertPretraining
from course_lib.models.checkpoints import bert_names
from course_lib.models.counting import count_gpt_parameters

with torch.device("meta"):
    berts = [BertPretraining(BERT_SIZES[name]) for name in ("bert-base", "bert-large")]
encoders = [{n: s for n, s in bert_names(bert).items() if not n.startswith("cls.")} for bert in berts]
counts = [numbers_in_file(bert, names) for bert, names in zip(berts, encoders)]
decoder = [c + b.config.n_layers * (4 * b.config.d_model**2 + 6 * b.config.d_model) for c, b in zip(counts, berts)]
claim(
    "12 layers, or 24, and no decoder: files of BERT-base and BERT-large hold so many numbers",
    counts, equals=[109_482_240, 335_141_888],
    because="both are whole numbers; those on the right are of the published models",
    control={"with a decoder's second attention and norm in each block": decoder},
)
gpt3 = GPTConfig(50257, 2048, d_model=12288, n_layers=96, n_heads=96)
claim(
    "96 layers of width 12,288 make the 175 billion of GPT-3",
    count_gpt_parameters(gpt3)["total"] / 1e9, near=175, within=1.75,
    because="the paper rounds; 1% is far more than that",
    control={"48 layers": count_gpt_parameters(replace(gpt3, n_layers=48))["total"] / 1e9},
)


# %% tags=["claim"]
def bytes_per_token(model):
    return model.half().new_cache(1).n_bytes_reserved / model.config.max_seq_len


one_head = replace(GPT2_SIZES["gpt2"], n_kv_heads=1)
with torch.device("meta"):
    shared = GPT(one_head)
claim(
    "A token in the cache of GPT-2, in 2 bytes a number: 2 · 12 layers · 12 heads · 64 numbers · 2",
    bytes_per_token(empty["gpt2"]), equals=2 * 12 * 12 * 64 * 2.0,
    because="keys and values, for every layer and head (lesson 52); both are whole numbers",
    control={"one head of keys for all": bytes_per_token(shared)},
)

# %% [markdown]
# ### MiniLM, layer by layer
#
# Now the real weights. For one sentence the numbers of transformers' `BertModel` are stored with the course, the first twelve of every token's vector in every layer; where transformers is installed, all of them are computed now. Beside that stand some almost-models: our `Bert` with one thing otherwise. They are the usual mistakes, and each of them loads without an error.

# %% tags=["experiment"]
from course_lib.bench.agreement import published_minilm
from course_lib.experiments.inside import look_inside
from course_lib.experiments.near_misses import differences, near_misses, smallest_variance

agreed = []
if encoder.is_published:
    ours = look_inside(encoder.model, answers.token_ids).hidden
    agreed = differences(ours[..., :12].double(), answers.first_numbers).tolist()
    if has_transformers():
        agreed = differences(ours, published_minilm(answers.token_ids)).tolist()
else:
    print("Left out: MiniLM beside the published code. It needs the extra 'pretrained'.")
misses = {name: line.tolist() for name, line in near_misses(encoder.model, encoder.read(answers.text)).items()}

# %% tags=["experiment"]
from course_lib.plots import layer_differences as layers_plot
from course_lib.plots.show import show

show(layers_plot.draw, layers_plot.LayerDifferences(agreed, misses, 1e-5), layers_plot.say, size=(9.4, 3.8))

# %% tags=["claim"]
if agreed:
    claim(
        "In every layer, ours and the published code differ by less than 0.00001 in any number",
        agreed, below=1e-5,
        because="float32; sums in another order, for numbers of up to about 10",
        control=misses,
    )
else:
    print("Left out: the claim that goes with it.")

# %% tags=["predict"]
eps_off = misses["GPT-2's 1e-5 in the norms"][-1]
smallest = smallest_variance(encoder.model, encoder.read(answers.text))
eps_guess.reveal(
    SIZES[sum(eps_off >= bound for bound in (1e-5, 1e-3, 0.1))],
    f"here it is {eps_off:.1e}: 0.00001 is tiny beside 1, but some variance is only {smallest:.1e}",
)

# %% [markdown]
# Read the figure from the left. Where a line leaves 0 tells where the mistake sits: a wrong table is wrong from the embedding on, a wrong matrix or another GELU only from the first layer on. That is what comparing *every* layer is for. If only the last one is compared, you learn that something is wrong, and not where.
#
# ### Places are a table of numbers
#
# BERT learns a vector for each place (lesson 24). Nothing else tells it the order of the words. Take the table away and deal the words out anew: every word should keep its vector, and only move with it.

# %% tags=["claim"]
import copy

table = encoder.model.embedding.positions
text_ids = encoder.read("The dog chased the cat because it was hungry.")
order = torch.tensor([0, *range(text_ids.shape[1] - 2, 0, -1), text_ids.shape[1] - 1])


def moved_by_order(model):
    with torch.no_grad():
        return (model(text_ids[:, order])[0] - model(text_ids)[0, order]).abs().max()


if table is None:
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
# Some things to try. Which layer has a head in which "it" reads "dog" or "cat"? Change "hungry" to "fast": does it change its mind? Write a sentence with the same noun twice: is there a head in which the second one reads the first? Then press *attention × length*. What becomes of `[CLS]`, `[SEP]` and the full stop? That button is what comes next.
#
# ## What attention weights are not
#
# ### A share is not a contribution
#
# A head adds up vectors: for query $i$ and key $j$ it adds $a_{ij}\, v_j W^O$, attention times a vector that the key hands over. A key may get much attention and hand over a short vector. So multiply each share by the length of its vector ([Kobayashi et al. 2020](https://arxiv.org/abs/2004.10102)), and see what the two special tokens get, on five sentences:

# %% tags=["experiment"]
from course_lib.plots import attention_worth as worth_plot

SENTENCES = ["We sat on the bank of the river and watched the boats.", "She gave him the letter that he had asked for.",
             "The king went up to the city and spoke to the people of the city.",
             "The dog chased the cat because it was hungry.", "Water boils at a hundred degrees."]


def two_shares(places):
    """What the keys at these places get of attention and of attention times length, in each layer."""
    inside = [look_inside(encoder.model, encoder.read(text)) for text in SENTENCES]
    both = [[part[..., places].sum(-1).mean(dim=(1, 2)) for part in (one.probs, one.written)] for one in inside]
    return torch.stack([torch.stack(pair) for pair in both]).mean(dim=0)  # [attention or written, layer]


special = two_shares([0, -1])
show(worth_plot.draw, worth_plot.Worth(*special.tolist(), "[CLS] and [SEP]"), worth_plot.say, size=(9, 3))

# %% tags=["claim"]
if encoder.is_published:
    words = two_shares([2, 3])
    claim(
        "In every layer of MiniLM the two special tokens get less of what is added than of the attention",
        special[0] - special[1], above=0.1,
        because="means over all queries of five sentences; the bound leaves room for rounding and other sentences",
        control={"two words of each sentence": words[0] - words[1]},
    )
else:
    print("Left out: a claim about MiniLM. See the figure for the course's own BERT.")

# %% [markdown]
# Where the second bar is shorter, the two tokens are read more than they are used: their vectors are short. A picture of the shares alone does not show that. (Kobayashi and others found it in BERT, too. It is often told as "a head that finds nothing rests there". That is a reading of the measurement, not the measurement.)
#
# ### The shares are not the only ones
#
# A head with values of width $d_k$ writes $d_k$ numbers for each query: that is $d_k$ equations for its shares, and one more, for they add up to 1. A text with more tokens than that leaves shares free ([Brunner et al. 2020](https://arxiv.org/abs/1908.04211)). How free? Start from the true shares, and take from each query's favourite key, step by step, always in a direction that none of the equations notices, until other shares are down to nothing:

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

LONG = ("In the morning the king went up to the city with all his men , and the people of the city came out to him "
        "with bread and water , and the king said to them , Who is the man who built this house by the river , and "
        "where are his sons ?")
long_ids = encoder.read(LONG)
swapped = {layer: other_attention(encoder.model, long_ids, layer) for layer in (0, 2)}
print(f"{long_ids.shape[1]} tokens, {encoder.model.config.d_head + 1} equations for each query")
for layer, found in swapped.items():
    was, now = (shares.mean() for shares in found.favourite_shares)
    others = (found.now.argmax(dim=-1) != found.favourite).double().mean()
    print(f"layer {layer + 1}: favourites have {was:.0%}, then {now:.0%}; {others:.0%} of the queries get another one")

# %% tags=["experiment"]
from course_lib.plots import other_shares as other_plot

first = swapped[0]
was, now = first.favourite_shares
head, query = divmod((was - now).argmax().item(), first.tokens)
rows = [part[head, query].tolist() for part in (first.was, first.now)]
show(other_plot.draw, other_plot.OtherShares(list(encoder.tokens(long_ids)), *rows, first.moved), other_plot.say,
     size=(9.4, 4.4))

# %% tags=["claim"]
from course_lib.experiments.other_attention import read_with

double = copy.deepcopy(encoder.model).double()
last = read_with(double, long_ids, {})
dealt = [read_with(double, long_ids, {layer: found.was.roll(1, dims=-1)}) for layer, found in swapped.items()]
claim(
    "With these other shares in all heads of a layer, the model gives the same vectors",
    [found.moved / found.scale for found in swapped.values()], below=1e-9,
    because="float64; the mixes are the same, and nothing else leaves attention",
    control={"each share handed to the next key": [(other - last).abs().max() / first.scale for other in dealt]},
)
short = other_attention(encoder.model, encoder.read("The king went up to a city."), layer=0)
before_short, after_short = short.favourite_shares
claim(
    "In a text with fewer tokens than equations, and none of them twice, every favourite keeps its share",
    (after_short - before_short).abs().max(), below=1e-6,
    because="float64; the equations have one solution if no two values are alike",
    control={"the long text": (now - was).abs().max()},
)

# %% tags=["predict"]
lost = (1 - now.sum() / was.sum()).item()
other_guess.reveal(
    LOST[sum(lost > bound for bound in (0.02, 0.17, 0.33))],
    f"{lost:.0%} of it, and {(now < 1e-9).double().mean():.0%} of the favourites are read no more",
)

# %% [markdown]
# So "the model read this word, that is why" cannot be taken from the shares alone: for a long text there are others, in the first layer often with another favourite, under which it would answer the very same. How much can be moved is not the same everywhere; the two lines above differ. And the steps do not look for the lowest share: what they find is possible, perhaps more is.
#
# ### And they are not nothing
#
# Do the shares matter at all, then? Give every key the same share, in all heads of all layers, and compare what the model says of the whole text (the mean of its vectors, by which MiniLM compares sentences):

# %% tags=["experiment"]
from course_lib.experiments.other_attention import even_attention


def cosine(one, other):
    return torch.cosine_similarity(one.mean(dim=0), other.mean(dim=0), dim=0).item()


def kept_evenly(text, layers):
    ids = encoder.read(text)
    with torch.no_grad():
        return cosine(encoder.model(ids)[0], even_attention(encoder.model, ids, layers))


n_layers = encoder.model.config.n_layers
for text in SENTENCES:
    one_each = [kept_evenly(text, [layer]) for layer in range(n_layers)]
    print(f"all layers {kept_evenly(text, range(n_layers)):.2f}, one alone {min(one_each):.2f} to {max(one_each):.2f}")

# %% tags=["claim"]
if encoder.is_published:
    claim(
        "Equal shares everywhere: what MiniLM says of a text turns far away",
        [kept_evenly(text, range(n_layers)) for text in SENTENCES], below=0.65,
        because="a cosine of 1 is the same direction; the bound lies between all layers and the worst single one",
        control={"equal shares in the first layer alone": [kept_evenly(text, [0]) for text in SENTENCES]},
    )
else:
    print("Left out: a claim about MiniLM. See the numbers above for the course's own BERT.")

# %% [markdown]
# Where the numbers are well below 1, who reads whom carries much of what the model computes. What it does not carry is a reason that you could read off. The dispute about this has two famous titles. *Attention is not Explanation* ([Jain and Wallace 2019](https://arxiv.org/abs/1902.10186)) found that learnt attention often does not go together with what gradients say of the inputs' importance, and that very different shares can give the same predictions. *Attention is not not Explanation* ([Wiegreffe and Pinter 2019](https://arxiv.org/abs/1908.04626)) answers that it depends on what you call an explanation, and that one has to look at the whole model: shares that somebody has found for one text afterwards are not shares that a model would compute. Both are mostly about recurrent networks with one attention layer, not about a BERT. Our calculation above is of the kind that the second paper objects to: it changes one text's shares by hand, and nobody has shown a model that computes those. It shows that the shares are not determined by the answer, and no more.
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
# A function that turns BERT's names into ours. It runs on every name, and some of its answers are right.

# %% tags=["exercise"]
from course_lib.checks.lesson_64 import our_name, split_c_attn

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
# Do published weights run in our code? A file is a list of names, shapes and numbers. Once names are translated and matrices turned, our GPT and BERT give what the published implementation gives, in every layer, to the rounding of float32. Shapes do not prove that: a square matrix the wrong way round, another GELU or another tiny number under a root load without a word. And does attention say why? It says where each head takes from. It does not say how much that counts, for the vectors may be short; on a long text it is not even the only choice that gives the same answer; and above the first layer its keys are not words.
#
# Not covered: other families' names, half-precision and quantised files, and gradients or removed words as measures of importance, which have troubles of their own.
#
# Sources: Radford et al. 2019 and [Devlin et al. 2019](https://arxiv.org/abs/1810.04805) with the code and weights released; the names are those of Hugging Face transformers. MiniLM: [Wang et al. 2020](https://arxiv.org/abs/2002.10957); the weights are all-MiniLM-L6-v2 of sentence-transformers (Apache-2.0). Brown et al. 2020, Language Models are Few-Shot Learners. On attention: the four papers named above.
#
# Next: [65 BERT and GPT compared](65_bert_and_gpt_compared.ipynb). [Contents](01_how_this_course_works.ipynb)
