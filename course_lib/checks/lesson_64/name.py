"""Lesson 64, first exercise: repair the function that turns one of BERT's names into ours."""

from course_lib.checks.listed import Listed, listed
from course_lib.checks.listed import listed_mistake as mistake
from course_lib.checks.run import Case

# In this order, so that a longer name comes behind a shorter one that ends it.
TABLE = {
    "output.dense": "ffn.narrow",
    "output.LayerNorm": "norm_2",
    "intermediate.dense": "ffn.widen",
    "attention.self.query": "attn.q_proj",
    "attention.self.key": "attn.k_proj",
    "attention.self.value": "attn.v_proj",
    "attention.output.dense": "attn.out_proj",
    "attention.output.LayerNorm": "norm_1",
}
_STARTS = ("bert.encoder.layer.0.", "encoder.layer.2.", "bert.encoder.layer.11.")
_ENDS = ("attention.self.value.weight", "output.dense.bias", "attention.output.dense.weight",
         "attention.output.LayerNorm.weight", "output.LayerNorm.bias", "intermediate.dense.weight",
         "attention.output.LayerNorm.gamma", "output.LayerNorm.beta")  # fmt: skip


def _stub(name, table):
    name = name.replace("encoder.layer.", "blocks.")
    for theirs, ours in table.items():
        name = name.replace(theirs, ours)
    return name


def _solution(name, table):
    _, _, rest = name.rpartition("encoder.layer.")
    layer, _, rest = rest.partition(".")
    part, _, kind = rest.rpartition(".")
    kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
    return f"blocks.{layer}.{table[part]}.{kind}"


def _modern(name):
    """The name with the younger words at its end."""
    return name.replace("gamma", "weight").replace("beta", "bias")


def _in_table_order(name, table):
    """Everything mended but the order in which names are replaced."""
    return _modern(_stub(name.removeprefix("bert."), table))


def _prefix_stays(name, table):
    return "bert." * name.startswith("bert.") + _solution(name, table)


def _old_words_stay(name, table):
    end = name.rpartition(".")[2]
    return _solution(name, table).rpartition(".")[0] + "." + end


def _sorted_by_length(name, table):
    longest_first = dict(sorted(table.items(), key=lambda item: -len(item[0])))
    return _stub(name, longest_first)


def _one_digit(name, table):
    right = _solution(name, table).split(".")
    return ".".join([right[0], right[1][:1], *right[2:]])


def _norms_swapped(name, table):
    right = _solution(name, table)
    other = {"norm_1": "norm_2", "norm_2": "norm_1"}
    return ".".join(other.get(part, part) for part in right.split("."))


def _from_one(name, table):
    first, layer, *rest = _solution(name, table).split(".")
    return ".".join([first, str(int(layer) + 1), *rest])


our_name = Listed(
    name="lesson_64.our_name",
    task=(
        "Repair `our_name(name, table)`. `name` is one of BERT's names for a tensor in a layer, "
        "such as `bert.encoder.layer.3.attention.output.LayerNorm.gamma`; the prefix `bert.` may "
        "be missing, and the norms of old files have `gamma` and `beta` where newer ones have "
        "`weight` and `bias`. `table` says which part of theirs is which of ours. The result here "
        "is `blocks.3.norm_1.weight`."
    ),
    stub=listed(_stub),
    reference=listed(_solution),
    explanation=(
        "`attention.output.dense` ends in `output.dense`, which is the name of another layer. "
        "Whoever replaces pieces of text must begin with the longest; it is safer to cut the name "
        "into layer, part and kind, and look the whole part up."
    ),
    cases=tuple(Case({"name": start + end, "table": TABLE}) for start in _STARTS for end in _ENDS),
    mistakes=(
        mistake(
            "a piece of a name replaced",
            _in_table_order,
            "Prefix and old words are right now. But look at `attention.output.dense`: it ends in "
            "`output.dense`, which stands in the table as well, and comes first there.",
        ),
        mistake(
            "the order alone",
            _sorted_by_length,
            "Attention and feed-forward layer are told apart now. Two things are left: the prefix "
            "`bert.`, and `gamma` and `beta`.",
        ),
        mistake(
            "the prefix stays",
            _prefix_stays,
            "The prefix `bert.` is not part of our names. Take it off where it is there.",
        ),
        mistake(
            "gamma and beta stay",
            _old_words_stay,
            "The norms of old files have `gamma` and `beta`. What are they called here?",
        ),
        mistake(
            "one digit of the layer",
            _one_digit,
            "You read one digit of the layer's number. Layer 11 has two.",
        ),
        mistake(
            "norms swapped",
            _norms_swapped,
            "The two norms are swapped. The one behind attention is `norm_1`.",
        ),
        mistake(
            "layers from 1",
            _from_one,
            "You count layers from 1. Both sides count from 0.",
        ),
    ),
    hints=(
        "Which names of the table are the end of another one?",
        "Cut the name at `encoder.layer.`, then at the first point and at the last one: that "
        "leaves the layer, a part to look up in the table as a whole, and the kind.",
        "```python\n_, _, rest = name.rpartition(...)\nlayer, _, rest = ...\n"
        "part, _, kind = ...\nreturn ...\n```",
    ),
    text=True,
)
