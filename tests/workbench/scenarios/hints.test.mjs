import { scenario } from "../lib/scenario.mjs";

scenario("Hints stand next to names", { file: "view.py" }, async ({ editor, report, since }) => {
  await editor.seeLine(/^batch/);
  report(`from page load to the text: ${since()} ms`);
  await editor.seeLine(/^batch ?\[2 3 4\] = torch/);
  report(`from page load to the first hint: ${since()} ms`);
  await editor.seeLine(/^heads ?\[3 2 4\] = batch/);

  await editor.clickOn("torch.randn");
  await editor.press("End", "ArrowLeft");
  const waits = [];
  for (let round = 0; round < 5; round++) {
    const last = round % 2 ? 4 : 5;
    await editor.press("Backspace", String(last));
    waits.push(Math.round(await editor.seeLine(new RegExp(`^batch ?\\[2 3 ${last}\\] =`))));
  }
  report(`from the last key to the new hint: ${waits.join(", ")} ms`);
});
