// One scenario: a copy of one file in the window that all share, or a window of its own; a picture if it fails.
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

/** A fresh folder `name` below .cache/workbench with copies of `from`, if anything. */
export function freshFolder(name, from = join(HERE, "files")) {
  const state = join(CACHE, name);
  rmSync(state, { recursive: true, force: true });
  const folder = join(state, "code");
  mkdirSync(folder, { recursive: true });
  if (from) cpSync(from, folder, { recursive: true });
  return folder;
}

/** The browser of all scenarios; they run in one process. */
const browser = once(launchBrowser);

/** The window of all scenarios that need nothing special: to open one takes longer than most of them. */
const usual = once(async () => {
  const folder = freshFolder("usual", null);
  const workbench = await Workbench.start({ name: "usual-workbench", interpreter: PYTHON });
  const context = await newContext(await browser());
  return { workbench, context, folder, editor: await openEditor(context, workbench, folder) };
});

async function endUsual() {
  const { made } = usual;
  usual.made = undefined;
  await end(await made);
}

async function end({ workbench, context }) {
  await context.close();
  workbench.kill();
}

after(async () => {
  if (usual.made) await endUsual();
  if (browser.made) await (await browser()).close();
});

/** A copy of `file` in a folder `name` of the usual window, opened there. */
async function inUsual(name, file) {
  const { workbench, context, folder, editor } = await usual();
  mkdirSync(join(folder, name));
  cpSync(join(HERE, "files", file), join(folder, name, file));
  await editor.openFile(join(name, file));
  return { workbench, context, editor, folder: join(folder, name) };
}

/** A window of its own on copies of `from`, in a workbench of its own. */
async function alone(name, { file, from, prepare, ...special }) {
  const folder = freshFolder(name, from);
  prepare?.(folder);
  const workbench = await Workbench.start({ name, interpreter: PYTHON, ...special });
  const context = await newContext(await browser());
  const began = performance.now();
  const editor = await openEditor(context, workbench, folder, file);
  return { workbench, context, editor, folder, since: () => Math.round(performance.now() - began) };
}

/**
 * @param {string} title what a person can rely on
 * @param setup the file that is opened, whether in a window of its own, how that window's workbench differs
 *   from the usual one, and what is done to the folder before
 */
export function scenario(title, { file, newWindow = false, ...special }, body) {
  const isUsual = !newWindow && Object.keys(special).length === 0;
  test(title, { timeout: 180_000 }, async (t) => {
    const name = title.replaceAll(/\W+/g, "-").toLowerCase();
    installExtension();
    let window;
    let editor;
    try {
      window = isUsual ? await inUsual(name, file) : await alone(name, { file, ...special });
      editor = window.editor;
      await body({ page: editor.page, report: (line) => t.diagnostic(line), ...window });
      if (isUsual) await editor.closeAll();
    } catch (error) {
      editor ??= isUsual && usual.made ? (await usual()).editor : undefined;
      const picture = join(CACHE, "failures", `${name}.png`);
      await editor?.page.screenshot({ path: picture }).catch(() => undefined);
      t.diagnostic(`the screen when it failed: ${picture}`);
      t.diagnostic(`the status then: ${await editor?.status().catch((failure) => failure.message)}`);
      // The next one finds nothing of this.
      if (isUsual && usual.made) await endUsual();
      throw error;
    } finally {
      if (window && !isUsual) await end(window);
    }
  });
}
