# %% [markdown]
# # 63 Fine-tune a BERT
#
# **What is a pre-trained encoder worth when labels are few, and for which tasks?** At the end you can put each of BERT's four heads on an encoder and say what its loss grades, you have fine-tuned four models yourself, and you can read a contest of pre-trained against untrained as far as it goes, and no further. You need lessons 12, 41 and 62; about 60 minutes. Cells train for about a minute in all. [Contents](01_how_this_course_works.ipynb#Contents) · previous: [62 Train a BERT](62_train_bert.ipynb) · next: [64 Real checkpoints](64_real_checkpoints.ipynb)

# %% tags=["setup"]
try:
    from course_lib.lesson import begin, show_source
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing}. Start this lesson with: python3 -m course_lib lab") from None

begin(63)

# %% tags=["widget"]
from course_lib.experiments.fine_tuning import new_heads
from course_lib.experiments.four_heads import four_heads
from course_lib.models.shipped import load
from course_lib.plots import four_heads as heads_plot
from course_lib.widgets.controls import choice
from course_lib.widgets.explore import explore

STORY = ("one windy day Kate and Hugo were in the garden . Kate found a red map . she gave the map to Hugo . "
         "she felt annoyed because Hugo had the red map . in the end Hugo had the red map .")
CLAIMS = ["Hugo had the map .", "Kate had the map .", "Kate had the drum .", "Hugo was in the garden ."]
QUESTIONS = ["who had the red map ?", "where was Kate ?", "what did Hugo have ?"]
SENTENCES = ["she gave the map to Hugo .", "she gave map the to Hugo .", "she gave the garden to Hugo ."]
encoder = load("stories-bert").model
untaught = new_heads(encoder)

explore(lambda claim, question, sentence: four_heads(untaught, STORY, claim, question, sentence),
        heads_plot.draw, heads_plot.say, size=(9.6, 5), claim=choice(CLAIMS, CLAIMS[0]),
        question=choice(QUESTIONS, QUESTIONS[0]), sentence=choice(SENTENCES, SENTENCES[0]))

# %% [markdown]
# ## Question
#
# Four things that people ask of a text. Does this claim follow from it? Is this an acceptable sentence? Which words answer this question? Which words name a person, a place, an object? Above, four *heads* try. Each is a layer or two on top of an encoder that reads the text. The encoder is the BERT of lesson 62, from its longer run (`"coffee"`). The heads have learnt nothing yet, and so their answers mean nothing. (Read the answer in the frame and the colours, then change the question.)
#
# A pre-trained encoder fills gaps. Nobody has told it what a claim is. To teach the heads we need *labels*: right answers that somebody gave. They are dear, so the question is how many it takes, and what the pre-training saves. Training encoder and head together on labels is called *fine-tuning*.

# %% [markdown]
# ## Predict

# %% tags=["predict", "widget"]
from course_lib.widgets.predict import predict

TASK_NAMES = {"pair": "does the claim follow?", "single": "is it a sentence?",
              "answer": "which words answer?", "tags": "person, place or object?"}
where_guess = predict(
    "With 1,000 labels: on which task is the pre-trained encoder furthest ahead of one that starts "
    "from random weights?",
    list(TASK_NAMES.values()),
)
where_guess

# %% tags=["predict", "widget"]
frozen_guess = predict(
    "Leave the encoder as it is, and let the head alone learn from 1,000 labels, in as many steps. "
    "On which of the four tasks is it about as good as training both (at most 3 points behind)?",
    ["on all four", "on some of them", "on none"],
)
frozen_guess

# %% tags=["predict", "widget"]
seed_guess = predict(
    "\"Is it a sentence?\" with 100 labels: ten runs differ in their seed alone, in the head's first "
    "weights and in the order of the texts. At the best rate, best and worst are apart by",
    ["less than 2 points of a hundred", "2 to 10 points", "more than 10 points"],
)
seed_guess

# %% [markdown]
# ## Derive
#
# ### Four heads
#
# The encoder gives a vector for each position. The first two tasks want *one* answer for a whole text, so they take one vector: that of `[CLS]`, through the pooler that next sentence prediction has trained (lesson 62). For a pair, both texts stand in one row with a `[SEP]` between them: they meet in the encoder, in every layer, and the head need not compare anything.

# %% tags=["derive"]
from course_lib.models.heads import SentenceHead, SpanHead, TagHead

show_source(SentenceHead.forward)

