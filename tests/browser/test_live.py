"""A run that is watched, stopped with the toolbar's button, and gone on with."""

import json

import pytest

SETUP = """
import math
import time
from types import SimpleNamespace

from course_lib.plots.training import BITS, TrainingCurves
from course_lib.widgets import live

curves = TrainingCurves(BITS, {"gzip": 3.0})


def records(first, last, seconds):
    for step in range(first, last + 1):
        time.sleep(seconds)
        loss = 2 + 3 * math.exp(-step / 60)
        sample = f"if x < {step}:" if step % 20 == 0 else None
        yield SimpleNamespace(step=step, total_steps=last, train_loss=loss, sample=sample,
                              validation_loss=loss if step % 20 == 0 else None, lr=1e-3,
                              grad_norm=1.0)
"""
RUN = "run = live(records(1, 2000, 0.02), 2000, curves.draw, curves.say, limit_seconds=10)"
GO_ON = """
done = live(records(run.history[-1].step + 1, run.history[-1].step + 40, 0.005),
            run.history[-1].step + 40, curves.draw, curves.say, history=run.history)
"""
AFTER = "(run.stopped_at == run.history[-1].step, len(done.history) - len(run.history))"
ON_PAGE = ".widget-image"


@pytest.fixture
def running(open_notebook):
    notebook = open_notebook("live", [SETUP, RUN])
    notebook.start_all()
    notebook.page.wait_for_selector(".course-widget pre", timeout=60_000)
    return notebook


def test_a_run_is_seen_while_it_goes_on_and_can_be_stopped(running):
    page = running.page
    page.wait_for_timeout(1500)
    pictures = page.evaluate(
        "async () => { const seen = new Set(); const end = performance.now() + 2000;"
        f" while (performance.now() < end) {{ seen.add(document.querySelector('{ON_PAGE}').src);"
        " await new Promise(requestAnimationFrame); } return seen.size; }"
    )
    assert 3 <= pictures <= 12  # at most five a second, and it does move
    said = page.locator(".course-caption").all_inner_texts()
    assert "press the square in the toolbar" in said[0]
    assert page.locator(".course-caption").last.get_attribute("aria-live") == "off"
    page.locator("[data-command='notebook:interrupt-kernel'], [title*='nterrupt']").first.click()
    running.wait_until_run(20)
    said = page.locator(".course-caption").all_inner_texts()
    assert said[1].startswith("Stopped at step") and "nothing is lost" in said[1]
    assert page.locator(".course-caption").last.get_attribute("aria-live") == "polite"
    assert "if x <" in page.locator(".course-widget pre").inner_text()
    assert page.locator(ON_PAGE).count() == 1
    assert running.problems() == []


def test_later_cells_work_and_the_saved_file_has_the_last_picture(open_notebook, lab):
    quick = RUN.replace("2000", "60").replace("0.02", "0.002")
    notebook = open_notebook("live_saved", [SETUP, quick, GO_ON, AFTER.replace("run.stopped_at ==",
                                            "run.stopped_at is None and 60 ==")])
    notebook.run_all()
    assert notebook.problems() == []
    assert notebook.page.locator(ON_PAGE).count() == 2
    notebook.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    notebook.page.wait_for_timeout(1500)
    cells = json.loads((lab.root / "live_saved.ipynb").read_text(encoding="utf8"))["cells"]
    (first, said), (second, _) = cells[1]["outputs"], cells[2]["outputs"]
    assert said["data"]["text/plain"] == first["data"]["text/plain"]
    assert first["data"]["text/plain"][0].startswith("Step 60 of 60:")
    assert second["data"]["text/plain"][0].startswith("Step 100 of 100:")
    assert first["data"]["image/png"] != second["data"]["image/png"]
    assert cells[3]["outputs"][0]["data"]["text/plain"] == ["(True, 40)"]
