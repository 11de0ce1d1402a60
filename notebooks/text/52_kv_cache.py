# %% [markdown]
# # 52 The KV cache
#
# **What does a GPT remember while it writes, and what does it cost?** At the end you can say what may be kept from one token to the next and why, work out how many bytes that is for any model, and tell what it saves and what it does not. You need lessons 21 to 24 (32 and 51 help); about 60 minutes. Two cells take some seconds. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [51 Sampling](51_sampling.ipynb) · next: [61 Train a GPT](61_train_gpt.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(52)

# %% tags=["widget"]
from course_lib.experiments.cache_growth import cache_growth
from course_lib.plots import cache_growth as growth_plot
from course_lib.widgets.controls import choice, control
from course_lib.widgets.explore import explore

formats = {"4 bytes (float32)": 4, "2 bytes (float16)": 2, "1 byte (int8)": 1}
explore(cache_growth, growth_plot.draw, growth_plot.say, size=(9, 3.2),
        n_tokens=control(64, 2048, 64, 512, label="tokens in each text"),
        n_texts=choice([1, 2, 4, 8, 16, 32], 4, label="texts at once"),
        n_kv_heads=choice([40, 8, 1], 40, label="heads with keys and values"),
        bytes_per_number=choice(formats, 2, label="a number of the cache"))

# %% [markdown]
# ## Question
#
# A GPT writes one token at a time. To choose the next one, each layer asks all tokens so far, so it needs their keys and their values. It can compute them anew for every token that it writes. Or it can keep them: that is the **KV cache**.
#
# The figure has a GPT of 13 billion parameters (40 layers, 40 heads of width 128) on a card with 40 GiB of memory. Grey is what its weights take, the coloured cells are the cache. On the right stands the work for one more token, in multiplications and additions, on a logarithmic axis.
#
# Let the texts grow to 2048 tokens, then take more texts at once. Where does the card end? Then go the other way: fewer bytes a number, or fewer heads that have keys and values of their own (what that means comes below; the weights shrink a little too, since there are fewer matrices that make keys). And look at the right: how many times more work is "anew"? Compare that number with a slider.

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

encoder_guess = predict(
    "A BERT reads 12 words one by one: each new word reads the keys and values that were kept, and "
    "its own are kept too. Then you compare with reading all 12 at once. Whose vectors differ?",
    ["nobody's", "the last word's alone", "all but the last word's", "everybody's"],
)
encoder_guess

# %% tags=["predict", "widget"]
time_guess = predict(
    "A small GPT (width 128) with a cache writes one more token. Behind 512 tokens that takes how "
    "many times as long as behind 64?",
    ["up to 2 times", "2 to 4 times", "4 to 8 times", "more than 8 times"],
)
time_guess

# %% tags=["predict", "widget"]
empty_guess = predict(
    "A server may get texts of up to 2048 tokens; most are far shorter, 362 on average. It hands out "
    "memory in blocks of 16 tokens, as a text grows. What share of it stays empty?",
    ["about 2%", "about 10%", "about 25%", "about 80%"],
)
empty_guess

# %% [markdown]
# ## Derive
#
# ### One more token, by hand
#
# One head, with vectors of two numbers. To keep it short, a token's query, key and value are all the token itself. Each token reads itself and those before it.

# %% tags=["derive"]
import math

tokens = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]]


def mix_by_hand(query, keys, values):
    exponentials = [math.exp(sum(a * b for a, b in zip(query, key)) / math.sqrt(2)) for key in keys]
    shares = [e / sum(exponentials) for e in exponentials]
    return [sum(share * value[i] for share, value in zip(shares, values)) for i in range(2)]


def read_by_hand(text):
    return [mix_by_hand(text[t], text[: t + 1], text[: t + 1]) for t in range(len(text))]


three, four = read_by_hand(tokens[:3]), read_by_hand(tokens)
print("three tokens:", [[round(number, 4) for number in mix] for mix in three])
print("four tokens: ", [[round(number, 4) for number in mix] for mix in four])