# %% [markdown]
# The other two ask at every position. A tag head scores the tags of each token. The head for answers scores each token twice: how well it would do as the *first* token of the answer, and how well as its *last*.

# %% tags=["derive"]
show_source(TagHead.forward)

# %% tags=["derive"]
show_source(SpanHead.forward)

# %% [markdown]
# ([Devlin et al. 2019](https://arxiv.org/abs/1810.04805), sections 4 and 5.3; figure 4, in the appendix, shows the four. Its examples: MNLI for pairs, CoLA for single sentences, SQuAD for answers, CoNLL-2003 for names.) How much is new?

# %% tags=["derive"]
from course_lib.data.story_labels import STORY_TASKS, story_labels

n_encoder = sum(p.numel() for p in encoder.bert.parameters())
for task, model in untaught.items():
    print(f"{task:<7} new layer: {sum(p.numel() for p in model.head.dense.parameters()):>4} numbers; "
          f"the encoder: {n_encoder:,}")

# %% tags=["claim"]
from course_lib.checks.claim import claim

few = {task: story_labels(task, 20, 63) for task in STORY_TASKS}


def sizes(heads):
    """Answers of a pair and of a sentence, tags, and how many positions have a tag or two scores."""
    pair, single, answer, tags = (heads[task](*few[task].texts.rows[:3]) for task in STORY_TASKS)
    return [pair.shape[-1], single.shape[-1], tags.shape[-1], tags.shape[1], answer.start.shape[1]]


claim(
    "One of 3 answers, one of 2, one of 4 tags for each token, and two scores for each token",
    sizes(untaught),
    equals=[3, 2, 4, *(few[task].texts.rows.token_ids.shape[1] for task in ("tags", "answer"))],
    because="shapes are whole numbers",
    control={"heads of pair and single exchanged": sizes(
        {**untaught, "pair": untaught["single"], "single": untaught["pair"]})},
)

# %% [markdown]
# ### What a span is graded on
#
# Take five tokens and these scores for the start. The answer begins at the third token. It is a choice of one among five, so it is graded like the choice of a word: softmax, and minus the logarithm at the right place. The end is a second choice of this kind. The loss is the mean of the two. (The paper adds them; its released code takes the mean.)

# %% tags=["derive"]
import math

import torch

from course_lib.models import fine_tuned
from course_lib.models.fine_tuned import best_span
from course_lib.models.heads import SpanLogits

start, end = [0.0, 1.0, 2.0, 0.0, 0.0], [0.0, 2.5, 0.0, 2.0, 0.0]
first, last = 2, 3  # the right span: third and fourth token
surprise_start = math.log(sum(math.exp(s) for s in start)) - start[first]
surprise_end = math.log(sum(math.exp(s) for s in end)) - end[last]
by_hand = (surprise_start + surprise_end) / 2
by_hand

# %% tags=["derive"]
show_source(fine_tuned.span_loss)

# %% tags=["claim"]
scores = SpanLogits(torch.tensor([start]), torch.tensor([end]))
claim(
    "The loss of a span is the mean surprise at its first and at its last token",
    fine_tuned.span_loss(scores, torch.tensor([first]), torch.tensor([last])), near=by_hand, within=1e-6,
    because="the same sums in float32",
    control={"their sum": 2 * by_hand,
             "one softmax over all ten scores": math.log(sum(map(math.exp, start + end)))
             - (start[first] + end[last]) / 2},
)

# %% [markdown]
# In use, the answer is the pair of places with the largest sum of both scores, of all pairs in the right order. Why not the best start and the best end, each on its own? Look at the scores above: the best start is token 2 (counting from 0), the best end token 1. An answer that ends before it begins is none.

# %% tags=["claim"]
anywhere = torch.ones(1, 5, dtype=torch.bool)
claim(
    "Compared as pairs, first and last token stand in the right order",
    best_span(scores, anywhere)[0], equals=[2, 3],
    because="they are places in a list",
    control={"each on its own": [scores.start.argmax(), scores.end.argmax()]},
)

# %% [markdown]
# ### Labels that are right by construction
#
# The story grammar knows what is true at the end of each story, so it can label. It knows the shapes of its own sentences, too: of the single sentences half are broken (two words exchanged, one dropped, or one replaced), so that no story can hold them. One example of each task:

# %% tags=["derive"]
from textwrap import fill

