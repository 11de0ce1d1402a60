# %% [markdown]
# # 62 Train a BERT
#
# **After two minutes of training, which gaps does a small BERT fill, and does it understand whether two texts belong together?** At the end you can read BERT's two losses beside the best that is possible, say which words it has learnt to name and which not, and test whether it sees more than a bag of words. You need lessons 12, 22 and 41; about 60 minutes. One cell trains for two minutes or more. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [61 Train a GPT](61_train_gpt.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(62)

# %% tags=["widget"]
import torch

from course_lib.config import BertConfig
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.fill_mask import fill_mask
from course_lib.models.bert import BertPretraining
from course_lib.plots import fill_mask as fill_plot
from course_lib.widgets.controls import control
from course_lib.widgets.explore import explore

STORY = ("one windy day Kate and Hugo were in the garden . Kate found a red map . she gave the map to Hugo . "
         "she felt annoyed because Hugo had the red map . in the end Hugo had the red map .")
vocabulary = story_tokenizer().vocabulary
untrained = BertPretraining(BertConfig(len(vocabulary), 96, 96, n_layers=4, n_heads=4)).eval()

explore(lambda place: fill_mask(untrained, STORY, place), fill_plot.draw, fill_plot.say, size=(9, 3),
        place=control(1, 43, 1, 4, label="place of the hidden word"))

# %% [markdown]
# ## Question
#
# A BERT reads a text in which a word is hidden, and says which one it was. The stories of this course come from a grammar, so we also know what a *perfect reader* says: one who knows every rule of the grammar and reads the whole text. On the left is its answer, on the right that of a BERT that was not trained at all. It gives every word about the same.
#
# Walk the slider through the story. At 4 the perfect reader is sure: the story names Kate again. At 2 nobody can know the weather, which is told only once. At 22, at 28 and at 39, what does one have to remember?
#
# Training is to bring the right panel to the left one. You start with random weights, and you have two minutes.

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

words_guess = predict(
    "The perfect reader names about 9 of 10 hidden words. Of what it reaches, your BERT will reach, "
    "after two minutes:",
    ["about a quarter", "about a half", "about three quarters", "nearly all"],
)
words_guess

# %% tags=["predict", "widget"]
false_guess = predict(
    "Some hidden words do not read [MASK]: a random word stands in their place, and BERT is asked for "
    "the right one. Compared with [MASK], it names the right word",
    ["more often", "about as often", "less often"],
)
false_guess

# %% tags=["predict", "widget"]
pair_guess = predict(
    "BERT also says whether text B follows text A. Where B does not, it is the end of another story, "
    "told with A's names, places and things. A bag of words is right in about 60%, the perfect reader "
    "in about 95%. Your BERT, after two minutes:",
    ["about 50%", "about 60%", "about 75%", "above 85%"],
)
pair_guess

# %% [markdown]
# ## Derive
#
# ### The model
#
# A stack of blocks as in GPT, with three differences. No mask hides the future. The norm stands *behind* each sublayer (Post-LN, lesson 33). And the input is a sum of three tables: tokens, positions, and *segments*, which say whether a token belongs to text A or to text B.

# %% tags=["derive"]
from course_lib.mechanisms.blocks import PostNormBlock
from course_lib.models.bert import Bert

show_source(PostNormBlock.forward)

# %% tags=["derive"]
show_source(Bert.forward)

# %% [markdown]
# Two heads sit on top. One scores every word of the vocabulary at a position, the other reads the first position, `[CLS]`, through one more layer (the *pooler*), and answers yes or no.

# %% tags=["derive"]
show_source(BertPretraining.forward)

# %% [markdown]
# BERT is the encoder of the first transformer, without its decoder. How many numbers is that? Count them yourself; the heads are left out, the pooler is not.

# %% tags=["exercise"]
from course_lib.checks.lesson_62 import encoder_parameters, right_by_kind

encoder_parameters


