import assert from "node:assert/strict";
import { descendants } from "../lib/processes.mjs";
import { scenario } from "../lib/scenario.mjs";

scenario("A server that dies comes back by itself", { file: "view.py" }, async ({ editor, workbench, report }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] =/);
  const servers = () => descendants(workbench.pid).filter(({ command }) => /launch\.py serve/.test(command));
  const before = servers();
  assert.equal(before.length, 1, `one server, not ${JSON.stringify(before)}`);
  process.kill(before[0].pid, "SIGKILL");

  await editor.clickOn("torch.randn");
  await editor.press("End", "ArrowLeft", "Backspace", "9");
  const waited = await editor.seeLine(/^batch ?\[2 3 9\] =/);
  report(`from the last key to the new hint, server started anew: ${Math.round(waited)} ms`);
  assert.equal(servers().length, 1);
  assert.deepEqual(await editor.toasts(), []);
});
