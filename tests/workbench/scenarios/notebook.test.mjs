import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

scenario("Cells of a notebook have hints too", { file: "notebook.ipynb", newWindow: true }, async ({ editor, report, since }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] = torch/);
  report(`from page load to the first hint: ${since()} ms`);
  // This cell knows what the one above has made.
  await editor.seeLine(/^heads ?\[3 2 4\]~ = batch/);
  await editor.squiggle().waitFor();
  await editor.clickOn("transpose");
  assert.match(await editor.status(), /torch 2/);
});
