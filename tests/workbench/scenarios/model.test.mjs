import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

scenario("A model is shown with its layers, its FLOPs and its memory", { file: "net.py" }, async ({ editor, report }) => {
  await editor.seeLine(/^out ?\[8 4\] =/);
  await editor.clickOn("Net", { line: /^class Net/ });
  await editor.command("Shapewise: Show Model");
  const began = performance.now();
  const page = await editor.panel("[role=treegrid]");
  report(`from the command to the view: ${Math.round(performance.now() - began)} ms`);
  const row = (name) => page.getByRole("row").filter({ hasText: name }).first();
  const words = async (name) => (await row(name).innerText()).replaceAll(/\s+/g, " ").trim();

  assert.equal(await page.locator("h1").innerText(), "Net");
  assert.equal(await words("Net"), "Net [8 4] 612 9,216 2 KiB");
  assert.match(await words("blocks"), /^blocks Sequential \[8 16\] 544 8,192/);
  assert.match(await words("head"), /^head Linear \[8 4\] 68 1,024/);
  assert.match(await page.locator(".caption").innerText(), /^Peak: .*KiB at .*line \d+/);

  // Keys: down the tree, a part closed and opened, and off to its line.
  await row("Net").focus();
  await editor.press("ArrowDown");
  assert.equal(await row("blocks").getAttribute("aria-expanded"), "true");
  const count = () => page.locator("tbody tr:visible").count();
  const all = await count();
  await editor.press("ArrowLeft");
  assert.equal(await row("blocks").getAttribute("aria-expanded"), "false");
  assert.ok((await count()) < all);
  await editor.press("Enter");
  await editor.until(
    async () => (await editor.line()) === 21,
    async () => `the cursor is on line ${await editor.line()}`,
  );
  await row("head").click();
  await editor.until(
    async () => (await editor.page.locator(".monaco-editor .cursors-layer .cursor").count()) > 0 && (await editor.line()) === 21,
    async () => `the cursor is on line ${await editor.line()}`,
  );

  // The plot by keys: what is read out changes.
  await page.getByRole("slider").focus();
  await editor.press("Home");
  assert.match(await page.getByRole("slider").getAttribute("aria-valuetext"), /blocks\.0/);
  assert.equal(await page.getByRole("slider").getAttribute("aria-valuenow"), "1");

  // It goes along with the text.
  await editor.clickOn("16", { line: /^out/ });
  await editor.press("End", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft");
  await editor.press("Backspace", "9");
  await editor.until(
    async () => (await words("Net")).startsWith("Net [9 4]"),
    async () => `the view says ${await words("Net")}`,
  );
  assert.deepEqual(await editor.toasts(), []);
});

scenario("A class that nothing calls is shown with names for its dims", { file: "net.py" }, async ({ editor }) => {
  await editor.seeLine(/^out ?\[8 4\] =/);
  await editor.clickOn("out", { line: /^out/ });
  await editor.press("Home", "Shift+End", "Delete");
  await editor.clickOn("Net", { line: /^class Net/ });
  await editor.command("Shapewise: Show Model");
  const page = await editor.panel(".sketch [role=treegrid]");
  await editor.until(
    async () => /Nothing calls Net/.test(await page.locator("main").innerText()),
    () => page.locator("main").innerText(),
  );
  assert.match(await page.getByRole("row").filter({ hasText: "head" }).first().innerText(), /\*batch 4/);
});

scenario("The panel is there again when the window was loaded anew", { file: "net.py", newWindow: true }, async ({ editor }) => {
  await editor.seeLine(/^out ?\[8 4\] =/);
  await editor.clickOn("Net", { line: /^class Net/ });
  await editor.command("Shapewise: Show Model");
  const words = async () => (await (await editor.panel("[role=treegrid]")).getByRole("row").nth(1).innerText()).replaceAll(/\s+/g, " ").trim();
  assert.equal(await words(), "Net [8 4] 612 9,216 2 KiB");
  await editor.page.waitForTimeout(5000); // the workbench writes down what is open
  const again = new URL(editor.page.url());
  again.searchParams.delete("payload"); // which names a file to open in the place of what was open
  await editor.page.goto(again.href);
  await editor.seeLine(/^out ?\[8 4\] =/);
  assert.equal(await words(), "Net [8 4] 612 9,216 2 KiB");
  assert.deepEqual(await editor.toasts(), []);
});
