"""Analysts ask for hours, weekdays and folds over HTTP, and get what every other door says."""

from tests.provider.service.test_shared_results import lived


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
