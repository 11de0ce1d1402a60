import pytest

from course_lib.widgets.row_table import EMPTY, RowTable


@pytest.fixture
def table():
    return RowTable(["row", "BERT", "GPT"], ["mask", "cost <T>"])


def test_rows_are_empty_until_they_are_filled(table, capsys):
    assert repr(table).splitlines()[0] == f"mask: BERT: {EMPTY}; GPT: {EMPTY}"
    assert table.n_filled == 0
    table.fill("mask", "100%", "57%")
    assert capsys.readouterr().out.strip() == "mask: BERT: 100%; GPT: 57%"
    assert table.n_filled == 1 and "57%" in repr(table)


def test_a_row_can_be_filled_again_and_a_new_one_comes_last(table):
    table.fill("mask", "1", "2")
    table.fill("mask", "3", "4")
    table.fill("memory", "5", "6")
    assert list(table.cells) == ["mask", "cost <T>", "memory"]
    assert table.cells["mask"] == ("3", "4")


def test_the_page_gets_a_table_with_headings(table):
    html = table._repr_html_()
    assert html.count('<th scope="col"') == 3 and html.count('<th scope="row"') == 2
    assert "cost &lt;T&gt;" in html and "<T>" not in html


def test_bad_rows_are_named_and_change_nothing(table, as_shipped):
    with pytest.raises(ValueError, match="mask needs 2 texts, one a column"):
        table.fill("mask", "100%")
    with pytest.raises(ValueError, match="mask needs 2 texts"):
        as_shipped(RowTable.fill)(table, "mask", "100%", 57)
    assert table.n_filled == 0
    with pytest.raises(ValueError, match="rows with different names"):
        RowTable(["row", "BERT"], ["mask", "mask"])
