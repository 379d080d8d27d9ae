"""The runner's judgement, on runs that are made up: each kind of trouble must be found."""

import tempfile
import unittest
from pathlib import Path

from run import CLIENTS, EXPLAINED, NOISE, SLOWEST, Machine, Run, complaints, identifiers, slowness, understand


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

    def test_the_compiler_checks_itself_where_nothing_is_timed(self):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(Path(folder), Path("libvulkan_wavepipe.so"))
            for client in CLIENTS:
                timed, validated = (machine.environment(client, "wavepipe", validate) for validate in (False, True))
                self.assertEqual(validated["WAVEPIPE_DEBUG"], "checks")
                self.assertNotIn("WAVEPIPE_DEBUG", timed)
                self.assertEqual((timed["WAVEPIPE_CACHE"], validated["WAVEPIPE_CACHE"]), ("off", "off"))


if __name__ == "__main__":
    unittest.main()
