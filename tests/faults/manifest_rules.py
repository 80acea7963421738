"""Compares a batch's manifest after a device fault with the existing files."""
import json

DEVICE_IS_LOST = ("device_fault", "backend_unavailable")


def items_in(manifest):
    """The final record of each item, without `begun` lines."""
    lines = [json.loads(line) for line in manifest.decode().splitlines()]
    return [line for line in lines if line.get("status", "begun") != "begun"]


def is_loss(item):
    return item["status"] == "failed" and item["error"]["kind"] in DEVICE_IS_LOST


def manifest_problems(scenario, found, expected, exit_code, no_backend):
    """`found` and `expected` map names to files; the exit code `no_backend` means a lost device."""
    if scenario.manifest not in found:
        written = [name for name in expected if name in found and name != scenario.manifest]
        return [f"no manifest, but {written}"] if written else []
    items = items_in(found[scenario.manifest])
    problems = []
    done = {item["output"] for item in items if item["status"] == "done"}
    for item in items:
        name = item["output"]
        if (name in done) != (name in found):
            problems.append(f"{name} is {item['status']} in the manifest but {'exists' if name in found else 'is missing'}")
    for name in expected:
        if name in found and name not in done and name != scenario.manifest:
            problems.append(f"{name} exists, but the manifest does not say so")
    lost = [is_loss(item) for item in items]
    if exit_code == no_backend and items and not any(lost):
        problems.append("the manifest does not say that the device was lost")
    if any(lost) and exit_code != no_backend:
        problems.append(f"the manifest says that the device was lost, but the exit code is {exit_code}")
    if scenario.in_turn and any(lost):
        after = [item["output"] for item in items[lost.index(True):] if item["status"] == "done"]
        problems += [f"computed after the device was lost: {after}"] if after else []
    return problems
