"""Notebooks: run them, keep what their cells show, and turn them into pages.

    python -m tools.notebook            runs every notebook of the docs, and stores what it shows
    python -m tools.notebook --check    says which of them would show something else now

No Jupyter is needed: a cell is Python, and what Jupyter would keep is what it prints, and the value of its
last line as text, as a table or as a picture.  Pictures are not compared, as each version of a drawing
library draws them a little differently.
"""

import argparse
import ast
import base64
import contextlib
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
PICTURE = "image/png"
STYLE = re.compile(r"<style.*?</style>|<small>.*?</small>", re.DOTALL)
LOOKS = re.compile(r"(?<=<table)[^>]*|(?<=<t[rh]) style=[^>]*")  # the site has its own


def main() -> None:
    words = argparse.ArgumentParser(description="Run the notebooks of the docs.")
    words.add_argument("--check", action="store_true", help="write nothing, exit with 1 when one is old")
    asked = words.parse_args()
    old = []
    for file in sorted(FOLDER.glob("*.ipynb")):
        stored = json.loads(file.read_text(encoding="utf-8"))
        fresh = run(stored)
        if comparable(fresh) != comparable(stored):
            old.append(file.name)
            if not asked.check:
                file.write_text(json.dumps(fresh, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
                print(f"wrote {file}", file=sys.stderr)
    if asked.check and old:
        sys.exit(f"out of date, run `make reference`: {', '.join(old)}")


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with what its cells show now."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell = cell | {"execution_count": count, "outputs": shown("".join(cell["source"]), names, count)}
        cells.append(cell)
    return notebook | {"cells": cells}


def shown(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell; what it prints, and the value of its last line."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = value_of(source, names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": count,
                "metadata": {},
                "data": forms(value),
            }
        )
    return outputs


def value_of(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    body = ast.parse(source).body
    last = end.value if body and isinstance(end := body[-1], ast.Expr) else None
    exec(compile(ast.Module(body[:-1] if last else body, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last), "cell", "eval"), names) if last else None


def forms(value: Any) -> dict[str, Any]:
    """A value as Jupyter would keep it."""
    data: dict[str, Any] = {"text/plain": lines(repr(value))}
    if type(value).__name__ == "Figure":
        drawn = io.BytesIO()
        value.savefig(drawn, format="png", dpi=110, bbox_inches="tight", metadata={"Software": None})
        return data | {PICTURE: base64.b64encode(drawn.getvalue()).decode()}
    table = getattr(value, "_repr_html_", lambda: None)()
    return data | {"text/html": lines(table)} if table else data


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def comparable(notebook: dict[str, Any]) -> list[Any]:
    """What must stay the same: code, numbers and tables, and that there is a picture."""
    found: list[Any] = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text")})
            found.append({kind: kind == PICTURE or text for kind, text in data.items()})
        found.append("".join(cell["source"]))
    return found


def page_of(file: Path) -> None:
    """Write a notebook as a page beside it, with its pictures."""
    notebook = json.loads(file.read_text(encoding="utf-8"))
    parts = []
    for place, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"]).strip()
        parts.append(source if cell["cell_type"] == "markdown" else f"```py\n{source}\n```")
        parts += [seen(output, file, place) for output in cell.get("outputs", ())]
    parts.append(f"[This page as a notebook]({file.name})")
    file.with_suffix(".md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def seen(output: dict[str, Any], file: Path, place: int) -> str:
    """One output as Markdown; a picture becomes a file."""
    data = output.get("data", {})
    if PICTURE in data:
        picture = file.with_name(f"{file.stem}-{place}.png")
        picture.write_bytes(base64.b64decode(data[PICTURE]))
        return f"![What the cell above draws]({picture.name})"
    if "text/html" in data:
        plain = LOOKS.sub("", STYLE.sub("", "".join(data["text/html"])))
        return "\n".join(filter(str.strip, plain.splitlines()))
    return "```text\n" + "".join(output.get("text", data.get("text/plain", ""))).rstrip() + "\n```"


if __name__ == "__main__":
    main()