claimed, judged, asked, tagged = (few[task].examples[2] for task in STORY_TASKS)
broken = next(each for each in few["single"].examples if not each.acceptable)
named = [word if tag == "outside" else f"{word}({tag})" for word, tag in zip(tagged.words, tagged.tags)]
for text in (
    f"PAIR {' '.join(claimed.story)} CLAIM: {' '.join(claimed.claim)} LABEL: {claimed.label}",
    f"SINGLE {' '.join(broken.words)} LABEL: broken",
    f"ANSWER {' '.join(asked.story)} QUESTION: {' '.join(asked.question)} "
    f"LABEL: words {asked.start} to {asked.stop - 1}, counted from 0 ({' '.join(asked.answer)})",
    f"TAGS {' '.join(named)}",
):
    print(fill(text, 100), end="\n\n")

# %% [markdown]
# Labels can be given away by accident. In real collections of pairs a reader of the *claims alone* does well, for people write false claims in other words than true ones ([Gururangan et al. 2018](https://arxiv.org/abs/1803.02324)). Here each kind of claim has each label equally often, with the same words. Test it with a logistic regression that knows which words a text holds (a *bag of words*, lesson 62), once on the claims alone, once on story and claim.

# %% tags=["claim"]
from dataclasses import replace

from course_lib.experiments.fine_tuning import held_out, labels_to_learn
from course_lib.experiments.label_rivals import bag_score, fit_bag


def claims_alone(labels):
    """The same labels, with the stories taken away."""
    return replace(labels, examples=tuple(replace(each, story=()) for each in labels.examples))


learn, test = labels_to_learn("pair", 1000), held_out("pair")
by_claim = bag_score(fit_bag(claims_alone(learn), decay=1e-2), claims_alone(test))
by_both = bag_score(fit_bag(learn, decay=1e-2), test)
claim(
    "Who reads the claim alone is right in a third of the cases",
    by_claim, near=1 / 3, within=4 * math.sqrt(2 / 9 / len(test.examples)),
    because="three labels, equally frequent; four standard errors of so many answers",
    control={"story and claim": by_both},
)

# %% [markdown]
# A bag of both does better than that. One reason can be counted: how often does a claim hold a word that its story does not have?

# %% tags=["derive"]
for label in test.answers:
    missing = [bool(set(each.claim) - set(each.story)) for each in test.examples if each.label == label]
    print(f"{label:<12} {sum(missing) / len(missing):.0%} of the claims have a word that the story lacks")

# %% [markdown]
# A word that is missing is something a bag can see. So a model that understands nothing gets far on this task, and to be better than a third of right answers proves nothing. That is why a simple rival runs in the contest below.
#
# The tags need a trap of their own. In these stories no name is also a thing, so a table of words would be right every time. Real names are not like that (*Washington* is a person, a city, a state). So half of the people here bear nicknames, the name of a thing or a place: "kite found a red map". Now the tag follows from the story, and a table has to guess.

# %% tags=["claim"]
from course_lib.data.stories.nicknames import nicknamed
from course_lib.experiments.label_rivals import table_score

tables = {share: table_score(nicknamed(1000, 1, share), nicknamed(300, 2, share)) for share in (0.0, 0.5)}
claim(
    "A table of words is right about all names, until some people bear nicknames",
    1 - tables[0.5], above=0.15,
    because="half of the people bear the name of a thing or a place, and the table sees the word alone",
    control={"no nicknames": 1 - tables[0.0]},
)

# %% [markdown]
# ### No [MASK] any more
#
# A claim, an answer, a name: none of these texts has a gap. The encoder has never been trained on such a text: in all of them words were hidden. This is the *mismatch* of lesson 41, and one reason why some of the selected words are kept or exchanged in pre-training.

# %% tags=["claim"]
from course_lib.data.story_pairs import next_part_pairs, story_masking
from course_lib.training.pretraining import Pretraining

masking = story_masking()
pairs = next_part_pairs(n_pairs=2, n_held_out=200)
gapped = Pretraining(pairs.train, pairs.validation, masking).fixed(96, 200)
claim(
    "No text of the four tasks holds a [MASK]",
    [(labels.texts.rows.token_ids == masking.mask_id).double().mean() for labels in few.values()],
    equals=0.0, because="a count of tokens",
    control={"a batch of pre-training": (gapped.token_ids == masking.mask_id).double().mean()},
)

# %% [markdown]
# That `[MASK]` never comes up downstream is true of fine-tuning, and only of that. One can also *use* the gap: write "in the end Kate was in the `[MASK]` ." behind a story, and read the word. It takes no label at all.

