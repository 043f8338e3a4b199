import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

scenario("A dim leads to where it was born, and a double click writes the shape", { file: "view.py" }, async ({ editor }) => {
  await editor.seeLine(/^heads ?\[3 2 4\]/);
  const { page } = editor;
  const born = await editor.pointOf("3", { line: /^heads/ });
  await page.mouse.move(born.x, born.y, { steps: 3 });
  await page.keyboard.down("Control");
  // VS Code asks for the link at the first move over the dim and shows it at the next.
  await editor.until(
    async () => {
      await page.mouse.move(born.x, born.y, { steps: 2 });
      return (await editor.pointerAt(born)) === "pointer";
    },
    async () => "the dim does not become a link",
  );
  await page.mouse.click(born.x, born.y, { delay: 100 });
  await editor.until(
    async () => (await editor.line()) === 3,
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
