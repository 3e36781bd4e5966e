"""A provider that lies: nothing unsigned, altered, oversized or redirected is believed."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError
from hushwatt.household.net import LARGEST, Unreachable
from hushwatt.household.provider_link import Link, Refused, WrongProvider
from hushwatt.plan.presets import preset
from hushwatt.wire.signature import public_bytes, sign_plan, sign_successor

KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()


@pytest.fixture
def liar():
    """A server that answers every request with whatever the test puts in its mouth."""
    answers = {}

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            status, headers, body = answers.get(self.path, answers.get("*", (404, {}, b"")))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Link(f"http://127.0.0.1:{server.server_port}"), answers
    server.shutdown()
    server.server_close()


@pytest.fixture
def plan(plan_of):
    return plan_of(3, 3)


def test_a_signed_plan_is_believed(liar, plan):
    """The right bytes with the right signature, and the key comes along."""
    link, answers = liar
    answers["*"] = (200, sign_plan(KEY, plan.canonical()), plan.canonical())

    assert link.offer(plan.id).plan == plan
    assert link.offer(plan.id, pinned=public_bytes(KEY)).key == public_bytes(KEY)


def test_another_plan_is_not(liar, plan, plan_of):
    """A plan that is signed but not the one that was asked for."""
    link, answers = liar
    greedy = plan_of(3, 3, epsilon=10**9)
    answers["*"] = (200, sign_plan(KEY, greedy.canonical()), greedy.canonical())

    with pytest.raises(WrongProvider, match="its hash is another"):
        link.offer(plan.id)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Hushwatt-Key": "00", "Hushwatt-Signature": "00"},
        {"Hushwatt-Key": "zz", "Hushwatt-Signature": "zz"},
        {**sign_plan(KEY, b"other"), "Hushwatt-Key": public_bytes(KEY).hex()},
    ],
)
def test_a_plan_without_its_signature_is_not(liar, plan, headers):
    """No key, no signature, or one for something else."""
    link, answers = liar
    answers["*"] = (200, headers, plan.canonical())

    with pytest.raises(WrongProvider, match="not signed"):
        link.offer(plan.id)


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
    link, answers = liar
    told = history.replace(b"KEY", public_bytes(KEY).hex().encode())
    told = told.replace(b"NEW", public_bytes(OTHER).hex().encode())
    answers["/v1/keys"] = (200, {}, told)
    answers["*"] = (200, sign_plan(OTHER, plan.canonical()), plan.canonical())

    with pytest.raises(WrongProvider, match="another key"):
        link.offer(plan.id, pinned=public_bytes(KEY))


def test_a_key_that_the_old_one_vouches_for_is_believed(liar, plan):
    """The pinned key signed its successor."""
    import json

    link, answers = liar
    word = sign_successor(KEY, public_bytes(OTHER)).hex()
    step = {"key": public_bytes(KEY).hex(), "successor": public_bytes(OTHER).hex(), "signature": word}
    answers["/v1/keys"] = (200, {}, json.dumps({"history": [step]}).encode())
    answers["*"] = (200, sign_plan(OTHER, plan.canonical()), plan.canonical())

    assert link.offer(plan.id, pinned=public_bytes(KEY)).key == public_bytes(OTHER)


@pytest.mark.parametrize(
    "answer, kind",
    [
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), Refused),
        ((200, {}, bytes(LARGEST + 1)), Unreachable),
        ((200, {}, b"nonsense"), Unreachable),
        ((503, {}, b"{}"), Unreachable),
        ((429, {}, b""), Unreachable),
        ((418, {}, b"[]"), Refused),
    ],
)
def test_odd_answers_are_one_line(liar, answer, kind):
    """Redirects, floods, nonsense and refusals end in one clear line each."""
    link, answers = liar
    answers["*"] = answer

    with pytest.raises(kind) as wrong:
        link.plans()
    assert isinstance(wrong.value, HushwattError)
    assert len(str(wrong.value)) < 300


@pytest.mark.parametrize("told", [b"[]", b"{}", b'{"device": 3}', b'{"device": "zz"}', b'{"device": "00"}'])
def test_a_home_without_a_name_is_not_enrolled(liar, told):
    """Enrolling must give sixteen bytes."""
    link, answers = liar
    answers["*"] = (201, {}, told)

    with pytest.raises(Refused, match="no name"):
        link.enrol(preset("paper"), KEY, "code")
