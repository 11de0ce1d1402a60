"""The parts behind ``python3 -m course_lib``: the standard library alone until all is installed.

- ``pythons``: which Python to use, and what to say where PyTorch does not run at all.
- ``pins``: what pyproject.toml asks for.
- ``environment``: makes ``.venv``, installs, remembers what it did.
- ``browser``, ``suite``: the tests, in stages.
- ``lessons``, ``my_course``, ``lab``, ``setting``: lessons, the learner's copies, JupyterLab.
- ``twins``, ``clean``, ``execute``, ``notebooks``: how a lesson is made.
- ``machine``, ``packages``: what ``doctor`` looks at: cores, memory, hub or not; versions.
- ``files``: writing a file whole or not at all.
"""
