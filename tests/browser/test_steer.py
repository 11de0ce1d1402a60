"""A run that is steered while it goes on, stopped in two ways, and started again."""

import json

import pytest

SETUP = """
from types import SimpleNamespace

from course_lib.plots import style
from course_lib.widgets import control, steer


def step(last, speed, back):
    return SimpleNamespace(step=last.step + 1, x=last.x + (-speed if back else speed))


def draw(fig, history):
    axes = fig.subplots()
    axes.set(xlim=(0, 300), ylim=(-300, 900), xlabel="step", ylabel="place (m)")
    (line,) = axes.plot([], [], color=style.Q)

    def update(history):
        line.set_data([place.step for place in history], [place.x for place in history])
        return [line]

    return update


def say(history):
    return f"At {history[-1].x:.1f} m after {history[-1].step} steps."


start = SimpleNamespace(step=0, x=0.0)
"""
RUN = """
run = await steer(step, 300, draw, say, start=start, seconds=60,
                  speed=control(0.0, 3.0, 0.5, 1.0, "speed v", "m per step"), back=False)
"""
QUICK = RUN.replace("60", "3")
AFTER = "[run.stopped_at == run.history[-1].step, len(run.history)]"
BOX = ".course-widget"
STOP, RESET = f"{BOX} button >> nth=0", f"{BOX} button >> nth=1"
HANDLE = f"{BOX} .noUi-handle[role=slider]"
CAPTION = f"{BOX} .course-caption"


@pytest.fixture
def running(open_notebook):
    """A run of a minute, some steps old."""
    notebook = open_notebook("steer", [SETUP, RUN, AFTER])
    notebook.start_all()
    wait_for_step(notebook, 5, seconds=30)
    return notebook


def wait_for_step(notebook, at_least, seconds=30):
    notebook.page.wait_for_function(
        "n => +document.querySelector('.course-caption')?.innerText"
        ".match(/after (\\d+) steps/)?.[1] >= n",
        arg=at_least, timeout=1000 * seconds,
    )


def said(notebook):
    return notebook.page.locator(CAPTION).last.inner_text()


def values_used(notebook):
    return notebook.run_in_kernel("run.changes")


def interrupt(notebook):
    notebook.page.locator(
        "[data-command='notebook:interrupt-kernel'], [title*='nterrupt']").first.click()


def test_sliders_act_while_it_runs_and_the_interrupt_keeps_all(running):
    page = running.page
    assert page.locator(CAPTION).last.get_attribute("aria-live") == "off"
    page.locator(HANDLE).focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1500)
    page.locator(f"{BOX} input[type=checkbox]").check()
    page.wait_for_timeout(1000)
    interrupt(running)
    running.wait_until_run(20)
    assert said(running).startswith("Stopped at step") and "nothing is lost" in said(running)
    assert page.locator(CAPTION).last.get_attribute("aria-live") == "polite"
    changes = values_used(running)
    steps, moved = zip(*changes, strict=True)
    assert moved[0] == {"speed": 1.0, "back": False} and moved[-1] == {"speed": 3.0, "back": True}
    assert {"speed": 3.0, "back": False} in moved
    assert steps == tuple(sorted(set(steps))) and steps[0] == 1
    path = running.run_in_kernel("[place.x for place in run.history]")
    ends = [*steps[1:], len(path)]
    for (first, values), end in zip(changes, ends, strict=True):
        pace = -values["speed"] if values["back"] else values["speed"]
        assert {round(path[i] - path[i - 1], 9) for i in range(first, end)} == {pace}
    assert running.problems() == []
    shown = page.locator(".jp-OutputArea-output").last.inner_text()
    assert shown == f"[True, {len(path)}]"  # the later cell has run


def test_the_buttons_stop_begin_again_and_run_again(running):
    page = running.page
    page.locator(HANDLE).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1000)
    before = running.page.locator(f"{BOX} img").get_attribute("src")
    page.locator(RESET).click()
    page.wait_for_timeout(1000)
    assert page.locator(f"{BOX} .widget-readout").inner_text() == "1.0"
    wait_for_step(running, 2)
    page.locator(STOP).click()
    running.wait_until_run(20)
    stopped = running.run_in_kernel("run.stopped_at")
    assert values_used(running) == [[1, {"speed": 1.0, "back": False}]] and 2 <= stopped < 60
    assert page.locator(STOP).inner_text() == "Run again"
    assert page.locator(f"{BOX} img").get_attribute("src") != before
    page.locator(HANDLE).focus()
    page.keyboard.press("ArrowLeft")
    page.locator(STOP).click()
    page.wait_for_selector(f"{BOX} button:text-is('Stop')")
    wait_for_step(running, 3)
    assert running.run_in_kernel("run.running") is True
    page.locator(STOP).click()
    page.wait_for_timeout(1000)
    assert running.run_in_kernel("run.running") is False
    assert values_used(running) == [[1, {"speed": 0.5, "back": False}]]
    assert said(running).startswith("Stopped at step") and running.problems() == []


def test_a_run_that_ends_leaves_its_picture_in_the_file_and_the_focus_on_the_slider(
    open_notebook, lab
):
    notebook = open_notebook("steer_saved", [SETUP, QUICK, QUICK, AFTER])
    notebook.start_all()
    wait_for_step(notebook, 5, seconds=30)
    page = notebook.page
    page.locator(HANDLE).first.focus()
    page.keyboard.press("ArrowRight")
    notebook.wait_until_run(60)
    assert notebook.problems() == [] and page.locator(f"{BOX} img").count() == 2
    assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_timeout(1500)
    cells = json.loads((lab.root / "steer_saved.ipynb").read_text(encoding="utf8"))["cells"]
    (_, first, sentence), (_, second, _) = cells[1]["outputs"], cells[2]["outputs"]
    assert sentence["data"]["text/plain"] == first["data"]["text/plain"]
    assert first["data"]["text/plain"][0].endswith("after 300 steps.")
    assert second["data"]["text/plain"] == ["At 300.0 m after 300 steps."]
    assert first["data"]["image/png"] != second["data"]["image/png"]
