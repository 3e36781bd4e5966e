"""Who may do what: roles, logins, pages of other sites, and clients that go away."""

import asyncio
import io
import json

import pytest
from tests.provider.collecting import STORES, histories, records

from hushwatt.errors import UsageError
from hushwatt.provider.api.rate_limit import TokenBucketLimiter
from hushwatt.provider.service import logs
from hushwatt.provider.store import open_store, schema
from hushwatt.provider.store.access_tokens import OPERATE, READ, add_token, remove_token, token_role, tokens
from hushwatt.provider.store.logins import LOGIN_SECONDS, login_role

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
COOKIE = "hushwatt_login"


@pytest.fixture
def closed(collecting, plan_of):
    return collecting(plan_of(3, 4, 2, oracle="oue", minimum_homes=1), days=0.5, access="token")


def token_of(talk, role=READ, name="ada", seconds=90 * 86400):
    with talk.service.database.writing() as session:
        return add_token(session, name, talk.now, talk.now + seconds, role)


def log_in(talk, token):
    answer = talk.client.post("/login", data={"token": token}, follow_redirects=False)

    assert answer.status_code == 303
    return answer.cookies[COOKIE]


def problem(answer):
    return answer.json()["type"].rsplit(":", 1)[1]


def publish(talk, **headers):
    return talk.client.post(f"{talk.path}/publish", json={"until": 0}, headers=headers)


def ask(talk, **headers):
    return talk.get("/slots", headers=headers)


@both_stores
class TestRoles:
    """Publishing by hand cannot be undone, so it asks for more than looking."""

    def test_only_operators_publish(self, closed):
        """A token to read looks and does not publish; one to operate does both."""
        reader, operator = token_of(closed), token_of(closed, OPERATE, "bob")
        key, name, devices = closed.gateway(5)
        (sent,) = histories(closed.plan, 5, 1)
        closed.send(key, name, records(devices, sent))
        closed.at_slot(0)
        looked = ask(closed, Authorization=f"Bearer {reader}")
        refused = publish(closed, Authorization=f"Bearer {reader}")
        before = closed.service.read.state(closed.plan).published
        done = publish(closed, Authorization=f"Bearer {operator}")

        assert looked.status_code == 200
        assert (refused.status_code, problem(refused)) == (403, "operator-needed")
        assert before == -1
        assert done.json() == {"published": 0, "slots": [0]}
        assert problem(publish(closed)) == "token-needed"

    def test_a_login_has_the_role_of_its_token(self, closed):
        """What a browser may do is what its token may do."""
        for role, status in ((READ, 403), (OPERATE, 200)):
            secret = log_in(closed, token_of(closed, role))
            closed.client.cookies.clear()

            assert publish(closed, Cookie=f"{COOKIE}={secret}").status_code == status

    def test_a_token_reads_unless_it_was_made_for_more(self, closed):
        """The weaker role is the default, and both are listed."""
        token = token_of(closed)
        token_of(closed, OPERATE, "bob")
        with closed.service.database.reading() as session:
            assert token_role(session, token, closed.now) == READ
            assert [(each.label, each.role) for each in tokens(session)] == [("ada", READ), ("bob", OPERATE)]


@both_stores
def test_tokens_of_an_older_store_read(store_address, monkeypatch):
    """A token made before there were roles may look, and no more: nobody gains by an update."""
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:2])
    older = open_store(store_address)
    with older.writing() as session:
        session.run("INSERT INTO tokens (hash, label, made, expires) VALUES (?, ?, ?, ?)", b"hash", "old", 0, 10**10)
    older.close()
    monkeypatch.undo()
    newer = open_store(store_address)
    with newer.reading() as session:
        found = tokens(session)
    newer.close()

    assert [(each.label, each.role) for each in found] == [("old", READ)]


