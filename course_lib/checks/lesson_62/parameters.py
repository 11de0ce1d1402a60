"""Lesson 62: how many numbers a BERT holds, the layer behind [CLS] included."""

from course_lib.checks.counting import Counting
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(vocab_size, max_seq_len, d_model, n_layers):
    """The number of parameters."""
    raise NotImplementedError


def _solution(vocab_size, max_seq_len, d_model, n_layers):
    d = d_model
    embedding = (vocab_size + max_seq_len + 2) * d + 2 * d  # three tables and a norm
    attention = 4 * (d * d + d)
    feed_forward = d * 4 * d + 4 * d + 4 * d * d + d
    block = attention + feed_forward + 2 * 2 * d  # and two norms
    return embedding + n_layers * block + d * d + d


def _without(part):
    """The count with something left out."""

    def wrong(vocab_size, max_seq_len, d_model, n_layers):
        return _solution(vocab_size, max_seq_len, d_model, n_layers) - part(
            vocab_size, max_seq_len, d_model, n_layers
        )

    return wrong


_MISTAKES = (
    Mistake(
        "no pooler",
        _without(lambda v, s, d, layers: d * d + d),
        "You have left out the layer behind [CLS], the pooler: d_model x d_model and a bias.",
    ),
    Mistake(
        "no segments",
        _without(lambda v, s, d, layers: 2 * d),
        "Close: 2 d_model are missing. BERT's input is a sum of three tables. Which has two rows? "
        "(Or is it the norm behind the embedding?)",
    ),
    Mistake(
        "no segments, no norm behind the embedding",
        _without(lambda v, s, d, layers: 4 * d),
        "There are 4 d_model missing: the table of two segments, and the norm behind the embedding "
        "with its gain and bias.",
    ),
    Mistake(
        "no positions",
        _without(lambda v, s, d, layers: s * d),
        "You have left out the table of positions, a row of d_model for each place.",
    ),
    Mistake(
        "no biases",
        _without(lambda v, s, d, layers: layers * 9 * d + d),
        "All matrices are there, but every linear layer of BERT has a bias, too: four of d_model "
        "and those of the feed-forward layer in each block, and the pooler's.",
    ),
    Mistake(
        "no norms in the blocks, or no biases in attention",
        _without(lambda v, s, d, layers: layers * 4 * d),
        "In each block 4 d_model are missing: either its two norms, each with a gain and a bias, "
        "or the biases of the four layers of attention.",
    ),
    Mistake(
        "one norm in a block",
        _without(lambda v, s, d, layers: layers * 2 * d),
        "In each block 2 d_model are missing. It has two norms, one behind each sublayer, each "
        "with a gain and a bias.",
    ),
    Mistake(
        "no bias in the pooler",
        _without(lambda v, s, d, layers: d),
        "Close: d_model are missing. The pooler is a linear layer, and has a bias.",
    ),
    Mistake(
        "the rule of thumb",
        lambda vocab_size, max_seq_len, d_model, n_layers: (
            vocab_size * d_model + 12 * n_layers * d_model**2
        ),
        "That is the rule of thumb: the table of tokens, and the matrices of the blocks. Wanted is "
        "every number: the other two tables, biases, norms and the pooler as well.",
    ),
    Mistake(
        "the matrices alone",
        lambda vocab_size, max_seq_len, d_model, n_layers: 12 * n_layers * d_model**2,
        "You count the matrices of the blocks, 12 d_model² each. Tables, biases, norms and the "
        "pooler are missing.",
    ),
    Mistake(
        "no biases in the feed-forward layers",
        _without(lambda v, s, d, layers: layers * 5 * d),
        "In each block 5 d_model are missing: the biases of the two feed-forward layers, "
        "4 d_model and d_model.",
    ),
    Mistake(
        "a narrow bias in the wide layer",
        _without(lambda v, s, d, layers: layers * 3 * d),
        "In each block 3 d_model are missing: a linear layer has a bias for each output, so the "
        "wide one has 4 d_model.",
    ),
    Mistake(
        "a pooler in each block",
        _without(lambda v, s, d, layers: -(layers - 1) * (d * d + d)),
        "You count the pooler once a block. It stands once, behind the last block.",
    ),
    Mistake(
        "three segments",
        _without(lambda v, s, d, layers: -d),
        "You have d_model too many. There are two segments, text A and text B; padding has none "
        "of its own.",
    ),
    Mistake(
        "with the answer on the pair",
        _without(lambda v, s, d, layers: -(2 * d + 2)),
        "You have counted the layer that answers whether B follows. It is a head, and left out "
        "here; the pooler before it is not.",
    ),
    Mistake(
        "with the head over words",
        _without(lambda v, s, d, layers: -(d * d + 3 * d + v)),
        "You have counted the head that scores words: a layer, a norm and a bias for each word. "
        "The heads are left out here.",
    ),
    Mistake(
        "norms without bias",
        _without(lambda v, s, d, layers: layers * 2 * d + d),
        "You count d_model for a norm. It has a gain and a bias: 2 d_model, in BERT.",
    ),
    Mistake(
        "no output matrix in attention",
        _without(lambda v, s, d, layers: layers * (d * d + d)),
        "A block's attention has four matrices, each with a bias: you have three. What becomes of "
        "the heads' results?",
    ),
    Mistake(
        "one matrix in the feed-forward layer",
        _without(lambda v, s, d, layers: layers * (4 * d * d + d)),
        "The feed-forward layer widens d_model to 4 d_model and narrows it again: two matrices.",
    ),
    Mistake(
        "one block",
        _without(lambda v, s, d, layers: (layers - 1) * (12 * d * d + 13 * d)),
        "You have counted one block. There are n_layers of them.",
    ),
    Mistake(
        "a final norm as in GPT",
        _without(lambda v, s, d, layers: -2 * d),
        "You have 2 d_model too many. In Post-LN every block ends with a norm already; there is no "
        "other behind the last one.",
    ),
    Mistake(
        "with the output layer",
        _without(lambda v, s, d, layers: -v * d),
        "You have counted an output layer for words. It would be tied to the token table, and it "
        "belongs to a head, not to BERT.",
    ),
)

