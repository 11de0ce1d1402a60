# %% [markdown]
# # 11 Byte-pair encoding
#
# **How does text become ids, and can a word be unknown?** At the end you can learn merges with a pencil, write the merge step, say what makes unknown words impossible, and tell what a text will cost in tokens. You need Python's lists and dictionaries; about 50 minutes, and 10 more for the part marked *if you have time*. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [01 How this course works](01_how_this_course_works.ipynb) · next: [12 WordPiece](12_wordpiece.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source, shows_error
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(11)

# %% tags=["widget"]
from course_lib.widgets.bpe_stepper import bpe_stepper

bpe_stepper("rain rainy raining train trains training")

# %% [markdown]
# ## Question
#
# A model computes with numbers, so a text must become a list of whole numbers first, its **ids**. Each id stands for a piece of text, a **token**. All tokens together are the **vocabulary**, and the model has a row of weights for each of them (lesson 24).
#
# Which pieces? Whole words make short lists, but there is no end of words, and a new one has no id. Single letters always have one, but make long lists. *Byte-pair encoding* (BPE) grows tokens between the two: it starts with the smallest pieces and again and again glues together the two that stand side by side most often.
#
# In the figure, take one step at a time, and watch the words and the counts; ␣ is a space. Then type a text of your own.

# %% [markdown]
# ## Predict
#
# Commit yourself before you go on.

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

cat_guess = predict(
    "A vocabulary is learnt from English text and Python code. Then a text contains 猫, which "
    "it has never seen. What does 猫 become?",
    ["an id that means 'unknown'", "one id, made on the spot", "three ids", "an error"],
)
cat_guess

# %% tags=["predict", "widget"]
secret_guess = predict(
    "Write a text in secret: every e becomes q, every t becomes b, and so on, always the same "
    "letter for the same letter. Of the first 300 merges, how many are still the same but for "
    "the letters?",
    ["none", "about half", "all"],
)
secret_guess

# %% tags=["predict", "widget"]
longest_guess = predict(
    "A tokenizer knows the tokens h, hot, te, r and otter, among others. How does BPE cut the "
    "word hotter?",
    ["hot te r: the longest token first", "h otter: the fewest tokens",
     "it depends on which token was learnt first"],
)
longest_guess

# %% [markdown]
# ## Derive
#
# ### Text is bytes
#
# Files do not hold letters, they hold bytes: numbers from 0 to 255. UTF-8 says which. English letters, digits and the common signs are one byte each, all other characters two, three or four.

# %% tags=["derive"]
for character in "té猫🙂":
    print(character, list(character.encode("utf8")))

# %% [markdown]
# So there is a vocabulary for every text there is: 256 tokens, one for each byte. It is only uneconomical. GPT-2 starts from it ([Radford et al. 2019](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), section 2.2); [Sennrich et al. 2016](https://arxiv.org/abs/1508.07909), who brought BPE to translation, started from characters (section 3.2).
#
# ### Pieces
#
# First the text is cut into **pieces**, and no token may reach across a cut. So "of the" never becomes one token, nor "dog!". GPT-2's cuts are a regular expression. A space belongs to the word behind it:

# %% tags=["derive"]
from course_lib.plots.tokens_shown import written
from course_lib.tokenizers.pretokenize import GPT2_PATTERN, pieces

print(written(piece.encode() for piece in pieces("It's 2 dogs, isn't it?", GPT2_PATTERN)))

# %% [markdown]
# ### Merges by hand
#
# Take a pencil and the six words below. At first each letter is one token. How often does each pair of neighbours occur? `o` and `t` stand side by side once in every word, so merge them: write `ot` as one. Count again. Which pair comes next?

# %% tags=["derive"]
TEXT = "hot hotter hottest pot potter pottery"

# %% [markdown]
# Here is the library's plain loop. `count_pairs` counts neighbours in all words, `most_frequent` takes the best pair, and `merge_pair` is yours to write in the first exercise.

# %% tags=["derive"]
from course_lib.tokenizers.bpe.naive import train_naive

show_source(train_naive)

# %% tags=["derive"]
from course_lib.experiments.merge_steps import count_after

for n_merges in (0, 1):
    most = count_after(TEXT, n_merges).most_common(5)
    print(n_merges, "merges:", ", ".join(f"{written(pair, '+')} {n}" for pair, n in most))

