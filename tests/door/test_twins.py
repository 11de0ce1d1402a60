import hypothesis.strategies as st
import nbformat
import pytest
from hypothesis import given, settings

from course_lib.door import twins

v4 = nbformat.v4
SOURCES = ["x = 1\nx", "def f(x):\n    return x", "# a comment\n\n\n1 + 1", "", "if x:\n    pass",
           "%time x", "import os\n\n\nclass A:\n    pass\n\n\nA()"]
TEXTS = ["# Title", "Some *text* with $a_b$ and\n\n$$\n\\frac{1}{2}\n$$",
         "- a\n- b", "|a|b|\n|-|-|"]
CELLS = st.one_of(
    st.builds(lambda text, tags: v4.new_code_cell(text, metadata={"tags": tags}),
              st.sampled_from(SOURCES), st.lists(st.sampled_from(["claim", "setup"]), unique=True)),
    st.builds(v4.new_markdown_cell, st.sampled_from(TEXTS)),
)


def notebook(*cells):
    return twins.dress(v4.new_notebook(cells=list(cells)))


@settings(max_examples=60, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=6))
def test_a_notebook_comes_back_from_its_text(cells):
    one = notebook(*cells)
    text = twins.to_text(one)
    other = twins.from_text(text)
    assert twins.first_difference(one, other) is None
    assert [cell.id for cell in one.cells] == [cell.id for cell in other.cells]
    assert twins.to_text(other) == text


def test_the_text_holds_cells_and_tags_and_nothing_else():
    cell = v4.new_code_cell("x = 1", metadata={"tags": ["setup"], "collapsed": True})
    cell.outputs = [v4.new_output("stream", text="out")]
    text = twins.to_text(notebook(v4.new_markdown_cell("# A"), cell))
    assert text == '# %% [markdown]\n# # A\n\n# %% tags=["setup"]\nx = 1\n'


def test_a_notebook_carries_no_pairing():
    one = twins.from_text("# %%\nx = 1\n")
    assert dict(one.metadata) == {"kernelspec": twins.KERNEL, "language_info": twins.LANGUAGE}
    assert one.cells[0].metadata == {}


def test_ids_depend_on_the_text_alone_and_differ():
    first = notebook(v4.new_code_cell("x"), v4.new_code_cell("x"), v4.new_code_cell("y"))
    second = notebook(v4.new_code_cell("new"), v4.new_code_cell("x"), v4.new_code_cell("y"))
    assert len({cell.id for cell in first.cells}) == 3
    assert [cell.id for cell in second.cells[1:]] == [first.cells[0].id, first.cells[2].id]


@pytest.mark.parametrize(("other", "said"), [
    ([v4.new_code_cell("y")], "cell 1: the text differs"),
    ([v4.new_markdown_cell("x")], "cell 1: the kind differs"),
    ([v4.new_code_cell("x", metadata={"tags": ["claim"]})], "cell 1: the tags differs"),
    ([v4.new_code_cell("x"), v4.new_code_cell("y")], "the notebook has 1 cells, its twin 2"),
])
def test_a_difference_is_named(other, said):
    assert twins.first_difference(notebook(v4.new_code_cell("x")), notebook(*other)) == said