@both_stores
class TestLogins:
    """A browser holds a secret of its own, which ends when it should."""

    def test_the_cookie_is_not_the_token(self, closed):
        """Whoever reads the cookie has no token, and the store has neither."""
        token = token_of(closed)
        secret = log_in(closed, token)
        with closed.service.database.reading() as session:
            kept = session.all("SELECT hash, token FROM logins")

        assert token not in secret
        assert problem(ask(closed, Authorization=f"Bearer {secret}")) == "token-needed"
        assert secret.encode() not in b"".join(bytes(each) for row in kept for each in row)

    def test_signing_out_ends_it_everywhere(self, closed):
        """A copy of the cookie is worth nothing after signing out; other logins stay."""
        token = token_of(closed)
        secret, other = log_in(closed, token), log_in(closed, token)
        closed.client.cookies.clear()
        before = ask(closed, Cookie=f"{COOKIE}={secret}").status_code
        closed.client.post("/logout", headers={"Cookie": f"{COOKIE}={secret}"}, follow_redirects=False)

        assert before == 200
        assert problem(ask(closed, Cookie=f"{COOKIE}={secret}")) == "token-needed"
        assert ask(closed, Cookie=f"{COOKIE}={other}").status_code == 200

    @pytest.mark.parametrize("change", ["revoke", "replace"])
    def test_a_revoked_token_ends_its_logins(self, closed, change):
        """Revoking or replacing a token closes every browser that came in with it, and no other."""
        secret = log_in(closed, token_of(closed))
        other = log_in(closed, token_of(closed, name="bob"))
        closed.client.cookies.clear()
        with closed.service.database.writing() as session:
            if change == "revoke":
                remove_token(session, "ada")
            else:
                add_token(session, "ada", closed.now, closed.now + 3600)
            assert session.all("SELECT count(*) FROM logins") == [(1,)]

        assert problem(ask(closed, Cookie=f"{COOKIE}={secret}")) == "token-needed"
        assert ask(closed, Cookie=f"{COOKIE}={other}").status_code == 200

    @pytest.mark.parametrize("seconds", [3600, 100 * 86400])
    def test_it_is_over_with_its_token_or_after_a_week(self, closed, seconds):
        """A login lasts a week, and never longer than its token."""
        secret = log_in(closed, token_of(closed, seconds=seconds))
        end = min(seconds, LOGIN_SECONDS)
        with closed.service.database.reading() as session:
            assert login_role(session, secret, closed.now + end - 1) == READ
            assert login_role(session, secret, closed.now + end) is None

    def test_old_logins_do_not_pile_up(self, closed):
        """Whoever signs in sweeps out what is over."""
        token = token_of(closed, seconds=10 * LOGIN_SECONDS)
        log_in(closed, token)
        closed.clock.forward(seconds=LOGIN_SECONDS)
        log_in(closed, token)
        with closed.service.database.reading() as session:
            assert session.all("SELECT count(*) FROM logins") == [(1,)]


def test_a_token_that_is_not_there(closed):
    """Revoking what is not there is told."""
    with closed.service.database.writing() as session, pytest.raises(UsageError, match="no token called"):
        remove_token(session, "eve")


class TestOrigins:
    """Whatever changes something is refused when a page of another site has a browser ask for it."""

    @pytest.mark.parametrize("path", ["publish", "devices"])
    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://127.0.0.1:81"},
            {"Origin": "http://127.0.0.1.evil.example"},
            {"Origin": "ftp://127.0.0.1"},
            {"Origin": "http://[127.0.0.1"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1"},
        ],
    )
    def test_another_site_changes_nothing(self, collecting, plan_of, path, headers):
        """On loopback too, where no token is needed."""
        talk = collecting(plan_of(3, 4, 2), days=0.5)
        answer = talk.client.post(f"{talk.path}/{path}", json={"until": 0}, headers=headers)

        assert (answer.status_code, problem(answer)) == (403, "wrong-origin")

    @pytest.mark.parametrize("path", ["/login", "/logout"])
    def test_nobody_is_signed_in_or_out_from_elsewhere(self, closed, path):
        """Neither is a browser's login another site's to give or to take."""
        secret = log_in(closed, token_of(closed))
        answer = closed.client.post(path, data={}, headers={"Origin": "https://evil.example"})

        assert answer.status_code == 403
        assert ask(closed, Cookie=f"{COOKIE}={secret}").status_code == 200

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Origin": "http://127.0.0.1"},
            {"Sec-Fetch-Site": "same-origin"},
            {
                "Sec-Fetch-Site": "same-origin",
                "Origin": "https://energy.example:8443",
            },  # a proxy drops the port
        ],
    )
    def test_its_own_pages_and_programs_do(self, collecting, plan_of, headers):
        """What comes from the service's own pages, or from no page, goes on."""
        talk = collecting(plan_of(3, 4, 2), days=0.5)

        assert publish(talk, **headers).status_code == 200

    def test_looking_is_free(self, collecting, plan_of):
        """A link on another site may lead here."""
        talk = collecting(plan_of(3, 4, 2))

        assert ask(talk, **{"Origin": "https://evil.example"}).status_code == 200


@pytest.mark.parametrize(
    "hosts", [[], [b"127.0.0.1", b"127.0.0.1"], [b""], [b"a b"], [b"evil/..@x"], [b"x:"], [b"[::1"]]
)
@pytest.mark.parametrize("method, path", [("GET", "/healthz"), ("POST", "/v1/plans/5f/reports")])
def test_a_request_is_for_one_host(closed, hosts, method, path):
    """Without a host, with two or with one that is none, a request is refused: a proxy may read another."""
    status, body, _ = asyncio.run(raw(closed.app, method, path, [(b"host", host) for host in hosts]))

    assert status == 400
    assert json.loads(body)["type"].endswith("wrong-host")


