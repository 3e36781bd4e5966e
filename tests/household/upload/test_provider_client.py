"""A provider that lies: nothing unsigned, altered, oversized or redirected is believed."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError, UsageError
from hushwatt.household.upload.http import MAX_BODY, Unreachable
from hushwatt.household.upload.provider_client import ProviderClient, ProviderRefused, WrongProvider, choose_plan
from hushwatt.wire.proof import NONCE_HEADER, Challenge, prove, sha256_hex
from hushwatt.wire.signature import public_bytes, sign_plan, sign_successor

KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()


class Liar:
    """What a server answers, by path or to everything, and whose key proves it; None proves nothing."""

    def __init__(self):
        self.answers, self.key, self.heard = {}, KEY, []

    def __setitem__(self, path, answer):
        self.answers[path] = answer

    def answer(self, method, path, headers, sent):
        self.heard.append((method, path))
        status, told, body = self.answers.get(path, self.answers.get("*", (404, {}, b"")))
        nonce = bytes.fromhex(headers[NONCE_HEADER])
        if self.key is not None:
            told = {**told, **prove(self.key, Challenge(nonce, method, path, sha256_hex(sent)), status, body)}
        return status, told, body


@pytest.fixture
def liar():
    """A server that answers every request with whatever the test puts in its mouth."""
    answers = Liar()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, headers, body = answers.answer(self.command, self.path, self.headers, sent)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield ProviderClient(f"http://127.0.0.1:{server.server_port}"), answers
    server.shutdown()
    server.server_close()


@pytest.fixture
def plan(plan_of):
    return plan_of(3, 3)


def test_a_signed_plan_is_believed(liar, plan):
    """The right bytes with the right signature, and the key comes along."""
    client, answers = liar
    answers["*"] = (200, sign_plan(KEY, plan.canonical()), plan.canonical())

    assert client.offer(plan.id).plan == plan
    assert client.offer(plan.id, pinned=public_bytes(KEY)).key == public_bytes(KEY)


def test_another_plan_is_not(liar, plan, plan_of):
    """A plan that is signed but not the one that was asked for."""
    client, answers = liar
    greedy = plan_of(3, 3, epsilon=10**9)
    answers["*"] = (200, sign_plan(KEY, greedy.canonical()), greedy.canonical())

    with pytest.raises(WrongProvider, match="its hash is another"):
        client.offer(plan.id)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Hushwatt-Signature": "00"},
        {"Hushwatt-Signature": "zz" * 64},
        sign_plan(KEY, b"other"),
    ],
)
def test_a_plan_without_its_signature_is_not(liar, plan, headers):
    """No key, no signature, or one for something else."""
    client, answers = liar
    answers["*"] = (200, headers, plan.canonical())

    with pytest.raises(WrongProvider, match="not signed"):
        client.offer(plan.id)


@pytest.mark.parametrize(
    "history",
    [
        b"[]",
        b"{}",
        b'{"history": [1]}',
        b'{"history": [{"key": "00", "successor": "00", "signature": "00"}]}',
        b'{"history": [{"key": "KEY", "successor": "NEW", "signature": "00"}]}',
    ],
)
def test_a_key_that_nobody_vouches_for_is_not(liar, plan, history):
    """A new key needs the old one's word, and a broken history is none."""
    client, answers = liar
    told = history.replace(b"KEY", public_bytes(KEY).hex().encode())
    told = told.replace(b"NEW", public_bytes(OTHER).hex().encode())
    answers.key = OTHER
    answers["/v1/keys"] = (200, {}, told)
    answers["*"] = (200, sign_plan(OTHER, plan.canonical()), plan.canonical())

    with pytest.raises(WrongProvider, match="another key"):
        client.offer(plan.id, pinned=public_bytes(KEY))


def test_a_key_that_the_old_one_vouches_for_is_believed(liar, plan):
    """The pinned key signed its successor."""
    import json

    client, answers = liar
    word = sign_successor(KEY, public_bytes(OTHER)).hex()
    step = {"key": public_bytes(KEY).hex(), "successor": public_bytes(OTHER).hex(), "signature": word}
    answers.key = OTHER
    answers["/v1/keys"] = (200, {}, json.dumps({"history": [step]}).encode())
    answers["*"] = (200, sign_plan(OTHER, plan.canonical()), plan.canonical())

    assert client.offer(plan.id, pinned=public_bytes(KEY)).key == public_bytes(OTHER)


