"""The OpenAPI description of uploads, which are a plain route that FastAPI does not see."""

from typing import Any

from fastapi import FastAPI

from hushwatt.wire.signature import DEVICE_HEADER, SIGNATURE_HEADER, TIME_HEADER

PATH = "/v1/plans/{plan_id}/reports"
COUNT = {"type": "integer", "minimum": 0}
ANSWER = {
    "type": "object",
    "required": ["accepted", "repeated", "rejected"],
    "properties": {
        "accepted": COUNT,
        "repeated": COUNT,
        "rejected": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["index", "reason"],
                "properties": {"index": COUNT, "reason": {"type": "string"}},
            },
        },
    },
}
PROBLEM = {
    "description": "Refused, with the reason",
    "content": {"application/problem+json": {"schema": {"type": "object"}}},
}
OPERATION: dict[str, Any] = {
    "tags": ["reports"],
    "summary": "Upload records, one or thousands, signed by their device or its gateway",
    "parameters": [
        {"name": "plan_id", "in": "path", "required": True, "schema": {"type": "string"}},
        *(
            {"name": name, "in": "header", "required": True, "schema": {"type": "string"}}
            for name in (DEVICE_HEADER, TIME_HEADER, SIGNATURE_HEADER)
        ),
    ],
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    },
    "responses": {
        "200": {"description": "Safe on disk", "content": {"application/json": {"schema": ANSWER}}},
        **dict.fromkeys(("400", "401", "404", "408", "410", "413", "415", "422", "429", "503"), PROBLEM),
    },
}
REFUSALS = dict.fromkeys(("401", "403", "404", "405", "410", "413", "415", "422", "429", "503"), PROBLEM)


def describe_upload(app: FastAPI) -> None:
    """Add uploads, and the problems that every route may answer with, to the app's description."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            for operations in schema["paths"].values():
                for operation in operations.values():
                    operation["responses"] = {
                        code: answer for code, answer in operation["responses"].items() if code != "422"
                    } | REFUSALS
            schema["paths"][PATH] = {"post": OPERATION}
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
