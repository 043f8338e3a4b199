import assert from "node:assert/strict";
import { scenario } from "../lib/scenario.mjs";

const WORDS = "view size is not compatible with input tensor's size and stride";

scenario("What will fail is underlined, with torch's own words", { file: "view.py" }, async ({ editor }) => {
  await editor.squiggle().waitFor();
  const hover = await editor.hoverOver(await editor.pointOf("view"));
  await editor.until(
    async () => (await hover.innerText()).includes(WORDS),
    async () => `not torch's words: ${await hover.innerText()}`,
  );

  await editor.command("Problems: Focus on Problems View");
  const problems = editor.page.locator(".markers-panel .monaco-list-row");
  await problems.getByText(WORDS).first().waitFor();
  assert.match(await problems.allInnerTexts().then((rows) => rows.join("\n")), /view-on-noncontiguous/);
});
