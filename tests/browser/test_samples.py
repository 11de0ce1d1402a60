"""Keyboard alone, from the Tab key on; and numbers in the browser against numbers in Python."""

import pytest
from nbbrowser import keyboard_steps
from nbbrowser.sources import notebook_of, sources_of


@pytest.fixture(scope="module")
def opened(lab):
    with notebook_of(lab, "one_of_each", sources_of("samples")) as notebook:
        notebook.run_all()
        yield notebook


@pytest.fixture
def samples(opened):
    """The notebook with one of every widget, each as at first."""
    opened.run_in_kernel("[moved.reset()] and None")
    opened.run_in_kernel("[setattr(by_hand, 'query', by_hand.start)] and None")
    opened.run_in_kernel("[setattr(by_hand, 'scaled', True)] and None")
    opened.wait_idle()
    return opened


def tab_to(page, selector, limit=60):
    """Press Tab until an element that `selector` picks has the focus."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"{limit} times Tab did not reach {selector}")


def focus_cell(notebook, index):
    notebook.page.evaluate(
        "i => { const n = window.jupyterapp.shell.currentWidget.content; n.activeCellIndex = i;"
        " n.mode = 'command'; n.widgets[i].node.focus(); }",
        index,
    )


def test_learners_have_comms_on_the_main_shell(samples):
    """Else a slider could draw in a second thread while a cell runs."""
    kernel = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    assert samples.page.evaluate(f"() => {kernel}.commsOverSubshells") == "disabled"


def test_explore_by_keyboard_alone(samples):
    page = samples.page
    focus_cell(samples, 1)
    tab_to(page, ".noUi-handle[aria-label^=temperature]")
    for key in ("ArrowRight", "ArrowRight", "PageUp"):
        page.keyboard.press(key)
    samples.wait_idle()
    moved = samples.run_in_kernel("moved.values")
    assert moved["temperature"] > 1.15
    tab_to(page, ".course-widget input[type=checkbox]")
    page.keyboard.press("Space")
    tab_to(page, ".course-widget button")
    samples.wait_idle()
    assert samples.run_in_kernel("moved.values")["scaled"] is True
    page.keyboard.press("Enter")
    samples.wait_idle()
    start = {"temperature": 1.0, "count": 8, "scaled": False}
    assert samples.run_in_kernel("moved.values") == start


def test_the_tests_own_arrow_keys_turn_round_at_the_ends(samples):
    """A press that can change nothing would cost each lesson's tests the longest wait."""
    temperature, count = samples.sliders()
    for handle in (temperature, count):  # `count` has six values
        assert keyboard_steps(samples, handle, n=8).silent == 0


def test_predict_by_keyboard_alone(samples):
    page = samples.page
    focus_cell(samples, 2)
    tab_to(page, "input[type=radio]")
    page.keyboard.press("Space")
    samples.wait_idle()
    first = samples.run_in_kernel("guess.choice")
    assert first in ("to one option", "together")  # Tab enters a group at either end
    page.keyboard.press("ArrowDown" if first == "to one option" else "ArrowUp")
    samples.wait_idle()
    assert samples.run_in_kernel("guess.choice") == "apart"


def test_an_error_while_moving_is_said_on_the_page(samples):
    samples.run_in_kernel("setattr(moved, '_compute', lambda **values: 1 / 0)")
    handle = samples.sliders()[0]
    handle.focus()
    samples.page.keyboard.press("ArrowRight")
    samples.wait_idle()
    said = samples.page.locator(".course-caption").first.inner_text()
    samples.run_in_kernel("setattr(moved, '_compute', compute)")
    assert "ZeroDivisionError: division by zero" in said and "temperature = 1.1," in said


def in_browser(page):
    """Every number that the widget shows, with all its digits, and its sentence."""
    return page.evaluate(
        "() => { const all = s => [...document.querySelectorAll(s)].map(e => +e.dataset.value);"
        " return { scores: all('.qk-signed > div'),"
        " weights: all('.qk-track:not(.qk-signed) > div'),"
        " output: JSON.parse(document.querySelector('.qk path[data-value]').dataset.value),"
        " sentence: document.querySelector('.qk-status').textContent }; }"
    )


def assert_same_numbers(samples):
    samples.wait_idle()
    shown = in_browser(samples.page)
    names = ("scores", "weights", "output")
    parts = ", ".join(f"{name}=by_hand.{name}" for name in names)
    computed = samples.run_in_kernel(f"dict({parts}, sentence=repr(by_hand))")
    assert shown.pop("sentence") == computed.pop("sentence")
    for name in names:
        assert shown[name] == pytest.approx(computed[name], rel=1e-12), name
    return tuple(samples.run_in_kernel("by_hand.query"))


def test_dot_product_by_hand_computes_what_python_computes(samples):
    page = samples.page
    assert assert_same_numbers(samples) == (1.4, -0.5)
    focus_cell(samples, 3)
    tab_to(page, ".qk input[type=checkbox]")
    page.keyboard.press("Space")
    assert_same_numbers(samples)
    assert samples.run_in_kernel("by_hand.scaled") is False
    tab_to(page, ".qk-tip")
    for key in ("ArrowUp", "ArrowUp", "Shift+ArrowLeft", "+"):
        page.keyboard.press(key)
    assert assert_same_numbers(samples) == pytest.approx((0.99, -0.33), abs=0.011)
    drag_tip(page, 60, -90)
    query = assert_same_numbers(samples)
    assert query == pytest.approx((1.99, 1.17), abs=0.05)  # 60 pixels are 1.0 of a plane of 6
    page.locator(".qk-reset").press("Enter")
    assert assert_same_numbers(samples) == (1.4, -0.5)
    assert samples.problems() == []


def drag_tip(page, dx, dy, steps=30):
    box = page.locator(".qk-tip").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, steps + 1):
        page.mouse.move(x + dx * i / steps, y + dy * i / steps)
    page.mouse.up()


def test_python_moves_the_arrow_too(samples):
    samples.run_in_kernel("setattr(by_hand, 'query', [-2.0, 1.0])")
    assert assert_same_numbers(samples) == (-2.0, 1.0)
    assert "(-2.00, 1.00)" in samples.page.locator(".qk-status").inner_text()
