import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import test, { after } from "node:test";
import { ServerProcess } from "../src/process";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "shapewise-"));
after(() => fs.rmSync(folder, { recursive: true }));
const skip = process.platform === "win32";

function python(script: string): string {
  const file = path.join(folder, "python");
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

async function epitaph(script: string): Promise<string> {
  const server = await ServerProcess.start(python(script), folder);
  await server.exited;
  return server.epitaph;
}

test("a Python that says why it cannot is quoted", { skip }, async () => {
  const sentence = "Too old. Set shapewise.interpreter to your Python.";
  assert.equal(await epitaph(`echo "warning" >&2; echo "${sentence}" >&2; exit 2`), sentence);
});

test("otherwise the exit code and the last line are told", { skip }, async () => {
  assert.equal(await epitaph("exit 3"), "The language server stopped (code 3).");
  assert.equal(
    await epitaph('printf "Traceback\\nImportError: no module" >&2; exit 1'),
    "The language server stopped (code 1: ImportError: no module).",
  );
  assert.equal(await epitaph("kill -9 $$"), "The language server stopped (SIGKILL).");
});

test("what cannot be run at all is rejected", async () => {
  await assert.rejects(ServerProcess.start(path.join(folder, "nothing"), folder));
});

test("the launcher is started isolated", { skip }, async () => {
  const launcher = path.join(folder, "server", "launch.py");
  assert.equal(await epitaph('echo "shapewise.interpreter $@" >&2'), `shapewise.interpreter -I ${launcher} serve`);
});
