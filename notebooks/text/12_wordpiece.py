# %% [markdown]
# # 12 WordPiece
#
# **Why does BERT cut words differently?** At the end you can cut a word as BERT does, say when a whole word is lost, check what people write about `unhappiness`, and build BERT's input from two sentences. You need lesson 11; about 45 minutes. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [11 Byte-pair encoding](11_byte_pair_encoding.ipynb) · next: [21 Scaled dot-product attention](21_scaled_dot_product_attention.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(12)

# %% tags=["widget"]
from course_lib.data.corpora import python_text
from course_lib.experiments.word_cuts import learn_both
from course_lib.plots import word_cuts
from course_lib.widgets.controls import control
from course_lib.widgets.explore import explore

WORDS = ["having", "units", "mapping", "backward", "returned", "documentation", "string"]
corpus = python_text(1_000_000)
learnt = learn_both(corpus.train.decode("utf8")[:100_000], 1000)
explore(learnt.at, word_cuts.draw, word_cuts.say, size=(9, 3.2),
        word=WORDS, n_merges=control(0, 1000, 10, 1000, label="pieces learnt"))

# %% [markdown]
# ## Question
#
# Lesson 11 learnt pieces by merging frequent pairs, and cut a new word by merging again, in the order learnt. BERT's *WordPiece* cuts by another rule and, some say, learns by another, too. The figure shows one word cut in three ways. The top row cuts as lesson 11 does. The middle row has *the same pieces* but cuts by BERT's rule. In the bottom row the pieces are learnt otherwise as well. The text is 100,000 characters that come with Python. In the sentence below the boxes, `##` marks a piece that goes on with a word.
#
# Move the number of pieces from end to end, then try other words. Which step makes the larger difference: from the first row to the second, or from the second to the third? Look at `having` with all 1,000 pieces. What did BERT's rule do to it?

# %% [markdown]
# ## Predict
#
# BERT's published vocabulary has 30,522 pieces. `un`, `happy`, `unhappy` and `##ness` are among them.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

myth_guess = predict(
    "How is the word unhappiness cut with BERT's vocabulary?",
    ["un ##happy ##ness", "unhapp ##iness", "un ##ha ##pp ##iness", "unhappi ##ness"],
)
myth_guess

# %% tags=["predict", "widget"]
stranger_guess = predict(
    "Every letter of unhappy is in the vocabulary, and 🙂 is not. What becomes of unhap🙂py?",
    ["pieces around one [UNK]", "the pieces before 🙂, then [UNK]", "[UNK] alone",
     "pieces, with bytes for 🙂"],
)
stranger_guess

# %% tags=["predict", "widget"]
fewest_guess = predict(
    "In the middle row, having has four pieces where three would do. Of the words that are cut "
    "at all, how many does longest first give more pieces than needed?",
    ["fewer than 1 in 100", "some in 100", "1 in 5", "about half"],
)
fewest_guess

# %% [markdown]
# ## Derive
#
# ### Words first
#
# BERT cleans a text before it looks for pieces. (We take the *uncased* kind; the cased one keeps capitals and accents.) Do it by hand for `Déjà vu: the CAFÉ's Menü!` Control characters go, every kind of white space becomes a space, accents come off, capitals become small, and each punctuation mark gets a space on both sides. Then cut at the spaces.

# %% tags=["derive"]
sentence = "Déjà vu:\tthe CAFÉ's Menü!"
by_hand = ["deja", "vu", ":", "the", "cafe", "'", "s", "menu", "!"]

# %% tags=["derive"]
from course_lib.tokenizers.bert_split import basic_split

show_source(basic_split)

# %% tags=["claim"]
from course_lib.checks.claim import claim

claim(
    "The library finds the words that were found by hand",
    " ".join(basic_split(sentence)), equals=" ".join(by_hand),
    because="the rules leave no choice",
    control={"cut at spaces alone": " ".join(sentence.split()),
             "the cased kind": " ".join(basic_split(sentence, lower_case=False))},
)

# %% [markdown]
# `space_chinese` makes each Chinese character a word. Note what is lost: spaces, accents, capitals. In lesson 11 every text came back exactly. Here it cannot.
#
# ### Longest match by hand
#
# Each word is then cut by itself. Take a pencil and this small vocabulary. BERT has all these pieces, too, and many more.

