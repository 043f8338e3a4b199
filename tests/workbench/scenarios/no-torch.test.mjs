import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { CACHE, PYTHON } from "../lib/places.mjs";
import { scenario } from "../lib/scenario.mjs";

const bare = join(CACHE, "bare-python");
spawnSync(PYTHON, ["-m", "venv", "--without-pip", bare], { timeout: 60_000 });

scenario(
  "A Python without torch costs one sentence in the status and nothing else",
  { file: "view.py", interpreter: join(bare, "bin", "python") },
  async ({ editor }) => {
    await editor.seeLine(/^batch = torch/);
    let said;
    await editor.until(
      async () => /torch/.test((said = await editor.status())) && /no|not|without/i.test(said),
      () => `the status says: ${said}`,
    );
    assert.match(said, /bare-python/, "the status names the interpreter");
    assert.deepEqual(await editor.toasts(), []);

    await editor.clickOn("total");
    await editor.press("End", "Enter");
    await editor.type("mean = 1");
    await editor.seeLine(/^mean = 1/);
  },
);
