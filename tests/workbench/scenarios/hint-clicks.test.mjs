import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

scenario("A dim leads to where it was born, and a double click writes the shape", { file: "view.py" }, async ({ editor }) => {
  await editor.seeLine(/^heads ?\[3 2 4\]/);
  const { page } = editor;
  const born = await editor.pointOf("3", { line: /^heads/ });
  await page.mouse.move(born.x, born.y, { steps: 3 });
  await page.keyboard.down("Control");
  await editor.until(
    async () => {
      await page.mouse.move(born.x + 1, born.y);
      await page.mouse.click(born.x + 1, born.y, { delay: 300 });
      return (await editor.line()) === 3;
    },
    async () => `the cursor is on line ${await editor.line()}`,
  );
  await page.keyboard.up("Control");

  const hint = await editor.pointOf("2", { line: /^heads/ });
  await page.mouse.move(hint.x, hint.y, { steps: 3 });
  await page.getByText("Double-click to insert").waitFor();
  await page.mouse.dblclick(hint.x, hint.y, { delay: 50 });
  await editor.seeLine(/^heads ?\[3 2 4\]~? = batch\.transpose\(0, 1\)  # \(3, 2, 4\)/);
  assert.deepEqual(await editor.toasts(), []);
});