# %% tags=["derive"]
from course_lib.experiments.word_pieces import MYTH, TOY, Reading, readings

print(*TOY)

# %% [markdown]
# Begin with the whole of `unhappiness`. Not there. Take the last letter off, and again, until `un` is found. Go on behind it, now with the mark: `##happiness`, `##happines`, ... down to `##ha`. Then `##pp`. Then `##iness`, and the word is used up. As an equation: a piece that starts at $s$ ends at
#
# $$e = \max\,\{\,t > s : \text{mark}(s) + \text{word}[s:t] \in V\,\}, \qquad \text{mark}(0) = \text{nothing},\quad \text{mark}(s > 0) = \texttt{\#\#},$$
#
# the next one starts at $e$, and if at any place there is no such $t$, the word is `[UNK]`, *unknown*. Nothing is taken back: the rule is *greedy*. You will write it in the first exercise; the library's code stands at the end. ([Wu et al. 2016](https://arxiv.org/abs/1609.08144), section 4.1, describe the pieces for translation; that the longest comes first is in the code released with BERT.)

# %% tags=["claim"]
found_by_hand = {"unhappiness": "un ##ha ##pp ##iness", "unhappyness": "unhappy ##ness",
                 "happiness": "[UNK]"}
claim(
    "The library cuts as by hand, each of three words",
    [" ".join(readings(word)[0].pieces) == cut for word, cut in found_by_hand.items()],
    equals=True,
    because="at each place there is one longest piece",
    control={"as the myth has it": " ".join(MYTH) == found_by_hand["unhappiness"]},
)

# %% [markdown]
# `happiness` is unknown here, though `unhappiness` is not: no piece of the toy begins a word with `h`, `ha` or any longer start of it. (`##ha` goes on with a word, it cannot begin one.)
#
# ### The myth
#
# In many introductions WordPiece cuts `unhappiness` into `un`, `##happy`, `##ness`: prefix, stem, suffix. Join the three. They spell *unhappyness*. Pieces are stretches of the word, so no cut can turn an i into a y.

# %% tags=["claim"]
held_out = corpus.validation.decode("utf8")
known = [r for r in readings(held_out, learnt.vocabulary(1000)) if r.known]
claim(
    f"Of {len(known):,} words of held-out text, the pieces of each spell the word",
    sum(reading.spelled != reading.word for reading in known), equals=0,
    because="a piece is copied out of the word",
    control={"the myth": int(Reading("unhappiness", MYTH).spelled != "unhappiness")},
)

# %% [markdown]
# What does the published vocabulary give? It comes with an optional package (the extra `pretrained`); without it this cell says so and the lesson goes on.

# %% tags=["experiment"]
from course_lib.experiments.word_pieces import published_cuts

LEFT_OUT = "BERT's published vocabulary is not installed here; this part is left out."
for reading in published_cuts(["unhappiness", "unhappyness", "unkindness"]):
    print(f"{reading.word:12}", *reading.pieces)
if not published_cuts(["unhappiness"]):
    print(LEFT_OUT)


# %% tags=["claim"]
def as_said(word, pieces):
    return [reading.pieces == pieces for reading in published_cuts([word])]


if published_cuts(["unhappiness"]):
    claim(
        "With the published vocabulary, unhappiness is un ##ha ##pp ##iness",
        as_said("unhappiness", ("un", "##ha", "##pp", "##iness")), equals=True,
        because="the file is pinned, and ##happy is not in it",
        control={"un ##happy ##ness": as_said("unhappiness", MYTH)},
    )

# %% tags=["predict"]
myth_guess.reveal(
    " ".join(readings("unhappiness")[0].pieces),
    "unhappi is no piece, so un is the longest; ##happi and ##happ are none, and ##iness is "
    "longer than ##in. The myth's pieces spell unhappyness, and even that word begins with the "
    "longer piece unhappy",
)

# %% [markdown]
# But with that vocabulary `unkindness` is `un ##kind ##ness`, just as a grammar would have it! Do pieces follow meaning after all? Give a text words that begin with `un` or end in `ness`; and, as a control, words that begin and end in something that means nothing:

# %% tags=["experiment"]
from course_lib.experiments.word_pieces import with_affixes
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

text = corpus.train.decode("utf8")[:100_000]
trained = {}
for times in (0, 10, 30):
    for prefix, suffix in (("un", "ness"), ("zo", "vek")):
        more = with_affixes(text, prefix, suffix, times)
        trained[prefix, times] = WordPieceTokenizer.train(more, 1100)
        print(times, *trained[prefix, times].tokenize(f"{prefix}happi{suffix}"))

