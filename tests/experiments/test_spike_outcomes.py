import math

import pytest

from course_lib.experiments.spike_outcomes import Outcomes, all_injuries, first_above, table
from course_lib.experiments.spiked_gpt import (
    CORRUPTED,
    INJURIES,
    NOTHING,
    OVERFLOW,
    QK_NORM,
    RATE,
    REMEDIES,
    REWIND,
    SKIP,
    SpikeStep,
    healthy_models,
)  # fmt: skip


def test_first_above():
    assert first_above([1, 2, 1, 3, 5], 2, 3) == 5
    assert first_above([1, 2, 1, 3, math.nan], 2, 3) == 5
    assert first_above([1, 2, 1, 4], 2, 3) == math.inf


def test_alarms_look_at_the_run_with_nothing_done():
    steps = [
        SpikeStep(i, {NOTHING: 9.0 if i > 30 else 1.0}, {NOTHING: 9.0 if i > 24 else 1.0}, {})
        for i in range(1, 41)
    ]
    assert Outcomes({RATE: steps}, [], {}, {}).alarms(RATE) == (25, 31)


def test_the_table_names_what_is_over():
    rows = {RATE: {**dict.fromkeys(REMEDIES, 0.5), SKIP: math.nan, REWIND: -0.001}}
    head, line = table(rows).splitlines()
    assert head.split()[:3] == ["nothing", "clip", "skip"] and len(head) == len(line)
    assert line.split()[-6:] == ["0.50", "0.50", "NaN", "0.50", "-0.00", "0.50"]


@pytest.fixture(scope="module")
def outcomes():
    return all_injuries(healthy_models(seed=1))


def test_each_injury_has_the_remedies_that_fit_it(outcomes):
    excess = outcomes.excess
    assert excess[RATE][QK_NORM] < 0.8 < 1.5 < min(excess[RATE][r] for r in (NOTHING, SKIP))
    assert abs(excess[OVERFLOW][REWIND]) < 0.05 and math.isnan(excess[OVERFLOW][SKIP])
    assert outcomes.peaks[CORRUPTED][SKIP] < 0.15 < outcomes.peaks[CORRUPTED][NOTHING]
    assert set(excess) == set(INJURIES)
    norm, loss = outcomes.alarms(CORRUPTED)
    assert norm + 2 < loss
