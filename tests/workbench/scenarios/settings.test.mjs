import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PYTHON } from "../lib/places.mjs";
import { scenario } from "../lib/scenario.mjs";

const HINT = /^batch ?\[2 3 4\] =/;

scenario("Settings take effect at once", { file: "view.py", interpreter: "" }, async ({ editor, folder }) => {
  const change = (settings) => {
    mkdirSync(join(folder, ".vscode"), { recursive: true });
    writeFileSync(join(folder, ".vscode", "settings.json"), JSON.stringify(settings));
  };
  const says = async (words) => {
    let said;
    await editor.until(
      async () => words.test((said = await editor.status())),
      () => `no ${words} in the status: ${said}`,
    );
  };
  await says(/\(first on PATH\)/);
  change({ "shapewise.interpreter": PYTHON });
  await editor.seeLine(HINT);

  change({ "shapewise.interpreter": PYTHON, "shapewise.enable": false });
  await editor.seeLine(HINT, { gone: true });
  await says(/Off/);

  change({ "shapewise.interpreter": "/nowhere/python" });
  await says(/There is no Python at \/nowhere\/python\./);

  mkdirSync(join(folder, ".venv", "bin"), { recursive: true });
  symlinkSync(PYTHON, join(folder, ".venv", "bin", "python"));
  change({});
  await says(/\.venv\/bin\/python \(\.venv in the workspace\)/);
});