encoder_parameters = Counting(
    name="lesson_62.encoder_parameters",
    task=(
        "Write `encoder_parameters(vocab_size, max_seq_len, d_model, n_layers)`: how many "
        "parameters BERT has. Tables for tokens, positions and two segments, and a norm behind "
        "them; in each block attention (queries, keys, values, output), a feed-forward layer of "
        "inner width 4 `d_model`, and two norms; at the end the pooler, one layer of `d_model` to "
        "`d_model`. Every linear layer has a bias, every norm a gain and a bias."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "A block has 12 d² for its matrices (4 in attention, 8 in the feed-forward layer), and 13 "
        "d for biases and norms. The number of heads does not occur: they share the matrices out "
        "among themselves. With BERT's own sizes this gives 109,482,240 and 335,141,888, which "
        "the paper rounds to 110M and 340M."
    ),
    cases=(
        Case({"vocab_size": 30, "max_seq_len": 7, "d_model": 4, "n_layers": 1}),
        Case({"vocab_size": 101, "max_seq_len": 9, "d_model": 12, "n_layers": 3}),
        Case({"vocab_size": 30522, "max_seq_len": 512, "d_model": 768, "n_layers": 12}),
        Case({"vocab_size": 30522, "max_seq_len": 512, "d_model": 1024, "n_layers": 24}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "How many numbers has one linear layer of d to d, with its bias? And a norm?",
        "Add three sums: the embedding with its norm, n_layers times one block, and the pooler. A "
        "block has six matrices: four of d x d, one of d x 4d, one of 4d x d.",
        "```python\nd = d_model\nembedding = (vocab_size + max_seq_len + 2) * d + ...\n"
        "attention = 4 * (...)\nfeed_forward = ...\nblock = attention + feed_forward + ...\n"
        "return embedding + n_layers * block + ...\n```",
    ),
    returns=("the number of parameters",),
    number=True,
)
