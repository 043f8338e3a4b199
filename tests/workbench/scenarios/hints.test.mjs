import { scenario } from "../lib/scenario.mjs";

scenario("Hints stand next to names", { file: "view.py" }, async ({ editor, report, since }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] = torch/);
  report(`from page load to the first hint: ${since()} ms`);
  await editor.seeLine(/^heads ?\[3 2 4\] = batch/);
});
