"""Recipes: all that it takes to train a model again, under a name."""

from course_lib.training.recipes.bert import BERT_RECIPES, STORIES_BERT, story_pairs_material
from course_lib.training.recipes.bible import (
    BIBLE_BERT,
    BIBLE_GPT,
    BIBLE_RECIPES,
    corpus_pairs_material,
)
from course_lib.training.recipes.gpt import GPT_RECIPES, STORIES_GPT, gpt_material
from course_lib.training.recipes.recipe import Material, Recipe
from course_lib.training.recipes.run import Run

RECIPES = {recipe.name: recipe for recipe in (*GPT_RECIPES, *BERT_RECIPES, *BIBLE_RECIPES)}

__all__ = [
    "BIBLE_BERT", "BIBLE_GPT", "RECIPES", "STORIES_BERT", "STORIES_GPT", "Material", "Recipe",
    "Run", "corpus_pairs_material", "gpt_material", "story_pairs_material",
]  # fmt: skip
