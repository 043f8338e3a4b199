import { scenario } from "../lib/scenario.mjs";

scenario("Hints stand next to names", { file: "view.py", newWindow: true }, async ({ editor, report, since }) => {
  await editor.seeLine(/^batch/);
  report(`from page load to the text: ${since()} ms`);
  await editor.seeLine(/^batch ?\[2 3 4\] = torch/);
  report(`from page load to the first hint: ${since()} ms`);
  await editor.seeLine(/^heads ?\[3 2 4\]~ = batch/);

  // VS Code itself holds back what is in the line of the caret for 800 ms.
  await editor.clickOn("torch.randn");
  await editor.press("End", "ArrowLeft");
  const below = [];
  const same = [];
  for (const last of [5, 4, 5, 4, 5]) {
    await editor.press("Backspace", String(last));
    const began = performance.now();
    await editor.seeLine(new RegExp(`^heads ?\\[3 2 ${last}\\]~ =`));
    below.push(Math.round(performance.now() - began));
    await editor.seeLine(new RegExp(`^batch ?\\[2 3 ${last}\\] =`));
    same.push(Math.round(performance.now() - began));
  }
  report(`from the last key to the new hint, in a line below: ${below.join(", ")} ms`);
  report(`from the last key to the new hint, in the same line: ${same.join(", ")} ms`);
});