# %% [markdown]
# The fourth token has changed nothing for the first three. And its own row asks for three things: its own query, and the keys and values of all. The *queries* of the first three are not needed any more; nor are the shares of attention.
#
# $$z_t = \operatorname{softmax}\!\left(\frac{q_t\, K_{\le t}^\top}{\sqrt{d_k}}\right) V_{\le t}$$
#
# One layer is not a model. What the second layer reads of token 1 is what the first has written there, which depends on token 1 alone; of token 2, on tokens 1 and 2; and so on up through the layers. So in *every* layer the keys and values of a token are settled once it has been read. Three conditions were used: no token sees a later one, a token keeps its place (with rotary positions: its distance from the others), and what it has read stays there.
#
# Here is what a layer of the library keeps, and how it goes on from there:

# %% tags=["derive"]
from course_lib.mechanisms.kv_cache import LayerCache

show_source(LayerCache.extend)

# %% [markdown]
# The last four lines do it: the room is reserved at once, and new keys are written behind the old ones. (`length` moves on when all layers have written.) The mask needs care: row $i$ of the new tokens is token $\text{start} + i$ of the text.

# %% tags=["derive"]
import torch

from course_lib.experiments.cached_reading import SMALL, fresh_gpt, random_ids
from course_lib.mechanisms.masks import causal_mask

causal_mask(2, 5).int()  # 2 new tokens, 5 keys: who may read whom

# %% [markdown]
# Now whole models of four layers: with positions in a table, with rotary ones, and with fewer heads of keys than of queries. Each gives its logits (scores of the next token) for 20 tokens read at once; then with a cache: seven at once, and the others one by one or seven at a time. The controls have a cache with a fault: after the first seven, a place too small by one; or a mask that starts at the first key.

# %% tags=["claim"]
from dataclasses import replace

from course_lib.checks.claim import claim
from course_lib.experiments.cached_reading import edge_at_first_key, read_in_pieces, shifted_places


def gap(model, reader=None, piece=1):
    ids = random_ids(SMALL, 2, 20)
    return (read_in_pieces(reader or model, ids, piece, prompt=7) - model(ids)).abs().max()


kinds = [{}, {"positions": "rotary"}, {"n_kv_heads": 2}]
models = [fresh_gpt(replace(SMALL, **kind), seed) for kind in kinds for seed in range(3)]
claim(
    "With a cache a GPT gives the logits that it gives to the whole text",
    [gap(model, piece=piece) for model in models for piece in (1, 7)], below=1e-10,
    because="float64; only the order of some sums differs",
    control={"places one too small": [gap(model, shifted_places(model, -1)) for model in models],
             "mask from the first key": [gap(model, edge_at_first_key(model), 7) for model in models]},
)

# %% [markdown]
# Texts of unequal length are padded on the left (lesson 22), so that all of them grow at the right. `real`, True where a token is real, then covers the text from its beginning, and places are counted from the first real token.

# %% tags=["claim"]
ids = random_ids(SMALL, 2, 17)
real = torch.ones(2, 17, dtype=torch.bool)
real[1, :4] = False  # the second prompt has 5 tokens, and 4 of padding before them
padded = read_in_pieces(models[0], ids, prompt=9, real=real)
careless = read_in_pieces(models[0], ids, prompt=9)
alone = models[0](ids[1:, 4:])
claim(
    "Beside a longer text and with padding, a text gets the logits that it gets alone",
    (padded[1:, 4:] - alone).abs().max(), below=1e-10,
    because="float64; padding has the share 0, and places are counted without it",
    control={"without real": (careless[1:, 4:] - alone).abs().max()},
)

# %% [markdown]
# ### An encoder cannot
#
# In BERT each word sees all the others, so the first condition fails. The library's encoder takes no cache:

# %% tags=["derive"]
from course_lib.config import BertConfig
from course_lib.models.bert import Bert

encoder = Bert(BertConfig(50, 24, d_model=32, n_layers=4, n_heads=4))
shows_error(lambda: encoder(ids, cache=models[0].new_cache(2)), TypeError)

# %% [markdown]
# What if you do it all the same? Four blocks of an encoder read 12 words one by one. Each block keeps what it has read; keys and values follow from that. (Its weights are about six times as large as BERT's at the start of training, so that attention says something.)

# %% tags=["experiment"]
from course_lib.experiments.one_by_one import one_by_one

