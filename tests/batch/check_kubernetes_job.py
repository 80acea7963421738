"""Checks the syntax of a Kubernetes indexed Job, and that the number of shards is the same in both places.

usage: check_kubernetes_job.py JOB.yaml
"""
import re
import sys

from batch_run import SKIPPED, check

try:
    import yaml
except ImportError:
    print("SKIPPED: Python module yaml is not installed (Debian and Ubuntu: python3-yaml)")
    sys.exit(SKIPPED)

SPEC_FIELDS = {
    "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex", "completionMode", "completions", "manualSelector",
    "maxFailedIndexes", "parallelism", "podFailurePolicy", "selector", "suspend", "template", "ttlSecondsAfterFinished",
}
CONTAINER_FIELDS = {"args", "command", "env", "image", "imagePullPolicy", "name", "resources", "volumeMounts", "workingDir"}


def check_fields(value, allowed, where):
    check(set(value) <= allowed, f"{where}: unknown fields {sorted(set(value) - allowed)}")


def check_failure_policy(policy, container_name):
    for rule in policy["rules"]:
        check(rule["action"] in {"FailJob", "FailIndex", "Ignore", "Count"}, f"action {rule['action']}")
        check(("onExitCodes" in rule) != ("onPodConditions" in rule), "a rule needs exit codes or pod conditions")
        codes = rule.get("onExitCodes")
        if codes:
            check(codes["containerName"] == container_name, "a rule has the wrong container name")
            check(codes["operator"] in {"In", "NotIn"}, f"operator {codes['operator']}")
            check(all(isinstance(code, int) for code in codes["values"]), "exit codes must be numbers")


def check_variables(container):
    """Kubernetes defines JOB_COMPLETION_INDEX in indexed jobs."""
    defined = {variable["name"] for variable in container["env"]} | {"JOB_COMPLETION_INDEX"}
    used = set(re.findall(r"\$\((\w+)\)", " ".join(container["command"])))
    check(used <= defined, f"undefined variables {sorted(used - defined)}")
    for variable in container["env"]:
        value = variable.get("value")
        check(value is None or isinstance(value, str), f"{variable['name']}: a value must be a quoted string")


def main(path):
    with open(path, encoding="utf-8") as file:
        jobs = list(yaml.safe_load_all(file))
    check(len(jobs) == 1, f"{len(jobs)} documents")
    job = jobs[0]
    check_fields(job, {"apiVersion", "kind", "metadata", "spec"}, "job")
    check((job["apiVersion"], job["kind"]) == ("batch/v1", "Job"), "not a batch/v1 Job")
    spec = job["spec"]
    check_fields(spec, SPEC_FIELDS, "spec")
    check(spec["completionMode"] == "Indexed", "only indexed jobs have JOB_COMPLETION_INDEX")
    pod = spec["template"]["spec"]
    check(pod["restartPolicy"] == "Never", "podFailurePolicy needs restartPolicy Never")
    (container,) = pod["containers"]
    check_fields(container, CONTAINER_FIELDS, "container")
    check_failure_policy(spec["podFailurePolicy"], container["name"])
    check_variables(container)
    values = {variable["name"]: variable.get("value") for variable in container["env"]}
    check(values["GPUIMG_SHARDS"] == str(spec["completions"]), "GPUIMG_SHARDS is not the number of completions")
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    check(mounts == {volume["name"] for volume in pod["volumes"]}, "volumes and mounts differ")
    check("--shard=auto" in container["command"], "no --shard=auto")
    print(f"{path}: {spec['completions']} shards, {len(spec['podFailurePolicy']['rules'])} rules")


main(sys.argv[1])
