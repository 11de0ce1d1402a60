"""What a reader of a lesson meets in the browser: every widget there, moving, readable."""

from pathlib import Path

from nbbrowser import drag, first_sliders, keyboard_steps

CONTRAST = (Path(__file__).parent / "nbbrowser" / "contrast.js").read_text(encoding="utf8")
TEXT = (
    ".course-caption p, .course-widget .widget-label, .course-widget .widget-readout,"
    " .course-widget button, .course-widget label, .widget-htmlmath-content p, .qk p, .qk label,"
    " .qk-title, .qk-word, .qk-number, .qk text, .mp p, .mp label, .mp button, .mp-title, .mp-word,"
    " .mp-cell, .mp text, .bpe p, .bpe label, .bpe button, .bpe-box, .bpe-title, .bpe-value,"
    " .bpe-times, .bpe-pairs td, .bpe-pairs th, .ax p, .ax label, .ax button, .ax-text, .ax text"
)
AREA = ".jp-Cell-outputArea"


def test_every_cell_runs_and_every_widget_comes_up(lesson):
    assert lesson.problems() == []
    assert lesson.widgets() > 0


def test_every_slider_follows_the_keyboard_without_flicker(lesson):
    for handle in lesson.sliders():
        steps = keyboard_steps(lesson, handle, n=4)
        name = handle.get_attribute("aria-label")
        assert steps.ms, f"{name}: arrow keys change nothing"
        assert steps.blank == 0 and steps.lowest > 0.99, f"{name}: the picture flickers: {steps}"
    assert lesson.problems() == []


def test_a_drag_leaves_the_right_picture(lesson):
    """One slider of a figure is enough: what a drag can spoil lies on the way to the kernel and
    back, the same for all of them.  That a figure does not depend on where its sliders were
    before is tested without a browser, of every control (widgets/test_lesson_widgets.py).
    """
    for handle in first_sliders(lesson):
        seen = drag(lesson, handle)
        name = handle.get_attribute("aria-label")
        assert seen.final_right, f"{name}: after the drag the picture is not that of the value"
        assert seen.blank == 0 and seen.lowest > 0.99, f"{name}: the picture flickers: {seen}"
    assert lesson.problems() == []


def test_words_are_readable_in_both_themes(lesson):
    assert (light := lesson.page.evaluate(CONTRAST, TEXT))
    lesson.set_theme(dark=True)
    dark = lesson.page.evaluate(CONTRAST, TEXT)
    lesson.set_theme(dark=False)
    assert [text for text, _ in dark] == [text for text, _ in light]
    assert [(text, ratio) for text, ratio in light if ratio < 4.5] == []
    assert [(text, ratio) for text, ratio in dark if ratio < 4.5] == []


def test_pictures_keep_their_white_card(lesson):
    """PNGs without transparency, so that black words stay readable on a dark page."""
    sizes = lesson.page.evaluate(
        "() => [...document.querySelectorAll('.course-widget img')].map(image => {"
        " const c = document.createElement('canvas'); c.width = c.height = 1;"
        " const d = c.getContext('2d'); d.drawImage(image, 0, 0, 1, 1, 0, 0, 1, 1);"
        " return [...d.getImageData(0, 0, 1, 1).data]; })"
    )
    assert all(pixel == [255, 255, 255, 255] for pixel in sizes)


def test_screen_readers_hear_names_numbers_and_pictures(lesson):
    page = lesson.page
    for handle in lesson.sliders():
        assert handle.get_attribute("aria-label"), "a slider without an accessible name"
        read = handle.evaluate(
            "e => e.closest('.widget-inline-hbox')?.querySelector('.widget-readout').textContent"
        )
        heard = handle.get_attribute("aria-valuetext")
        assert heard == read if read else heard  # a widget of its own writes no number beside it
    pictures = page.locator(".course-widget:has(.widget-image)")
    for i in range(pictures.count()):
        box = pictures.nth(i)
        caption = box.locator(".course-caption").last
        assert box.locator("img").get_attribute("alt") == caption.inner_text().strip()
        assert caption.get_attribute("aria-live") == "polite"


def test_a_narrow_window_shows_the_whole_picture(lesson):
    page = lesson.page
    page.set_viewport_size({"width": 640, "height": 900})
    page.wait_for_timeout(300)
    shapes = page.evaluate(
        "() => [...document.querySelectorAll('.course-widget img')].map(i => ({"
        " wide: i.clientWidth, room: i.closest('.jp-Cell-outputArea').clientWidth,"
        " ratio: i.clientWidth / i.clientHeight * i.naturalHeight / i.naturalWidth }))"
    )
    page.set_viewport_size({"width": 1280, "height": 900})
    for shape in shapes:
        assert shape["wide"] <= shape["room"] and abs(shape["ratio"] - 1) < 0.02