encoders = [one_by_one(seed=seed) for seed in range(3)]
print("differs from all at once by", [f"{d:.2f}" for d in encoders[0].two_sided.tolist()])

# %% tags=["claim"]
claim(
    "Read one by one from a cache, every word of an encoder gets another vector",
    [found.two_sided for found in encoders], above=1e-6,
    because="rounding is below 1e-14; eight draws differed by 0.29 and more, with BERT's first weights by 0.0003",
    control={"where each word sees only those before it": encoders[0].causal},
)
claim(
    "They are the vectors of the same encoder with a causal mask",
    [found.causal for found in encoders], below=1e-10,
    because="float64; a word that is read before the next one exists cannot see it",
    control={"without the mask": encoders[0].two_sided},
)
claim(
    "Of a single block, the last word's vector is right",
    [one_by_one(n_layers=1, seed=seed).two_sided[-1] for seed in range(3)], below=1e-10,
    because="float64; what it reads of the others is the input, which nobody has changed",
    control={"of four blocks": encoders[0].two_sided[-1]},
)

# %% tags=["predict"]
encoder_guess.reveal(
    "everybody's",
    "the early words have never seen the later ones; the last word does see all, but from the "
    "second block on what it sees of them was written too early",
)

# %% [markdown]
# So a cache does not compute a two-sided model wrongly by a little. It computes another model, the one-sided model with the same weights.
#
# ## What it costs
#
# How large is the cache? Work it out yourself. One thing you need: in some models several heads of queries share the keys and values of one head. With one shared by all this is **multi-query** attention, with a few **grouped-query** attention.

# %% tags=["exercise"]
from course_lib.checks.lesson_52 import cache_bytes, from_blocks, read_on

cache_bytes


# %% tags=["exercise"]
def my_cache_bytes(n_layers, d_model, n_heads, n_kv_heads, n_tokens, bytes_per_number):
    raise NotImplementedError


cache_bytes.check(my_cache_bytes)

# %% tags=["exercise"]
cache_bytes.hint()

# %% [markdown]
# The library's count for published models, with two bytes a number:

# %% tags=["derive"]
from course_lib.experiments.cache_growth import PUBLISHED
from course_lib.models.counting import kv_cache_bytes

for name, config in PUBLISHED.items():
    print(f"{name:12} {config.n_kv_heads:3} of {config.n_heads:2} heads {kv_cache_bytes(config):9,} bytes a token, "
          f"{kv_cache_bytes(config, config.max_seq_len) / 2**30:5.2f} GiB for {config.max_seq_len} tokens")


# %% [markdown]
# A count is a claim about real memory. So ask how much memory real caches hold, in three number formats, with 1 to 8 heads of keys and values, when they are filled to the last token:

# %% tags=["claim"]
def held_over_counted(shape, dtype, n_tokens=SMALL.max_seq_len, counted_as=None):
    model = fresh_gpt(shape).to(dtype)
    cache = model.new_cache(3)
    model(random_ids(shape, 3, n_tokens), cache=cache)
    return cache.n_bytes_reserved / kv_cache_bytes(counted_as or shape, n_tokens, 3, dtype.itemsize)


shapes = [replace(SMALL, n_heads=8, n_kv_heads=heads) for heads in (1, 2, 8)]
dtypes = (torch.float64, torch.float32, torch.bfloat16)
claim(
    "Full caches hold the bytes that are counted",
    [held_over_counted(shape, dtype) for shape in shapes for dtype in dtypes],
    equals=1.0, because="both are whole numbers",
    control={"a quarter full": held_over_counted(shapes[0], torch.float32, 6),
             "heads of queries counted": held_over_counted(shapes[0], torch.float32, counted_as=shapes[2])},
)

# %% [markdown]
# A quarter full, it holds four times as much as its tokens need: room is reserved from the start. We come back to that.
#
# The bytes go with the first power of the length, of the batch and of the heads that have keys. Llama 2 70B has ten times the parameters of the 7B model and takes *less* for a token. That is what grouping buys, and there is less to fetch from memory at every step, which was Shazeer's reason in 2019. (What it costs in quality is another question; Ainslie et al. 2023 measure it.)
#
# ### What it saves
#
# Reading $T$ tokens of which only the last is new: let PyTorch count all multiplications and additions while the model runs.

