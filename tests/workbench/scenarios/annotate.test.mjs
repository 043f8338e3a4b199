import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

scenario("Shapes are written into the text when one asks for it", { file: "view.py" }, async ({ editor }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] =/);
  await editor.command("Shapewise: Annotate Shapes in This File");
  await editor.seeLine(/^batch ?\[2 3 4\] = torch\.randn\(2, 3, 4\)  # \(2, 3, 4\)/);
  assert.deepEqual(await editor.toasts(), []);
});