# %% tags=["claim"]
claim(
    "Ten words in ness or in vek, each ten times, make either ending a piece",
    ["##ness" in trained["un", 10].vocabulary, "##vek" in trained["zo", 10].vocabulary],
    equals=True,
    because="100 times is more often than the last pairs that are merged",
    control={"the text as it is": ["##ness" in trained["un", 0].vocabulary,
                                   "##vek" in trained["zo", 0].vocabulary]},
)

# %% [markdown]
# So a piece needs to be frequent. A meaning it does not need. And look at the cut of `unhappiness` where the words come 30 times: does it end in `##ness`, though that is a piece? A piece that begins before the ending may swallow its first letter, as `##in` of -ing does. (With another Python's text it may not happen.)
#
# ### One character too many
#
# "WordPiece can handle any rare word", one reads. Put an emoji into a word at every place, the ends too:

# %% tags=["experiment"]
from course_lib.experiments.word_pieces import one_stranger

vocabulary = learnt.vocabulary(1000)
for reading in one_stranger("having", "🙂", vocabulary):
    print(reading.word, *reading.pieces)

# %% tags=["claim"]
from course_lib.tokenizers.bpe import BPETokenizer

byte_level = BPETokenizer.train(text, 1256)
some = sorted({reading.word for reading in known if len(reading.word) > 3})[::10]
spoilt = [one for word in some for one in one_stranger(word, "🙂", vocabulary)]
claim(
    "A single unknown character makes the whole word unknown, wherever it stands",
    sum(reading.known for reading in spoilt), equals=0,
    because="nothing fits at its place, and what was found before is given up",
    control={"a letter x in its place": sum(reading.known for word in some for reading
                                            in one_stranger(word, "x", vocabulary)),
             "byte-level BPE, texts that come back": sum(
                 byte_level.decode(byte_level.encode(one.word)) == one.word for one in spoilt)},
)

# %% [markdown]
# All these words are one token now; the model cannot tell them apart. So the sentence needs a condition: each character must be a piece by itself, first in a word and behind `##`. Then every word can be cut, up to a set length (here 100 characters; a longer one is `[UNK]`, too). (A foreign *punctuation mark* stands apart before cutting, so it costs only itself.)

# %% tags=["predict"]
stranger_guess.reveal(
    "[UNK] alone",
    "one place without a piece is enough; lesson 11's tokenizer has a piece for every byte",
)

# %% [markdown]
# ## Experiment
#
# ### Longest is not fewest
#
# Greedy looks good on short examples. In the figure, `having` came out as `ha ##vi ##n ##g` (with other versions of Python, which bring another text, it may not): `##vi` was longer than `##v`, and then `##ing` had lost its i. How often does that cost a piece? `fewest` tries all cuts.

# %% tags=["experiment"]
from course_lib.experiments.word_cuts import by_rank, characters_of, fewest, worse_than_fewest

words = sorted({reading.word for reading in known})
several = [word for word in words if word not in vocabulary]
worse = worse_than_fewest(several, vocabulary)
print(f"{len(worse)} of {len(several)} words ({len(worse) / len(several):.1%})")
for word in [word for word in worse if word.isalpha()][:5]:
    print(f"{word}:", *readings(word, vocabulary)[0].pieces, "| fewest:", *fewest(word, vocabulary))

# %% tags=["experiment"]
from course_lib.experiments.word_cuts import published_fewest, published_worse

for reading, best in zip(published_cuts(["inefficient"]), published_fewest("inefficient")):
    print("published:", *reading.pieces, "| fewest:", *best)

# %% tags=["claim"]
stretches = [corpus.train.decode("utf8")[start:start + 100_000]
             for start in range(0, 500_000, 100_000)]
models = [learnt, *(learn_both(stretch, 1000) for stretch in stretches[1:])]
of_all = frozenset.intersection(*(model.characters for model in models))
plain = [word for word in several if of_all.issuperset(characters_of(word))]
shares = [len(worse_than_fewest(plain, model.vocabulary(1000))) / len(plain) for model in models]
claim(
    "Longest first gives some words in a hundred more pieces than needed",
    shares, near=0.05, within=0.04,
    because="eight stretches of text gave 3% to 5%",
    control={"cut into single characters": sum(
        len(fewest(word, vocabulary)) < len(word) for word in plain) / len(plain)},
)