# %% tags=["exercise"]
def my_encoder_parameters(vocab_size, max_seq_len, d_model, n_layers):
    raise NotImplementedError


encoder_parameters.check(my_encoder_parameters)

# %% tags=["exercise"]
encoder_parameters.hint()

# %% tags=["claim"]
from course_lib.checks.claim import claim
from course_lib.config import BERT_SIZES
from course_lib.models.counting import count_bert_parameters, count_gpt_parameters
from course_lib.config import GPT2_SIZES

published = [count_bert_parameters(BERT_SIZES[name])["total"] for name in ("bert-base", "bert-large")]
claim(
    "12 layers make 110 million parameters, 24 wider ones about 340 million",
    [n / 1e6 for n in published], near=[110, 340], within=6,
    because="the paper rounds; the counts are 109,482,240 and 335,141,888",
    control={"without the token table": [
        count_bert_parameters(BERT_SIZES[name])["total"] / 1e6
        - BERT_SIZES[name].vocab_size * BERT_SIZES[name].d_model / 1e6
        for name in ("bert-base", "bert-large")]},
)

# %% [markdown]
# ([Devlin et al. 2019](https://arxiv.org/abs/1810.04805), section 3. The tests of this course hold our counts to the published models.)
#
# ### Two sides, in every layer
#
# The paper's title says *deep bidirectional*. What does "deep" add? One could also read the text once from the left and once from the right, and put both results side by side. In both cases each vector knows of both sides. So ask for more: does what a word on the *left* does to a vector depend on a word on the *right*? Change the first word, the last word, both. If the sides act on their own, the effect of both is the sum of the effects.

# %% tags=["derive"]
from course_lib.experiments.both_sides import BOTH, ONE_WAY, READERS, SIDE_BY_SIDE, sides

for reader in READERS:
    first_layer = {name: round(part[0].item(), 3) for name, part in vars(sides(reader)).items()}
    print(f"{reader:<20}", first_layer)

# %% tags=["claim"]
deep = [sides(BOTH, seed=seed) for seed in range(3)]
claim(
    "Already in the first layer of a two-sided model, what one side does depends on the other",
    [each.joint[0] for each in deep], above=0.02,
    because="softmax shares out attention among both sides at once; ten random stacks gave 0.09 or more",
    control={name: [sides(name, seed=seed).joint.max() for seed in range(3)]
             for name in (SIDE_BY_SIDE, ONE_WAY)},
)

# %% [markdown]
# Two one-way stacks pass the simpler test (both sides move the vector), and fail this one in every layer. That is how [ELMo](https://arxiv.org/abs/1802.05365) reads; the two meet only behind the last layer.
#
# ### What it is asked
#
# A story is cut in two after its second or third sentence: A and B. Half of the pairs get another B. 15% of the words are selected. Here is one pair as BERT gets it:

# %% tags=["derive"]
from course_lib.data.story_pairs import next_part_pairs, story_masking
from course_lib.experiments.pair_masks import masked_pair
from course_lib.plots import masked_story as story_plot
from course_lib.plots.show import show
from course_lib.training.pretraining import Pretraining

held_out = next_part_pairs(n_pairs=2, n_held_out=1000)
task = Pretraining(held_out.train, held_out.validation, story_masking())
batch = task.fixed(96, 1000)
show(story_plot.draw, masked_pair(batch, 2), story_plot.say, size=(9.4, 4.6))

# %% [markdown]
# The vocabulary is WordPiece, learnt from stories (lesson 12). It went on merging until every word of the grammar was one piece, so here a token is a word. Count many pairs:

# %% tags=["claim"]
from course_lib.experiments.pair_masks import count_asked, count_asked_printed

rows, masking = held_out.validation.rows, story_masking()


def split(counts):
    return [counts.selected, counts.masked, counts.random, counts.kept, counts.false, counts.special]