# %% tags=["experiment"]
from course_lib.experiments.cloze import ask_by_gap
from course_lib.experiments.fine_tuning import untrained

gaps = {"pre-trained": ask_by_gap(encoder), "random weights": ask_by_gap(untrained(encoder.config))}
for name, each in gaps.items():
    print(f"{name:<15} names one of the story's places in {each.named:.0%}, the right one in {each.model:.0%}")
print(f"{each.n_stories} stories; right of one who guesses among the story's places: {each.guess:.0%}")

# %% [markdown]
# Read the two shares of the pre-trained encoder and the guess. From gaps alone, without a label, it has learnt that a place of the story belongs here, which random weights know nothing of. *Which* of the places it is, it tells about as well as one who guesses among them. (Many stories name a single place, and then there is nothing to guess.)
#
# ## Experiment
#
# ### Two starts, the same labels
#
# One model starts from the pre-trained encoder, the other from random weights of the same shape. Both get a new head, the same 1,000 labels, the same batches and the same rate of learning, which rises for a tenth of the steps and then falls to 0. `TASK` may be `"pair"`, `"single"`, `"answer"` or `"tags"`. The curves show the loss on the batches that are learnt from.

# %% tags=["experiment"]
from course_lib.experiments.fine_tuning import settings
from course_lib.experiments.label_race import LabelRace

TASK, N_LABELS, STEPS, RATE = "answer", 1000, 100, 1e-3

measured_on = held_out(TASK)
race = LabelRace({"pre-trained": encoder, "from scratch": untrained(encoder.config)},
                 labels_to_learn(TASK, N_LABELS), measured_on, settings(RATE, STEPS, batch=8))

# %% tags=["experiment", "widget"]
from course_lib.plots import style
from course_lib.plots.race import draw_race, say_race
from course_lib.widgets.live import live

n_choices = {"pair": 3, "single": 2, "answer": measured_on.texts.lengths.double().mean().item(), "tags": 4}
draw = draw_race(list(race.states), STEPS, math.log(n_choices[TASK]), "all answers alike", "nats",
                 [(style.V, "-"), (style.Q, "--")], at=1.0)
watched = live(race, STEPS, draw, say_race, size=(9, 3))

# %% tags=["experiment"]
from course_lib.experiments.label_rivals import rival_of, rival_score

scores_now = race.scores()
rival = rival_score(labels_to_learn(TASK, N_LABELS), story_labels(TASK, 300, 6303), measured_on)
for name, score in {**scores_now, rival_of(TASK): rival}.items():
    print(f"{name:<13} right in {score:.0%} of the held-out texts")

# %% [markdown]
# The third line is a simple rival that knows nothing of the order of words: a bag of words for pairs and single sentences; for answers the place where the answer most often stands (weak, since stories differ in length); for tags a table with each word's most frequent tag. (An answer counts only when first and last token are right. For tags, only the words count that name something: who tags nothing would be right about the rest.)
#
# ### All four
#
# Now train all heads on the pre-trained encoder, each with a copy of its own. The rates are those that the recorded contest below has chosen; 100 steps are fewer than there, but for the tags.

# %% tags=["experiment"]
from course_lib.experiments.fine_tuning import fine_tune
from course_lib.experiments.label_contest import (
    FROZEN,
    FULL,
    RIVAL,
    SCRATCH,
    recorded_contest,
)

contest = recorded_contest()


def entries_of(task, contestant):
    """What was recorded of one contestant, by number of labels."""
    return {entry.n_labels: entry for entry in contest.of(task, contestant)}


taught = dict(untaught)
for task in STORY_TASKS:
    rate = entries_of(task, FULL)[1000].rate
    tuned = fine_tune(encoder, labels_to_learn(task, 1000), held_out(task), settings(rate, steps=100))
    taught[task] = tuned.model
    print(f"{TASK_NAMES[task]:<28} {tuned.score:.0%}", flush=True)

# %% [markdown]
# ### The contest
#
# One run says little: another seed, another rate, another number of labels may turn it round. So here is a contest, recorded once: four tasks, 100, 1,000 and 10,000 labels, five seeds. On one task all make equally many steps. Each chooses its rate from the same three, with 1,000 labels and a seed of its own, by its score on other labels than it is measured on. (Some chose a rate at the end of the list, so a longer list may change a lead.) The bars are 95% intervals for the mean over seeds. They do not hold the chance in which texts were asked; that is up to six points either way with 300 texts, but the texts are the same for all.

