"""Move one slider by key and by mouse, and time and compare what the reader sees."""

import hashlib
import io
import statistics
import time
from dataclasses import dataclass

from PIL import Image
from playwright.sync_api import JSHandle, Locator

from nbbrowser.notebook import Notebook

QUIET = 250  # ms without a change that count as the end of it
OPPOSITE = {"ArrowLeft": "ArrowRight", "ArrowRight": "ArrowLeft"}


@dataclass(frozen=True)
class Steps:
    """What a number of arrow-key presses did.

    Attributes:
        ms: From key press to the last change of each press that changed something.
        silent: Presses that changed nothing on the page.
        blank: Animation frames without any picture.
        lowest: Smallest height of the output over its normal height; below 1 it jumped.
    """

    ms: list[float]
    silent: int
    blank: int
    lowest: float

    @property
    def median(self) -> float:
        """Median of `ms`; infinite when nothing ever changed."""
        return statistics.median(self.ms) if self.ms else float("inf")


@dataclass(frozen=True)
class Drag:
    """What a drag with the mouse did.

    Attributes:
        final_right: The last picture equals the one of the same value reached by key.
        frames_per_second: Changes of the page per second while dragging.
        blank: Animation frames without any picture.
        lowest: Smallest height of the output over its normal height.
    """

    final_right: bool
    frames_per_second: float
    blank: int
    lowest: float


def output_of(handle: Locator) -> JSHandle:
    """The output area that the slider stands in."""
    return handle.evaluate_handle("e => e.closest('.jp-Cell-outputArea')")


def first_sliders(notebook: Notebook) -> list[Locator]:
    """The first slider of every figure that sliders of ipywidgets move; other widgets have own."""
    first = {}
    for handle in notebook.sliders():
        if not handle.evaluate("e => Boolean(e.closest('.widget-inline-hbox'))"):
            continue
        cell = handle.evaluate("e => [...document.querySelectorAll('.jp-Cell')].indexOf("
                               "e.closest('.jp-Cell'))")
        first.setdefault(cell, handle)
    return list(first.values())


def keyboard_steps(notebook: Notebook, handle: Locator, n: int = 12) -> Steps:
    """Press arrow keys `n` times, four to the right, four to the left, and so on.

    At an end it turns round: a press that can change nothing is waited for longest of all.
    """
    page = notebook.page
    handle.scroll_into_view_if_needed()
    output_of(handle).evaluate("root => __watch.start(root)")
    handle.focus()
    for key in ("ArrowLeft", "ArrowRight"):  # the first moves load code and fonts
        _press(notebook, handle, inward(handle, key))
    seen, key = [], "ArrowRight"
    for i in range(n):
        key = inward(handle, OPPOSITE[key] if i and i % 4 == 0 else key)
        seen.append(_press(notebook, handle, key))
    page.evaluate("() => __watch.stop()")
    changed = [s for s in seen if s["changes"]]
    return Steps(
        ms=[round(s["changes"][-1] - s["key"], 1) for s in changed],
        silent=len(seen) - len(changed),
        blank=sum(s["blank"] for s in seen),
        lowest=min(s["lowest"] / max(1, s["height"]) for s in seen),
    )


def inward(handle: Locator, key: str) -> str:
    """The key, or its opposite where the slider stands at the end that the key points to."""
    share = handle.evaluate(
        "e => { if (e.matches('input')) return (e.value - e.min) / (e.max - e.min);"
        " const s = e.closest('.noUi-target').noUiSlider, range = s.options.range;"
        " return (s.get(true) - range.min) / (range.max - range.min); }"
    )
    at_the_end = share < 1e-6 if key == "ArrowLeft" else share > 1 - 1e-6
    return OPPOSITE[key] if at_the_end else key


def drag(notebook: Notebook, handle: Locator, moves: int = 60, ms: int = 16) -> Drag:
    """Drag the handle at 60 Hz over most of its track, and look at the picture left behind."""
    page = notebook.page
    handle.scroll_into_view_if_needed()
    output_of(handle).evaluate("root => __watch.start(root)")
    page.evaluate("() => __watch.reset()")
    seconds = _drag_mouse(page, handle, moves, ms)
    notebook.wait_idle()
    seen = _settle(page, 500)
    page.mouse.move(2, 2)
    left_behind = picture_of(notebook, handle)
    away = inward(handle, "ArrowRight")
    for key in (away, OPPOSITE[away]):  # the same value once more, reached quietly
        _press(notebook, handle, key)
    quietly = picture_of(notebook, handle)
    page.evaluate("() => __watch.stop()")
    during = [t for t in seen["changes"] if t <= (seen["up"] or 0)]
    return Drag(
        final_right=left_behind == quietly,
        frames_per_second=round(len(during) / seconds, 1),
        blank=seen["blank"],
        lowest=seen["lowest"] / max(1, seen["height"]),
    )


def picture_of(notebook: Notebook, handle: Locator) -> str:
    """A hash of the output's pixels without its sliders, whose focus ring would differ."""
    page = notebook.page
    hide = "o => document.querySelectorAll('.widget-slider').forEach(e => e.style.opacity = o)"
    page.evaluate("() => document.activeElement?.blur()")
    page.evaluate(hide, 0)
    page.wait_for_timeout(80)
    png = output_of(handle).as_element().screenshot()
    page.evaluate(hide, 1)
    return hashlib.sha256(Image.open(io.BytesIO(png)).convert("RGB").tobytes()).hexdigest()


def _press(notebook: Notebook, handle: Locator, key: str) -> dict:
    notebook.page.evaluate("() => __watch.reset()")
    handle.press(key)
    return _settle(notebook.page, QUIET)


def _settle(page, quiet: int, limit: float = 4.0) -> dict:
    """Wait for a change and then for `quiet` ms without one; give up after `limit` seconds."""
    deadline = time.monotonic() + limit
    while True:
        seen = page.evaluate("() => __watch.get()")
        settled = seen["changes"] and seen["now"] - seen["changes"][-1] > quiet
        if settled or time.monotonic() > deadline:
            return seen
        page.wait_for_timeout(25)


def _drag_mouse(page, handle: Locator, moves: int, ms: int) -> float:
    """There and back over the track, then rest at 71% of it; returns the seconds it took."""
    base = handle.evaluate_handle("e => e.closest('.noUi-base') || e").as_element()
    track, knob = base.bounding_box(), handle.bounding_box()
    y = track["y"] + track["height"] / 2
    page.mouse.move(knob["x"] + knob["width"] / 2, y)
    page.mouse.down()
    start = time.monotonic()
    for i in range(moves):
        there_and_back = 0.5 + 0.45 * (1 - abs(2 * i / moves - 1))
        share = there_and_back if i < 0.9 * moves else 0.71
        page.mouse.move(track["x"] + track["width"] * share, y)
        time.sleep(max(0, (i + 1) * ms / 1000 - (time.monotonic() - start)))
    page.mouse.up()
    return time.monotonic() - start
