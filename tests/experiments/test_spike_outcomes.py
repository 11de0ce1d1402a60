import math

import pytest

from course_lib.experiments.spike_outcomes import alarms, all_injuries, first_above, table
from course_lib.experiments.spiked_gpt import (
    CORRUPTED,
    GROWTH,
    NOTHING,
    OVERFLOW,
    QK_NORM,
    RATE,
    REMEDIES,
    REWIND,
    REWIND_LOWER,
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
        SpikeStep(i, *({NOTHING: 9.0 if i > last else 1.0} for last in (30, 24, 50, 27)))
        for i in range(1, 41)
    ]
    assert alarms(steps) == (25, 28, 31)


def test_the_table_names_what_is_over():
    rows = {RATE: {**dict.fromkeys(REMEDIES, 0.5), SKIP: math.nan, REWIND: -0.001}}
    head, line = table(rows).splitlines()
    assert head.split()[:3] == ["nothing", "clip", "skip"] and len(head) == len(line)
    assert line.split()[-7:] == ["0.50", "0.50", "NaN", "0.50", "-0.00", "0.50", "0.50"]
    assert len(head) <= 104  # a line of the page


# What is asked below; a run of each of the others costs two seconds (lesson 44 makes them all).
ASKED = {
    CORRUPTED: (NOTHING, SKIP, REWIND_LOWER),
    GROWTH: (REWIND_LOWER,),
    OVERFLOW: (SKIP, REWIND, REWIND_LOWER),
    RATE: (NOTHING, SKIP, QK_NORM, REWIND_LOWER),
}


@pytest.fixture(scope="module")
def outcomes():
    return all_injuries(healthy_models(seed=1), ASKED)


def test_each_injury_has_the_remedies_that_fit_it(outcomes):
    excess = outcomes.excess
    assert excess[RATE][QK_NORM] < 0.8 < 1.5 < min(excess[RATE][r] for r in (NOTHING, SKIP))
    assert abs(excess[OVERFLOW][REWIND]) < 0.05 and math.isnan(excess[OVERFLOW][SKIP])
    assert outcomes.peaks[CORRUPTED][SKIP] < 0.15 < outcomes.peaks[CORRUPTED][NOTHING]
    assert {injury: tuple(row) for injury, row in excess.items()} == ASKED
    assert max(row[REWIND_LOWER] for row in excess.values()) < 0.2
    norm, same, clean = alarms(outcomes.runs[CORRUPTED])
    assert norm == same < clean - 2