# %% tags=["experiment"]
from course_lib.experiments.cached_reading import TIMED, step_times
from course_lib.experiments.operation_counts import counted_operations

timed = fresh_gpt(TIMED).float()
times = step_times()
work = [(counted_operations(timed, n), counted_operations(timed, 1, n - 1)) for n in times.lengths]

# %% tags=["experiment"]
from course_lib.experiments.cached_reading import power
from course_lib.plots import step_times as times_plot
from course_lib.plots.show import show

show(times_plot.draw, times, times_plot.say, size=(7, 3.2))

# %% tags=["claim"]
claim(
    "Read anew by our code, the last of T tokens takes exactly T times the operations",
    [anew / kept / n for n, (anew, kept) in zip(times.lengths, work)], equals=1.0,
    because="each of T rows of every matrix product costs the same, and one of them is new",
    control={"half of the text in the cache": counted_operations(timed, 512) / counted_operations(timed, 256, 256) / 512},
)
claim(
    "From 64 to 512 tokens, time for a token without a cache grows about like the length",
    power(times.lengths, times.anew), near=1, within=0.5,
    because="fitted to medians; busy machines gave powers of 0.75 to 1.1, and operations alone have 1.20",
    control={"with the cache": power(times.lengths, times.kept)},
)

# %% tags=["predict"]
time_guess.reveal(
    f"{times.slower:.1f} times" if times.slower > 1.2 else "about the same",
    f"its operations grow only {work[-1][1] / work[0][1]:.2f} times, for scores and mixes alone grow "
    "with the text; and most of the time does not go with operations at all (see below)",
)

# %% [markdown]
# (Our code scores the vocabulary at all T places. Whoever wants the last scores alone saves the others' when reading anew. And in longer texts the power becomes 2, as pairs of tokens take over.)
#
# Note the gap between work and time. At 512 tokens the cache saves all but a 512th of the operations, and by no means as much of the time. What else takes time? Let a whole text go through the model, at once and token by token; and eight texts side by side. (Some seconds.)

# %% tags=["experiment"]
from course_lib.experiments.cached_reading import whole_text, width_ratio
from course_lib.experiments.operation_counts import operations

seconds = whole_text(256)
print(f"256 tokens at once {seconds.at_once:.3f} s, one by one with the cache "
      f"{seconds.with_cache:.2f} s, without {seconds.without:.2f} s")
print(f"8 such texts side by side: at once {seconds.eight_at_once:.3f} s, one by one {seconds.eight_texts:.2f} s")

# %% tags=["claim"]
steps_work = sum(sum(operations(TIMED, 1, n).values()) for n in range(256))
claim(
    "One by one with a cache, 256 tokens take more than 5 times as long as at once",
    seconds.with_cache / seconds.at_once, above=5,
    because="other runs, on busy machines, gave 35 to 145",
    control={"operations in place of seconds": steps_work / counted_operations(timed, 256)},
)
claim(
    "Without the cache they take longer still",
    seconds.without / seconds.with_cache, above=1.4,
    because="timed in turn; other runs gave 1.8 to 3.4",
    control={"at once": seconds.at_once / seconds.with_cache},
)

# %% tags=["claim"]
claim(
    "One by one, eight texts side by side take less than four times as long as one",
    seconds.eight_texts / seconds.with_cache, below=4,
    because="timed in turn; other runs gave 1.0 to 1.9",
    control={"at once, where no row is single": seconds.eight_at_once / seconds.at_once},
)
claim(
    "A step of a model of width 8, with a 256th of the weights, takes more than a fifth of the time",
    width_ratio(8), above=0.2, because="median of 60 pairs; other runs gave 0.4 to 1.0",
    control={"the weights in its blocks": 8**2 / 128**2},
)


