import { scenario } from "../lib/scenario.mjs";

scenario("The status says why there is no hint on a line", { file: "unknown.py" }, async ({ editor }) => {
  await editor.seeLine(/^batch ?\[2 3\] =/);
  await editor.clickOn("changed", { line: /^changed/ });
  let said;
  await editor.until(
    async () => /Line 5: changed is not known: .*nowhere/.test((said = await editor.status())),
    () => `the status says: ${said}`,
  );
});
