"""A hidden word: the five likeliest for one who knows the grammar, and for a trained model."""

from course_lib.plots.likely_words import LikelyWords, around

SHOWN = 5  # words
MARK = "in the story"
NO_ANSWER = "the grammar cannot tell this"


def draw(fig, data):
    """Draw a ``FillMask``: what the perfect reader answers on the left, the model on the right."""
    panels = fig.subplots(1, 2)
    perfect = LikelyWords(panels[0], "the perfect reader", SHOWN, MARK)
    model = LikelyWords(panels[1], data.reader, SHOWN, MARK)
    none = panels[0].text(0.05, SHOWN / 2, "", fontsize=10.5)

    def update(data):
        seen, place = list(data.seen), data.place
        context = around(seen[:place], seen[place + 1 :])
        none.set_text("" if data.perfect else NO_ANSWER)
        return [
            *perfect.update(context, data.perfect or {}, data.said if data.perfect else ""),
            *model.update(context, data.model, data.said),
            none,
        ]

    update(data)
    return update


def say(data) -> str:
    """Say what both give to the word that was said, or which word they hold likeliest."""
    told = [f"Word {data.place + 1} of {len(data.seen)} is hidden."]
    for name, answer in (("the perfect reader", data.perfect), (data.reader, data.model)):
        if not answer:
            told.append(f"For {name} no word is possible: {NO_ANSWER}.")
            continue
        best = max(answer, key=answer.get)
        told.append(f"{name[0].upper()}{name[1:]} says {best!r} with {answer[best]:.0%}")
        if data.said:
            told[-1] += f" and gives {answer.get(data.said, 0.0):.1%} to {data.said!r}"
        told[-1] += "."
    return " ".join(told)