# %% [markdown]
# Counted, one by one is even *less* work than at once: what the mask hides is never computed. It takes far longer all the same, because a step has a price of its own, that grows far more slowly than the rows. In our small model it is that of calling every layer: weights count for little, as width 8 shows. In a large model it is fetching every weight from memory. One text pays all of it; eight share it (each fetches its own keys and values, though).
#
# "A GPT cannot work in parallel" is therefore half true. A prompt is there as a whole and is read at once (**prefill**). Only new tokens wait for each other (**decode**), and other texts can be written beside them. But each text needs a cache of its own, so memory decides how many.
#
# ### Where the operations go
#
# "Self-attention costs $O(T^2 d)$" is what one often reads. A multiplication and an addition count 2, for every token and weight: four $d \times d$ matrices make 8, two $d \times 4d$ matrices of the feed-forward layer 16. For every pair of tokens a score and a share of the mix take $2d$ each. So for one block and $T$ tokens (and as many heads of keys as of queries):
#
# $$\underbrace{8\,T d^2}_{\text{four matrices}} + \underbrace{16\,T d^2}_{\text{feed-forward}} + \underbrace{4\,T^2 d}_{\text{scores, mixes}} .$$
#
# The square is only in the last term.

# %% tags=["claim"]
def in_blocks(d, n):
    model = fresh_gpt(replace(TIMED, d_model=d, d_head=None, d_ff=None))
    return (counted_operations(model, n) - 2 * n * d * TIMED.vocab_size) / TIMED.n_layers


sizes = [(64, 32), (64, 512), (128, 100)]
claim(
    "A block takes 24 T d^2 + 4 T^2 d operations",
    [in_blocks(d, n) / (24 * n * d**2 + 4 * n**2 * d) for d, n in sizes], equals=1.0,
    because="PyTorch counts every matrix product; both are whole numbers",
    control={"T^2 d alone": [in_blocks(d, n) / (4 * n**2 * d) for d, n in sizes]},
)

# %% [markdown]
# Our code computes all pairs. A causal mask hides almost half of them (lesson 22), so at most half of the last term can be saved.
#
# Where do parameters and operations go in models of other shapes? Start from the smallest GPT-2; make it smaller, then deep and wide. Which part do tiny models mostly consist of? At how many tokens do pairs take half of a block's operations?

# %% tags=["widget"]
from course_lib.experiments.operation_counts import budget
from course_lib.plots import operation_budget

explore(budget, operation_budget.draw, operation_budget.say, size=(9, 3.4),
        n_layers=choice([1, 2, 4, 12, 48, 96], 12, label="blocks"),
        d_model=choice([64, 128, 256, 768, 1600, 12288], 768, label="width"),
        vocab_size=choice([100, 1000, 10_000, 50_257, 200_000], 50_257, label="vocabulary"),
        n_tokens=choice([128, 512, 1024, 4096, 32_768], 1024, label="tokens in the text"))

# %% [markdown]
# Half of a block is at $4T^2d = 24\,Td^2$, so $T = 6d$ (beside attention's own four matrices, at $2d$): for GPT-2's 768, beyond 4608 tokens; it was made for 1024.
#
# ## At the end of the window
#
# Places are numbered up to `max_seq_len`, and the cache is full then. It says so:

# %% tags=["derive"]
model = fresh_gpt()
cache = model.new_cache()
model(random_ids(SMALL, 1, SMALL.max_seq_len), cache=cache)
shows_error(lambda: model(random_ids(SMALL, 1, 1), cache=cache), ValueError)

# %% [markdown]
# `generate` goes on with the last `max_seq_len` tokens: a sliding window. How many tokens does the model read for each that it writes?

# %% tags=["derive"]
from course_lib.experiments.cached_reading import tokens_read

print("with a cache   ", tokens_read(model, n_prompt=16, n_new=14))
print("without a cache", tokens_read(model, n_prompt=16, n_new=14, use_cache=False))


# %% tags=["claim"]
def written(writer, use_cache):
    return writer.generate(random_ids(SMALL, 2, 16), 14, temperature=0, use_cache=use_cache)


claim(
    "Greedy writing gives the same tokens with a cache and without, past the window too",
    [torch.equal(written(model, True), written(model, False)) for model in models], equals=True,
    because="logits that differ by rounding have the same largest entry, but for ties",
    control={"places one too small": torch.equal(
        written(shifted_places(models[0], -1), True), written(models[0], False))},
)

