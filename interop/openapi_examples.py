"""Checks every example and default of an OpenAPI document with its schema, with an independent validator."""

import json
import sys

from jsonschema import Draft202012Validator, FormatChecker

document = json.load(open(sys.argv[1]))
count, faults = 0, []


def check(place, schema, example):
    global count
    count += 1
    complete = {**schema, "components": document["components"]}
    for error in Draft202012Validator(complete, format_checker=FormatChecker()).iter_errors(example):
        faults.append(f"error: {place}: {error.message[:200]}")


def walk(place, value):
    if isinstance(value, list):
        for number, element in enumerate(value):
            walk(f"{place}/{number}", element)
    elif isinstance(value, dict):
        is_map_of_names = place.endswith("/properties")
        if not is_map_of_names:
            for example in value["examples"] if isinstance(value.get("examples"), list) else []:
                check(place, value, example)
            if "default" in value:
                check(place, value, value["default"])
            if "example" in value and "schema" in value:
                check(place, value["schema"], value["example"])
        for name, member in value.items():
            if is_map_of_names or name != "examples":
                walk(f"{place}/{name}", member)


walk("", document)
print("\n".join(faults) if faults else f"{count} are valid")
sys.exit(1 if faults else 0)
