"""Lesson 61 at sizes that take seconds: what is replaced in its cells, and its recipe."""

from dataclasses import replace
from functools import partial

from course_lib.config import modern_gpt
from course_lib.training.recipes import RECIPES, gpt_material

NAME = "modern-stories-gpt"
# Each must be there once, to be replaced.
SMALLER = {
    'REAL_STEPS = {"minute": 160': 'REAL_STEPS = {"minute": 3',
    "replace(shape, init_std=0.2)": "replace(shape, init_std=0.6)",
    "real.material.made, 20_000": "real.material.made, 5_000",
    "near=1, within=0.03": "near=1, within=0.15",
    "mine.max_seq_len, 100)": "mine.max_seq_len, 20)",
    "real.state.model, 48,": "real.state.model, 2,",
    "max_bytes=200": "max_bytes=10",
    "text, 60, drawing": "text, 2, drawing",
    "text, 20, drawing": "text, 2, drawing",
    "tell(500, seed=63)": "tell(150, seed=63)",
    "write_stories(coffee, 100, drawing)": "write_stories(coffee, 30, drawing)",
    "times_whole(by_head, 3), above=1.5": "times_whole(by_head, 3), above=1.05",
}
RUN = "live(run, total, curves.draw"


def small_recipe(steps=6, n_stories=40):
    """The lesson's recipe with few stories, a small model and few steps."""
    return replace(
        RECIPES[NAME],
        material=partial(gpt_material, n_stories=n_stories, n_held_out=25),
        shape=lambda v: modern_gpt(v, 96, d_model=24, n_layers=2, n_heads=2, qk_norm=False),
        budgets={"minute": steps},
    )