asked = [count_asked(rows, masking, seed) for seed in range(4)]
print(f"BERT: {asked[0].a_pair:.1f} questions a pair. A GPT: {held_out.validation.n_tokens / len(rows.labels) - 1:.1f}")
claim(
    "15% are asked for: 80% of them read [MASK], 10% are random, 10% kept; 1.7% of the rest are false",
    [split(counts) for counts in asked],
    near=[0.15, 0.8, 0.1, 0.1, 0.015 / 0.88, 0], within=[0.0065, 0.018, 0.014, 0.014, 0.0025, 0],
    because="four standard errors, for 54,000 words a seed; [CLS], [SEP] and padding are never touched",
    control={"a masking as printed (lesson 41)": split(count_asked_printed(rows, masking))},
)

# %% [markdown]
# So seven words of eight teach nothing in a pass, and a story has to be read more often than by a GPT. On the other hand each question is answered from both sides. Both losses are means, and BERT's loss is their sum. The library scores only the selected places, which gives the same numbers for less work:

# %% tags=["claim"]
from course_lib.models.bert import pretraining_loss

parts = task.losses(untrained, batch)
logits = untrained(*batch[:3])
log_p = logits.tokens.log_softmax(dim=-1)
wanted = batch.token_targets != -100
surprise = -log_p[wanted].gather(-1, batch.token_targets[wanted][:, None]).mean()
claim(
    "BERT's loss is the mean surprise at the selected words plus that at the answers on the pairs",
    [sum(parts.values()), pretraining_loss(logits, batch.token_targets, batch.next_targets)],
    near=surprise + torch.nn.functional.cross_entropy(logits.next_sentence, batch.next_targets),
    within=1e-4,
    because="the same sums in float32, in another order",
    control={"the mean over all words": -log_p.gather(-1, batch.token_ids[..., None]).mean() + parts["nsp"],
             "words only": parts["mlm"]},
)

# %% [markdown]
# ### The best that is possible
#
# What does the perfect reader make of a word that does *not* read `[MASK]`? It is asked for it, so the word was kept or it is a random one. Take the weather of the first story, which nothing else tells. There are 8 kinds of weather, all equally likely, and a random word is drawn from $n$. The story shows "windy". By Bayes' rule, with $k = 0.1$ (kept) and $r = 0.1/n$ (this random word):
#
# $$p(\text{windy} \mid \text{shown windy}) = \frac{\tfrac18 (k + r)}{\tfrac18 (k + r) + \tfrac78\, r}$$

# %% tags=["derive"]
n = masking.vocab_size - len(masking.special_ids)
k, r = 0.1, 0.1 / n
by_hand = (k + r) / (k + r + 7 * r)
by_hand

# %% [markdown]
# The library does it for any word of any story. It keeps a list of all ways in which the story may stand, with their probabilities, and goes through the text once, word by word. At the end it adds up the weights of those in which the hidden word was each word.

# %% tags=["claim"]
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import Corruption, posteriors


def perfect_reader(word, place):
    """The posterior at a place of the story (from 1), when this word is shown there."""
    shown = STORY.split()
    shown[place - 1] = word
    return posteriors(everyday_stories(), shown, [place - 1], Corruption(n))[0]


claim(
    "By hand and from the library: a word that fits is most likely right",
    perfect_reader("windy", 2)["windy"], near=by_hand, within=1e-6,
    because="the library drops what is a billion times less likely than the best",
    control={"[MASK] shown": perfect_reader("[MASK]", 2)["windy"]},
)

# %% tags=["derive"]
print("'foggy' in place of 'windy':", max(perfect_reader("foggy", 2).items(), key=lambda pair: pair[1]))
print("'blue' in place of 'red':   ", max(perfect_reader("blue", 15).items(), key=lambda pair: pair[1]))

# %% [markdown]
# A false word that fits misleads even the perfect reader, where nothing else in the text tells. Where the text tells the colour twice more, a false one is seen through. Its score on many stories was worked out once and is stored; a test recomputes a part.

# %%