@pytest.mark.parametrize("host", [b"127.0.0.1", b"[::1]:8040", b"energy.example:443"])
def test_every_proper_host_will_do(closed, host):
    """Names, addresses and ports."""
    status, _, headers = asyncio.run(raw(closed.app, "GET", "/healthz", [(b"host", host)]))

    assert status == 200
    assert b"strict-transport-security" not in headers


class TestHeaders:
    """What answers tell browsers to do with them."""

    @pytest.mark.parametrize("path", ["/export.csv", "/export.json", "/export.parquet", "/estimates", "/top"])
    def test_answers_are_not_kept(self, collecting, plan_of, path):
        """No cache on the way keeps what only analysts may see."""
        talk = collecting(plan_of(3, 4, 2))

        assert talk.get(path).headers["cache-control"] == "no-store"

    def test_what_may_be_kept_says_so_itself(self, closed):
        """Scripts and styles are kept for long, and have one such header."""
        page = closed.client.get("/login").text
        asset = page[page.index("/static/") :].split('"')[0]

        assert "no-store" not in closed.client.get(asset).headers["cache-control"]

    def test_https_once_is_https_from_then_on(self, closed):
        """Where TLS is on, browsers are told to stay with it."""
        sent = raw(closed.app, "GET", "/healthz", [(b"host", b"energy.example")], scheme="https")
        _, _, headers = asyncio.run(sent)

        assert headers[b"strict-transport-security"] == b"max-age=31536000"


@pytest.mark.parametrize("path", ["/login", "/logout", "{path}/devices", "{path}/publish", "{path}/reports"])
def test_a_client_that_goes_away_is_no_failure(closed, path, monkeypatch):
    """A body that breaks off leaves no traceback, is no failure, and from afar not free for ever."""
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    logs.start_logs("info")
    head = [(b"host", b"energy.example"), (b"content-length", b"50"), (b"content-type", b"application/json")]
    path = path.format(path=closed.path)
    found = [asyncio.run(raw(closed.app, "POST", path, head, gone=True))[0] for _ in range(3)]
    failed = closed.service.metrics.registry.get_sample_value("hushwatt_problems_total", {"problem": "failed"})

    assert 500 not in found
    assert not failed
    assert "Traceback" not in written.getvalue()
    assert '"error"' not in written.getvalue()


@pytest.mark.parametrize("path", ["/login", "{path}/devices"])
def test_going_away_is_counted(collecting, plan_of, path):
    """An address that breaks off again and again is not listened to any more, whatever it asks then."""
    talk = collecting(plan_of(3, 4, 2), access="token", strangers_per_second=1)
    head = [(b"host", b"energy.example"), (b"content-length", b"50"), (b"content-type", b"application/json")]
    path = path.format(path=talk.path)
    for _ in range(12):
        asyncio.run(raw(talk.app, "POST", path, head, gone=True))
    status, _, _ = asyncio.run(raw(talk.app, "POST", path, head))

    assert status == 429


def test_a_look_into_the_bucket_takes_nothing_out():
    """Asking whether it is empty does not empty it."""
    limit = TokenBucketLimiter(rate=1)

    assert not any(limit.is_empty("home", now=0.0) for _ in range(100))
    assert all(limit.allows("home", now=0.0) for _ in range(10))
    assert limit.is_empty("home", now=0.0)
    assert not limit.is_empty("home", now=1.0)


@pytest.mark.parametrize("rate", [1, 50])
@pytest.mark.parametrize("rest", [9.0, 10.0, 3600.0, 1e6])
def test_rests_do_not_add_up(rate, rest):
    """However long one was away, ten seconds' worth passes at once, and then one by one at the rate."""
    limit = TokenBucketLimiter(rate)
    begun = sum(limit.allows("home", now=0.0) for _ in range(20 * rate))
    refused = sum(limit.allows("home", now=0.0) for _ in range(100 * rate))

    again = sum(limit.allows("home", now=rest) for _ in range(20 * rate))
    later = sum(limit.allows("home", now=rest + 2.0) for _ in range(20 * rate))

    assert (begun, refused) == (10 * rate, 0)
    assert again == min(10, rest) * rate
    assert later == 2 * rate


async def raw(app, method, path, headers, *, gone=False, scheme="http"):
    """One request as the server hands it on; with `gone` its client leaves in the midst of the body."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": scheme,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": ("203.0.113.5", 1234),
        "server": ("127.0.0.1", 80),
    }
    coming = [{"type": "http.request", "body": b"{", "more_body": gone}, {"type": "http.disconnect"}]
    answer = []

    async def receive():
        return coming.pop(0) if len(coming) > 1 else coming[0]

    async def send(message):
        answer.append(message)

    await app(scope, receive, send)
    body = b"".join(each.get("body", b"") for each in answer)
    return answer[0]["status"], body, dict(answer[0]["headers"])
