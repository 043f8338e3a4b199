// One scenario: a workbench of its own on a copy of some files, a browser, and a picture if it fails.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
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

/** Opens a browser window on `file` in `folder`. */
export async function openEditor(browser, workbench, folder, file, view = {}) {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 800 },
    reducedMotion: "reduce",
    ...view,
  });
  const page = await context.newPage();
  await page.goto(workbench.address(folder, file));
  return new Editor(page);
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

/**
 * @param {string} title what a person can rely on
 * @param setup the file that is opened, what differs from the usual Python and quiet settings, and what is done
 *   to the folder before
 */
export function scenario(title, { file, interpreter = PYTHON, settings = {}, machine = {}, from, trust, prepare }, body) {
  test(title, { timeout: 180_000 }, async (t) => {
    const name = title.replaceAll(/\W+/g, "-").toLowerCase();
    const folder = freshFolder(name, from);
    prepare?.(folder);
    installExtension();
    const workbench = await Workbench.start({ name, interpreter, settings, machine, trust });
    const browser = await launchBrowser();
    let editor;
    try {
      const began = performance.now();
      editor = await openEditor(browser, workbench, folder, file);
      const since = () => Math.round(performance.now() - began);
      await body({ editor, page: editor.page, folder, workbench, since, report: (line) => t.diagnostic(line) });
    } catch (error) {
      const picture = join(CACHE, "failures", `${name}.png`);
      await editor?.page.screenshot({ path: picture }).catch(() => undefined);
      t.diagnostic(`the screen when it failed: ${picture}`);
      t.diagnostic(`the status then: ${await editor?.status().catch((failure) => failure.message)}`);
      throw error;
    } finally {
      await browser.close();
      workbench.kill();
    }
  });
}
