import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

scenario("A report holds the lines, what is shown and the versions, and stays here", { file: "view.py" }, async ({ editor }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] =/);
  await editor.clickOn("heads", { line: /^heads/ });
  await editor.command("Shapewise: Report a Wrong Hint");
  await editor.seeLine(/^# Shapewise: a hint is wrong/);
  await editor.seeLine(/^heads = batch\.transpose\(0, 1\)/);
  await editor.seeLine(/line 4: heads \[3 2 4\]/);
  const text = (await editor.lines()).join("\n");
  assert.match(text, /Nothing of this is sent anywhere/);
  assert.deepEqual(await editor.toasts(), []);
});

scenario("Debug information is a document", { file: "view.py" }, async ({ editor }) => {
  await editor.seeLine(/^batch ?\[2 3 4\] =/);
  await editor.command("Shapewise: Show Debug Information");
  await editor.seeLine(/^# Shapewise: debug information/);
  await editor.seeLine(/interpreter: .*python \(shapewise\.interpreter\)/);
  await editor.seeLine(/server: shapewise \d/);
});
