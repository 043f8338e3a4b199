import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

const MOST_MS = 100;

scenario("It starts at once and says nothing", { file: "view.py" }, async ({ editor, page, report }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] =/);
  assert.deepEqual(await editor.toasts(), []);
  await editor.command("Developer: Show Running Extensions");
  const row = page.locator(".runtime-extensions-editor .extension").filter({ hasText: "Shapewise" });
  await row.first().waitFor();
  const words = await row.locator(".activation-time").first().innerText();
  report(words);
  const took = Number(/(\d+)\s*ms/.exec(words)?.[1]);
  assert.ok(took < MOST_MS, `activation took ${words}`);
});
