"""The mask painter in a browser: by mouse, by keyboard, and against Python's numbers."""

import math

import pytest
from nbbrowser.sources import notebook_of

CELL = "from course_lib.widgets import mask_painter\n\npainter = mask_painter(layers=2)\npainter"
SHOWN = (
    "() => ({ shares: [...document.querySelectorAll('.mp div.mp-cell')].map(e => e.dataset.value),"
    " marks: [...document.querySelectorAll('.mp button.mp-cell')]"
    ".map(e => e.getAttribute('aria-pressed') === 'true'),"
    " known: JSON.parse(document.querySelector('.mp svg').dataset.known),"
    " sentence: document.querySelector('.mp-status').textContent })"
)
ASKED = (
    "dict(shares=sum(painter.shares, []), marks=sum(painter.visible, []),"
    " known=painter.levels[0], sentence=repr(painter))"
)


@pytest.fixture(scope="module")
def opened(lab):
    with notebook_of(lab, "mask_painter", [CELL, "1 + 1", "2 + 2"]) as notebook:
        notebook.run_all()
        yield notebook


@pytest.fixture
def notebook(opened):
    """The painter as at first."""
    opened.run_in_kernel("[setattr(painter, *item) for item in painter.start.items()] and None")
    opened.wait_idle()
    return opened


def same_in_python(notebook):
    """Compare every number with Python's, and give back what both show."""
    notebook.wait_idle()
    shown = notebook.page.evaluate(SHOWN)
    asked = notebook.run_in_kernel(
        ASKED.replace("sum(painter.shares, [])", "[str(x) for x in sum(painter.shares, [])]")
    )
    shares = [float(share) for share in shown.pop("shares")]
    wanted = [float(share) for share in asked.pop("shares")]
    assert shares == pytest.approx(wanted, rel=1e-12, nan_ok=True)
    assert shown == asked
    return {**shown, "shares": shares}


def cell(notebook, query, key):
    return notebook.page.locator(".mp button.mp-cell").nth(7 * query + key)


def test_a_click_hides_and_shows_a_key(notebook):
    before = same_in_python(notebook)
    assert before["sentence"].startswith("“sat” reads the 18%, cat 33%, sat 49%. After 2 layers")
    cell(notebook, 3, 1).click()
    hidden = same_in_python(notebook)
    assert not hidden["marks"][3 * 7 + 1] and hidden["shares"][3 * 7 + 1] == 0
    assert hidden["sentence"].startswith("“on” reads the ")
    cell(notebook, 3, 1).click()
    assert same_in_python(notebook)["marks"] == before["marks"]
    assert notebook.problems() == []


def test_a_drag_paints_all_it_crosses(notebook):
    page = notebook.page
    boxes = [cell(notebook, 1, key).bounding_box() for key in (2, 6)]
    start, end = ((b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=20)
    page.mouse.up()
    page.mouse.move(end[0], end[1] + 100)  # with the button up nothing is painted
    shown = same_in_python(notebook)
    assert shown["marks"][7:14] == [True] * 7 and not any(shown["marks"][14 + 3 : 21])
    assert shown["known"] == [True] * 7


def test_presets_layers_and_reset(notebook):
    page = notebook.page
    page.locator(".mp-preset", has_text="window").click()
    page.locator(".mp-head").nth(4).click()  # the row of “it”
    assert "it can know 3 of 7: sat, on, it." in same_in_python(notebook)["sentence"]
    page.locator(".mp-layer", has_text="3").press("Space")
    assert "After 3 layers it can know 4 of 7" in same_in_python(notebook)["sentence"]
    pressed = page.locator(".mp-controls [aria-pressed=true]").all_inner_texts()
    assert pressed == ["window", "3"]
    page.locator(".mp-reset").press("Enter")
    assert same_in_python(notebook)["sentence"].startswith("“sat” reads the 18%")


def test_an_empty_row_is_nan(notebook):
    cell(notebook, 0, 0).click()
    shown = same_in_python(notebook)
    assert all(math.isnan(share) for share in shown["shares"][:7])
    assert shown["sentence"].startswith("“the” may read nothing: its shares are NaN, for −∞ − (−∞)")
    notebook.page.locator(".mp-head").nth(6).click()  # the last row of the mask
    assert "it is NaN, because a row" in same_in_python(notebook)["sentence"]


def state_of_lab(page):
    """Which cell is active, and whether its code is edited: what the keys must not change."""
    return page.evaluate(
        "() => { const n = window.jupyterapp.shell.currentWidget.content;"
        " return [n.activeCellIndex, n.mode]; }"
    )


def test_by_keyboard_alone(notebook):
    page = notebook.page
    page.locator(".mp-reset").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.matches('button.mp-cell')")
    for _ in range(8):  # to the top left, wherever the grid was left, and not beyond its edge
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Space")
    shown = same_in_python(notebook)
    assert shown["marks"][7 : 7 + 4] == [True, True, True, False]
    assert shown["sentence"].startswith("“cat” reads the ")
    label = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert label.startswith("cat reads sat: may be read, share ")
    page.keyboard.press("Enter")
    assert not same_in_python(notebook)["marks"][7 + 2]
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == (
        "cat reads sat: hidden"
    )
    assert state_of_lab(page) == [0, "command"]
    assert notebook.problems() == []


def test_python_paints_too(notebook):
    notebook.run_in_kernel("setattr(painter, 'visible', painter.presets['none'])")
    assert same_in_python(notebook)["known"] == [True] * 7
    notebook.run_in_kernel("setattr(painter, 'chosen', 5)")
    assert same_in_python(notebook)["sentence"].startswith("“[PAD]” reads the ")
