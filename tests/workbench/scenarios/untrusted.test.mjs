import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PYTHON } from "../lib/places.mjs";
import { scenario } from "../lib/scenario.mjs";

/** A Python in the folder that leaves a trace if it is ever started, and a setting that asks for it. */
function trap(folder) {
  const python = join(folder, ".venv", "bin", "python");
  mkdirSync(join(folder, ".venv", "bin"), { recursive: true });
  writeFileSync(python, `#!/bin/sh\ntouch "${join(folder, "started")}"\nexec "${PYTHON}" "$@"\n`);
  chmodSync(python, 0o755);
  mkdirSync(join(folder, ".vscode"));
  const settings = { "shapewise.interpreter": "${workspaceFolder}/.venv/bin/python" };
  writeFileSync(join(folder, ".vscode", "settings.json"), JSON.stringify(settings));
}

scenario(
  "In a folder that is not trusted no Python of its own is started and the rest works",
  { file: "view.py", trust: true, prepare: trap },
  async ({ editor, folder, page }) => {
    await editor.seeLine(/^batch ?\[2 3 4\] =/);
    await editor.squiggle().waitFor();
    assert.match(await editor.status(), /\(shapewise\.interpreter\)/);
    assert.ok(!existsSync(join(folder, "started")), "a Python of the folder was started");
    assert.deepEqual(await editor.toasts(), []);

    // Once somebody trusts the folder, what it says holds.
    await editor.command("Workspaces: Manage Workspace Trust");
    await page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await editor.until(
      async () => existsSync(join(folder, "started")),
      async () => `the status says: ${await editor.status()}`,
    );
  },
);
