"""The library behind the course: every mechanism of BERT and GPT, written once.

What lives where, from the bottom up:

- ``config``: the sizes of a model and of a training run.
- ``packaged``: where the files of optional packages lie (texts, vocabularies, weights).
- ``whole_file``: writing a file whole or not at all.
- ``mechanisms``: one part of a transformer a file (softmax, masks, attention, positions ...).
- ``tokenizers``: from text to ids and back.
- ``optim``: the update rule, the learning rate over time, gradient clipping.
- ``data``: text to train on, and how batches are cut from it.
- ``models``: GPT, BERT and its heads, put together from the mechanisms; counting; published
  checkpoints.
- ``training``: the loop, and saving and resuming its state.
- ``experiments``: the measurements that lessons run: pure functions, numbers in, numbers out.
- ``plots``: pictures of plain arrays; knows no model.
- ``widgets``: the sliders and live plots around those pictures.
- ``checks``: ``claim``, exercises, hints, the table of known mistakes.
- ``lesson``: what a lesson's first cell needs.
- ``bench``, ``doctor``, ``door``: speed, "is this machine fit?", and ``python -m course_lib``.

The layer rule (``tests/test_architecture.py`` holds it): a package imports only from layers
below its own, never a sibling, and nothing imports a notebook.

====== =================================== ================================================
layer  packages                            may import from course_lib
====== =================================== ================================================
0      config, packaged, whole_file        nothing
1      mechanisms, tokenizers, optim       0
2      data, models                        0-1
3      training                            0-2
4      experiments                         0-3
5      plots                               plots only
6      widgets, checks, lesson             0-5 (widgets), 0-4 (checks)
7      bench, doctor, door                 all; doctor and door the standard library alone
====== =================================== ================================================

This file imports nothing, so that ``python3 -m course_lib`` starts on a machine where nothing
is installed yet.
"""
