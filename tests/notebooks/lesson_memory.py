"""A pytest plugin for the run of the lessons: no kernel may hold more than 1.2 GB at its peak.

A student's share of a hub or of Binder is 2 GB, of which the server and the page take their part.
Linux alone tells a process' peak; elsewhere nothing is measured.
"""

import pytest

from course_lib.door.execute import peak_megabytes

LIMIT_MB = 1200


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """After each cell: fail the first one with which its lesson has held too much."""
    result = yield
    kernel = getattr(item.parent, "kernel", None)
    if kernel is not None:
        peak = peak_megabytes(kernel.km.provisioner.pid)
        if peak is not None:
            item.user_properties.append(("peak_mb", peak))
            assert peak < LIMIT_MB, f"this lesson has held {peak:.0f} MB, more than {LIMIT_MB}"
    return result


def pytest_terminal_summary(terminalreporter):
    """One line a lesson: its time and its peak."""
    seconds, peaks = {}, {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) is None:
                continue
            lesson = report.nodeid.split("::")[0]
            seconds[lesson] = seconds.get(lesson, 0) + report.duration
            for name, value in report.user_properties:
                if name == "peak_mb":
                    peaks[lesson] = max(peaks.get(lesson, 0), value)
    for lesson in sorted(seconds):
        peak = f", peak memory {peaks[lesson]:.0f} MB" if lesson in peaks else ""
        terminalreporter.write_line(f"{lesson}: {seconds[lesson]:.1f} s{peak}")
