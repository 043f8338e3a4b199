import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

scenario(
  "A setting that leads nowhere is named in the status",
  { file: "view.py", interpreter: "/nowhere/python" },
  async ({ editor }) => {
    await editor.seeLine(/^batch = torch/);
    let said;
    await editor.until(
      async () => (said = await editor.status()).includes("There is no Python at /nowhere/python."),
      () => `the status says: ${said}`,
    );
    assert.match(said, /Set shapewise\.interpreter to your Python\./);
    assert.deepEqual(await editor.toasts(), []);
  },
);
