import assert from "node:assert/strict";
import { descendants } from "../lib/processes.mjs";
import { scenario } from "../lib/scenario.mjs";

scenario("A restart is a new server, and the hints come back", { file: "view.py" }, async ({ editor, page, workbench }) => {
  const hint = /^batch ?\[2 3 4\] =/;
  await editor.seeLine(hint);
  const servers = () =>
    descendants(workbench.pid)
      .filter(({ command }) => /launch\.py serve/.test(command))
      .map(({ pid }) => pid);
  const [before] = servers();
  await editor.command("Shapewise: Restart Server");
  const loading = page.locator(".statusbar-item").filter({ hasText: "Shapewise: Loading torch." });
  await loading.waitFor();
  await editor.until(
    async () => servers().length === 1 && servers()[0] !== before,
    () => `servers: ${servers()}, before: ${before}`,
  );
  await editor.clickOn("torch.randn");
  await editor.press("End", "ArrowLeft", "Backspace", "9");
  await editor.seeLine(/^batch ?\[2 3 9\] =/);
  assert.equal(await loading.count(), 0);
  assert.deepEqual(await editor.toasts(), []);
});
