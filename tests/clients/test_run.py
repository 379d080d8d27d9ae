"""The runner's judgement, on runs that are made up: each kind of trouble must be found."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from run import (
    CLIENTS, EXPLAINED, FINDING, HERE, LANES_32, NOISE, SLOWEST, TRUE_FINDINGS, Machine, Run, complaints, identifiers, least_subgroup, quiet, slowness, understand,
)  # fmt: skip


def said(case, ok=True):
    return {"case": case, "seconds": 1.0, "off": 0.0, "ok": ok, "why": "" if ok else "differs from the CPU"}


def good(*cases):
    return Run(cases={case: said(case) for case in cases}, device="d", loaded=True)


class Judgement(unittest.TestCase):
    def test_all_is_well(self):
        self.assertEqual(complaints("x", ["a", "b"], good("a", "b"), good("a", "b"), (good("a", "b"), Run())), [])
        self.assertEqual(complaints("x", ["a"], good("a"), None), [])

    def test_a_wrong_answer_and_a_missing_one(self):
        bad = good("a")
        bad.cases["a"] = said("a", ok=False)
        self.assertEqual(len(complaints("x", ["a", "b"], bad, good("a", "b"))), 2)

    def test_another_driver_in_the_process(self):
        other = good("a")
        other.loaded = False
        self.assertEqual(len(complaints("x", ["a"], other, None)), 1)

    def test_a_crash(self):
        dead = good()
        dead.trouble = "killed by signal 11"
        self.assertEqual(len(complaints("x", ["a"], dead, None)), 2)

    def test_lavapipe_fails_with_and_without_a_reason(self):
        bad = good()
        full = next(iter(EXPLAINED))
        name, case = full.split(".")
        bad.cases = {case: said(case, ok=False)}
        self.assertEqual(complaints(name, [case], good(case), bad), [])
        self.assertEqual(len(complaints("other", [case], good(case), bad)), 1)
        self.assertEqual(len(complaints(name, [case], bad, good(case))), 1)

    def test_validation_messages_of_ours_alone(self):
        ours, theirs = good("a"), good("a")
        ours.messages, theirs.messages = {"VUID-1", "VUID-2"}, {"VUID-2"}
        self.assertEqual(complaints("x", ["a"], good("a"), good("a"), (ours, theirs)), ["x: the validation layer says VUID-1"])

    def test_findings_that_are_true_and_others(self):
        told = FINDING.findall("noise\nwavepipe: error: it races [race-write-0011aabb]\n  kernel `main`\nwavepipe: error: no finding\n")
        self.assertEqual(told, [("it races", "race-write-0011aabb")])
        ours = good("a")
        ours.findings = {id: said for said, id in told}
        self.assertEqual(complaints("x", ["a"], good("a"), good("a"), (ours, good("a"))), ["x: it races [race-write-0011aabb]"])
        name, known = next(iter(TRUE_FINDINGS.items()))
        ours.findings = {f"{next(iter(known))}0011aabb": "it counts on zeros"}
        self.assertEqual(complaints(name, ["a"], good("a"), good("a"), (ours, good("a"))), [])
        self.assertEqual(len(complaints("x", ["a"], good("a"), good("a"), (ours, good("a")))), 1)

    def test_what_takes_32_lanes_for_given_may_fail_where_there_are_none(self):
        client, _, case = next(iter(LANES_32)).partition(".")
        bad, validated = good(case), good(case)
        bad.cases[case] = validated.cases[case] = said(case, ok=False)
        for least, wrong in ((None, 1), (8, 1), (32, 1), (64, 0)):
            self.assertEqual(len(complaints(client, [case], bad, good(case), least=least)), wrong, least)
            self.assertEqual(len(complaints(client, [case], bad, None, (validated, Run()), least=least)), 2 * wrong, least)
            # No answer is no wrong answer, and no pass either.
            self.assertEqual(len(complaints(client, [case], Run(loaded=True), good(case), least=least)), 1, least)
            self.assertEqual(len(complaints(client, [case], good(case), None, (Run(loaded=True), Run()), least=least)), 1, least)
        other = good("a")
        other.cases["a"] = said("a", ok=False)
        self.assertEqual(len(complaints("x", ["a"], other, good("a"), least=64)), 1)

    def test_the_least_subgroup_size_is_the_drivers_word(self):
        text = "VkPhysicalDeviceSubgroupSizeControlProperties:\n\tminSubgroupSize              = 64\n\tmaxSubgroupSize              = 64\n"
        self.assertEqual(least_subgroup(text), 64)
        self.assertIsNone(least_subgroup("\tmaxSubgroupSize = 64\n"))

    def test_slower_than_is_allowed(self):
        slow, quick = good("a", "b"), good("a", "b")
        slow.cases["a"]["seconds"] = 2 * SLOWEST + NOISE
        self.assertEqual(len(slowness("x", ["a", "b"], slow, quick)), 1)
        self.assertEqual(slowness("x", ["b"], slow, quick), [])
        self.assertEqual(slowness("x", ["a", "b"], quick, slow), [])

    def test_lines_that_are_not_ours(self):
        run = understand('noise\n{"device": "d", "loaded": true}\n{"case": "a", "ok": true}\n{broken\n')
        self.assertEqual((run.device, run.loaded, list(run.cases)), ("d", True, ["a"]))

    def test_identifiers(self):
        log = "Validation Error: [ VUID-vkCmdDispatch-None-02697 ] Object 0: handle = 0x1;\nSYNC [ UNASSIGNED-x.y-Z ]"
        self.assertEqual(identifiers(log), {"VUID-vkCmdDispatch-None-02697", "UNASSIGNED-x.y-Z"})
        young = "[ VUID-VkP-pNext-pNext ] chain includes a structure with unknown VkStructureType (1000470001); [ VUID-a ]"
        self.assertEqual(identifiers(f"{young}\n[ VUID-VkP-sType-1 ]"), {"VUID-VkP-sType-1"})
        known = "[ VUID-c ] A SPIR-V Extension (SPV_KHR_other) was declared"
        young = "[ VUID-b ] | A SPIR-V Extension (SPV_KHR_maximal_reconvergence) was declared that is not supported"
        self.assertEqual(identifiers(f"{young}\n{known}"), {"VUID-c"})

    def test_the_compiler_checks_itself_where_nothing_is_timed(self):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(Path(folder), Path("libvulkan_wavepipe.so"))
            for client in CLIENTS:
                timed, validated = (machine.environment(client, "wavepipe", validate) for validate in (False, True))
                self.assertEqual(validated["WAVEPIPE_DEBUG"], "checks")
                self.assertNotIn("WAVEPIPE_DEBUG", timed)
                self.assertEqual((timed["WAVEPIPE_CACHE"], validated["WAVEPIPE_CACHE"]), ("off", "off"))

    def test_no_client_needs_a_variable_of_ours(self):
        """A program of wgpu's or Dawn's finds the driver as it is; only caches are turned off where it is timed."""
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(Path(folder), Path("libvulkan_wavepipe.so"))
            for client in CLIENTS:
                ours = {key for key in machine.environment(client, "wavepipe", False) if key.startswith("WAVEPIPE_")}
                self.assertEqual(ours - set(os.environ), {"WAVEPIPE_CACHE"} - set(os.environ))
                self.assertNotIn("VK_INSTANCE_LAYERS", machine.environment(client, "wavepipe", False))

    def test_a_registry_may_fail_once(self):
        with tempfile.TemporaryDirectory() as folder:
            mark, log = Path(folder, "mark"), Path(folder, "log")
            once = ["sh", "-c", f"test -e {mark} || {{ touch {mark}; exit 1; }}"]
            self.assertFalse(quiet(once, log))
            mark.unlink()
            self.assertTrue(quiet(once, log, tries=2))
            self.assertFalse(quiet(["false"], log, tries=2))

    def test_versions_are_pinned_and_no_registry_is_named(self):
        lock = json.loads((HERE / "package-lock.json").read_text())
        self.assertFalse([name for name, package in lock["packages"].items() if "resolved" in package])
        self.assertTrue(all(package.get("integrity") for name, package in lock["packages"].items() if name))


if __name__ == "__main__":
    unittest.main()
