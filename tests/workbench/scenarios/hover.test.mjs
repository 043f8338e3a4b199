import { scenario } from "../lib/scenario.mjs";

scenario("A hover tells all that is known of a tensor", { file: "view.py" }, async ({ editor }) => {
  await editor.seeLine(/^heads ?\[3 2 4\]/);
  const hover = await editor.hoverOver(await editor.pointOf("heads", { line: /^heads/ }));
  for (const fact of [/\[3, 2, 4\]/, /float32/, /cpu/, /stride/, /\(4, 12, 1\)|\[4, 12, 1\]/, /contiguous/]) {
    await editor.until(
      async () => fact.test(await hover.innerText()),
      async () => `no ${fact} in the hover:\n${await hover.innerText()}`,
    );
  }
});
