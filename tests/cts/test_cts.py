"""The judgement of scripts/cts, on a deqp-vk that is made up: each kind of trouble must be found."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parent.parent / "scripts" / "cts"

loader = importlib.machinery.SourceFileLoader("cts", str(SCRIPT))
cts = importlib.util.module_from_spec(importlib.util.spec_from_loader("cts", loader))
sys.modules["cts"] = cts
loader.exec_module(cts)

# Ends each case as its name says, and notes how often it was started.
FAKE = """#!{python}
import os, sys
given = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
with open(os.path.join(os.path.dirname(__file__), "starts"), "a") as file:
    print(os.environ.get("VK_DRIVER_FILES"), file=file)
log = open(given["--deqp-log-filename"], "w")
print("dEQP Core made-up (0x0) starting..")
if "--deqp-case" in given:
    told = "<Result><Text>deviceName: paper</Text><Text>apiVersion: 1.3.281</Text></Result>"
    print("#beginTestCaseResult dEQP-VK.info.device", told, "#endTestCaseResult", sep="\\n", file=log)
    sys.exit(0)
driver = open(os.environ["VK_DRIVER_FILES"]).read()
for case in open(given["--deqp-caselist-file"]).read().split():
    print(f"Test case '{{case}}'..", flush=True)
    last = case.split(".")[-1]
    if "crash" in last: os.abort()
    if "hang" in last: __import__("time").sleep(600)
    if "mute" in last: continue
    if "better" in last and "other" in driver: last = "pass"
    end = {{"pass": "Pass (Pass)", "none": "NotSupported (no such feature)", "soft": "QualityWarning (slow)"}}.get(last[:4])
    print("  " + (end or "Fail (Wrong value (at 3))"), flush=True)