# %% [markdown]
# Two pairs are in front now, equally often. Is there a reason to prefer one?

# %% tags=["claim"]
from course_lib.checks.claim import claim


def in_front(counts):
    return sorted(written(pair, "+") for pair in counts if counts[pair] == max(counts.values()))


claim(
    "The library's counts put in front what was found by hand: o+t, then ot+t and t+e",
    [*in_front(count_after(TEXT, 0)), *in_front(count_after(TEXT, 1))],
    equals=["o+t", "ot+t", "t+e"],
    because="counting is exact",
    control={"counted again without merging": 2 * in_front(count_after(TEXT, 0))},
)

# %% [markdown]
# ### Ties
#
# "Merge the most frequent pair" does not say what to do now, and implementations choose differently. Three rules: `greatest bytes` takes the pair that a dictionary would list last; `first met`, the one that comes first in the text; `lowest ids`, the one with the smallest numbers (as Hugging Face's `tokenizers` does).

# %% tags=["derive"]
from course_lib.experiments.merge_steps import cut
from course_lib.tokenizers.bpe import BPETokenizer

tiny = {tie: BPETokenizer.train(TEXT, 256 + 8, tie=tie)
        for tie in ("greatest bytes", "first met", "lowest ids")}
for tie, tokenizer in tiny.items():
    learnt = written(left + right for left, right in tokenizer.merges)
    print(f"{tie:14}  learnt: {learnt}\n{'':14}  ␣hottest is {written(cut(tokenizer, ' hottest'))}")

# %% [markdown]
# Other merges, so other tokens, and other ids for the same text. Is that a matter of tiny texts? Below, 1,000 merges from the text that every Python brings along: its manual's topics and its library's source. Some of its files are **held out**: no merge is learnt from them.

# %% tags=["experiment"]
from course_lib.data.corpora import python_text

corpus = python_text(1_000_000)
held_out = corpus.validation.decode("utf8")
text = corpus.train.decode("utf8")[:300_000]
by_rule = {tie: BPETokenizer.train(text, 1256, tie=tie) for tie in tiny}

# %% tags=["claim"]
from course_lib.experiments.merge_steps import merge_steps

steps = merge_steps(text, 1000)
claim(
    "On a long text, most of the last 100 of 1,000 merges are chosen by the tie rule",
    sum(step.ties > 1 for step in steps[-100:]),
    above=50,
    because="most is more than half; it was 96, as small counts are easily equal",
    control={"the first 100": sum(step.ties > 1 for step in steps[:100])},
)


# %% tags=["claim"]
def not_learnt_by(other):
    return len(set(by_rule["greatest bytes"].merges) - set(other.merges))


claim(
    "Of 1,000 merges, a few are learnt under one tie rule and not under another",
    [not_learnt_by(by_rule["first met"]), not_learnt_by(by_rule["lowest ids"])],
    above=0,
    because="one merge is enough to change ids",
    control={"the same rule, trained again": not_learnt_by(BPETokenizer.train(text, 1256))},
)

# %% [markdown]
# Only a few: pairs that are equally frequent mostly all get their turn, one after the other. But the order has changed, and with it the ids. A vocabulary therefore belongs to its list of merges, and a model to both.
#
# ### From a new word to ids
#
# Encoding replays training: of all pairs in the word, merge the one that was *learnt first*; repeat until no pair is left that was ever learnt. The number of a merge is called its **rank**.

# %% tags=["derive"]
from course_lib.tokenizers.bpe.encode import encode_word

show_source(encode_word)

# %% [markdown]
# One often reads that a tokenizer takes the longest token that fits, from the left. BERT's does (lesson 12). BPE does not:

# %% tags=["derive"]
from course_lib.experiments.merge_steps import longest_match

twelve = BPETokenizer.train(TEXT, 256 + 12)
known = set(twelve.vocab.values())
print("by rank:      ", written(cut(twelve, "hotter")))
print("longest first:", written(longest_match(b"hotter", known)))

# %% tags=["predict"]
longest_guess.reveal(
    f"it depends on the order of learning; for our merges {written(cut(twelve, 'hotter'))}",
    "of the pairs that stand in the word, the one learnt first is merged, however short it is",
)

