import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { BadSetting } from "../src/interpreter";
import { fromFolders, fromPath, fromSetting, isInside } from "../src/places";

const EXE = process.platform === "win32" ? "Scripts/python.exe" : "bin/python";
const PATH = process.env["PATH"];
let root: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "shapewise-"));
});

afterEach(() => {
  process.env["PATH"] = PATH;
  fs.rmSync(root, { recursive: true });
});

function environment(name: string): string {
  const python = path.join(root, name, EXE);
  fs.mkdirSync(path.dirname(python), { recursive: true });
  fs.writeFileSync(python, "");
  return python;
}

test("the setting may name an executable, an environment or something in the workspace", () => {
  const python = environment("env");
  const found = { path: python, reason: "shapewise.interpreter" };
  assert.equal(fromSetting("", root), undefined);
  assert.deepEqual(fromSetting(python, undefined), found);
  assert.deepEqual(fromSetting(path.join(root, "env"), undefined), found);
  assert.deepEqual(fromSetting("${workspaceFolder}/env", root), found);
  assert.deepEqual(fromSetting("./env", root), found);
});

test("a bare name is a command on PATH, whatever lies in the folder", () => {
  const python = environment("bin");
  process.env["PATH"] = path.dirname(python);
  assert.equal(fromSetting(path.basename(python), root)?.path, python);
  assert.throws(() => fromSetting("bin", root), BadSetting);
});

test("a setting does not lead into a folder that is not trusted", () => {
  environment("env");
  assert.throws(() => fromSetting("${workspaceFolder}/env", root, [root]), /not trusted/);
});

test("a setting that leads nowhere is said, in one sentence", () => {
  assert.throws(
    () => fromSetting("/nowhere/python", root),
    new BadSetting("There is no Python at /nowhere/python. Set shapewise.interpreter to your Python."),
  );
});

test("a link stays a link: it is what makes the environment", { skip: process.platform === "win32" }, () => {
  const python = environment("base");
  const link = path.join(root, ".venv", EXE);
  fs.mkdirSync(path.dirname(link), { recursive: true });
  fs.symlinkSync(python, link);
  assert.equal(fromFolders([root])?.path, link);
});

test(".venv comes before venv", () => {
  assert.equal(fromFolders([root]), undefined);
  const venv = environment("venv");
  assert.deepEqual(fromFolders([root]), { path: venv, reason: "venv in the workspace" });
  const dotted = environment(".venv");
  assert.equal(fromFolders([root])?.path, dotted);
});

test("PATH is searched, except inside the forbidden folders and relative entries", () => {
  const python = environment("env");
  process.env["PATH"] = ["relative", path.dirname(python)].join(path.delimiter);
  assert.deepEqual(fromPath([]), { path: python, reason: "first on PATH" });
  assert.equal(fromPath([root]), undefined);
  process.env["PATH"] = "";
  assert.equal(fromPath([]), undefined);
});

test("inside means below, not beside", () => {
  assert.ok(isInside("/a/b", "/a"));
  assert.ok(isInside("/a", "/a"));
  assert.ok(!isInside("/ab", "/a"));
  assert.ok(!isInside("/", "/a"));
});
