import { scenario } from "../lib/scenario.mjs";

scenario("Hints go and come with one command", { file: "view.py" }, async ({ editor }) => {
  const hint = /^batch ?\[2 3 4\] =/;
  await editor.seeLine(hint);
  await editor.command("Shapewise: Toggle Shape Hints");
  await editor.seeLine(hint, { gone: true });
  await editor.squiggle().waitFor();
  await editor.command("Shapewise: Toggle Shape Hints");
  await editor.seeLine(hint);
});
