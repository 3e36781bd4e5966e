"""A real broker that can be stopped and started again where it was."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from tests.home_assistant.running import until
from tests.household.serving import free_port


class Mosquitto:
    """mosquitto on a port of its own, which keeps nothing over a restart."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
        if program is None:
            if os.environ.get("CI"):
                pytest.fail("mosquitto is not installed: apt install mosquitto")
            pytest.skip("MQTT IS NOT TESTED WITH HOME ASSISTANT: mosquitto is not installed (apt install mosquitto)")
        self.program, self.port, self.config = program, free_port(), folder / "mosquitto.conf"
        owner = "user root\n" if os.geteuid() == 0 else ""
        self.config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n{owner}")

    def start(self) -> None:
        words = [self.program, "-c", str(self.config)]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("mosquitto listens", self._listens)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)

    def _listens(self) -> bool:
        with socket.socket() as knock:
            return knock.connect_ex(("127.0.0.1", self.port)) == 0
