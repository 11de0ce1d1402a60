"""The words of the stories: open classes to choose from, and the sentences they are put into.

How to read a sentence:

- ``X`` is the person it is about: a name, or ``he``/``she`` when the sentence before was about
  the same person.  ``X!`` is always the name, ``Y`` the name of the other person.
- ``he`` stands for ``he`` or ``she`` as X asks for, ``him`` for ``him`` or ``her`` as Y does.
- ``a NEW`` brings an object in, "a red ball".  ``the OLD`` speaks of one that is known, "the ball"
  or, one time in three, "the red ball"; ``the NEW`` always says both words.
- ``PLACE`` and ``OTHER`` are places; ``SKY``, ``TIME`` and ``FEELING`` the weather, the time of
  day, and how X feels.
- ``went|walked|ran`` is any of the three, equally often.

When each sentence may be said, and what is true afterwards, stands in ``plot``.
"""

CLASSES = {
    name: tuple(words.split())
    for name, words in {
        "boy": "Tom Ben Sam Max Leo Jack Finn Hugo Paul Adam Luke Ivan Omar Carl",
        "girl": "Mia Ann Sue Lily Rosa Jane Emma Nina Ella Kate Ruth Lucy Tess Zoe",
        "place": "kitchen garden park forest school barn library hall market field cave attic "
        "yard tower",
        "thing": "ball kite doll drum puzzle robot whistle balloon book hat key lamp map coat "
        "basket cup rope bell",
        "colour": "red blue green yellow white black brown pink",
        "food": "apple cake pie pear cookie sandwich banana bun pancake soup",
        "taste": "sweet fresh small big tasty plain",
        "sky": "sunny rainy windy snowy cloudy foggy cold warm",
        "time": "morning afternoon evening day",
        "glad": "happy glad proud pleased",
        "sad": "sad upset lonely worried",
        "mad": "angry cross mad annoyed",
    }.items()
}

SENTENCES = {
    # The opening: who, where, when.
    "together": "one SKY TIME X and Y were in the PLACE .",
    "apart": "one SKY TIME X was in the PLACE and Y was in the OTHER .",
    "with": "one SKY TIME X was in the PLACE with Y .",
    "waiting": "one SKY TIME X waited for Y in the PLACE .",
    # Something comes into the story.
    "own": "X had a NEW .",
    "find": "X found|bought a NEW .",
    "lie": "there was a NEW in the PLACE .",
    "make": "X made|baked a NEW .",
    # Somebody goes somewhere.
    "go": "X went|walked|ran to the PLACE .",
    "weather": "X left for the PLACE because it was SKY .",
    "join": "X went|walked|ran to Y in the PLACE .",
    "carry": "X took the OLD to the PLACE .",
    "fetch": "X got the OLD from the PLACE .",
    # An object changes hands, or does not.
    "give": "X gave the OLD to Y .",
    "hungry": "Y was hungry so X! gave the OLD to him .",
    "want": "Y wanted the OLD so X! gave it to him .",
    "take": "X took the OLD from Y .",
    "drop": "X dropped|forgot|hid the OLD in the PLACE .",
    "pick": "X picked up the OLD .",
    "look": "X looked at the OLD .",
    "play": "X and Y played with the OLD .",
    "eat": "X ate the OLD .",
    "share": "X and Y shared the OLD .",
    # A question is answered in the next sentence.
    "ask": "X asked Y where the OLD was .",
    "answer mine": "X said that he had it .",
    "answer there": "X said that it was in the PLACE .",
    # Feelings, and why.
    "glad": "X felt FEELING because he had the OLD .",
    "mad": "X felt FEELING because Y had the OLD .",
    "sad": "X felt FEELING because the OLD was in the PLACE .",
    "gone": "X felt FEELING because the OLD was gone .",
    # The ending: at least two old facts are told again.
    "end has": "in the end X had the NEW .",
    "end lies": "in the end the NEW was in the PLACE .",
    "end apart": "in the end X! was in the PLACE and Y was in the OTHER .",
    "end feels": "X was FEELING for the rest of the TIME .",
    "end time": "so ended the SKY TIME of X! and Y .",
}

# What can be asked and claimed about a story, in the same words and these few more.
QUESTIONS = {
    "where": "where was X ?",
    "who": "who had the NEW ?",
    "what": "what did X have ?",
}
CLAIMS = {"place": "X was in the PLACE .", "holder": "X had the OLD ."}

PRONOUNS = {"boy": ("he", "him"), "girl": ("she", "her")}
CAPITALS = ("X", "X!", "Y", "NEW", "OLD", "PLACE", "OTHER", "SKY", "TIME", "FEELING")
QUALITY = {"thing": "colour", "food": "taste"}
QUALITY_AGAIN = 1 / 3  # how often "the ball" is called "the red ball"


# The kinds of token whose loss is looked at on its own, beside its own floor.
CLOSED, FIRST = "closed word", "first mention"
REPEATED = {
    "boy": "name", "girl": "name", "place": "place",
    "thing": "object", "food": "object", "colour": "quality", "taste": "quality",
    "sky": "setting", "time": "setting",
    "glad": "feeling", "sad": "feeling", "mad": "feeling",
}  # fmt: skip
TOKEN_KINDS = (CLOSED, FIRST, *dict.fromkeys(REPEATED.values()))


def closed_words() -> tuple[str, ...]:
    """List the words that belong to no open class, in alphabetical order."""
    patterns = [*SENTENCES.values(), *QUESTIONS.values(), *CLAIMS.values()]
    units = {unit for pattern in patterns for unit in pattern.split()} - set(CAPITALS)
    literal = {word for unit in units for word in unit.split("|")}
    return tuple(sorted(literal | {word for pair in PRONOUNS.values() for word in pair}))