# %% tags=["experiment"]
from course_lib.plots import label_contest as contest_plot
from course_lib.plots.label_contest import Curve, Panel
from course_lib.plots.show import show


def curve(task, contestant):
    found = contest.of(task, contestant)
    return Curve(contestant, [e.n_labels for e in found], [e.mean for e in found], [e.interval for e in found])


print(f"{contest.command}\n{contest.date}")
for task in STORY_TASKS:
    print(f"{TASK_NAMES[task]:<28} {contest.steps[task]} steps, {contest.steps[task] * contest.batch:,} texts read")
panels = [Panel(TASK_NAMES[task], [curve(task, c) for c in (FULL, SCRATCH, RIVAL)])
          for task in STORY_TASKS]
show(contest_plot.draw, panels, contest_plot.say, size=(9.6, 3.4))

# %% [markdown]
# On tags, answers and single sentences the pre-trained encoder is ahead with every number of labels. Compare its 1,000 labels with the 10,000 of the untrained start: it is not behind on any of these three. But look at the texts read, above: where fewer than 10,000 are read, the number is the size of the pool, and not all of it was met. The wide bar of the untrained start, on sentences with 10,000 labels, is luck: some of its five runs got far, and others had hardly begun when the steps were over.
#
# On pairs pre-training does not help here. With 100 labels the untrained start is even ahead; with 1,000 both know about as much, with 10,000 it leads by little, if at all; and neither comes near to what a bag of words finds. To compare what a story says with what a claim says, word for word, is something that neither the gaps nor these labels have taught in so many steps. All this is at equal and small cost: the contest does not tell who is ahead in the end (open question 1, below).

# %% tags=["experiment"]
for task in STORY_TASKS:
    print(TASK_NAMES[task])
    for name, gains in (("from scratch", contest.gains(task)), ("the simple rival", contest.gains(task, RIVAL))):
        points = ", ".join(f"{100 * gain:+.0f} ({n:,} labels)" for n, gain in gains.items())
        print(f"    ahead of {name}, in points: {points}")

# %% [markdown]
# ### The encoder left alone
#
# If the encoder stays as it is (*frozen*), only the head learns. Then each text need be read only once, and one encoder serves all tasks. What does it cost? Each dot is a seed, with 1,000 labels.

# %% tags=["experiment"]
from course_lib.plots.seeds import Seeds

trained = {"both trained": FULL, "head alone": FROZEN, "from scratch": SCRATCH}
by_part = {f"{task}: {name}": entries_of(task, contestant)[1000].scores
           for task in STORY_TASKS for name, contestant in trained.items()}
by_start = Seeds("what is trained")
show(by_start.draw, by_part, by_start.say, size=(8.4, 5.4))

# %% [markdown]
# On pairs there is nothing to lose. On sentences and answers the head alone is far behind both others. On tags it is far behind training both, and about level with the untrained start. So a head of a layer or two has not found in the vectors, in so many steps, what these tasks need. (It mostly took the largest of the three rates, and might do better with a larger one still, or with more steps.)

# %% [markdown]
# ### Rate, epochs, and luck
#
# BERT's authors recommend to try a few settings: batches of 16 or 32, rates of 2e-5, 3e-5 and 5e-5, and 2, 3 or 4 *epochs*, which are passes through all labels (appendix A.3). They also report that BERT-large was sometimes unstable on small sets, so that they ran several times and kept the best (section 4.1). Our encoder is a two-hundredth of the size of BERT-base and takes larger rates. First the seeds at each rate, with few labels:

# %% tags=["experiment"]
print(f"{contest.spread_task}, {contest.spread_labels} labels, {contest.steps[contest.spread_task]} steps")
by_rate = Seeds("rate", lowest=0.4)
show(by_rate.draw, contest.spread, by_rate.say, size=(8.4, 2.8))

# %% [markdown]
# And epochs, each number a run of its own, at the middle rate:

# %% tags=["experiment"]
print(f"{contest.epoch_task}, {contest.epoch_labels:,} labels")
by_epochs = Seeds("epochs", lowest=0.3)
show(by_epochs.draw, {str(n): s for n, s in contest.epochs.items()}, by_epochs.say, size=(8.4, 3.2))

