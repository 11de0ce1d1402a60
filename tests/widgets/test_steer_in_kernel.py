"""`steer` in a real kernel, spoken to as a front end speaks, without a browser."""

import json
import time
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

SETUP = """
import json
import sys
from types import SimpleNamespace

from course_lib.widgets import Steer, steer


def step(last, speed):
    return SimpleNamespace(step=last.step + 1, x=last.x + speed)


def draw(fig, history):
    (line,) = fig.subplots().plot([], [])
    return lambda history: [line]


def say(history):
    return f"At step {history[-1].step}."


def model_of(run, name):
    return run.controls[name].model_id


start = SimpleNamespace(step=0, x=0)
"""
RUN = """
run = await steer(step, 2000, draw, say, start=start, seconds=60, size=(3, 2), unwatched=7,
                  speed=(0, 5, 1, 1))
"""
FOUND = "json.dumps([run.stopped_at, run.history[-1].step, run.history[-1].x, run.values['speed']])"


class FrontEnd:
    """Sends what JupyterLab sends, and collects what it would show."""

    def __init__(self, manager, client):
        self.manager, self.client = manager, client
        self.models = {}  # states of the widgets by their ids, as the kernel opened them

    def start(self, code, watched=True):
        return self.client.execute(code, allow_stdin=watched)

    def finish(self, message, seconds=30):
        """The reply of a cell, and all that it showed."""
        while True:
            reply = self.client.get_shell_msg(timeout=seconds)
            if reply["parent_header"].get("msg_id") == message:
                break
        return reply["content"], self.listen(lambda kind, content: content.get("execution_state")
                                             == "idle", of=message)

    def listen(self, until, of=None, seconds=30):
        """Collect messages until one satisfies `until`."""
        seen, end = [], time.monotonic() + seconds
        while True:
            got = self.client.get_iopub_msg(timeout=max(0.1, end - time.monotonic()))
            kind, content = got["msg_type"], got["content"]
            if kind == "comm_open":
                self.models[content["comm_id"]] = content["data"]["state"]
            seen.append((kind, content))
            if (of is None or got["parent_header"].get("msg_id") == of) and until(kind, content):
                return seen

    def wait_for_step(self, step):
        """Until the progress bar of the newest run has come so far."""
        self.listen(lambda kind, content: kind == "comm_msg" and self._bar(content) >= step)

    def _bar(self, content):
        name = self.models.get(content["comm_id"], {}).get("_model_name")
        value = content["data"].get("state", {}).get("value", 0)
        return value if name == "IntProgressModel" else 0

    def newest(self, name, nth):
        """The id of the nth last widget of this kind."""
        return [key for key, has in self.models.items() if has.get("_model_name") == name][-nth]

    def tell(self, model, **data):
        """Move or click a widget."""
        content = {"comm_id": model, "data": data}
        message = self.client.session.msg("comm_msg", content)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def move(self, value):
        """Move the newest slider, and wait for "idle" as JupyterLab does before the next move."""
        slider = self.newest("IntSliderModel", 1)
        message = self.tell(slider, method="update", state={"value": value}, buffer_paths=[])
        self.listen(lambda kind, content: content.get("execution_state") == "idle", of=message,
                    seconds=5)

    def click(self, nth):
        button = self.newest("ButtonModel", 2 - nth)
        self.tell(button, method="custom", content={"event": "click"})

    def found(self, expression=FOUND):
        """The value of an expression in a cell of its own: later cells work."""
        message = self.client.execute("", user_expressions={"x": expression}, silent=False)
        reply, _ = self.finish(message)
        return json.loads(reply["user_expressions"]["x"]["data"]["text/plain"][1:-1])