print("DONE!")
"""

LIST = """dEQP-VK.a.pass1 dEQP-VK.a.pass2 dEQP-VK.a.fail1 dEQP-VK.a.crash1 dEQP-VK.a.none1 dEQP-VK.a.soft1 dEQP-VK.a.mute1
dEQP-VK.a.better1 dEQP-VK.a.draw.fail1 dEQP-VK.b.x.frag.pass1 dEQP-VK.b.x.comp.pass1 dEQP-VK.b.y.pass1"""


def rules(text, kinds=("in", "out")):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules"
        file.write_text(text)
        return cts.read_rules(file, kinds)


def named(results):
    return {case.removeprefix(cts.PREFIX): result.end for case, result in results.items()}


class Cutting(unittest.TestCase):
    def test_the_last_rule_that_matches_holds(self):
        made = cts.cut(LIST.split(), rules("in a all\nout a.draw draws\nin b.x x\nout b.x.{frag,vert} stages\n"))
        self.assertEqual([len(cases) for cases in made.rows.values()], [8, 1])
        self.assertEqual([*made.left_out.values()], [1, 1])
        self.assertEqual(made.unjudged, ["dEQP-VK.b.y.pass1"])

    def test_a_pattern_ends_where_a_name_ends(self):
        cases = ["dEQP-VK.a.b", "dEQP-VK.a.bc", "dEQP-VK.a.b.c", "dEQP-VK.ab.b", "dEQP-VK.a.xbx.c"]
        made = cts.cut(cases, rules("in a.b why\n"))
        self.assertEqual([*made.rows.values()], [["dEQP-VK.a.b", "dEQP-VK.a.b.c"]])
        made = cts.cut(cases, rules("in a.*b* why\n"))
        self.assertEqual([*made.rows.values()], [["dEQP-VK.a.b", "dEQP-VK.a.bc", "dEQP-VK.a.b.c", "dEQP-VK.a.xbx.c"]])

    def test_a_rule_says_why(self):
        for broken in ("in a\n", "maybe a why\n", "in * why\n"):
            with self.assertRaises(cts.Trouble):
                cts.Rules(rules(broken))

    def test_the_rules_of_the_repository_are_rules(self):
        kept = cts.read_rules(HERE / "cut.txt", ("in", "out"))
        cts.Rules(kept)
        self.assertEqual(len({rule.pattern for rule in kept}), len(kept))
        made = cts.cut(["dEQP-VK.compute.pipeline.basic.empty_shader", "dEQP-VK.draw.x.y", "dEQP-VK.ubo.random.all.1"], kept)
        self.assertEqual(sum(len(cases) for cases in made.rows.values()), 1)
        self.assertEqual(made.unjudged, [])
        cts.Rules(cts.read_rules(HERE / "expected.txt", cts.EXPECTED))


class Judging(unittest.TestCase):
    ran = {"dEQP-VK.a.p": cts.Result("pass"), "dEQP-VK.a.f": cts.Result("fail"), "dEQP-VK.a.c": cts.Result("crash")}

    def judge(self, text, whole=True):
        return cts.judge(self.ran, rules(text, cts.EXPECTED), whole)

    def test_what_is_expected_is_good(self):
        self.assertTrue(self.judge("fail a.f why\ncrash a.c why\n").good)

    def test_a_new_failure_is_not(self):
        self.assertEqual([*self.judge("fail a.f why\n").new], ["dEQP-VK.a.c"])
        self.assertEqual([*self.judge("").new], ["dEQP-VK.a.f", "dEQP-VK.a.c"])

    def test_what_may_fail_may_pass(self):
        self.assertTrue(self.judge("fail? a.f why\ncrash a.c why\nfail? a.p why\nfail? z why\n").good)

    def test_a_failure_of_another_kind_is_new(self):
        verdict = self.judge("fail a.f why\nfail a.c why\n")
        self.assertEqual([*verdict.new], ["dEQP-VK.a.c"])
        self.assertEqual([rule.pattern for rule in verdict.gone], ["a.c"])

    def test_an_expectation_that_is_gone_is_said(self):
        explained = "fail a.f why\ncrash a.c why\n"
        self.assertEqual([rule.pattern for rule in self.judge(explained + "fail a.p why\n", whole=False).gone], ["a.p"])
        # What was not run is no news, unless everything was.
        self.assertTrue(self.judge(explained + "fail z why\n", whole=False).good)
        self.assertFalse(self.judge(explained + "fail z why\n").good)


class Running(unittest.TestCase):
    """The whole script, in a repository of a few lines."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.home = self.folder / "cts" / "build" / "external/vulkancts/modules/vulkan"
        (self.home / "vk-default").mkdir(parents=True)
        (self.home / "vk-default" / "a.txt").write_text("\n".join(LIST.split()) + "\n")
        self.deqp(FAKE)
        self.driver = self.folder / "libours.so"
        self.driver.write_text("ours")
        self.rules("in a all\nout a.draw draws\nin b all\n", "")

    def deqp(self, text):
        file = self.home / "deqp-vk"
        file.write_text(text.format(python=sys.executable))
        file.chmod(0o755)

    def rules(self, cut, expected):
        cts.RULES = self.folder
        (self.folder / "cut.txt").write_text(cut)
        (self.folder / "expected.txt").write_text(expected)

    def script(self, *words):
        said = io.StringIO()
        out = ["--out", str(self.folder / "out"), "--nice", "0", "--plain", "--icd", str(self.driver)]
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = cts.go(cts.arguments([str(self.folder / "cts"), *words, *out]))
            except cts.Trouble as trouble:
                code = f"{trouble}"
        self.said = said.getvalue()
        return code

    def results(self):
        return named(cts.Store(self.folder / "out" / "results").results())

    def starts(self):
        return (self.home / "starts").read_text().count("\n")

    def summary(self):
        return json.loads((self.folder / "out" / "summary.json").read_text())

    def test_every_end_is_understood(self):
        self.assertEqual(self.script("--timeout", "60"), 1)
        self.assertEqual(
            self.results(),
            {
                "a.pass1": "pass", "a.pass2": "pass", "a.fail1": "fail", "a.crash1": "crash", "a.none1": "unsupported",
                "a.soft1": "warn", "a.mute1": "fail", "a.better1": "fail",
                "b.x.frag.pass1": "pass", "b.x.comp.pass1": "pass", "b.y.pass1": "pass",
            },
        )  # fmt: skip
        self.assertIn("a.fail1: Wrong value (at 3)", self.said)
        group = self.summary()["groups"]["a"]
        self.assertEqual((group["cases"], group["run"], group["pass"], group["fail"], group["crash"]), (8, 8, 2, 3, 1))
        self.assertEqual(len(self.summary()["new"]), 4)
        run = self.summary()["run"]
        self.assertEqual((run["device"], run["api"], run["deqp"]), ("paper", "1.3.281", "made-up"))

    def test_expected_failures_are_good(self):
        self.rules("in a all\nout a.draw draws\nin b all\n", "fail a.{fail,mute,better}1 why\ncrash a.crash1 why\n")
        self.assertEqual(self.script(), 0, self.said)
        self.rules("in a all\nout a.draw draws\nin b all\n", "fail a.{fail,mute,better}1 why\ncrash a.crash1 why\nfail b why\n")
        self.assertEqual(self.script("--status"), 1)
        self.assertIn("nothing fails so: fail b", self.said)

    def test_what_hangs_is_stopped_and_the_rest_runs(self):
        (self.home / "vk-default" / "a.txt").write_text("dEQP-VK.b.hang dEQP-VK.b.pass1\n".replace(" ", "\n"))
        self.script("--timeout", "5", "--stuck", "echo stuck is PID")
        self.assertEqual(self.results(), {"b.hang": "timeout", "b.pass1": "pass"})
        self.assertRegex((self.folder / "out" / "stuck.log").read_text(), r"== dEQP-VK.b.hang\nstuck is \d+")

    def test_a_run_goes_on_where_it_was(self):
        self.script("--minutes", "0")
        self.assertEqual(self.results(), {})
        self.script("b")
        self.assertEqual(len(self.results()), 3)
        before = self.starts()
        self.script("b")  # one start asks for the device
        self.assertEqual(self.starts(), before + 1)
        self.script()
        self.assertEqual(len(self.results()), 11)

    def test_only_the_driver_that_began_goes_on(self):
        self.script("b")
        kept = self.folder / "out" / "driver" / "libours.so"
        self.driver.write_text("newer")
        self.assertEqual(self.script("b"), 0)
        self.assertEqual(kept.read_text(), "ours")
        kept.write_text("changed")
        self.assertIn("another driver", self.script("b"))
        self.assertEqual(self.script("b", "--again"), 0)
        self.assertEqual(kept.read_text(), "newer")
        self.assertEqual(len(self.summary()["run"]["earlier"]), 1)

    def test_again_runs_what_failed(self):
        self.assertEqual(self.script("a.fail1"), 1)
        self.assertEqual(self.script("a.fail1"), 1)
        self.deqp(FAKE.replace("Fail (Wrong value (at 3))", "Pass (Pass)"))
        self.assertEqual(self.script("a.fail1"), 1)
        self.assertEqual(self.script("a.fail1", "--again"), 0)

    def test_another_driver_beside(self):
        other = self.folder / "libother.so"
        other.write_text("other")
        self.assertEqual(self.script("a.better1", "--beside", str(other)), 1)
        self.assertIn("[beside: pass]", self.said)
        self.assertEqual(self.summary()["beside"]["a"]["pass"], 1)
        self.assertEqual(self.script("a", "--beside", str(other), "--only-bad"), 1)
        beside = named(cts.Store(self.folder / "out" / "beside" / "results").results())
        self.assertEqual(beside, {"a.better1": "pass", "a.fail1": "fail", "a.crash1": "crash", "a.mute1": "fail"})

    def test_cases_that_no_rule_knows_are_said(self):
        self.rules("in a all\n", "")
        self.script("a.pass1")
        self.assertIn("no rule for 3 cases", self.said)

    def test_a_table_for_documents(self):
        self.script("b", "--markdown")
        self.assertIn("| b | 3 | 3 | 3 | 0 | 0 | 0 | 0 | 0 | 0 |", self.said)

    def test_a_list_runs_nothing(self):
        self.assertEqual(self.script("--list"), 0)
        self.assertIn("out: 1 cases", self.said)
        self.assertFalse((self.home / "starts").exists())

    def test_what_is_missing_is_said(self):
        self.driver.unlink()
        self.assertIn("no driver is there", self.script())
        shutil.rmtree(self.home / "vk-default")
        self.assertIn("no deqp-vk with vk-default", self.script())

    def test_a_deqp_that_does_not_start(self):
        self.deqp("#!{python}\nimport sys\nsys.exit('no loader')\n")
        self.assertIn("no loader", self.script())

    @unittest.skipUnless(shutil.which("deqp-runner"), "no deqp-runner")
    def test_deqp_runner_finds_the_same(self):
        self.script("--timeout", "60")
        here = self.results()
        suite = cts.Suite(self.home, self.folder / "out/driver/driver_icd.json", self.folder / "work", 60, (), shutil.which("deqp-runner"))
        suite.work.mkdir()
        there = suite.run("shard", [cts.PREFIX + case for case in here])
        self.assertEqual({c: e for c, e in named(there).items() if "mute" not in c}, {c: e for c, e in here.items() if "mute" not in c})
        self.assertEqual(there["dEQP-VK.a.fail1"].message, "Wrong value (at 3)")


if __name__ == "__main__":
    unittest.main()
