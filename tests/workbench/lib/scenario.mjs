// One scenario: a window of its own on a copy of some files, and a picture if it fails.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { chromium } from "playwright-core";
import { Editor } from "./editor.mjs";
import { CACHE, CHROMIUM, HERE, PYTHON } from "./places.mjs";
import { installExtension, Workbench } from "./workbench.mjs";

const CHROMIUM_SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launchBrowser = () =>
  chromium.launch({ executablePath: CHROMIUM, headless: true, args: CHROMIUM_SWITCHES });

/** What windows of one person share. */
export const newContext = (browser, view = {}) =>
  browser.newContext({ viewport: { width: 1400, height: 800 }, reducedMotion: "reduce", ...view });

/** Opens a window on `file` in `folder`. */
export async function openEditor(context, workbench, folder, file) {
  const page = await context.newPage();
  await page.goto(workbench.address(folder, file));
  return new Editor(page);
}

/** `make`, which is called when it is first asked for and never again. */
function once(make) {
  const asked = () => (asked.made ??= make());
  return asked;
}

/** A fresh folder `name` below .cache/workbench with copies of `from`. */
export function freshFolder(name, from = join(HERE, "files")) {
  const state = join(CACHE, name);
  rmSync(state, { recursive: true, force: true });
  const folder = join(state, "code");
  mkdirSync(folder, { recursive: true });
  cpSync(from, folder, { recursive: true });
  return folder;
}

/** The browser of all scenarios; they run in one process. */
const browser = once(launchBrowser);

/** The workbench of all scenarios that need nothing special, and the window's memory of what it has loaded. */
const usual = once(async () => ({
  workbench: await Workbench.start({ name: "usual", interpreter: PYTHON }),
  context: await newContext(await browser()),
}));

after(async () => {
  if (browser.made) await (await browser()).close();
  if (usual.made) (await usual()).workbench.kill();
});

/**
 * @param {string} title what a person can rely on
 * @param setup the file that is opened, whether in a workbench of its own, how that differs from the usual
 *   one, and what is done to the folder before
 */
export function scenario(title, { file, from, prepare, alone = false, ...special }, body) {
  test(title, { timeout: 180_000 }, async (t) => {
    const name = title.replaceAll(/\W+/g, "-").toLowerCase();
    const folder = freshFolder(name, from);
    prepare?.(folder);
    installExtension();
    const isUsual = !alone && Object.keys(special).length === 0;
    const { workbench, context } = isUsual
      ? await usual()
      : {
          workbench: await Workbench.start({ name, interpreter: PYTHON, ...special }),
          context: await newContext(await browser()),
        };
    let editor;
    try {
      const began = performance.now();
      editor = await openEditor(context, workbench, folder, file);
      const since = () => Math.round(performance.now() - began);
      await body({ editor, page: editor.page, folder, workbench, since, report: (line) => t.diagnostic(line) });
    } catch (error) {
      const picture = join(CACHE, "failures", `${name}.png`);
      await editor?.page.screenshot({ path: picture }).catch(() => undefined);
      t.diagnostic(`the screen when it failed: ${picture}`);
      t.diagnostic(`the status then: ${await editor?.status().catch((failure) => failure.message)}`);
      throw error;
    } finally {
      await editor?.page.close({ runBeforeUnload: false });
      if (isUsual) workbench.endWindows();
      else {
        await context.close();
        workbench.kill();
      }
    }
  });
}