# %% [markdown]
# For this small model and these labels the usual two to four passes are too few: more passes, more right answers, up to the most that were tried. (More passes are more steps as well; this does not separate the two.) And at each number of passes some seeds are several points ahead of others.
#
# [Mosbach et al. 2021](https://arxiv.org/abs/2006.04884) looked into the luck of the seed on real tasks: failed runs had vanishing gradients early in training, and small rates with a warm-up, many more epochs and Adam's bias correction (lesson 42), which BERT's released code leaves out, made them rare. [Zhang et al. 2021](https://arxiv.org/abs/2006.05987) find the same of the bias correction, and that the usual few epochs are often too few on small sets.
#
# ### Real text, a real encoder
#
# Now sentences that people wrote. Wikipedia's articles have topics that editors gave: 11 of them, *history*, *technology* and so on. Guess the topic from the article's first sentence. The encoder is [MiniLM](https://arxiv.org/abs/2002.10957), published weights in our own `Bert` (lesson 64 shows how they get there); it was trained on real text (perhaps on these articles, too), and later so that sentences of like meaning get like vectors. First it stays frozen: the features are the mean of its vectors, read once for each sentence, and a single layer learns from them. Then, in a run of half an hour that was recorded, encoder and head were trained together, for a few passes, at a rate chosen on other sentences. Everything here is optional: `python3 -m course_lib extras text pretrained` installs it.

# %% tags=["experiment"]
from course_lib.experiments.topic_features import recorded_topics

topics = recorded_topics()
rows = {"always the commonest topic": topics.commonest, "bag of words": topics.bag,
        **{f"frozen, {pool}": share for pool, share in topics.frozen.items()},
        "encoder and head trained": topics.full[0]}
print(f"{topics.command}\n{topics.date}; {topics.n_train:,} sentences learnt, {topics.n_test:,} tested")
print(f"trained: {topics.full_how}; rates tried {', '.join(topics.tried)}")
for name, share in rows.items():
    low, high = topics.interval(share)
    print(f"{name:<34} {share:.1%}   95% interval {low:.1%} to {high:.1%}")

# %% tags=["experiment"]
for n_labels, shares in topics.by_labels.items():
    print(f"{n_labels:>5,} labels: frozen features {shares['frozen']:.1%}, bag of words {shares['bag']:.1%}")
low, high = topics.lead()
print(f"With all, frozen features are ahead by {100 * low:.1f} to {100 * high:.1f} points (95% interval)")

# %% [markdown]
# What do you make of the bag? It knows which word pieces a sentence holds and nothing else, and with thousands of labels it is a strong rival. With few labels, many words of a new sentence were in none of those that were learnt, and a bag can do nothing with a word that it has not met. The encoder has met them, in other texts.
#
# Here the chance in the test sentences is what the intervals are about (Wilson's for a share; for the lead, which compares two on the same sentences, only those count on which one is right and the other wrong). See for yourself, with fewer sentences:

# %% tags=["experiment"]
from course_lib.data.corpora.wikipedia import ABOUT
from course_lib.data.wiki_topics import wiki_topics
from course_lib.experiments.topic_features import MEAN, features, fit_layer
from course_lib.packaged import is_installed

if is_installed("wikipedia") and is_installed("bert-vocabulary"):
    from course_lib.models.checkpoints import load_minilm

    little, minilm = wiki_topics(400, 1, 200), load_minilm()
    read = {part: features(minilm, getattr(little, part))[MEAN] for part in ("train", "test")}
    layer = fit_layer(read["train"], little.train.rows.labels, len(little.names), 1e-4)
    named = layer(read["test"]).argmax(-1)
    print(f"right: {(named == little.test.rows.labels).double().mean():.0%} of 200, after 400 sentences")
    for i in range(2):
        print(f"{little.names[named[i]]}: {little.sentences['test'][i][:110]} ...")
    print(ABOUT.attribution)
else:
    print("Left out: the extras text and pretrained are not installed. The recorded numbers are above.")

# %% [markdown]
# ## Play
#
# Your four heads on one story. The head for claims is right in about half of all cases, as you have seen, so do not trust it. Change the story, in the words of the grammar; Enter takes it over. Swap the places of two names. Give the map to Kate in the end. Call Hugo "kite".

# %% tags=["experiment", "widget"]
from course_lib.widgets.controls import text_box

explore(lambda story, claim, question, sentence: four_heads(taught, story, claim, question, sentence),
        heads_plot.draw, heads_plot.say, size=(9.6, 5), story=text_box(STORY, label="story"),
        claim=text_box(CLAIMS[0], label="claim"), question=text_box(QUESTIONS[0], label="question"),
        sentence=text_box(SENTENCES[1], label="sentence"))