# %% tags=["claim"]
if published_share := published_worse(words):
    claim(
        "With BERT's published vocabulary that happens to fewer words of the same text",
        published_share, below=0.015,
        because="it was 0.6% of the words that it cuts; other Pythons bring other words",
        control={"our 1,000 pieces": min(shares)},
    )

# %% tags=["predict"]
fewest_guess.reveal(
    f"{min(shares):.1%} to {max(shares):.1%}, depending on the text",
    "where the longest piece ends, it may leave a rest that only short pieces fit",
)


# %% [markdown]
# Is greedy a poor rule, then? Lesson 11's way has no eye for the number of pieces either. Count all pieces of all these words:

# %% tags=["claim"]
def pieces_for_best(model, way):
    vocabulary, ranks = model.vocabulary(1000), model.ranks(1000)
    cuts = {"longest first": lambda word: readings(word, vocabulary)[0].pieces,
            "in order": lambda word: by_rank(word, ranks), "single": characters_of}
    best = sum(len(fewest(word, vocabulary)) for word in plain)
    return sum(len(cuts[way](word)) for word in plain) / best


claim(
    "In all, either way needs less than 5% more pieces than the best cut",
    [pieces_for_best(model, way) for model in models[:3] for way in ("longest first", "in order")],
    below=1.05,
    because="eight stretches gave 1% for longest first and 2% to 3% for merging in order",
    control={"single characters": pieces_for_best(learnt, "single")},
)

# %% [markdown]
# ### Another cut, or other pieces?
#
# Now the question of the lesson. Two things may differ from lesson 11: how a word is cut, and how the pieces are learnt. BERT's cut is published code. The program that learnt its pieces [is not](https://github.com/google-research/bert#learning-a-new-wordpiece-vocabulary), and the accounts differ. [Schuster and Nakajima 2012](https://research.google/pubs/japanese-and-korean-voice-search/), who made WordPiece, add the piece that raises the *likelihood* of their text most. [Wu et al. 2016](https://arxiv.org/abs/1609.08144) want a text in as few pieces as possible. A [guide of TensorFlow](https://www.tensorflow.org/text/guide/subwords_tokenizer) says that BERT's pieces come from breaking words down, by counts. Hugging Face's [course](https://huggingface.co/learn/llm-course/chapter6/6) guesses at a score for two neighbours $a$ and $b$, while its library's trainer takes plain counts, as lesson 11 does.
#
# $$\text{frequency:}\quad n(ab) \qquad\qquad \text{score:}\quad \frac{n(ab)}{n(a)\,n(b)}$$
#
# The figure's third row follows this score. It asks how often two pieces meet, *for how common each is*. A pair seen once, of pieces seen once, has the score 1, and none is higher: this rule would begin with the rarest strings. So it needs a least count, here ten. (The likelihood itself, if pieces are drawn independently, rises by about $n(ab)$ times a logarithm of the score, so it also asks how often a pair comes. The score leaves that out.) What either rule learns first, with the counts of the pairs:

# %% tags=["experiment"]
for name, merges in {"frequency": learnt.frequency, "score": learnt.likelihood}.items():
    print(f"{name:9}", *(f"{merge.token} {merge.count}" for merge in merges[:10]))

# %% [markdown]
# Change one thing at a time, and count the words that are cut otherwise than in the figure's middle row:

# %% tags=["experiment"]
from course_lib.experiments.word_cuts import cut_otherwise
from course_lib.plots.show import show

sizes = [100, 250, 500, 750, 1000]
by_size = [cut_otherwise(learnt, words, size) for size in sizes]
changed = {change: [shares[change] for shares in by_size] for change in ("cut", "training")}
show(word_cuts.draw_shares, (sizes, changed), word_cuts.say_shares, size=(8, 3.2))

# %% [markdown]
# Other pieces change more than another cut. Is the *rule* of learning to blame? Learn by the same rule from another 100,000 characters of the same kind of text, and compare:

# %% tags=["claim"]
from course_lib.experiments.word_cuts import share_cut_otherwise

five = [cut_otherwise(model, plain, 1000) for model in models]
other_text = [share_cut_otherwise(plain, model.vocabulary(1000), other.vocabulary(1000))
              for model, other in zip(models, models[1:] + models[:1])]
