import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scenario } from "../lib/scenario.mjs";

scenario("One key repairs it", { file: "view.py" }, async ({ editor, folder, report }) => {
  await editor.squiggle().waitFor();
  await editor.clickOn("view");
  const began = performance.now();
  await editor.press("Control+.");
  const menu = editor.page.locator(".action-widget:visible");
  await menu.getByText(/reshape/).first().waitFor();
  report(`from Ctrl+. to the menu: ${Math.round(performance.now() - began)} ms`);
  await editor.press("Enter");
  await editor.seeLine(/^flat ?\[6 4\] = heads\.reshape\(6, 4\)/);
  await editor.squiggle().waitFor({ state: "detached" });
  await editor.press("Control+s");
  const text = () => readFileSync(join(folder, "view.py"), "utf8");
  await editor.until(() => text().includes("reshape"), () => `on disk: ${text()}`);
  assert.equal(text().split("\n")[4], "flat = heads.reshape(6, 4)");
});
