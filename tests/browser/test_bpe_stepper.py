"""The BPE stepper in a browser: by mouse, by keyboard, and against the library's merges."""

import json

import pytest
from nbbrowser.sources import notebook_of

CELLS = [
    "from course_lib.widgets import bpe_stepper\n\nstepper = bpe_stepper(n_merges=2)\nstepper",
    "gpt2 = bpe_stepper('It\\'s 12 o\\'clock,  it\\'s late.', pattern='gpt2')\ngpt2",
    "from course_lib.tokenizers.bpe import BPETokenizer\n"
    "from course_lib.tokenizers.bpe.naive import train_naive\n"
    "from course_lib.widgets.bpe_stepper import PATTERNS\n"
    "from course_lib.plots.tokens_shown import shown\n\n"
    "def learnt(text, pattern, n):\n"
    "    tokenizer = BPETokenizer.train(text, 256 + n, pattern=PATTERNS[pattern])\n"
    "    return [[shown(left), shown(right)] for left, right in tokenizer.merges]",
]
SHOWN = (
    "root => { const texts = (e, s) => [...e.querySelectorAll(s)].map(x => x.textContent);"
    " const says = root.querySelector('.bpe-says').textContent;"
    " return { says, note: root.querySelector('.bpe-note').textContent,"
    " words: [...root.querySelectorAll('.bpe-word')].map(w => texts(w, '.bpe-box')),"
    " times: [...root.querySelectorAll('.bpe-word')].map("
    "w => w.querySelector('.bpe-times')?.textContent ?? '×1'),"
    " next: [...root.querySelectorAll('.bpe-word')].flatMap(w => texts(w, '.bpe-next')),"
    " made: texts(root, '.bpe-word .bpe-new'),"
    " pairs: [...root.querySelectorAll('.bpe-pairs tbody tr')].map(r => [...texts(r, '.bpe-box'),"
    " ...texts(r, '.bpe-count, .bpe-tie')]), numbers: texts(root, '.bpe-value'),"
    " more: texts(root, '.bpe-more') }; }"
)
TEXTS = {
    "ties": "abab cdcd abcd dcba " * 3,
    "overlaps": "aaaa aaa aa a aaaaa",
    "accents": "café cafe\u0301 naïve",
    "emoji": "👩\u200d🚀👩\u200d🚀 👍🏽 ❤\ufe0f",
    "right to left": "السلام عليكم السلام",
    "white space": "a\u00a0b \u3000c\td\n\ne\u0085f\ufeffg ",
    "controls": "nul \u0007\u00ad\u200b bell",
    "no cut": "日本語のテキストは日本語",
}


@pytest.fixture(scope="module")
def opened(lab):
    with notebook_of(lab, "bpe_stepper", CELLS) as notebook:
        notebook.run_all()
        yield notebook


@pytest.fixture
def notebook(opened):
    """The steppers as at first."""
    for name in ("stepper", "gpt2"):
        opened.run_in_kernel(f"[setattr({name}, *item) for item in {name}.start.items()] and None")
    opened.wait_idle()
    return opened


def root(notebook, which=0):
    return notebook.page.locator(".bpe").nth(which)


def look(notebook, which=0):
    """Everything that one stepper shows, when it has come to rest."""
    notebook.page.wait_for_function(
        "i => document.querySelectorAll('.bpe')[i].dataset.working === 'false'", arg=which
    )
    return root(notebook, which).evaluate(SHOWN)


def press(notebook, act, which=0):
    root(notebook, which).locator(f".bpe-{act}").click(force=True)  # disabled ones too


def write(notebook, text, which=0):
    """Put a text into the box as a paste does."""
    area = root(notebook, which).locator("textarea")
    area.fill(text)
    area.blur()


def same_in_python(notebook, name="stepper", which=0, whole=True):
    """Compare words, pairs and the sentence with Python's, and give back what is shown.

    With `whole` False, the words are not compared: not all are shown.
    """
    shown = look(notebook, which)
    notebook.wait_idle()
    asked = notebook.run_in_kernel(
        "(lambda d, s: dict(says=s, words=[[shown(t) for t in w] for w in d.words],"
        f" pairs=[[shown(a), shown(b), f'{{n:,}}'] for a, b, n in d.pairs[:8]],"
        f" times=[f'×{{n:,}}' for n in d.times]))({name}.data, repr({name}))"
    )
    assert shown["says"] == asked["says"]
    if whole:
        assert shown["words"] == asked["words"] and shown["times"] == asked["times"]
    assert [pair[:3] for pair in shown["pairs"]] == asked["pairs"]
    return shown


