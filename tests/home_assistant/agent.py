"""`hushwatt household run` beside a Home Assistant: joined from the command line, started, stopped, read."""

import subprocess
import sys
from pathlib import Path

from tests.home_assistant.running import PLUGS, RunningHomeAssistant
from tests.home_assistant.street import HomeRecord
from tests.household.serving import HUSHWATT

from hushwatt.plan.plan import Plan

# The agent as it is, but its mark lies not in the memory that the machine shares, and it notes its health more often.
AGENT = """
import sys
from pathlib import Path
from hushwatt.cli.main import run
from hushwatt.household import run as running
from hushwatt.household.ledger import high_water_mark

running.HEALTH_SECONDS = 0.5
high_water_mark.SHARED_MEMORY = Path(sys.argv.pop(1))
run()
"""
ENTITY = '[[entity]]\nappliance = "{name}"\nentity = "sensor.{name}_power"\n'


class AgentBeside:
    """One home, in a folder and a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.record = folder, HomeRecord(folder)
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, mode=0o700)
        (folder.parent / f"{folder.name}-memory").mkdir()

    def join(self, address: str, plan: Plan) -> None:
        words = ["household", "join", address, "--plan", plan.id, "--yes", "--folder", str(self.folder)]
        done = subprocess.run([*HUSHWATT, *words], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr

    def listen_to(self, house: RunningHomeAssistant, token: str) -> None:
        """Name its entities as the docs say: an address, a token in a file, and which sensor measures what."""
        self.keep_token(token)
        login = f'[home_assistant]\nurl = "{house.address}"\ntoken_file = "token"\n'
        (self.folder / "sources.toml").write_text(login + "".join(ENTITY.format(name=name) for name in PLUGS))

    def keep_token(self, token: str) -> None:
        (self.folder / "token").write_text(token)
        (self.folder / "token").chmod(0o600)

    @property
    def log(self) -> str:
        return (self.folder / "agent.log").read_text()

    def start(self) -> None:
        memory = self.folder.parent / f"{self.folder.name}-memory"
        words = [sys.executable, "-c", AGENT, str(memory), "household", "run", "--folder", str(self.folder)]
        with (self.folder / "agent.log").open("ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)

    def stop(self) -> int:
        """End it; how it ended."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(20)
