import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { scenario } from "../lib/scenario.mjs";

scenario("An open bracket costs no hint of other lines", { file: "view.py" }, async ({ editor }) => {
  const held = [/^batch ?\[2 3 4\] =/, /^heads ?\[3 2 4\]~ =/];
  for (const line of held) await editor.seeLine(line);
  await editor.clickOn("flat.sum");
  await editor.press("End", "Enter");
  await editor.type("print(total");
  await editor.press("Delete"); // the bracket that the editor closed
  // Hints must not even flicker: look for three seconds.
  for (const until = Date.now() + 3000; Date.now() < until; await sleep(20)) {
    const lines = await editor.lines();
    for (const line of held) assert.ok(lines.some((one) => line.test(one)), `no ${line} in\n${lines.join("\n")}`);
  }
  await editor.seeLine(/^print\(total$/);
});
