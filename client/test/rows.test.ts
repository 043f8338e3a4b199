import assert from "node:assert/strict";
import test from "node:test";
import { rows } from "../src/rows";

test("a sentence a row, the detail last", () => {
  assert.deepEqual(rows("torch 2.13.0+cpu, Python 3.11.7.", "~/.venv/bin/python (first on PATH)"), [
    "torch 2.13.0+cpu, Python 3.11.7.",
    "~/.venv/bin/python (first on PATH)",
  ]);
  assert.deepEqual(rows("There is no Python at /x/python. Set shapewise.interpreter to your Python.", ""), [
    "There is no Python at /x/python.",
    "Set shapewise.interpreter to your Python.",
  ]);
  assert.deepEqual(rows("", ""), [""]);
});

test("long paths are told by their last parts", () => {
  assert.deepEqual(rows("No torch: /home/ada/code/env/bin/python.", "/home/ada/code/env/bin/python (why)"), [
    "No torch: …/code/env/bin/python.",
    "…/code/env/bin/python (why)",
  ]);
});
