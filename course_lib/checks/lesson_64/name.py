"""Lesson 64, first exercise: repair the function that turns one of BERT's names into ours."""

from itertools import product

from course_lib.checks.listed import Listed, listed
from course_lib.checks.listed import listed_mistake as mistake
from course_lib.checks.run import Case


class Table(dict):
    """Which part of a published name is which of ours; in messages a few words stand for it."""

    def __init__(self, parts: dict[str, str], shown: str):
        super().__init__(parts)
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown


# In this order, so that a longer name comes behind a shorter one that ends it.
TABLE = Table(
    {
        "output.dense": "ffn.narrow",
        "output.LayerNorm": "norm_2",
        "intermediate.dense": "ffn.widen",
        "attention.self.query": "attn.q_proj",
        "attention.self.key": "attn.k_proj",
        "attention.self.value": "attn.v_proj",
        "attention.output.dense": "attn.out_proj",
        "attention.output.LayerNorm": "norm_1",
    },
    "TABLE",
)
_TURNED = Table(dict(reversed(TABLE.items())), "TABLE from its end to its beginning")
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


# Three things are to be mended, and each can be left or mended wrongly: a name and what it does.
_PREFIX = {
    "prefix off": (lambda name: name.removeprefix("bert."), ""),
    "prefix stays": (lambda name: name, "The prefix `bert.` is not part of our names."),
    "lstrip": (
        lambda name: name.lstrip("bert."),
        "`lstrip` takes off any of the letters that you give it, so the e of `encoder` goes, too; "
        "`removeprefix` takes off the word.",
    ),
    "five letters": (
        lambda name: name[5:],
        "You cut off five letters, even where the prefix `bert.` is missing.",
    ),
}
_ORDER = {
    "longest first": (lambda table: sorted(table, key=len, reverse=True), ""),
    "table's order": (
        list,
        "Look at `attention.output.dense`: it ends in `output.dense`, which stands in the table as "
        "well, and comes first there.",
    ),
    "from the end": (
        lambda table: list(table)[::-1],
        "From its end to its beginning the table happens to be right. Your function must not "
        "depend on the order of a table: what if `output.dense` comes first?",
    ),
}
_WORDS = {
    "words new": ({"gamma": "weight", "beta": "bias"}, ""),
    "words stay": ({}, "Old files have `gamma` and `beta`. What are they called here?"),
    "words swapped": (
        {"gamma": "bias", "beta": "weight"},
        "`gamma` and `beta` are swapped: `gamma` multiplies, so it is the weight.",
    ),
    "gamma alone": ({"gamma": "weight"}, "`beta` has a newer name, too."),
    "beta alone": ({"beta": "bias"}, "`gamma` has a newer name, too."),
}  # fmt: skip


def _replacing(prefix, order, words):
    """The stub with these three repairs."""

    def our_name(name, table):
        name = prefix(name).replace("encoder.layer.", "blocks.")
        for theirs in order(table):
            name = name.replace(theirs, table[theirs])
        for old, new in words.items():
            name = name.replace(old, new)
        return name

    return our_name


def _half_mended():
    """Ways to repair some of the three things, at most one of them oddly; and what is left."""
    usual = {*list(_PREFIX)[:2], *list(_ORDER)[:2], *list(_WORDS)[:2]}
    for made in product(_PREFIX.items(), _ORDER.items(), _WORDS.items()):
        names = [name for name, _ in made]
        changes = [change for _, (change, _) in made]
        left = [message for _, (_, message) in made if message]
        if left and len(usual.intersection(names)) >= 2:
            yield mistake(", ".join(names), _replacing(*changes), " ".join(left))


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


def _from_the_front(before):
    """The pieces of the name counted from its front, with so many before the layer's number."""

    def our_name(name, table):
        pieces = name.split(".")
        part, kind = ".".join(pieces[before + 1 : -1]), pieces[-1]
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        return f"blocks.{pieces[before]}.{table[part]}.{kind}"

    return our_name


our_name = Listed(
    name="lesson_64.our_name",
    task=(
        "Repair `our_name(name, table)`. `name` is one of BERT's names for a tensor in a layer, "
        "such as `bert.encoder.layer.3.attention.output.LayerNorm.gamma`; the prefix `bert.` may "
        "be missing, and the norms of old files have `gamma` and `beta` where newer ones have "
        "`weight` and `bias`. `table` says which part of theirs is which of ours, such as `TABLE` "
        "above; its order may be another. The result here is `blocks.3.norm_1.weight`."
    ),
    stub=listed(_stub),
    reference=listed(_solution),
    explanation=(
        "`attention.output.dense` ends in `output.dense`, which is the name of another layer. "
        "Whoever replaces pieces of text must begin with the longest; it is safer to cut the name "
        "into layer, part and kind, and look the whole part up."
    ),
    cases=tuple(
        Case({"name": start + end, "table": table})
        for table, starts in ((TABLE, _STARTS), (_TURNED, _STARTS[:1]))
        for start in starts
        for end in _ENDS
    ),
    mistakes=(
        *_half_mended(),
        mistake(
            "counted from the front, with the prefix",
            _from_the_front(3),
            "You count the pieces of the name from its front. Where the prefix `bert.` is missing, "
            "each of them stands one place earlier.",
        ),
        mistake(
            "counted from the front, without the prefix",
            _from_the_front(2),
            "You count the pieces of the name from its front. Where the prefix `bert.` is there, "
            "each of them stands one place later.",
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
        "Three things are to be mended: the prefix, two old words, and the names that are the end "
        "of another one. Which of the table's names are that?",
        "Cut the name at `encoder.layer.`, then at the first point and at the last one: that "
        "leaves the layer, a part to look up in the table as a whole, and the kind.",
        "```python\n_, _, rest = name.rpartition(...)\nlayer, _, rest = ...\n"
        "part, _, kind = ...\nreturn ...\n```",
    ),
    text=True,
)
