"""Homes fetch what was published, nobody says who asks, and too few homes are no result."""

import asyncio

from tests.provider.collecting import histories, records
from tests.provider.service.test_shared_results import lived

from hushwatt.provider.service.shared_results import SharedResults
from hushwatt.wire.proof import Challenge


def shared(plan_of, **fields):
    return plan_of(3, 4, 2, minimum_homes=5, share_results=True, **fields)


def test_everyone_gets_the_same_bytes(collecting, plan_of):
    """With a token or none, signed or not, with cookies and headers of all kinds: not a byte is another."""
    talk = collecting(shared(plan_of))
    key, name, devices = lived(talk, 8)
    plain = talk.get("/results")
    asked = [
        talk.get("/results"),
        talk.get("/results", headers={"Authorization": "Bearer nobody", "Hushwatt-Device": devices[0].hex()}),
        talk.get("/results?from=2024-01-03&to=2024-01-03&home=1"),
        talk.send(key, name, b"", method="GET", path=f"{talk.path}/results"),
    ]

    assert plain.status_code == 200
    assert [each["slots"] for each in plain.json()["results"]] == [7]
    assert {each.content for each in asked} == {plain.content}


def test_the_answer_is_signed_for_whoever_asks_with_a_nonce(collecting, plan_of):
    """As all that a home believes."""
    talk = collecting(shared(plan_of))
    challenge = Challenge.fresh("GET", f"{talk.path}/results", b"")
    answer = talk.get("/results", headers=challenge.headers)

    assert challenge.proved_by(talk.service.keys.public, answer.headers, 200, answer.content)


def test_a_plan_that_does_not_share(collecting, plan_of):
    """A problem in words, as for a plan that nobody knows."""
    talk = collecting(plan_of(3, 4, 2))
    refused = talk.get("/results")
    unknown = talk.client.get(f"/v1/plans/{'0' * 64}/results")

    assert (refused.status_code, refused.json()["type"]) == (403, "urn:hushwatt:problem:results-not-shared")
    assert "share_results = true" in refused.json()["detail"]
    assert (unknown.status_code, unknown.json()["type"]) == (404, "urn:hushwatt:problem:unknown-plan")


def test_nothing_before_a_stretch_is_published(collecting, plan_of):
    """Six days of seven are nothing yet."""
    talk = collecting(shared(plan_of))
    lived(talk, 5)

    assert talk.get("/results").json() == {"plan": talk.plan.id, "results": []}


def test_too_few_homes_are_no_result(collecting, plan_of):
    """It is said how many are missing, and no number is there."""
    talk = collecting(shared(plan_of))
    lived(talk, 8, homes=4)
    (result,) = talk.get("/results").json()["results"]

    assert result["too_few_homes"] == {"have": 4, "need": 5}
    assert result["appliances"] == {}


def test_who_comes_and_goes_later_changes_nothing(collecting, plan_of):
    """Homes enrol, a home is erased, a report comes late: what was told stays as it is."""
    talk = collecting(shared(plan_of))
    key, name, devices = lived(talk, 8)
    before = talk.get("/results").content
    talk.gateway(20)
    talk.leave(key, name, devices[0])
    (sent, *_) = histories(talk.plan, 10, 1, seed=9)
    talk.send(key, name, records(devices, sent))

    assert talk.get("/results").content == before
    assert asyncio.run(SharedResults(talk.service.read).body(talk.plan)) == before  # as after a restart