claim(
    "Another rule of learning changes about as many words as another text does",
    [change["training"] - text for change, text in zip(five, other_text)], near=0, within=0.2,
    because="in eight stretches they were at most 11 points apart",
    control={"another cut of the same pieces":
             [change["cut"] - text for change, text in zip(five, other_text)]},
)
print(f"other rule {min(c['training'] for c in five):.0%} to {max(c['training'] for c in five):.0%}"
      f", other text {min(other_text):.0%} to {max(other_text):.0%}")

# %% [markdown]
# So in this small setting the cut alone changes a good part of the words. Other pieces change more, but for that no other rule is needed: another text will do. What either difference is worth to a model is not measured here.

# %% [markdown]
# ### Two sentences, one input
#
# BERT is trained on pairs of sentences (lesson 41 says what for). "[CLS] A [SEP] B" is often written; there is one more [SEP]. `[CLS]` opens the input, and `[SEP]` closes each sentence. A *segment id* says for each token which sentence it belongs to. By hand, for "the tea" and "is hot":

# %% tags=["derive"]
tokens = "[CLS] the tea [SEP] is hot [SEP]".split()
segments = [0, 0, 0, 0, 1, 1, 1]

# %% tags=["claim"]
from course_lib.tokenizers.bert_pair import encode_pair

tokenizer = WordPieceTokenizer.train("the tea is hot . a cup of tea " * 9, 60)
pair = encode_pair(tokenizer, "the tea", "is hot")
single = encode_pair(tokenizer, "the tea")
names = [tokenizer.vocabulary.token_of(i) for i in pair.token_ids]
claim(
    "The library makes the pair made by hand, tokens and segments",
    " ".join(map(str, [*names, *pair.segment_ids])),
    equals=" ".join(map(str, [*tokens, *segments])),
    because="there is one place for each special token",
    control={"without the last [SEP]": " ".join(map(str, [*tokens[:-1], *segments[:-1]]))},
)
claim("A single sentence has segment 0 only", single.segment_ids, equals=0,
      because="its [SEP] belongs to it", control={"the pair": pair.segment_ids})

# %% [markdown]
# Here is what a small fresh BERT does with them. A segment id adds one of two learned vectors to its token, and every position reads every other:

# %% tags=["claim"]
import torch

from course_lib.config import BertConfig
from course_lib.data.bert_batch import bert_batch
from course_lib.models.bert import BertPretraining

config = BertConfig(vocab_size=tokenizer.vocab_size, max_seq_len=16, d_model=32, n_layers=2,
                    n_heads=4)
model = BertPretraining(config).double().eval()
batch = bert_batch([pair], pad_id=tokenizer.vocabulary.id_of("[PAD]"))
ids, segment_ids = batch.token_ids, batch.segment_ids
with torch.no_grad():
    marked, unmarked = model.bert(ids, segment_ids=segment_ids), model.bert(ids)
claim(
    "Marking B as segment 1 changes the vector at every position, in A as well",
    (marked - unmarked)[0].norm(dim=-1), above=1e-3,
    because="0.02 or more in eight fresh models; the vectors of B change and A attends to them",
    control={"all marked as segment 0": (model.bert(
        ids, segment_ids=0 * segment_ids) - unmarked)[0].norm(dim=-1).detach()},
)
shows_error(lambda: model.bert(ids, segment_ids=segment_ids + 1), ValueError)

# %% [markdown]
# (A third sentence has no row in that table.) And what decides whether B follows A? "A classifier on `[CLS]`" leaves out a step. In the released code a *pooler*, one more layer with a tanh, stands between them:

# %% tags=["claim"]
with torch.no_grad():
    head = next(m for m in model.nsp_head.modules() if isinstance(m, torch.nn.Linear))
    at_cls = marked[:, 0]
    answer = model(*batch).next_sentence
    pooled = torch.tanh(model.pooler.dense(at_cls))
    claim(
        "The answer is the classifier's on tanh(W x + b), with x the vector at [CLS]",
        (head(pooled) - answer).abs().max(), below=1e-12,
        because="the same sums in float64",
        control={"without the pooler": (head(at_cls) - answer).abs().max(),
                 "without the tanh": (head(model.pooler.dense(at_cls)) - answer).abs().max()},
    )

