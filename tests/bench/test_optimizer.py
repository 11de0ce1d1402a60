import pytest
import torch

from course_lib.bench import command, optimizer
from course_lib.bench.rounds import Comparison
from course_lib.optim.adamw import AdamW


def test_both_sides_make_the_same_update():
    ours, theirs, fresh = (optimizer.prepared(make, **options) for make, options in (
        (AdamW, {}), (torch.optim.AdamW, {"foreach": False}), (AdamW, {})))  # fmt: skip
    for _ in range(3):
        ours.step()
        theirs.step()
    ends = [made.param_groups[0]["params"] for made in (ours, theirs, fresh)]
    assert all(torch.equal(a, b) for a, b in zip(*ends[:2], strict=True))
    assert not torch.equal(ends[0][0], ends[2][0])


@pytest.mark.parametrize(("ours", "status"), [([500.0, 400.0, 900.0], 0), ([400.0] * 3, 1)])
def test_prints_what_was_measured(monkeypatch, capsys, ours, status):
    seen = {}

    def pretend(first, second, **settings):
        seen.update(settings)
        return Comparison(ours=ours, theirs=[500.0] * 3)

    monkeypatch.setattr(optimizer, "compare", pretend)
    assert command.main(["optimizer", "--rounds", "3", "--steps", "7"]) == status
    printed = capsys.readouterr().out
    assert (seen["n_rounds"], seen["n_steps"], seen["n_warm_up"]) == (3, 7, 5)
    assert "2.00 ms torch's" in printed
    assert printed.count("of 3 rounds, range") == len(optimizer.WAYS)
