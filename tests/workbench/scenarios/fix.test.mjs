import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scenario } from "../lib/scenario.mjs";

scenario("One key repairs it", { file: "view.py" }, async ({ editor, folder, report }) => {
  await editor.squiggle().waitFor();
  await editor.clickOn("view");
  const began = performance.now();
  const entry = editor.page.locator(".action-widget:visible").getByText(/reshape/).first();
  // The workbench loses the key now and then, or closes the menu as it lays itself out: then it is pressed again.
  for (let presses = 1; ; presses++) {
    await editor.press("Control+.");
    const there = entry.waitFor({ timeout: 10_000 }).then(() => true, () => false);
    if (await there) {
      report(`from Ctrl+. to the menu: ${Math.round(performance.now() - began)} ms, pressed ${presses} times`);
      break;
    }
    assert.ok(presses < 3, "no menu though the key was pressed three times");
  }
  await editor.press("Enter");
  await editor.seeLine(/^flat ?\[6 4\] = heads\.reshape\(6, 4\)/);
  await editor.squiggle().waitFor({ state: "detached" });
  await editor.press("Control+s");
  const text = () => readFileSync(join(folder, "view.py"), "utf8");
  await editor.until(() => text().includes("reshape"), () => `on disk: ${text()}`);
  assert.equal(text().split("\n")[4], "flat = heads.reshape(6, 4)");
});
