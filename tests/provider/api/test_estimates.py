"""Analysts ask for hours, weekdays and folds over HTTP, and get what every other door says."""

from tests.provider.service.test_shared_results import lived

from hushwatt.provider.service.collection_reader import BoardQuestions


def test_folds_and_times_are_those_of_every_door(collecting, plan_of):
    talk = collecting(plan_of(3, 4, 2, minimum_homes=5))
    lived(talk, 8)
    read, plan = talk.service.read, talk.plan
    folded, monday = talk.get("/estimates?fold=weekday").json(), talk.get("/estimates?weekdays=mon").json()

    assert folded == read.document(plan, fold="weekday")
    assert [each["slots"] for each in folded["folds"]] == [2, 1, 1, 1, 1, 1, 1]
    assert [slot["slot"] for slot in monday["slots"]] == [0, 7]
    first = folded["folds"][0]["appliances"]
    assert {name: each["ci95"] for name, each in monday["appliances"].items()} == {
        name: each["ci95"] for name, each in first.items()
    }


def test_times_that_cannot_be_told_apart_are_a_problem(collecting, plan_of):
    talk = collecting(plan_of(3, 4, 2, minimum_homes=5))
    lived(talk, 3)

    for query, says in (("hours=17-21", "no slot lies in that whole"), ("fold=hour", "cannot be told apart")):
        answer = talk.get(f"/estimates?{query}")
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
        assert says in answer.json()["detail"]
    assert talk.get("/estimates?fold=decade").status_code == 422


def test_a_board_s_questions_are_those_of_every_door(collecting, plan_of):
    """Customers and shares of homes over HTTP are what the reader says; what makes no sense is a problem."""
    talk = collecting(plan_of(3, 4, 2, minimum_homes=5))
    lived(talk, 8)
    told = talk.get("/estimates?customers=5000&above=100&above=250&using=true&fold=weekday").json()
    board = BoardQuestions(5000, (100.0, 250.0, None))

    assert told == talk.service.read.document(talk.plan, fold="weekday", board=board)
    assert told["customers"]["homes"] == 5000
    assert all({"above", "using"} <= set(each) for each in told["appliances"].values())
    for query, says in (
        ("customers=3", "take part; give the number of all customers"),
        ("above=-3", "it must be a number of watts"),
        ("above=nan", "it must be a number of watts"),
        ("above=5&above=5", "different numbers of watts"),
    ):
        answer = talk.get(f"/estimates?{query}")
        assert (answer.status_code, says in answer.json()["detail"]) == (422, True)