# %% [markdown]
# ## Verify

# %% tags=["predict"]
ahead = {task: contest.gains(task)[1000] for task in STORY_TASKS}
furthest = [TASK_NAMES[task] for task, gain in ahead.items() if gain > max(ahead.values()) - 0.01]
where_guess.reveal(
    " and, less than a point apart, ".join(furthest), "; ".join(f"{TASK_NAMES[task]} {100 * gain:+.0f} points" for task, gain in ahead.items())
)

# %% tags=["predict"]
lost = {task: entries_of(task, FULL)[1000].mean - entries_of(task, FROZEN)[1000].mean for task in STORY_TASKS}
as_good = sum(each <= 0.03 for each in lost.values())
frozen_guess.reveal(
    "on all four" if as_good == 4 else "on some of them" if as_good else "on none",
    "behind by " + "; ".join(f"{TASK_NAMES[task]} {100 * each:.0f} points" for task, each in lost.items())
)

# %% tags=["predict"]
apart = {rate: max(found) - min(found) for rate, found in contest.spread.items()}
best_rate = max(contest.spread, key=lambda rate: sum(contest.spread[rate]))
points = 100 * apart[best_rate]
seed_guess.reveal(
    "less than 2 points of a hundred" if points < 2 else "2 to 10 points" if points <= 10 else "more than 10 points",
    "; ".join(f"at rate {rate} {100 * each:.0f} points" for rate, each in apart.items()),
)


# %% tags=["claim"]
def clear_lead(task, ahead, behind):
    """By how much the intervals of two contestants stand apart, with 1,000 labels; < 0 if they do not."""
    low = entries_of(task, ahead)[1000].interval[0]
    return low - entries_of(task, behind)[1000].interval[1]


claim(
    "With 1,000 labels the pre-trained encoder is ahead of random weights on tags, answers, sentences",
    [clear_lead(task, FULL, SCRATCH) for task in ("tags", "answer", "single")], above=0.0,
    because="two 95% intervals over five seeds that do not overlap",
    control={"pairs": clear_lead("pair", FULL, SCRATCH)},
)


# %% tags=["claim"]
def ahead_of_best(n_labels):
    """By how much pre-trained with so many labels is ahead of the best mean of random weights."""
    return [entries_of(task, FULL)[n_labels].mean - max(e.mean for e in contest.of(task, SCRATCH))
            for task in ("tags", "answer", "single")]


claim(
    "On these three, pre-trained with 1,000 labels is not behind random weights with up to 10,000",
    ahead_of_best(1000), above=-0.03,
    because="means over five seeds; the interval of such a mean is about three points each way",
    control={"pre-trained with 100": ahead_of_best(100)},
)


# %% tags=["claim"]
def behind_rival(task):
    """By how much the simple rival is ahead of the pre-trained encoder's interval, by number of labels."""
    ours, rivals = entries_of(task, FULL), entries_of(task, RIVAL)
    return [rivals[n].mean - ours[n].interval[1] for n in ours]


claim(
    "On pairs it stays behind a bag of words, with 100, 1,000 and 10,000 labels",
    behind_rival("pair"), above=0.06,
    because="the chance in 300 texts is up to six points each way, and the interval is over seeds",
    control={"single sentences": behind_rival("single")},
)

# %% tags=["claim"]
claim(
    "With the head alone less is learnt: tags, answers, sentences",
    [clear_lead(task, FULL, FROZEN) for task in ("tags", "answer", "single")], above=0.0,
    because="two 95% intervals over five seeds that do not overlap",
    control={"pairs": clear_lead("pair", FULL, FROZEN)},
)

# %% tags=["claim"]
claim(
    "On answers and sentences the head alone is behind even random weights that are trained whole",
    [clear_lead(task, SCRATCH, FROZEN) for task in ("answer", "single")], above=0.0,
    because="two 95% intervals over five seeds that do not overlap",
    control={"tags": clear_lead("tags", SCRATCH, FROZEN)},
)

# %% tags=["claim"]
from course_lib.experiments.label_contest import interval

after = {n: interval(scores) for n, scores in contest.epochs.items()}
claim(
    f"With {contest.epoch_labels:,} labels one to four passes are too few: sixteen are better",
    [after[16][0] - after[n][1] for n in (1, 2, 3, 4)], above=0.0,
    because="two 95% intervals over five seeds that do not overlap",
    control={"eight passes": after[16][0] - after[8][1]},
)