# %% [markdown]
# `hot` is a token, but it was learnt late. `ot`, `te`, `otte` and `otter` came before, and then no `ot` is left to make `hot` of. Does it matter? The merges were counted on words cut by rank. So compare the pieces as training has left them with what either way of cutting gives.

# %% tags=["claim"]
from course_lib.experiments.merge_steps import cuts_of_training

trained = by_rule["greatest bytes"]
tokens = set(trained.vocab.values())
left_by_training = cuts_of_training(text, 1000)
longest = {word: longest_match(word, tokens) for word in left_by_training}
claim(
    "Encoding by rank cuts every piece of the training text as training has left it",
    sum(cut(trained, word) != left for word, left in left_by_training.items()),
    equals=0,
    because="a merge never makes a pair that was learnt before it, so the replay meets no surprise",
    control={"longest token first": sum(longest[word] != left
                                        for word, left in left_by_training.items())},
)

# %% [markdown]
# ## Experiment
#
# ### Three ways to the same merges (if you have time)
#
# The plain loop counts the whole text again for every merge. Sennrich et al. name two remedies (section 3.2). Most words come many times: count each distinct word once, and let it weigh as much as it occurs.

# %% tags=["experiment"]
from course_lib.tokenizers.bpe.counted import train_counted
from course_lib.tokenizers.bpe.updated import LinkedWords

show_source(train_counted)

# %% [markdown]
# And a merge changes only the pairs beside it: take the old neighbours' counts down, put the new ones up, and leave the rest alone. `places` remembers where each pair stands, `next` and `previous` link the tokens of a word (`symbols`).

# %% tags=["experiment"]
show_source(LinkedWords.merge)

# %% tags=["experiment"]
from course_lib.experiments.merge_steps import time_three_steps

timed = time_three_steps(text[:20_000], n_merges=20)
for name, seconds in timed.best.items():
    times = timed.faster("naive", name)
    print(f"{name:8} {1000 * seconds:7.1f} ms   {times:5.1f} times as fast as the plain loop")

# %% tags=["claim"]
once = "".join(dict.fromkeys(pieces(text[:20_000], GPT2_PATTERN)))
timed_once = time_three_steps(once, 20, 3)
claim(
    "All three learn the same merges in the same order",
    [int(timed.merges[name] == timed.merges["naive"]) for name in ("counted", "updated")],
    equals=1,
    because="they count the same pairs and share the tie rule",
    control={"each word weighs one": int(timed_once.merges["counted"] == timed.merges["naive"])},
)

# %% tags=["claim"]
claim(
    "Counting words once is several times as fast as the plain loop",
    timed.faster("naive", "counted"),
    above=1.8,
    because="the median of five rounds that take turns was 3 or more on a busy machine",
    control={"a text with hardly a word twice": timed_once.faster("naive", "counted")},
)
claim(
    "Updating what a merge changes is several times as fast again",
    timed.faster("counted", "updated"),
    above=1.8,
    because="the median of five rounds was 4 or more; each merge touches few words",
    control={"one merge alone, and nothing to save":
             time_three_steps(text[:20_000], 1, 3).faster("counted", "updated")},
)


# %% [markdown]
# The last way keeps old counts in a queue, which is safe only if counts never rise. They do not: a new pair stands only where the merge just made stands, so it cannot occur more often, and an old pair only loses places.

# %% tags=["claim"]
def rises(steps):
    return sum(after.count > before.count for before, after in zip(steps, steps[1:]))


claim(
    "From one merge to the next, the count of the merged pair never rises",
    rises(steps),
    equals=0,
    because="the greatest count was taken, and what a merge makes is never more frequent",
    control={"any pair merged, whatever its count":
             [rises(merge_steps(text[:50_000], 60, any_pair=seed)) for seed in range(3)]},
)

# %% [markdown]
# ### Can a word be unknown?
#
# Make a vocabulary from a text: of its words, of its characters, of bytes. Then look for what is not in it in the files held out.

# %% tags=["experiment"]
from course_lib.experiments.unknown_symbols import any_text, unknown_by_length, unknown_share
from course_lib.plots import unknown_symbols
from course_lib.plots.show import show

