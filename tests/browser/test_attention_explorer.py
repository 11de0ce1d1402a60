"""The attention explorer in a browser: by mouse, by keyboard, and against Python's numbers."""

import pytest
from nbbrowser.sources import notebook_of

CELL = (
    "from course_lib.experiments.encoders import own_encoder\n"
    "from course_lib.experiments.explored import explorer_of\n"
    "from course_lib.widgets import attention_explorer\n\n"
    "explorer = attention_explorer(explorer_of(own_encoder()), 'The king went up to the city.',"
    " layer=1, head=2, query=3)\nexplorer"
)
SHOWN = (
    "() => ({ row: JSON.parse(document.querySelector('.ax').dataset.shares),"
    " tokens: [...document.querySelectorAll('.ax-query')].map(e => e.textContent),"
    " chosen: [...document.querySelectorAll('.ax-query')]"
    ".findIndex(e => e.getAttribute('aria-pressed') === 'true'),"
    " problem: document.querySelector('.ax-problem').textContent,"
    " sentence: document.querySelector('.ax-status').textContent })"
)
ASKED = (
    "dict(row=explorer.data.shares[explorer.query].tolist(), tokens=explorer.tokens,"
    " chosen=explorer.query, problem=explorer.problem, sentence=repr(explorer))"
)


@pytest.fixture(scope="module")
def opened(lab):
    with notebook_of(lab, "attention_explorer", [CELL, "1 + 1", "2 + 2"]) as notebook:
        notebook.run_all()
        yield notebook


@pytest.fixture
def notebook(opened):
    """The explorer as at first."""
    opened.page.locator(".ax-reset").click()
    opened.wait_idle()
    opened.page.wait_for_timeout(300)
    opened.wait_idle()
    return opened


def same_in_python(notebook):
    """Compare every number with Python's, and give back what both show."""
    notebook.wait_idle()
    shown = notebook.page.evaluate(SHOWN)
    asked = notebook.run_in_kernel(ASKED)
    assert shown.pop("row") == pytest.approx(asked.pop("row"), abs=1e-12)
    assert shown == asked
    return shown


def test_it_starts_where_it_was_told_to(notebook):
    shown = same_in_python(notebook)
    assert shown["chosen"] == 3 and shown["sentence"].startswith("Layer 2, head 3: “went” reads “")
    assert notebook.problems() == []


def test_sliders_and_measure(notebook):
    page = notebook.page
    page.get_by_role("slider", name="head").fill("-1")
    assert same_in_python(notebook)["sentence"].startswith("Layer 2, mean of all heads: “went”")
    page.get_by_role("slider", name="layer").fill("3")
    assert same_in_python(notebook)["sentence"].startswith("Layer 4, mean of all heads")
    page.locator(".ax-kind", has_text="length").click()
    assert "“went” is written from “" in same_in_python(notebook)["sentence"]
    assert page.locator(".ax-kind[aria-pressed=true]").all_inner_texts() == ["attention × length"]


def test_pointing_chooses_and_stays(notebook):
    notebook.page.locator(".ax-query").nth(6).hover()
    notebook.page.mouse.move(5, 5)
    assert same_in_python(notebook)["chosen"] == 6


def test_by_keyboard_alone(notebook):
    page = notebook.page
    page.locator(".ax-query[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert same_in_python(notebook)["chosen"] == 5
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    assert same_in_python(notebook)["chosen"] == 0
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    shown = same_in_python(notebook)
    assert shown["chosen"] == len(shown["tokens"]) - 1
    assert notebook.problems() == []


def test_another_text_and_reset(notebook):
    page = notebook.page
    text = page.locator(".ax-text")
    text.fill("He went.")
    text.press("Enter")
    notebook.wait_idle()
    shown = same_in_python(notebook)
    assert shown["tokens"] == ["[CLS]", "he", "went", ".", "[SEP]"] and shown["chosen"] == 3
    text.fill("city " * 40)
    text.press("Enter")
    notebook.wait_idle()
    shown = same_in_python(notebook)
    assert shown["problem"] == "text must have at most 30 tokens, got 40"
    assert len(shown["tokens"]) == 5
    page.locator(".ax-reset").press("Enter")
    notebook.wait_idle()
    page.wait_for_timeout(300)
    shown = same_in_python(notebook)
    assert shown["problem"] == "" and shown["chosen"] == 3 and len(shown["tokens"]) == 10


def test_reset_after_a_text_that_reads_alike(notebook):
    page = notebook.page
    text = page.locator(".ax-text")
    text.fill("the KING went up to the city.")
    text.press("Enter")
    page.get_by_role("slider", name="layer").fill("0")
    notebook.wait_idle()
    page.locator(".ax-reset").click()
    notebook.wait_idle()
    page.wait_for_timeout(300)
    assert same_in_python(notebook)["sentence"].startswith("Layer 2, head 3: “went”")


def test_python_moves_it_too(notebook):
    notebook.run_in_kernel("setattr(explorer, 'text', 'The people of the city.')")
    assert "people" in same_in_python(notebook)["tokens"]
    notebook.run_in_kernel("setattr(explorer, 'layer', 0)")
    assert same_in_python(notebook)["sentence"].startswith("Layer 1, head 3")