# %% tags=["claim"]
MEANS, FIRST = "mean of all positions", "[CLS]"
low = topics.interval(topics.full[0])[0]
claim(
    "On Wikipedia's topics the trained encoder is right in more than 82%, and in 5 points more than a bag of words",
    [low - 0.82, low - topics.bag - 0.05], above=0.0,
    because="the lower end of a 95% interval, on test sentences that no choice was made on; one seed",
    control={"frozen": [topics.interval(topics.frozen[MEANS])[0] - 0.82,
                        topics.interval(topics.frozen[MEANS])[0] - topics.bag - 0.05]},
)

# %% tags=["claim"]
claim(
    "Frozen features, with all labels, are ahead of a bag of words",
    topics.lead()[0], above=0.0,
    because="the lower end of a 95% interval, on test sentences that no choice was made on",
    control={"the vector of [CLS] in place of the mean": topics.frozen[FIRST] - topics.bag},
)

# %% tags=["claim"]
sizes_of = sorted(topics.by_labels)


def falls(shares):
    """By how much a share falls from one number of labels to the next."""
    return [shares[few] - shares[more] for few, more in zip(sizes_of, sizes_of[1:])]


claim(
    "The more labels, the smaller the lead of the pre-trained encoder over a bag of words",
    falls({n: each["frozen"] - each["bag"] for n, each in topics.by_labels.items()}), above=0.03,
    because="two standard errors of a difference of two leads, on so many sentences",
    control={"what falls is the lead, not the right answers": falls(
        {n: each["frozen"] for n, each in topics.by_labels.items()})},
)

# %% [markdown]
# ## Exercise
#
# ### The loss of a span
#
# Write the loss of the head that answers, with padding in the batch.

# %% tags=["exercise"]
from course_lib.checks.lesson_63 import span_loss

span_loss


# %% tags=["exercise"]
def my_span_loss(start, end, first, last, real):
    raise NotImplementedError


span_loss.check(my_span_loss)

# %% tags=["exercise"]
span_loss.hint()

# %% [markdown]
# Open ones, for as long as you like.
#
# 1. Run the race with `TASK = "pair"`, then with 10,000 labels, 4,000 steps and a batch of 16 (a quarter of an hour). Does either of the two pass the bag of words? When does the untrained start catch up on answers?
# 2. Fine-tune with the encoder frozen: `fine_tune(..., frozen=True)`. Which rate does the head want?
# 3. Fine-tune the encoder on one task, and put a new head for another task on it (`FineTuned(tuned.model.encoder, head)`). Was something lost?

# %% [markdown]
# ## Takeaways
#
# What is a pre-trained encoder worth when labels are few? In this contest of equal steps it did on tags, answers and single sentences with 1,000 labels what an untrained start could not pass with a pool of 10,000, of which it met as many as its steps allowed. On tags 100 were enough. On pairs it was worth nothing, and a bag of words was ahead of all; half right answers look like something until such a rival is asked. Left frozen, with the head alone learning from the same rates in as many steps, the encoder fell behind even the untrained start on sentences and answers. On Wikipedia, with a larger encoder and a head that was fitted to the end, frozen features did well: far ahead of a bag of words with 100 labels, and a little ahead with thousands. Trained together with its head, that encoder was clearly ahead with thousands, too. So what a pre-trained encoder is worth depends on the task, on the labels, on the steps, and on what it is compared with.
#
# A head is one layer, or two with the pooler. The first two tasks take one vector for a whole text, the others one for each token; a span is two choices among the tokens of its text, and its loss is their mean.
#
# BERT is often called the model that *invented* this. Before it came [ULMFiT](https://arxiv.org/abs/1801.06146) (January 2018), which fine-tuned a pre-trained language model of LSTMs for classification, and [GPT](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf) (June 2018), which did it with a transformer and one new layer a task. BERT (October 2018) read both sides, and made it the usual way.
#
# What the toy does not show: labels that people give are neither balanced nor always right, and the words of a real task go beyond those that the encoder was trained on.
#
# Sources: Devlin et al. 2019, sections 3.2, 4.1, 4.2 and appendix A.3; Howard and Ruder 2018 (ULMFiT); Radford et al. 2018 (GPT); Gururangan et al. 2018; Mosbach et al. 2021; Zhang et al. 2021.
#
# [Contents](01_how_this_course_works.ipynb) · previous: [62 Train a BERT](62_train_bert.ipynb) · next: [64 Real checkpoints](64_real_checkpoints.ipynb)