lengths = [10_000, 30_000, 100_000, 300_000, 900_000]
unknown = unknown_by_length(corpus.train.decode("utf8"), held_out, lengths)
show(unknown_symbols.draw, unknown, unknown_symbols.say, size=(8, 3.6))

# %% [markdown]
# Words never run out. Characters nearly do, but a rare sign still turns up. "BPE ends the unknown word" is a common sentence, and it is too short. Merges end nothing: BPE over characters stops at the first character that was not in its text. Bytes alone are not the reason either. What does it is that **all 256 bytes** are in the vocabulary, seen or not.

# %% tags=["claim"]
from course_lib.experiments.tokens_per_word import SENTENCES

stretches = [corpus.train.decode("utf8")[start:start + 100_000]
             for start in range(0, 800_000, 100_000)]
foreign = "".join(SENTENCES.values())
claim(
    "Made from 100,000 characters, a character vocabulary misses some of the held-out text",
    [unknown_share(stretch, held_out, "characters") for stretch in stretches],
    above=0,
    because="one unknown character is enough; eight stretches of the training text",
    control={"all 256 bytes": unknown_share(stretches[0], held_out, "bytes")},
)
claim(
    "All 256 bytes miss nothing, not even in languages that the text does not hold",
    [unknown_share(text, one, "bytes") for one in (foreign, held_out, any_text(500, seed=0))],
    equals=0,
    because="every text is a list of numbers from 0 to 255",
    control={"only the bytes that were seen": unknown_share(
                 text, foreign, "bytes", all_bytes=False),
             "characters": unknown_share(text, foreign, "characters")},
)

# %% tags=["predict"]
cat_guess.reveal(
    f"{len(trained.encode('猫'))} ids",
    "its UTF-8 bytes; all 256 bytes are in the vocabulary, and no merge of that text joins these",
)

# %% [markdown]
# Now the round trip, on characters drawn from all of Unicode. The control decodes each token by itself: half a character is no text.

# %% tags=["claim"]
texts = [any_text(500, seed) for seed in range(5)] + [foreign, held_out]


def token_by_token(tokenizer, text):
    return "".join(tokenizer.decode([i]) for i in tokenizer.encode(text))


claim(
    "Encoded and decoded, every text comes back exactly",
    [int(trained.decode(trained.encode(one)) == one) for one in texts],
    equals=1,
    because="tokens are bytes, and joined they are the bytes that went in",
    control={"decoded token by token": int(token_by_token(trained, foreign) == foreign)},
)

# %% [markdown]
# One thing is refused. Python's text can hold a *lone surrogate*, half of an old two-part code. It is no character, and UTF-8 has no bytes for it:

# %% tags=["experiment"]
shows_error(lambda: trained.encode("half an emoji: \ud83d"), ValueError)

# %% [markdown]
# ### Do merges follow meaning?
#
# Tokens often look like parts that mean something: `ing`, `self`. To see whether meaning has any say, take it away. In *secret writing* each letter is replaced by another one throughout. The text reads as nonsense, but every pair is as frequent as before. As a control, mix the letters inside each word, the same way in all its copies: the words are as frequent as before, the pairs are not. (The tie rule is `first met` here and the cuts go by kinds of signs, so that neither looks at a letter.)

# %% tags=["experiment"]
from course_lib.experiments.secret_writing import (
    secret_writing,
    shuffled_words,
    tokens_of,
    with_word,
)

plain = tokens_of(text, 300)
table = secret_writing(seed=0)
for token in [t for t in plain if len(t.strip()) > 2 and t.strip().isalpha()][:5]:
    print(written([token.encode(), token.translate(table).encode()], "  in secret writing:  "))


# %% tags=["claim"]
def lost(seed):
    table = secret_writing(seed)
    in_secret = tokens_of(text.translate(table), 300)
    return len({token.translate(table) for token in plain} - set(in_secret))


lost_in_secret = [lost(seed) for seed in range(3)]
mixed = tokens_of(shuffled_words(text, seed=0), 300)
claim(
    "In secret writing BPE learns the same 300 tokens, letter for letter",
    lost_in_secret,
    equals=0,
    because="only counts and places decide, and both are unchanged",
    control={"letters mixed inside the words": len(set(plain) - set(mixed))},
)

# %% tags=["predict"]
secret_guess.reveal(
    f"all: {lost_in_secret[0]} of 300 are lost",
    "BPE sees how often pairs occur and where, never what they mean",
)

