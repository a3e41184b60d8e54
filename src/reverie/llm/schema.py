"""The part of JSON Schema that our answers need, and no more; a schema that asks for more is a mistake of ours.

What is said about a value never repeats a word of it: it was written by a model, and it is shown to people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

_KNOWN = frozenset({
    "$schema", "title", "description", "type", "properties", "required", "additionalProperties", "enum", "items",
    "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum",
})  # fmt: skip


def fits(value: Any, schema: Mapping[str, Any]) -> str:
    """Empty where the value is as the schema says; else the first place that is not, as a clause."""
    return next(_faults(value, schema, "the answer"), "")


def unknown_keywords(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """What a schema asks for and nobody here would check."""
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    below = [word for part in inner for word in unknown_keywords(part)]
    return tuple(dict.fromkeys([*sorted(set(schema) - _KNOWN), *below]))


def _faults(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    wanted = schema.get("type")
    names = [wanted] if isinstance(wanted, str) else wanted
    if names is not None and not any(_is(value, name) for name in names):
        yield f"{place} is not of the type {' or '.join(names)}"
        return  # nothing else can be asked of it
    if "enum" in schema and not any(type(one) is type(value) and one == value for one in schema["enum"]):
        yield f"{place} is none of the allowed values"
    if isinstance(value, str):
        yield from _size(len(value), schema, "Length", f"{place} has", "characters")
    elif isinstance(value, list):
        yield from _size(len(value), schema, "Items", f"{place} has", "items")
        if "items" in schema:
            for number, item in enumerate(value):
                yield from _faults(item, schema["items"], f"{place}[{number}]")
    elif isinstance(value, dict):
        yield from _fields(value, schema, place)
    elif _is(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{place} is outside its range"


def _fields(value: dict[str, Any], schema: Mapping[str, Any], place: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place} has no {name}"
    if schema.get("additionalProperties") is False and not value.keys() <= known.keys():
        yield f"{place} has a field that was not asked for"
    for name, inner in known.items():
        if name in value:
            yield from _faults(value[name], inner, f"{place}.{name}")


def _size(size: int, schema: Mapping[str, Any], of: str, said: str, unit: str) -> Iterator[str]:
    if size > (most := schema.get(f"max{of}", size)):
        yield f"{said} {size} {unit}, and {most} were allowed"
    if size < (least := schema.get(f"min{of}", size)):
        yield f"{said} {size} {unit}, and {least} were asked for"


def _is(value: Any, name: str) -> bool:
    if name == "number":
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[name])
