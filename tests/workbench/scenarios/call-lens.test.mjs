import { scenario } from "../lib/scenario.mjs";

scenario(
  "A lens over a function lets one choose which call is shown",
  { file: "calls.py", settings: { "shapewise.codeLens.calls": true } },
  async ({ editor }) => {
    await editor.seeLine(/^ +y ?\[B 3\] =/);
    const lens = editor.page.locator(".codelens-decoration a");
    await lens.getByText("line 10: x [5 3]").click();
    await editor.seeLine(/^ +y ?\[5 3\] =/);
    await lens.getByText("● line 10: x [5 3]").waitFor();
    await lens.getByText("all 2 calls").click();
    await editor.seeLine(/^ +y ?\[B 3\] =/);
  },
);