# %% [markdown]
# So a word without meaning becomes a token once it is frequent enough, and one with meaning stays in pieces while it is rare:

# %% tags=["experiment"]
nonsense = {times: BPETokenizer.train(with_word(text, "zqxjv", times), 756)
            for times in (0, 30, 300)}
for times, tokenizer in nonsense.items():
    print(f"{times:4} times: {written(cut(tokenizer, ' zqxjv'))}")
for word in (" unhappiness", " running"):
    print(written(cut(nonsense[0], word)))

# %% tags=["claim"]
claim(
    "A meaningless word that occurs 300 times in 300,000 characters is one of 500 merged tokens",
    len(cut(nonsense[300], " zqxjv")),
    equals=1,
    because=f"its pairs occur 300 times, and merge 500 joined a pair that occurs "
            f"{steps[499].count} times",
    control={"in the text as it is": len(cut(nonsense[0], " zqxjv"))},
)

# %% [markdown]
# Frequent strings often *are* parts with a meaning, so the two are easily confused. Are the last two words cut where a grammar would cut them?
#
# ### What does a text cost?
#
# A model reads and writes token by token, so the number of tokens is what a text costs. Learn 3,744 merges, and use only the first of them.

# %% tags=["experiment"]
from course_lib.experiments.tokens_per_word import (
    MORE_CHINESE,
    costs,
    first_merges,
    tokens_per_word,
)

big = BPETokenizer.train(corpus.train.decode("utf8"), 4000)
sizes = [256, 500, 1000, 2000, 4000]
python_texts = {"training text": corpus.train.decode("utf8")[:100_000], "held out": held_out,
                "plain English": SENTENCES["English"]}

# %% [markdown]
# ## Play
#
# Move the slider through the sizes. Left: how many tokens a word has, on text that the merges were learnt from, on other files, and in plain English. Right: the same four everyday sentences in five languages. What does each doubling save? Which languages gain, and which do not at all?

# %% tags=["widget", "experiment"]
from course_lib.plots import tokens_per_word as by_size
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

all_sizes = costs(big, python_texts, sizes)
explore(all_sizes.at, by_size.draw, by_size.say, size=(9.5, 3.6),
        n_tokens=choice(sizes, 1000, label="tokens in the vocabulary"))

# %% [markdown]
# Every token more is one more row of weights in the model, and later ones save less. Greek, Hindi and Chinese stay at the bytes of UTF-8, since no merge of this text fits them. Is a language expensive in itself, then? Put *other* Chinese sentences of the same characters into the training text, 50 times, and see.

# %% tags=["claim"]
per_character = {}
for name, training_text in {"as it is": text, "with Chinese": text + 50 * MORE_CHINESE}.items():
    learnt = BPETokenizer.train(training_text, 756)
    per_character[name] = len(learnt.encode(SENTENCES["Chinese"])) / len(SENTENCES["Chinese"])
claim(
    "With Chinese in the training text, a Chinese character needs fewer than 2 tokens",
    per_character["with Chinese"],
    below=2,
    because="it was 3, the bytes of each of these characters; the sentences learnt from are others",
    control={"the text as it was": per_character["as it is"]},
)
per_character

# %% [markdown]
# So UTF-8 decides only the worst case; the training text decides the rest. Merges help other files of the same kind, and those from the secret writing help the same files much less:

# %% tags=["claim"]
strange = BPETokenizer.train(text.translate(table), 1256)
bare = tokens_per_word(first_merges(big, 0), held_out)
claim(
    "1,000 merges save more than half of the tokens of text from other files",
    tokens_per_word(trained, held_out) / bare,
    below=0.5,
    because="measured at about 0.4; other versions of Python bring other text",
    control={"1,000 merges from the secret writing": tokens_per_word(strange, held_out) / bare},
)

# %% [markdown]
# Code has its own habits (runs of spaces are tokens here), and an emoji may be several characters glued together:

# %% tags=["experiment"]
for sample in ("        return self", "👩‍🚀"):  # a line of code, an astronaut
    counts = len(sample), len(sample.encode("utf8")), len(big.encode(sample))
    print(sample, "characters {}, bytes {}, tokens {}".format(*counts))