def merges_by_steps(notebook, which=0):
    """Step to the end and write down what each step joined."""
    joined = []
    while shown_next := (look(notebook, which)["pairs"] or [None])[0]:
        joined.append(shown_next[:2])
        press(notebook, "step", which)
    return joined


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_merges_are_those_of_the_library(notebook, text):
    write(notebook, text)
    same_in_python(notebook)
    joined = merges_by_steps(notebook)
    assert joined == notebook.run_in_kernel(f"learnt({text!r}, 'spaces', 999)")
    ids = "[list(w.encode()) for w in __import__('regex').findall(PATTERNS['spaces'], text)]"
    naive = notebook.run_in_kernel(
        f"(lambda text: len(train_naive({ids}, [bytes([b]) for b in range(256)], 999,"
        f" 'greatest bytes')))({text!r})"
    )
    end = same_in_python(notebook)
    assert naive == len(joined) and end["says"].endswith("every word is one token.")
    for _ in range(3):
        press(notebook, "back")
    same_in_python(notebook)
    assert notebook.problems() == []


def test_gpt2s_pattern_cuts_as_the_library_does(notebook):
    assert ["␣", "1", "2"] in same_in_python(notebook, "gpt2", 1)["words"]
    text = notebook.run_in_kernel("gpt2.text")
    assert merges_by_steps(notebook, 1) == notebook.run_in_kernel(f"learnt({text!r}, 'gpt2', 999)")
    same_in_python(notebook, "gpt2", 1)


def test_pieces_join_where_they_are_marked(notebook):
    before = same_in_python(notebook)
    left, right, count, mark = before["pairs"][0]
    assert before["next"] == [left, right] * (len(before["next"]) // 2) and "next" in mark
    assert before["numbers"][3] == "256 bytes + 2 merges = 258"
    press(notebook, "step")
    after = same_in_python(notebook)
    assert after["made"] == [left + right] * (len(before["next"]) // 2)
    assert f"joined “{left}” and “{right}”" in after["says"] and f" {count} times" in after["says"]
    press(notebook, "back")
    back = same_in_python(notebook)
    assert back.pop("note") == f"Merge 3 undone: “{left}{right}” is two tokens again. "
    before.pop("note")
    assert back == before


def test_ties_are_marked_and_overlaps_are_joined_from_the_left(notebook):
    write(notebook, "aaa bb")
    shown = look(notebook)
    assert shown["pairs"] == [["a", "a", "2", "next"], ["b", "b", "1", ""], ["␣", "b", "1", ""]]
    assert shown["next"] == ["a", "a"]
    press(notebook, "step")
    shown = look(notebook)
    ties = [["b", "b", "1", "tie, next"], ["aa", "a", "1", "tie"], ["␣", "b", "1", "tie"]]
    assert shown["pairs"] == ties and shown["made"] == ["aa"]


def test_to_the_end_and_start_again(notebook):
    press(notebook, "end")
    end = same_in_python(notebook)
    assert end["pairs"] == [] and all(len(word) == 1 for word in end["words"])
    assert "No pair is left." in end["more"] and end["numbers"][2] == "1.00"
    press(notebook, "step")  # nothing is left to do, and nothing breaks
    assert same_in_python(notebook) == end
    press(notebook, "start")
    assert same_in_python(notebook)["says"].startswith("No merge yet: 94 bytes in 16 words")
    press(notebook, "back")
    same_in_python(notebook)
    assert notebook.problems() == []


def playing(notebook):
    return root(notebook).get_attribute("data-working") == "true"


def n_merges(notebook):
    return int(root(notebook).locator(".bpe-value").last.inner_text().split()[3])


def test_play_pauses_at_the_second_press_and_at_a_step(notebook):
    page, play = notebook.page, root(notebook).locator(".bpe-play")
    play.click()
    assert playing(notebook) and play.inner_text() == "Pause" and n_merges(notebook) == 3
    page.wait_for_timeout(1800)
    assert n_merges(notebook) >= 4
    play.click()
    rest = n_merges(notebook)
    page.wait_for_timeout(1000)
    assert not playing(notebook) and n_merges(notebook) == rest
    play.click()
    press(notebook, "step")
    assert not playing(notebook) and n_merges(notebook) == rest + 2
    page.wait_for_timeout(1000)
    assert n_merges(notebook) == rest + 2
    play.click()
    write(notebook, "abc")  # a new text stops it as well
    page.wait_for_timeout(1000)
    assert not playing(notebook) and n_merges(notebook) == 0
    same_in_python(notebook)


def test_play_stops_at_the_end_and_begins_again(notebook):
    write(notebook, "ab")
    press(notebook, "play")
    assert look(notebook)["words"] == [["ab"]] and not playing(notebook)
    press(notebook, "play")
    assert n_merges(notebook) == 0 and playing(notebook)
    assert look(notebook)["words"] == [["ab"]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "There is no text: type some, or paste it."),
        ("a", "No merge yet: 1 byte in 1 word, 1.00 a word; the vocabulary has 256 entries, one for"
         " each byte. No pair is left: every word is one token."),
    ],
)  # fmt: skip
def test_texts_without_a_pair(notebook, text, says):
    write(notebook, text)
    for act in ("step", "play", "end", "back", "start"):
        press(notebook, act)
        assert same_in_python(notebook)["says"] == says
    assert notebook.problems() == []


