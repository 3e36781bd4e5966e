"""Every route of the service, from its OpenAPI description, with a real exchange for each."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from hushwatt.provider.api.problems import PREFIX, PROBLEMS
from tools.reference.exchange import converse
from tools.reference.forms import WRITTEN, document, table

INTRODUCTION = """\
`hushwatt provider serve` answers under `/v1`, and describes itself at `/v1/openapi.json`. What homes send is
told to the byte on [the wire page](../wire.md): how requests are signed, what a record is, and what the
reasons of rejected reports mean. Every exchange below really took place, with a small plan; long lists are
cut (`…`), and so are digits."""
GROUPS = {
    "plans": ("Plans", "For everyone."),
    "devices": ("Joining and leaving", "For homes, and for gateways that speak for many of them."),
    "reports": ("Reports", "For enrolled homes and gateways; every request is signed."),
    "answers": (
        "Answers",
        "For analysts: `Authorization: Bearer TOKEN`, or nothing on the machine where the service runs, "
        "unless it is told otherwise. Moments are dates or times in ISO 8601, local to the plan unless they "
        "have an offset.",
    ),
    "operations": ("Operations", "For those who keep it running. They also stand without `/v1`."),
}
PROBLEM = ("GET", "/v1/plans/unknown/top")


def page() -> str:
    talk = converse()
    description = talk.app.openapi()
    routes = sorted(operations(description), key=lambda each: list(GROUPS).index(each[2]["tags"][0]))
    parts = []
    for tag, members in groupby(routes, key=lambda each: each[2]["tags"][0]):
        title, words = GROUPS[tag]
        parts += [f"## {title}", words]
        for method, route, operation in members:
            parts += [section(description, method, route, operation), talk.shown(method, route)]
    return document("# The HTTP interface", WRITTEN, INTRODUCTION, *parts, problems(talk.shown(*PROBLEM)))


def operations(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for route, methods in description["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), route, operation


def section(description: dict[str, Any], method: str, route: str, operation: dict[str, Any]) -> str:
    return document(
        f"### {method} {route}",
        f"{operation['summary']}. {operation.get('description', '')}".strip(),
        parameters(operation),
        body(description, operation),
    ).strip()


def parameters(operation: dict[str, Any]) -> str:
    asked = [each for each in operation.get("parameters", ()) if each["in"] != "path"]
    rows = [
        (
            f"`{each['name']}`",
            each["in"],
            kind(each["schema"]),
            each.get("description", each["schema"].get("description", "")),
            "required" if each["required"] else default(each["schema"]),
        )
        for each in asked
    ]
    return table(("parameter", "where", "type", "", "default"), rows) if rows else ""


def body(description: dict[str, Any], operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/octet-stream" in content:
        return "Body: records, one after the other, as `application/octet-stream`."
    if not content:
        return ""
    name = content["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
    model = description["components"]["schemas"][name]
    rows = [
        (
            f"`{key}`",
            kind(schema),
            schema.get("description", ""),
            "required" if key in model.get("required", ()) else default(schema),
        )
        for key, schema in model["properties"].items()
    ]
    return document(f"Body: JSON. {model['description']}", table(("key", "type", "", "default"), rows)).strip()


def kind(schema: dict[str, Any]) -> str:
    """The type in words: its limits or its few words included."""
    options = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    (one,) = options
    if "enum" in one:
        return " or ".join(f"`{word}`" for word in one["enum"])
    limits = [f"{word} {one[key]:,.0f}" for key, word in LIMITS.items() if key in one]
    return ", ".join([one["type"], *limits])


LIMITS = {"minimum": "from", "maximum": "to", "maxLength": "length up to"}


def default(schema: dict[str, Any]) -> str:
    value = schema.get("default")
    return "" if value is None else f"`{str(value).lower()}`"


def problems(example: str) -> str:
    rows = [(f"`{name}`", str(status), title) for name, (status, title) in PROBLEMS.items()]
    return document(
        "## Problems",
        f"What is refused is answered with `application/problem+json` (RFC 9457). `type` is `{PREFIX}` and "
        "one of the names below; nothing has been stored then. What to do about each is on "
        "[the wire page](../wire.md#problems).",
        example,
        table(("name", "status", "title"), rows),
    ).strip()
