"""The foundations of the tests of servers: the format of cases, changes of a state, when an answer counts as right."""

from __future__ import annotations

from harness import case_file
from harness.state import differences
from test_questions import is_right

CASE = """
# A title
# of this: nothing
reply 42T06|42501 SELECT 1,
    2
from 15 run answered MERGE
question {3*ab} {2*-}
"""
RIGHT = [["Paris", "3"], ["Rome", "1.50"]]


def test_a_case_has_a_title_and_steps() -> None:
    title, steps = case_file.parse(CASE, 15)
    assert title == "A title"
    assert [verb for verb, _ in steps] == ["reply", "run", "question"]


def test_indented_lines_continue_a_step() -> None:
    assert ("reply", "42T06|42501 SELECT 1,\n2") in case_file.parse(CASE, 15)[1]


def test_a_step_for_newer_versions_is_left_out() -> None:
    assert "run" not in [verb for verb, _ in case_file.parse(CASE, 14)[1]]
    assert ("run", "answered MERGE") in case_file.parse(CASE, 15)[1]


def test_a_text_in_a_case_is_repeated() -> None:
    assert ("question", "ababab --") in case_file.parse(CASE, 15)[1]


def test_outcomes_of_a_step_are_sqlstates_or_rows_up_to_the_end_of_the_line() -> None:
    assert case_file.outcomes("42T06|42501 SELECT 1") == (["42T06", "42501"], "SELECT 1")
    assert case_file.outcomes('= [["a b"]]\nSELECT 1') == (['= [["a b"]]'], "SELECT 1")


def test_an_outcome_is_expected_or_not() -> None:
    assert case_file.is_expected("42501", ["42T06", "42501"])
    assert case_file.is_expected("= []", ["answered"])
    assert not case_file.is_expected("22T01", ["answered"])
    assert not case_file.is_expected("= []", ["= [[1]]"])


def test_no_difference_between_equal_states() -> None:
    assert differences({"orders": "3 abc"}, {"orders": "3 abc"}) == []


def test_what_changed_came_or_went_is_a_difference() -> None:
    before, after = {"changed": "1", "gone": "1"}, {"changed": "2", "new": "1"}
    assert sorted(differences(before, after)) == ["changed", "gone", "new"]


def test_columns_and_rows_may_come_in_any_order() -> None:
    assert is_right(RIGHT, [["1.5", "Rome"], ["3", "Paris"]], ordered=False)


def test_an_answer_may_have_further_columns() -> None:
    assert is_right(RIGHT, [["9", "Paris", "3"], ["8", "Rome", "1.5"]], ordered=False)


def test_values_of_an_answer_must_belong_together() -> None:
    assert not is_right(RIGHT, [["Rome", "3"], ["Paris", "1.5"]], ordered=False)


def test_the_last_column_comes_in_order_where_order_counts() -> None:
    assert is_right(RIGHT, RIGHT, ordered=True)
    assert not is_right(RIGHT, RIGHT[::-1], ordered=True)


def test_no_rows_are_right_in_any_form() -> None:
    assert is_right([], [], ordered=True)


def test_an_answer_with_a_missing_row_is_wrong() -> None:
    assert not is_right(RIGHT, RIGHT[:1], ordered=False)
