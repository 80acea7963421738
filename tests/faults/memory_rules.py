"""Checks a batch that runs out of memory after its run has begun, that is, after the manifest's first line.
Before that line, the batch may exit with 6 and process nothing."""
from kinds import OUT_OF_MEMORY
from manifest_rules import items_in

OF_MEMORY = ("malloc", "mmap", "thread", "task")


def has_begun(scenario, found):
    return found.get(scenario.manifest, b"") != b""


def is_short_of_memory(item):
    return item["status"] == "failed" and item["error"]["kind"] == "out_of_memory"


def memory_problems(scenario, is_lasting, found, expected, exit_code):
    outputs = {name for name in expected if name != scenario.manifest}
    there = {name for name in outputs if name in found}
    if not has_begun(scenario, found):
        return [f"the run did not begin, but left {sorted(there)}"] if there else []
    items = items_in(found[scenario.manifest])
    if scenario.merges:
        return once_problems(items, exit_code, scenario) if not is_lasting else []
    done = {item["output"] for item in items if item["status"] == "done"}
    problems = [f"{name} is done but missing" for name in done - there]
    if is_lasting:
        # --resume repeats outputs written just before memory ran out.
        most_unrecorded = 1 if scenario.in_turn else len(outputs)
        return problems + ([f"{sorted(there - done)} not recorded"] if len(there - done) > most_unrecorded else [])
    problems += [f"{name} exists but is not recorded" for name in there - done]
    return problems + once_problems(items, exit_code, scenario)


def once_problems(items, exit_code, scenario):
    """A single failed allocation fails at most one file; the run continues to its end."""
    problems = ["the run ended early after one failed allocation"] if exit_code == OUT_OF_MEMORY else []
    if len(items) != scenario.items:
        problems.append(f"{len(items)} items are recorded, not {scenario.items}")
    struck = [item["input"] for item in items if is_short_of_memory(item)]
    failed = [item["input"] for item in items if item["status"] == "failed" and item["input"] not in struck]
    if len(struck) > 1:
        problems.append(f"one failed allocation fails {struck}")
    if len(failed) != scenario.damaged:
        problems.append(f"failed for another reason: {failed}")
    return problems


def first_allocation_of_run(count, begins_with):
    """The number of the first allocation whose failure no longer prevents the run from beginning."""
    low, high = 1, count + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if begins_with(f"malloc:{middle}+") else (middle + 1, high)
    return low