# %% [markdown]
# Past the window the cache saves nothing: the library reads all of it anew. Why not drop the oldest keys and go on? With a table of positions the second condition fails: every token's place in the window has changed. Rotary positions know distances alone, and these stay, if new tokens go on counting. But then the third condition is left: what the second block keeps of a token was mixed from the token that is now gone.

# %% tags=["claim"]
from course_lib.experiments.cached_reading import without_oldest

rotary, learned, deep = [
    [fresh_gpt(replace(SMALL, positions=kind, n_layers=n), seed) for seed in range(3)]
    for kind, n in (("rotary", 1), ("learned", 1), ("rotary", 4))
]
claim(
    "In one block with rotary places, a cache without its oldest token is as good as the window read anew",
    [without_oldest(model, places_go_on=True) for model in rotary], below=1e-10,
    because="float64; only the order of some sums differs",
    control={"places from a table": [without_oldest(model) for model in learned]},
)
claim(
    "In four such blocks it is not",
    [without_oldest(model, places_go_on=True) for model in deep], above=1e-6,
    because="rounding is below 1e-14; eight draws gave 0.27 and more",
    control={"one block": without_oldest(rotary[0], places_go_on=True)},
)

# %% [markdown]
# Some systems drop the oldest keys on purpose. That is another model too, which may be good enough; it is not the window read anew.
#
# ## Play: memory for many texts
#
# A text takes memory as it grows, and nobody knows how far it will. A careful server reserves room for the longest text there may be, in one piece. Here is a memory for 16,384 tokens, reserved in pieces of 2048. Make the pieces smaller, and watch the orange.

# %% tags=["widget"]
from course_lib.experiments.paging import BLOCK_SIZES, fill_memory
from course_lib.plots import paging

explore(fill_memory, paging.draw, paging.say, size=(9, 3.6),
        block_size=choice(BLOCK_SIZES[::-1], 2048, label="places in a block"),
        mean=control(62, 862, 100, 362, label="mean length of the texts"),
        spread=control(0.2, 1.0, 0.2, 0.6, label="spread of the logarithm"))

# %% [markdown]
# The cache's growth is often named as the reason for **paging**: handing out memory in small blocks, like the pages of an operating system. But blocks make no key smaller. What they save is places that stand empty. Some wait for tokens that come later; some for tokens that never come, since nobody knows how far a text will grow. (Kwon et al. 2023: the memory "grows and shrinks dynamically", and managed badly it is "wasted by fragmentation".) How much is each? The lengths are invented, log-normal.

# %% tags=["claim"]
from course_lib.experiments.paging import LONGEST, share_over_life, share_used, text_lengths

draws = [text_lengths(seed=seed) for seed in range(3)]
means = [draw.double().mean().item() for draw in draws]
claim(
    "A complete text wastes half a block: the share in use is m / (m + (b - 1) / 2), for mean length m",
    [share_used(draw, b) * (m + (b - 1) / 2) / m for draw, m in zip(draws, means) for b in (8, 16, 32, 64)],
    near=1, within=0.01,
    because="the last block is filled to any degree alike, if lengths are long and spread wide beside blocks",
    control={"one piece for the longest": share_used(draws[0], LONGEST) * (means[0] + LONGEST / 2) / means[0]},
)
claim(
    "Of blocks of 16, more than 97% is in use",
    [share_used(draw, 16) for draw in draws], above=0.97,
    because="half a block of 16, beside a mean of about 362",
    control={"texts of 62 on average": share_used(text_lengths(mean=62), 16)},
)
claim(
    "Of one piece for exactly the text's own length, on average over its life half is empty",
    [share_over_life(draw) for draw in draws], near=0.5, within=0.01,
    because="it grows evenly from nothing to its length",
    control={"blocks of 16": share_over_life(draws[0], 16),
             "one piece for the longest": share_over_life(draws[0], LONGEST)},
)

# %% tags=["predict"]
empty_guess.reveal(
    f"{1 - share_used(draws[0], 16):.1%}",
    f"half a block is lost a text. With one piece of {LONGEST}, {1 - share_used(draws[0], LONGEST):.0%} stays "
    f"empty when all texts are complete, and {1 - share_over_life(draws[0], LONGEST):.0%} on average while they grow",
)