# %% [markdown]
# ### If you have time: too long, and too short
#
# A pair may be too long. Tokens then go from the end of the longer sentence, until both fit. Cutting the finished list would cost B and the last `[SEP]`:

# %% tags=["claim"]
SEP = tokenizer.vocabulary.id_of("[SEP]")
long, short = "a cup of tea is hot", "the tea"
claim(
    "Every limit from 5 to 12 leaves an input that two [SEP] close",
    [encode_pair(tokenizer, long, short, max_seq_len=limit).token_ids.count(SEP)
     for limit in range(5, 13)], equals=2,
    because="room for the special tokens is set aside first",
    control={"the finished list cut off":
             [encode_pair(tokenizer, long, short).token_ids[:limit].count(SEP)
              for limit in range(5, 11)]},
)
for limit in (12, 8):
    cut_pair = encode_pair(tokenizer, long, short, max_seq_len=limit)
    print(limit, *(tokenizer.vocabulary.token_of(i) for i in cut_pair.token_ids))

# %% [markdown]
# A batch wants rows of one length. `[PAD]` fills them up, and a mask tells it from text (lesson 22):

# %% tags=["claim"]
both = bert_batch([pair, single], pad_id=tokenizer.vocabulary.id_of("[PAD]"))
print(both.token_ids, both.real.int(), sep="\n")
with torch.no_grad():
    together, blind = model.bert(*both), model.bert(both.token_ids, None, both.segment_ids)
    alone = model.bert(*bert_batch([single], pad_id=0))[0]
claim(
    "With the mask, the short input comes out as if it were alone",
    (together[1, :len(single)] - alone).abs().max(), below=1e-12,
    because="float64; weights of exactly 0 fall on the padding",
    control={"without the mask": (blind[1, :len(single)] - alone).abs().max()},
)

# %% [markdown]
# ## Exercise
#
# ### 1. Cut a word

# %% tags=["exercise"]
from course_lib.checks.lesson_12 import cut_word, first_fault, pair_input

cut_word


# %% tags=["exercise"]
def my_cut_word(word, vocab):
    raise NotImplementedError


cut_word.check(my_cut_word)

# %% tags=["exercise"]
cut_word.hint()

# %% [markdown]
# ### 2. A pair

# %% tags=["exercise"]
pair_input


# %% tags=["exercise"]
def my_pair_input(a, b, cls, sep):
    raise NotImplementedError


pair_input.check(my_pair_input)

# %% tags=["exercise"]
pair_input.hint()

# %% [markdown]
# ### 3. Is it a myth? (if you have time)

# %% tags=["exercise"]
first_fault


# %% tags=["exercise"]
def my_first_fault(word, pieces, vocab):
    raise NotImplementedError


first_fault.check(my_first_fault)

# %% tags=["exercise"]
first_fault.hint()

# %% [markdown]
# ### The library's cut
#
# To compare with yours, when you are done; `else` after a `for` runs when no `break` was met.

# %% tags=["exercise"]
from course_lib.tokenizers.wordpiece import longest_match

show_source(longest_match)

# %% [markdown]
# ## Takeaways
#
# Why does BERT cut words differently? Because it does not replay merges: it takes the longest known piece from the left and never goes back. That may end inside a familiar ending. In our small vocabularies it costs a piece in a few words in a hundred, in BERT's in fewer, and merging in order is no better. Its pieces are other ones, too; but how they were learnt was not published, and another text changes cuts as much as another rule does. Pieces are stretches of the word and follow counts, not meaning. A word with one unknown character is unknown as a whole, where byte-level BPE has no unknown at all.
#
# Two sentences go in as `[CLS] A [SEP] B [SEP]`, with segments 0 and 1, padding and its mask; a pooler stands between `[CLS]` and the classifier.
#
# Not covered: what a cut is worth to a trained model; whole-word masking; unigram tokenizers. Our vocabularies are small and come from one kind of text: the shares above will be others elsewhere.
#
# Sources: Schuster and Nakajima 2012, *Japanese and Korean voice search*; Wu et al. 2016, [Google's neural machine translation system](https://arxiv.org/abs/1609.08144), section 4.1; Devlin et al. 2019, [BERT](https://arxiv.org/abs/1810.04805), section 3 and the code released with it.
#
# Next: [21 Scaled dot-product attention](21_scaled_dot_product_attention.ipynb). [Contents](01_how_this_course_works.ipynb)
