"""A real Spark cluster on loopback: a master and two workers, processes of their own that can be killed."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

PATIENCE = 300  # seconds; machines that run tests are busy


def needed():
    """Skip loudly on a machine without Java or pyspark, fail in the build."""
    try:
        import pyspark
    except ImportError:
        pyspark = None
    found = pyspark and (os.environ.get("JAVA_HOME") or shutil.which("java"))
    reason = "there is no Java (apt install default-jre-headless) or no pyspark: Spark is NOT tested"
    if not found and os.environ.get("CI"):
        pytest.fail(reason)
    if not found:
        pytest.skip(reason)


class Cluster:
    """A master and its workers, each the leader of a group of processes."""

    def __init__(self, folder):
        import pyspark

        self.folder, self.home = folder, Path(pyspark.__file__).parent
        self.port, self.page = free_port(), free_port()
        self.address = f"spark://127.0.0.1:{self.port}"
        self.members = [self._start("master", "--port", self.port, "--webui-port", self.page)]
        for number in (1, 2):
            words = (
                "--cores",
                1,
                "--memory",
                "1g",
                "--webui-port",
                0,
                "--work-dir",
                folder / f"work{number}",
            )
            self.members.append(self._start("worker", *words, self.address))
        until(lambda: len(self.alive()) == 2, "two workers joined the master")

    def _start(self, role, *words):
        environment = {
            **os.environ,
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
        }
        kind = f"org.apache.spark.deploy.{role}.{role.capitalize()}"
        with (self.folder / f"{role}.log").open("ab") as log:
            return subprocess.Popen(
                [str(self.home / "bin" / "spark-class"), kind, "--host", "127.0.0.1", *map(str, words)],
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def alive(self):
        """The workers that the master counts on."""
        workers = asked(f"http://127.0.0.1:{self.page}/json/").get("workers", [])
        return [worker for worker in workers if worker["state"] == "ALIVE"]

    def signal_workers(self, number, *which):
        """Send a signal to workers, 1 or 2, and to what they started."""
        for place in which:
            os.killpg(self.members[place].pid, number)

    def stop(self):
        for member in self.members:
            try:
                os.killpg(member.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        for member in self.members:
            member.wait()


@contextmanager
def cluster(folder):
    """A cluster for a while."""
    needed()
    running = Cluster(folder)
    try:
        yield running
    finally:
        running.stop()


class Watch:
    """Sees what a Spark program is doing, through its own page."""

    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}/api/v1/applications"

    def get(self, what):
        found = asked(self.address)
        return asked(f"{self.address}/{found[0]['id']}/{what}") if found else []

    def underway(self, tasks):
        """How many of the tasks of the running stage that has so many are done; None when there is none."""
        stages = [stage for stage in self.get("stages?status=active") if stage["numTasks"] == tasks]
        return stages[0]["numCompleteTasks"] if stages else None

    def busy(self):
        """The executors that have finished a task."""
        found = self.get("executors")
        return [each["id"] for each in found if each["id"] != "driver" and each["completedTasks"]]


def asked(address):
    """A JSON page; nothing while there is none."""
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return {} if address.endswith("/json/") else []


def until(happened, what, going=lambda: True):
    """Wait for something that must happen while `going`."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert going(), f"it ended before {what}"
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.02)


def free_port():
    with closing(socket.socket()) as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]
