import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";
import { descendants } from "../lib/processes.mjs";

scenario("A tracer that dies comes back by itself", { file: "view.py" }, async ({ editor, workbench, report }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] =/);
  const tracers = () => descendants(workbench.pid).filter(({ command }) => /shapewise.trace/.test(command));
  const before = tracers();
  assert.equal(before.length, 1, `one tracer, not ${JSON.stringify(before)}`);
  process.kill(before[0].pid, "SIGKILL");

  await editor.clickOn("torch.randn");
  await editor.press("End", "ArrowLeft", "Backspace", "9");
  report(`from the last key to the new hint, tracer started anew: ${Math.round(await editor.seeLine(/^batch ?\[2 3 9\] =/))} ms`);
  assert.notEqual(tracers()[0]?.pid, before[0].pid);
  assert.deepEqual(await editor.toasts(), []);
});
