import assert from "node:assert/strict";
import test from "node:test";
import { BadSetting, choose, type Interpreter, type Source } from "../src/interpreter";

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const source = (name: string, find: Source["find"]): Source => ({ name, find });
const python = (path: string): Interpreter => ({ path, reason: "test" });
const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value));

test("the first that has an answer wins", async () => {
  const sources = [
    source("nothing", () => undefined),
    source("one", () => python("/one")),
    source("two", () => assert.fail("must not be asked")),
  ];
  assert.deepEqual(await choose(sources, quiet), python("/one"));
});

test("a source that fails is passed over", async () => {
  const sources = [source("broken", () => Promise.reject(new Error("x"))), source("one", () => python("/one"))];
  assert.deepEqual(await choose(sources, quiet), python("/one"));
});

test("a source that never answers costs its budget only", async () => {
  const began = performance.now();
  const sources = [source("hangs", () => new Promise(() => undefined)), source("one", () => python("/one"))];
  assert.deepEqual(await choose(sources, quiet, undefined, 30), python("/one"));
  assert.ok(performance.now() - began < 500);
});

test("an answer that comes too late is reported, once", async () => {
  let late = 0;
  const sources = [source("slow", () => after(60, python("/slow"))), source("one", () => python("/one"))];
  assert.deepEqual(await choose(sources, quiet, () => late++, 20), python("/one"));
  await after(80, undefined);
  assert.equal(late, 1);
});

test("a late nothing is not worth a second look", async () => {
  let late = 0;
  await choose([source("slow", () => after(40, undefined))], quiet, () => late++, 10);
  await after(60, undefined);
  assert.equal(late, 0);
});

test("nothing replaces an interpreter that the user named wrongly", async () => {
  const sources = [
    source("setting", () => {
      throw new BadSetting("There is no Python at /x.");
    }),
    source("one", () => python("/one")),
  ];
  await assert.rejects(choose(sources, quiet), BadSetting);
});

test("no source, no interpreter", async () => {
  assert.equal(await choose([], quiet), undefined);
});
