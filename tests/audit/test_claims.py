"""The claims page cannot go stale."""

import re
from pathlib import Path

import pytest

import hushwatt
from hushwatt.audit.claims import CLAIMS, STATED
from hushwatt.audit.suites import SUITES
from hushwatt.chaos.scenarios import SCENARIOS

SOURCE = Path(hushwatt.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
ROOT = DOCS.parent
PAGE = (DOCS / "claims.md").read_text()
SECTIONS = dict(re.findall(r"^## (C\d+)\b.*?\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S))
PROOFS = sorted((DOCS / "proofs").glob("*.md"))


def test_every_tag_has_a_section():
    """Every [claim Cn] in the source is explained on the page."""
    tags = {tag for file in SOURCE.rglob("*.py") for tag in re.findall(r"\[claim (C\d+)\]", file.read_text())}

    assert tags
    assert tags <= SECTIONS.keys()


def test_every_claim_of_the_audit_is_there():
    """The page and the audits number the same claims, and say the same of where they are stated."""

    assert list(SECTIONS) == list(STATED)
    assert all(f"Stated: {STATED[claim]}" in " ".join(text.split()) for claim, text in SECTIONS.items())


@pytest.mark.parametrize("claim", SECTIONS)
def test_files_and_tests_exist(claim):
    """Every file and every test that a claim names is there."""
    text = SECTIONS[claim]
    files = re.findall(r"`((?:src|tests|docs)/[\w/.-]+?)(?:::(\w+))?`", text)

    assert any(name.startswith("tests/") for name, _ in files)
    for name, test in files:
        assert (ROOT / name).exists(), name
        assert not test or f"def {test}(" in (ROOT / name).read_text(), f"{name}::{test}"


@pytest.mark.parametrize("claim", SECTIONS)
def test_sentence_source_and_figure(claim):
    """Every claim has its sentence, where it is stated, and a figure with the command that reaches it."""
    command = re.search(r"\* Figure: `hushwatt audit (\w+)`", SECTIONS[claim])

    assert f"## {claim}: {CLAIMS[claim].says}\n" in PAGE
    assert f"* Stated: {CLAIMS[claim].stated}" in " ".join(SECTIONS[claim].split())
    assert command
    assert command[1] in SUITES


def test_every_promise_has_a_command():
    """The promises are there in order, each with audits, scenarios or targets that exist."""
    rows = re.findall(r"^\| (\d+) \| [^|]+ \| `([^`]+)` \|", PAGE, flags=re.M)
    makefile = (ROOT / "Makefile").read_text()

    numbers = [int(number) for number, _ in rows]
    assert numbers == sorted(set(numbers))
    assert set(numbers) >= {*range(1, 20), *(each.promise for each in SCENARIOS.values())}
    for number, command in rows:
        if command.startswith("hushwatt audit chaos "):
            named = command.split()[3:]
            assert named == [name for name, each in SCENARIOS.items() if each.promise == int(number)]
        elif command.startswith("hushwatt audit "):
            assert command.split()[2] in SUITES
        else:
            assert f"\n{command.split()[1]}:" in makefile


def test_proofs_are_linked_from_the_code():
    """Every proof is named in the source that it is about."""
    source = "\n".join(file.read_text() for file in SOURCE.rglob("*.py") if "audit" not in file.parts)

    assert [proof.stem for proof in PROOFS if f"docs/proofs/{proof.name}" not in source] == []


@pytest.mark.parametrize("proof", PROOFS, ids=lambda path: path.stem)
def test_proofs_are_short_and_linked(proof):
    """A proof fills one page at most, and the claims page leads to it."""
    text = proof.read_text()

    assert len(text.split()) <= 550
    assert f"proofs/{proof.name}" in PAGE


def test_links_lead_somewhere():
    """Links between these pages lead to files that are there."""
    for page in (DOCS / "claims.md", *PROOFS):
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
