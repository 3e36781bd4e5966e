"""Files are taken in as they land: each once, in time, whatever lies beside them and whenever the process dies."""

import json
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.object_store import FaultyProxy
from tests.provider.collecting import KEPT, histories
from tests.provider.delivering import Depot, names, same, write_file

from hushwatt.cli.provider.watch import pack_published
from hushwatt.provider.intake import delivery, ingest
from hushwatt.provider.intake.ingest import Ingest
from hushwatt.provider.intake.take_back import take_back
from hushwatt.provider.service.watch import Watch, WatchStopped
from hushwatt.provider.store import open_store, sqlite
from hushwatt.provider.tally.engines import tally_reports
from hushwatt.wire.storage import atomic_write_to, location

HOMES, SLOTS = 30, 6


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Transactions of a few rows, so that small files have many of them."""
    monkeypatch.setattr(delivery, "BATCH_ROWS", 20)
    monkeypatch.setattr(ingest, "PAUSE_SECONDS", 0)


class Watched:
    """A store, a folder, and somebody who looks into it."""

    def __init__(self, plan, tmp_path, place=None, days=100.0):
        self.plan, self.folder = plan, tmp_path / "in"
        self.folder.mkdir()
        self.store = Depot(str(tmp_path / "store.sqlite"), plan, days)
        self.place = place or self.folder
        self.start()

    def start(self, stopped=lambda: False):
        """A new process, with an empty memory."""
        store = self.store
        run = Ingest(store.database, store.collection, store.schedule, store.clock)
        words = (store.database, store.collection, store.schedule, store.clock, stopped)
        self.watch = Watch(location(self.place), run, *words)

    def look(self, times=1):
        """What the last of so many looks led to, a second apart."""
        for _ in range(times):
            self.store.clock.forward(seconds=1)
            done = self.watch.look()
        return done

    def put(self, name, slots, folder=None, homes=HOMES):
        """A file with the reports of these slots."""
        sent = [each for each in histories(self.plan, homes, SLOTS) if each.slot in slots]
        return write_file((folder or self.folder) / name, self.plan, sent, names(homes))


@pytest.fixture
def watched(plan_of, tmp_path):
    """Make one; its store is closed after the test."""
    made = []

    def make(**options):
        made.append(Watched(plan_of(3, 4, 2), tmp_path, **options))
        return made[-1]

    yield make
    for each in made:
        each.store.close()


def rows(done):
    return [(Path(name).name, taken.accepted) for name, taken in done.taken]


def test_takes_what_lands_once(watched):
    """A file is taken at the second look, when it rests; after a restart, and under another name, it is not again."""
    here = watched()
    path = here.put("a.parquet", [0, 1])
    first, second, third = here.look(), here.look(), here.look()
    here.put("deep.parquet", [2])
    path.rename(here.folder / "b.parquet")
    fourth = here.look(2)
    here.start()

    assert (rows(first), rows(second), rows(third)) == ([], [("a.parquet", 2 * HOMES)], [])
    assert rows(fourth) == [("deep.parquet", HOMES)]
    assert rows(here.look(3)) == []
    assert same(here.store.tallies(), tally_reports(here.plan, here.folder).groups)


def test_what_is_being_written_waits(watched, tmp_path):
    """A file that grows, one without its end, and a hidden one are left alone until they are complete."""
    here = watched()
    whole = here.put("a.parquet", [0], folder=tmp_path).read_bytes()
    growing, hidden = here.folder / "a.parquet", here.folder / ".b.parquet"
    hidden.write_bytes(whole)
    told = []
    for end in (100, 200, 200, len(whole) - 1, len(whole)):
        growing.write_bytes(whole[:end])
        told += (done := here.look()).aside
        assert rows(done) == []
    stamp = growing.stat().st_mtime_ns
    done = here.look()

    assert growing.stat().st_mtime_ns == stamp
    assert rows(done) == [("a.parquet", HOMES)]
    assert all("not a complete one; set aside until it changes" in line for line in told)
    assert rows(here.look()) == []


def test_a_bad_file_holds_up_nothing(watched, tmp_path, plan_of):
    """It is told once; what lies beside it is taken, and it is taken itself when it has been mended."""
    here = watched()
    (here.folder / "a.parquet").write_bytes(b"no table")
    other = plan_of(5, 5)
    write_file(here.folder / "b.parquet", other, list(histories(other, 5, 1)), names(5))
    (here.folder / "notes.txt").write_text("not looked at")
    here.put("c.parquet", [0])
    done, later = here.look(2), here.look(3)
    here.put("a.parquet", [1])

    assert rows(done) == [("c.parquet", HOMES)]
    assert len(done.aside) == 2
    assert "a.parquet: not a Parquet file" in done.aside[0]
    assert "b.parquet: reports of the plan" in done.aside[1]
    assert later.aside == []
    assert rows(here.look(2)) == [("a.parquet", HOMES)]


def test_published_on_time(watched):
    """A slot is published once it is closed, after all files that had landed by then."""
    here = watched(days=1.5)  # slot 0 is in its grace, which is a day
    here.put("a.parquet", [0])
    assert here.look(2).published == []
    here.store.clock.set(here.plan.start + timedelta(days=2) - timedelta(seconds=1.5))
    here.look()
    here.put("b.parquet", [0], homes=HOMES + 5)
    taken = [here.look() for _ in range(4)]

    assert [done.published for done in taken] == [[], [], [0], []] or [d.published for d in taken] == [[], [0], [], []]
    assert sum(tally.rows for key, tally in here.store.tallies().items() if key.slot == 0) == HOMES + 5


def test_after_a_pause_files_come_first(watched):
    """What landed while nobody watched is taken before the slots that closed meanwhile are published."""
    here = watched(days=1)
    here.put("a.parquet", [0])
    here.look(2)
    here.put("b.parquet", range(SLOTS), homes=HOMES + 5)
    here.store.clock.forward(days=50)
    here.start()
    first, second = here.look(), here.look()

    assert (first.taken, first.published) == ([], [])
    assert [(taken.accepted, taken.late) for _, taken in second.taken] == [(SLOTS * (HOMES + 5) - HOMES, 0)]
    assert second.published == list(range(SLOTS))


def test_a_slot_to_come(watched):
    """A file that is ahead of time is told once, and goes on from there when its slot has begun."""
    here = watched(days=0.5)
    here.put("a.parquet", [0, 1])
    done, later = here.look(2), here.look(2)
    here.store.clock.forward(days=1)

    assert "its slot has not begun" in done.aside[0]
    assert later.aside == []
    assert rows(here.look()) != []
    assert stored(here) == 2 * HOMES


def test_taken_back_stays_back(watched):
    """A file that was taken back is not brought again by the folder that it still lies in."""
    here = watched()
    here.put("a.parquet", [0])
    here.store.clock.set(here.plan.start + timedelta(days=0.5))
    here.look(2)
    with here.store.database.writing() as session:
        take_back(session, here.store.collection, 1)
    here.start()

    assert rows(here.look(3)) == []
    assert here.store.all(KEPT) == [(0,)]


def test_stops_between_transactions(watched):
    """Asked to stop, it ends after the rows at hand; the next life takes the rest."""
    here = watched()
    here.put("a.parquet", range(SLOTS))
    here.look()
    asked = iter([False, True])
    here.start(stopped=lambda: next(asked))
    here.look()
    with pytest.raises(WatchStopped):
        here.look()
    here.start()
    (done,) = here.look(2).taken

    assert 0 < done[1].known < SLOTS * HOMES
    assert done[1].known + done[1].accepted == SLOTS * HOMES
    assert same(here.store.tallies(), tally_reports(here.plan, here.folder).groups)


def test_an_address(watched, bucket, s3, monkeypatch, tmp_path):
    """Objects are taken at the first look; a store that is busy is told once, and asked again."""
    here = watched(place=bucket)
    path = here.put("a.parquet", [0], folder=tmp_path)
    place = location(bucket) / "2024" / "a.parquet"
    assert rows(here.look()) == []
    with atomic_write_to(place) as temporary:
        temporary.write_bytes(path.read_bytes())
    monkeypatch.setattr("hushwatt.wire.storage.filesystems.ATTEMPTS", 1)
    with FaultyProxy(int(s3.rpartition(":")[2]), lambda method, where: "503") as proxy, monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        busy, still = here.look(), here.look()
    done = here.look()

    assert "too busy" in busy.aside[0]
    assert still.aside == []
    assert rows(done) == [("a.parquet", HOMES)]
    assert done.published == [0]


def test_killed_and_ended(watched, tmp_path):
    """A real process, killed at a random point while files land, then ended by SIGTERM: every report counts once."""
    here, chance = watched(), np.random.default_rng(5)
    (tmp_path / "later").mkdir()
    paths = [here.put(f"{slot}.parquet", [slot], folder=tmp_path / "later", homes=120) for slot in range(SLOTS)]
    expected, total = tally_reports(here.plan, tmp_path / "later").groups, 120 * SLOTS
    script = (
        "from hushwatt.provider.intake import delivery; delivery.BATCH_ROWS = 15; "
        "from hushwatt.cli.main import run; run(['provider', 'ingest', '--watch', 'in', '--every', '0.05', "
        f"'--json', '--data', {str(tmp_path)!r}])"
    )
    seen = []
    for target in [int(chance.integers(1, total)), total]:
        with (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
            process = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=out, stderr=err)
        until = time.monotonic() + 60
        while process.poll() is None and stored(here) < target and time.monotonic() < until:
            if paths:
                path = paths.pop(0)
                path.rename(here.folder / path.name)
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM if target == total else signal.SIGKILL)
        seen.append((process.wait(60), stored(here)))

    assert [status for status, _ in seen] == [-signal.SIGKILL, 0]
    assert seen[-1][1] == total
    assert same(here.store.tallies(), expected)
    assert "stopped; what was taken in stays" in (tmp_path / "err").read_text()
    assert all("accepted" in json.loads(line) for line in (tmp_path / "out").read_text().splitlines())


def stored(here):
    return here.store.all(KEPT)[0][0]


def test_a_busy_store_is_packed_later(watched, tmp_path, monkeypatch, capsys):
    """Another program holds the store: that is told, and the next time all is packed and scrubbed."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.01)
    here = watched()
    here.put("0.parquet", [0])
    here.look(2)
    other = open_store(str(tmp_path / "store.sqlite"))
    with other.writing():
        pack_published(here.store.database, here.store.number, True, lambda: False)
    held, left = capsys.readouterr().err, here.store.all("SELECT packed, scrubbed FROM slots")
    other.close()
    pack_published(here.store.database, here.store.number, True, lambda: False)

    assert "another program holds the store; what is published is packed with the slots that come next" in held
    assert left == [(0, 0)]
    assert here.store.all("SELECT packed, scrubbed FROM slots") == [(1, 1)]


@pytest.mark.parametrize(
    "words, said",
    [
        (["--watch", "nowhere"], "nowhere: there is no such folder"),
        (["--watch", ".", "--every", "0"], "--every is 0.0; it must be at least 0.05 seconds"),
        (["a.parquet", "--watch", "."], "--watch stands alone"),
    ],
)
def test_refusals(hushwatt, words, said):
    """What cannot be watched is told in a line."""
    run = hushwatt("provider", "ingest", *words)

    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert said in run.stderr