@pytest.mark.parametrize(
    "answer, kind",
    [
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), ProviderRefused),
        ((200, {}, bytes(MAX_BODY + 1)), Unreachable),
        ((200, {}, b"nonsense"), Unreachable),
        ((503, {}, b"{}"), Unreachable),
        ((429, {}, b""), Unreachable),
        ((418, {}, b"[]"), ProviderRefused),
    ],
)
def test_odd_answers_are_one_line(liar, answer, kind):
    """Redirects, floods, nonsense and refusals end in one clear line each."""
    client, answers = liar
    answers["*"] = answer

    with pytest.raises(kind) as wrong:
        client.plans()
    assert isinstance(wrong.value, HushwattError)
    assert len(str(wrong.value)) < 300


@pytest.mark.parametrize(
    "told",
    [
        b"[]",
        b"{}",
        b'{"device": 3}',
        b'{"device": "zz"}',
        b'{"device": "00"}',
        b'{"device": {}}',
        b'{"device": "' + b"0 " * 16 + b'"}',
    ],
)
def test_a_home_without_a_name_is_not_enrolled(liar, plan, told):
    """Enrolling must give sixteen bytes."""
    client, answers = liar
    answers["*"] = (201, {}, told)
    answers[f"/v1/plans/{plan.id}"] = (200, sign_plan(KEY, plan.canonical()), plan.canonical())

    with pytest.raises(ProviderRefused, match="no name"), client.plan_session(plan.id) as provider:
        provider.enrol(plan, KEY, "code")


@pytest.mark.parametrize("told", [b"[" * 200_000, b'{"plans": ' + b"[" * 100_000, b"9" * 100_000, b"\xff"])
def test_no_answer_is_too_deep(liar, told):
    """Two hundred thousand brackets are one line, as all nonsense is."""
    client, answers = liar
    answers["*"] = (200, {}, told)

    with pytest.raises(Unreachable, match="the provider's answer is"):
        client.plans()


@pytest.mark.parametrize("told", [b"{}", b'{"reports": "7"}', b'{"reports": -1}', b'{"reports": true}', b"[7]"])
def test_erasing_must_be_confirmed(liar, plan, told):
    """What does not say how many reports were erased is no confirmation."""
    client, answers = liar
    answers["*"] = (200, {}, told)
    answers[f"/v1/plans/{plan.id}"] = (200, sign_plan(KEY, plan.canonical()), plan.canonical())

    with pytest.raises(ProviderRefused, match="does not say"), client.plan_session(plan.id) as provider:
        provider.erase(KEY, bytes(16), 1)


def test_a_server_that_proves_nothing_gets_nothing(liar, plan):
    """A server that does not sign is told apart by one line, and hears no more than the first question."""
    client, answers = liar
    answers.key = None
    answers["*"] = (200, sign_plan(KEY, plan.canonical()), plan.canonical())

    with (
        pytest.raises(WrongProvider, match="does not prove who it is"),
        client.plan_session(plan.id) as provider,
    ):
        provider.upload(KEY, bytes(16), b"records", 1)
    assert answers.heard == [("GET", f"/v1/plans/{plan.id}")]


@pytest.mark.parametrize("status", [500, 502, 429])
def test_a_gateway_without_a_key_is_only_away(liar, status):
    """What stands before a provider that is down cannot sign; that is no reason to call it another's."""
    client, answers = liar
    answers.key = None
    answers["*"] = (status, {}, b'{"title": "believe me"}')

    with pytest.raises(Unreachable) as wrong:
        client.plans()
    assert "believe" not in str(wrong.value)


def test_a_refusal_by_another_key_is_not_read(liar, plan):
    """Who has another key is told so, whatever it answers."""
    client, answers = liar
    answers.key = OTHER
    answers["*"] = (410, {}, b'{"title": "all is over"}')

    with pytest.raises(WrongProvider, match="another key"):
        client.offer(plan.id, pinned=public_bytes(KEY))


def test_an_acknowledgement_needs_the_key_as_well(liar, plan):
    """Whoever takes over a connection after the proof may have the bytes, and is not believed."""
    client, answers = liar
    answers["*"] = (200, {}, b'{"accepted": 1, "repeated": 0, "rejected": []}')
    answers[f"/v1/plans/{plan.id}"] = (200, sign_plan(KEY, plan.canonical()), plan.canonical())

    with client.plan_session(plan.id, public_bytes(KEY)) as provider:
        answers.key = OTHER
        with pytest.raises(WrongProvider, match="cannot prove"):
            provider.upload(KEY, bytes(16), b"records", 1)


@pytest.mark.parametrize("wanted", [None, "5f"])
def test_a_provider_that_collects_nothing(liar, wanted):
    """Where there is no plan none can be named."""
    client, answers = liar
    answers["/v1/plans"] = (200, {}, b'{"plans": []}')

    with pytest.raises(UsageError, match=f"{client.address} collects nothing now"):
        choose_plan(client, wanted)