def paste(notebook, piece, times):
    """A real paste over the whole text; gives back how long the page was busy, in seconds."""
    page = notebook.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("([s, n]) => navigator.clipboard.writeText(s.repeat(n))", [piece, times])
    root(notebook).locator("textarea").focus()
    page.keyboard.press("Control+A")
    began = page.evaluate("() => performance.now()")
    page.keyboard.press("Control+V")
    return (page.evaluate("() => performance.now()") - began) / 1000


def test_five_megabytes_are_refused_with_a_sentence(notebook):
    before = same_in_python(notebook)
    seconds = paste(notebook, "ab ", 1_700_000)
    after = look(notebook)
    assert after.pop("note") == (
        "Not taken: with it the text would have 5,100,000 characters, more than the 20,000 that"
        " are taken here; the text stays as it was. "
    )
    before.pop("note")
    assert after == before
    assert seconds < 10  # 1 on a busy machine; in the box it would take minutes
    box = root(notebook).locator("textarea")
    assert box.input_value() == notebook.run_in_kernel("stepper.text")
    press(notebook, "step")
    assert look(notebook)["note"] == ""
    paste(notebook, "low ", 5_000)
    notebook.page.wait_for_timeout(400)
    assert same_in_python(notebook)["times"] == ["×1", "×4,999", "×1"]


def test_the_limit_is_counted_in_characters(notebook):
    write(notebook, "👍" * 20_000)
    assert "80,000 bytes in 1 word" in look(notebook)["says"]
    assert look(notebook)["more"][-1].startswith("and ") is False
    assert look(notebook)["more"][0] == "… and 79,700 more boxes"
    write(notebook, "👍" * 20_001)
    assert "would have 20,001 characters" in look(notebook)["note"]
    write(notebook, "".join(f"w{i} " for i in range(3000)))
    shown = look(notebook)
    assert len(shown["words"]) == 40 and "and 2,961 more distinct words" in shown["more"]
    press(notebook, "end")
    assert same_in_python(notebook, whole=False)["says"].endswith("every word is one token.")


def test_a_long_way_to_the_end_can_be_stopped(notebook):
    write(notebook, "".join(f"w{i}" for i in range(3500)))  # one word: each merge walks over it
    press(notebook, "end")
    assert playing(notebook) and root(notebook).locator(".bpe-play").inner_text() == "Pause"
    press(notebook, "play")
    assert not playing(notebook) and n_merges(notebook) > 0
    same_in_python(notebook, whole=False)
    assert notebook.problems() == []


def state_of_lab(page):
    """Which cell is active, and whether its code is edited: what the keys must not change."""
    return page.evaluate(
        "() => { const n = window.jupyterapp.shell.currentWidget.content;"
        " return [n.activeCellIndex, n.mode, n.widgets.length]; }"
    )


def test_by_keyboard_alone(notebook):
    page = notebook.page
    root(notebook).locator("textarea").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("add bad\u00e9 dxd")  # letters that are JupyterLab's commands
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("bad")
    assert root(notebook).locator("textarea").input_value() == "add badé dxd\nbad"
    page.keyboard.press("Tab")
    assert same_in_python(notebook)["words"][0] == ["a", "d", "d"]
    for key, n in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 7), ("Home", 0)):
        page.keyboard.press(key)
        same_in_python(notebook)
        assert n_merges(notebook) == n if key != "End" else n_merges(notebook) > 3
    for key in ("Tab", "Tab", "Enter"):  # Start again, Back, Step
        page.keyboard.press(key)
    same_in_python(notebook)
    assert n_merges(notebook) == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert playing(notebook)
    page.keyboard.press("Space")
    assert not playing(notebook)
    for key in ("Tab", "Tab", "Enter"):  # To the end, Reset text
        page.keyboard.press(key)
    assert same_in_python(notebook)["says"].startswith("Merge 2 joined ")
    assert state_of_lab(page)[1:] == ["command", 3]
    assert notebook.problems() == []


def test_python_steps_too(notebook):
    notebook.run_in_kernel("setattr(stepper, 'n_merges', 4)")
    assert same_in_python(notebook)["says"].startswith("Merge 4 ")
    notebook.run_in_kernel(f"setattr(stepper, 'text', {json.dumps('na na na')})")
    assert same_in_python(notebook)["words"]
    notebook.run_in_kernel("setattr(stepper, 'n_merges', 99)")  # more than there are
    same_in_python(notebook)
    assert notebook.run_in_kernel("stepper.n_merges") == 2


def test_half_a_character_becomes_a_question_mark(notebook):
    root(notebook).locator("textarea").evaluate(
        "e => { e.value = 'a\\ud83d b'; e.dispatchEvent(new Event('input')); }"
    )
    root(notebook).locator("textarea").focus()
    notebook.page.wait_for_timeout(400)
    assert same_in_python(notebook)["words"][0] == ["a", "\\xef", "\\xbf", "\\xbd"]
