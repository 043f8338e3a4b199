import assert from "node:assert/strict";
import test from "node:test";
import { agreement, hosts } from "../src/validation";

test("hosts are names with prefixes", () => {
  assert.deepEqual(hosts({ box: " ssh -T box ", here: "" }), [
    { name: "box", prefix: "ssh -T box" },
    { name: "here", prefix: "" },
  ]);
  for (const nonsense of [undefined, null, "ssh box", ["ssh box"], 3, { box: 3, " ": "x" }]) {
    assert.deepEqual(hosts(nonsense), []);
  }
});

test("an agreement holds for one command and its files, in whatever order", () => {
  const plan = { command: "ssh box python3", files: ["/b.py", "/a.py"] };
  assert.equal(agreement(plan), agreement({ ...plan, files: ["/a.py", "/b.py"] }));
  assert.notEqual(agreement(plan), agreement({ ...plan, command: "ssh other python3" }));
  assert.notEqual(agreement(plan), agreement({ ...plan, files: [...plan.files, "/c.py"] }));
});
