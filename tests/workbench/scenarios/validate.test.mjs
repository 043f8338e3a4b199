import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenario } from "../lib/scenario.mjs";

const hosts = { "shapewise.validate.hosts": { here: "" } };

/** A folder that names a host of its own, which must never be offered. */
function trap(folder) {
  mkdirSync(join(folder, ".vscode"));
  const settings = { "shapewise.validate.hosts": { trap: "touch trapped" } };
  writeFileSync(join(folder, ".vscode", "settings.json"), JSON.stringify(settings));
}

scenario(
  "A file is run for real only after its command was agreed to, and hints say what that confirmed",
  { file: "view.py", machine: hosts, prepare: trap },
  async ({ editor, page, folder }) => {
    await editor.seeLine(/^batch ?\[2 3 4\] =/);
    const choose = async () => {
      await editor.command("Shapewise: Validate on");
      const row = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "this machine" });
      await row.first().waitFor();
      assert.equal(await page.locator(".quick-input-list .monaco-list-row").count(), 1);
      await editor.press("Enter");
    };
    const dialog = page.locator(".monaco-dialog-box");

    // The command and the files are shown; who says no has run nothing.
    await choose();
    await dialog.waitFor();
    const words = await dialog.innerText();
    assert.match(words, /-u -q -i/);
    assert.ok(words.includes(join(folder, "view.py")), words);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await editor.toasts(), []);

    await choose();
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    const toast = page.locator(".notification-toast").filter({ hasText: "facts confirmed" });
    await toast.waitFor();
    assert.match(await toast.innerText(), /0 refuted.*findings: 1 confirmed.*ended with RuntimeError/s);

    // The mark is in the tooltip of the hint.
    const hover = await editor.hoverOver(await editor.pointOf("batch", { line: /^batch/ }));
    await hover.getByText("confirmed on").waitFor();

    await toast.getByRole("button", { name: "Show Report" }).click();
    await editor.seeLine(/^\| Facts \| 6 \| 0 \|/);
  },
);

scenario("Validation is off until the machine's settings name a host", { file: "view.py" }, async ({ editor, page }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] =/);
  await editor.command("Shapewise: Validate on");
  await page.locator(".notification-toast").filter({ hasText: "Validation is off" }).waitFor();
});
