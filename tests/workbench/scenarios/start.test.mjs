import assert from "node:assert/strict";
import { cpus, loadavg } from "node:os";
import { scenario } from "../lib/scenario.mjs";

const MOST_MS = 100;

scenario("It starts at once and says nothing", { file: "view.py", newWindow: true }, async ({ editor, page, report }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] =/);
  assert.deepEqual(await editor.toasts(), []);
  await editor.command("Developer: Show Running Extensions");
  const row = page.locator(".runtime-extensions-editor .extension").filter({ hasText: "Shapewise" });
  await row.first().waitFor();
  const words = await row.locator(".activation-time").first().innerText();
  const isBusy = loadavg()[0] > cpus().length;
  report(`${words}${isBusy ? ", on a machine that has more to do than it can: not judged" : ""}`);
  const took = Number(/(\d+)\s*ms/.exec(words)?.[1]);
  assert.ok(isBusy || took < MOST_MS, words);
});