@pytest.fixture(scope="module")
def kernel():
    manager, client = start_new_kernel(startup_timeout=60, cwd=Path(__file__).parents[2])
    front_end = FrontEnd(manager, client)
    assert front_end.finish(front_end.start(SETUP), 60)[0]["status"] == "ok"
    yield front_end
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_a_program_that_runs_the_notebook_gets_a_short_run(kernel):
    began = time.monotonic()
    reply, shown = kernel.finish(kernel.start(RUN, watched=False))
    assert reply["status"] == "ok" and kernel.found() == [None, 7, 7, 1]
    assert time.monotonic() - began < 20  # and not the 60 s that a reader has
    pictures = [c["data"] for kind, c in shown if "data" in c and "image/png" in c["data"]]
    assert pictures[-1]["text/plain"] == "At step 7." != pictures[0]["text/plain"]
    assert pictures[-1]["image/png"]
    said = [c["data"] for kind, c in shown if kind == "display_data"][-1]
    assert said["text/plain"] == "At step 7." and "image/png" not in said


def test_sliders_act_while_the_cell_runs_and_the_interrupt_keeps_all(kernel):
    message = kernel.start(RUN)
    kernel.wait_for_step(3)
    for value in (3, 3, 5):  # also one that changes nothing
        kernel.move(value)
    time.sleep(0.5)
    kernel.manager.interrupt_kernel()
    reply, _ = kernel.finish(message)
    assert reply["status"] == "ok"
    stopped, last, x, speed = kernel.found()
    assert 3 <= stopped == last < 2000 and speed == 5 and last < x < 5 * last
    changed = kernel.found("json.dumps(run.changes)")
    assert changed[0] == [1, {"speed": 1}] and changed[-1][1] == {"speed": 5}
    ends = [first - 1 for first, _ in changed[1:]] + [last]
    made = [(end - first + 1) * values["speed"]
            for (first, values), end in zip(changed, ends, strict=True)]
    assert x == sum(made)
    handler = "get_ipython().kernel.shell_handlers['comm_msg'].__name__"
    assert kernel.found(f"json.dumps({handler})") == "comm_msg"  # messages go as before


def test_presses_that_come_one_after_the_other_end_no_kernel(kernel):
    message = kernel.start(RUN)
    kernel.wait_for_step(3)
    for _ in range(4):
        kernel.manager.interrupt_kernel()
    assert kernel.finish(message)[0]["status"] in ("ok", "error")  # the last may hit the cell's end
    assert kernel.finish(kernel.start(RUN, watched=False))[0]["status"] == "ok"
    assert kernel.found() == [None, 7, 7, 1]


def test_a_cell_that_is_run_again_while_it_runs_starts_when_the_first_is_stopped(kernel):
    first, second = kernel.start(RUN), kernel.start(RUN.replace("run =", "again ="))
    kernel.wait_for_step(3)
    kernel.click(0)
    assert kernel.finish(first)[0]["status"] == "ok"
    kernel.wait_for_step(5)
    kernel.manager.interrupt_kernel()
    assert kernel.finish(second)[0]["status"] == "ok"
    stopped, ended = kernel.found("json.dumps([run.stopped_at, again.stopped_at])")
    assert stopped >= 3 and ended >= 5


def test_run_again_goes_on_beside_later_cells(kernel):
    quick = RUN.replace("60", "3").replace("2000", "100")
    assert kernel.finish(kernel.start(quick))[0]["status"] == "ok"
    kernel.move(4)
    kernel.click(0)
    kernel.wait_for_step(20)
    assert kernel.found("json.dumps([run.running, 2 + 2])") == [True, 4]
    kernel.listen(lambda kind, content: content.get("data", {}).get("state", {}).get(
        "description") == "Run again")
    assert kernel.found() == [None, 100, 400, 4]
    with pytest.raises(KeyError):  # an interrupt stops cells as before
        message = kernel.client.execute(
            "import time; time.sleep(20)", user_expressions={"x": "1"})
        time.sleep(0.5)
        kernel.manager.interrupt_kernel()
        kernel.finish(message)[0]["user_expressions"]["x"]
