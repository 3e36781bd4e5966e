"""The wheel and the sdist hold what they should, and are the same wherever they are built."""

import subprocess
import sys
import tarfile
import zipfile

from hushwatt import __version__


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_wheel_is_the_package(built):
    """The wheel holds every file of the package, its licence, and nothing else."""
    about = f"hushwatt-{__version__}.dist-info"
    names = set(zipfile.ZipFile(built.wheel).namelist())
    package = {name for name in names if not name.startswith(about)}

    assert built.wheel.name == f"hushwatt-{__version__}-py3-none-any.whl"
    assert package == {f"hushwatt/{name}" for name in files(built.source / "src" / "hushwatt")}
    assert {"hushwatt/py.typed", "hushwatt/__init__.pyi"} <= package
    assert f"{about}/licenses/LICENSE" in names


def test_the_sdist_is_the_checkout(built):
    """The sdist holds the sources, and all that its tests, tools and docs need."""
    with tarfile.open(built.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}

    assert names - {"PKG-INFO", ".gitignore"} == files(built.source)
    assert {"tests/conftest.py", "Makefile", "requirements/dev.txt", "deploy/Dockerfile"} <= names


def test_same_bytes_everywhere(built, built_elsewhere):
    """Another folder, umask, time zone, language and file times give the same bytes."""

    assert built.wheel.read_bytes() == built_elsewhere.wheel.read_bytes()
    assert built.sdist.read_bytes() == built_elsewhere.sdist.read_bytes()


def test_the_sdist_builds_the_wheel(built, tmp_path, monkeypatch):
    """pip makes of the sdist alone the wheel that was built beside it."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    options = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", str(tmp_path)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(built.sdist)], check=True)

    assert (tmp_path / built.wheel.name).read_bytes() == built.wheel.read_bytes()