# %% [markdown]
# The same sentences in GPT-2's published vocabulary, if it is installed (the extra `pretrained`):

# %% tags=["experiment"]
from course_lib.experiments.tokens_per_word import published_counts

published_counts() or "GPT-2's vocabulary is not installed here."

# %% [markdown]
# ### Special tokens
#
# Some ids stand for no text at all: the end of a document, or who speaks in a chat. Such a **special token** is added by hand, is never merged, and never learnt from text. It is written as text that nobody would write by accident. But somebody may do it on purpose, so the tokenizer must be told whether to believe it:

# %% tags=["derive"]
chat = BPETokenizer(big.vocab, big.merges, special_tokens=["<|endoftext|>"])
ending = "Good night.<|endoftext|>"
print(written(cut(chat, ending)))
print(len(chat.encode(ending)), len(chat.encode(ending, allow_special=False)))

# %% tags=["claim"]
end = chat.special_tokens["<|endoftext|>"]
claim(
    "A stranger's text cannot contain the special token when special tokens are not allowed",
    chat.encode(ending, allow_special=False).count(end),
    equals=0,
    because="its characters are encoded like any others, and no merge leads to its id",
    control={"allowed": chat.encode(ending).count(end)},
)

# %% [markdown]
# ## Verify
#
# One often reads: "BPE repeatedly merges the most frequent pair of bytes". True with three conditions: the first symbols are bytes (in Sennrich et al. they are characters), a rule settles ties, and only pairs inside a piece count. Without cuts, other tokens are learnt:

# %% tags=["claim"]
import re

uncut = BPETokenizer.train(text[:100_000], 756, pattern=None)


def across_words(tokenizer):
    return sum(bool(re.search(rb"\w \w", left + right)) for left, right in tokenizer.merges)


claim(
    "Without cuts, some of 500 tokens reach from one word into the next",
    across_words(uncut),
    above=0,
    because="one is enough; with cuts no piece holds letters on both sides of a space",
    control={"GPT-2's cuts": across_words(nonsense[0])},
)

# %% [markdown]
# ## Exercise
#
# Two exercises. After a wrong try, the hint cell opens one hint further; after two, the solution is yours for the asking. If a cell does not end, your place in the word stands still: stop it with ■.
#
# ### 1. The merge step

# %% tags=["exercise"]
from course_lib.checks.lesson_11 import decode, merge_step

merge_step


# %% tags=["exercise"]
def my_merge_step(ids, pair, new_id):
    raise NotImplementedError


merge_step.check(my_merge_step)

# %% tags=["exercise"]
merge_step.hint()

# %% [markdown]
# ### 2. Back to text

# %% tags=["exercise"]
decode


# %% tags=["exercise"]
def my_decode(ids, vocab):
    raise NotImplementedError


decode.check(my_decode)

# %% tags=["exercise"]
decode.hint()

# %% [markdown]
# ### An open one
#
# Train a tokenizer on a text of yours, a few thousand words. Which of the first 50 tokens surprise you? Then train without pieces (`pattern=None`): which tokens reach across words, and what do you gain and lose?

# %% [markdown]
# ## Takeaways
#
# How does text become ids? It is cut into pieces, the pieces become bytes, and inside each piece the learnt merges are applied in the order of learning. Learning takes the most frequent pair of neighbours, again and again, with a rule for ties that belongs to the vocabulary. Can a word be unknown? Not when all 256 bytes are tokens: then the worst that happens is one token for each byte. Merges have no part in that. They make text short, as far as it resembles the text they were learnt from, and they know counts, not meaning.
#
# Not covered: how the vocabulary's size changes what a *model* learns; unigram tokenizers, which start large and shrink; other split patterns. What a toy cannot show: how fair a vocabulary is that was learnt from many languages.
#
# Sources: Gage 1994, *A new algorithm for data compression*, The C Users Journal 12(2) (bytes, as compression); Sennrich, Haddow and Birch 2016, [Neural machine translation of rare words with subword units](https://arxiv.org/abs/1508.07909), section 3.2; Radford et al. 2019, [Language models are unsupervised multitask learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), section 2.2.
#
# Next: [12 WordPiece](12_wordpiece.ipynb), BERT's way to cut. [Contents](01_how_this_course_works.ipynb)