# %% [markdown]
# So a server that knew every length would still leave half empty, because texts grow; the rest is room for what never comes.
#
# Blocks have a price: a text lies scattered, and something must know where. That is its **block table**:

# %% tags=["derive"]
from course_lib.mechanisms.block_table import BlockPool

pool = BlockPool(n_blocks=8, block_size=4, width=2 * 32)  # a row: keys and values of one layer
cache = fresh_gpt().float().new_cache(2)
fresh_gpt().float()(random_ids(SMALL, 2, 11), cache=cache)
rows = torch.cat([cache.layers[0].keys, cache.layers[0].values], dim=-1).transpose(1, 2).flatten(2)
for t in range(11):
    for text in range(2):  # two texts grow side by side
        pool.append(text, rows[text, t : t + 1])
print(pool.tables, pool.n_free, "free")

# %% tags=["claim"]
claim(
    "Read through its table, a text has the keys and values of the contiguous cache",
    [(pool.read(text) - rows[text]).abs().max() for text in range(2)], equals=0.0,
    because="numbers are copied, not computed",
    control={"read as if in one piece": (pool.memory.flatten(0, 1)[:11] - rows[0]).abs().max()},
)

# %% [markdown]
# Why blocks of 16, when single places waste nothing? Each block is an entry in a table, and has to be found. Reading 2048 rows that lie scattered:

# %% tags=["experiment"]
from course_lib.experiments.paging import read_times

for size, taken in zip((1, 4, 16, 64, LONGEST), read_times()):
    print(f"blocks of {size:4}: {LONGEST // size:4} entries, {1e3 * taken:.2f} ms")

# %% [markdown]
# ## Exercise
#
# ### Repair a cache
#
# A head that reads on from its cache. It runs on any input, and what it returns looks like what it should. Two offsets are wrong.

# %% tags=["exercise"]
read_on


# %% tags=["exercise"]
def my_read_on(x, positions, w_q, w_k, w_v, keys, values):
    seen, new = len(keys), len(x)
    x = x + positions[torch.arange(new) + seen - 1]
    keys = torch.cat([keys, x @ w_k])
    values = torch.cat([values, x @ w_v])
    scores = (x @ w_q) @ keys.T / math.sqrt(keys.shape[-1])
    visible = torch.ones(new, seen + new, dtype=torch.bool).tril()
    shares = torch.softmax(scores.masked_fill(~visible, -torch.inf), dim=-1)
    return shares @ values, keys, values


read_on.check(my_read_on)

# %% tags=["exercise"]
read_on.hint()

# %% [markdown]
# ### Out of the blocks

# %% tags=["exercise"]
from_blocks


# %% tags=["exercise"]
def my_from_blocks(memory, table, length):
    raise NotImplementedError


from_blocks.check(my_from_blocks)

# %% tags=["exercise"]
from_blocks.hint()

# %% [markdown]
# ## Takeaways
#
# What does a GPT remember? For each token, layer and head that has them, a key and a value. They may be kept because no token sees a later one, none changes its place, and none that was read goes. It costs $2 \cdot \text{layers} \cdot \text{KV heads} \cdot d_\text{head}$ numbers a token, for each text. For one more token it saves all but a $T$-th of the work, and less of the time, for single rows are slow. A prompt is read at once; only what is written waits. And what wasted most of its memory was room reserved for what came later, or never.
#
# Not covered: sharing a common prompt between texts, number formats for the cache and what they do to the answers, speculative decoding. Times here are one machine's, and a small model's.
#
# Sources: [Shazeer 2019](https://arxiv.org/abs/1911.02150), Fast Transformer Decoding: One Write-Head is All You Need; [Ainslie et al. 2023](https://arxiv.org/abs/2305.13245), GQA; [Kwon et al. 2023](https://arxiv.org/abs/2309.06180), Efficient Memory Management for Large Language Model Serving with PagedAttention. Shapes: Radford et al. 2019; Brown et al. 2020; Touvron et al. 2023, Llama 2; the figure's model has the shape of OPT-13B, [Zhang et al. 2022](https://arxiv.org/abs/2205.01068).
#
# Next: [61 Train a GPT](61_train_gpt.ipynb). [Contents](01_how_this_course_works.ipynb)
