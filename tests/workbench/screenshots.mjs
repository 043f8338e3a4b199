// Takes the pictures of the docs: what the editor shows, in both themes, twice as sharp as the screen.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PYTHON, ROOT } from "./lib/places.mjs";
import { freshFolder, launchBrowser, openEditor } from "./lib/scenario.mjs";
import { installExtension, Workbench } from "./lib/workbench.mjs";

const PICTURES = join(ROOT, "docs", "pictures");
const THEMES = { light: "Light Modern", dark: "Dark Modern" };

const ONLY_THE_EDITOR = {
  "workbench.activityBar.location": "hidden",
  "workbench.sideBar.location": "right",
  "workbench.statusBar.visible": false,
  "workbench.layoutControl.enabled": false,
  "workbench.editor.editorActionsLocation": "hidden",
  "workbench.editor.enablePreview": false,
  "window.commandCenter": false,
  "window.menuBarVisibility": "hidden",
  "breadcrumbs.enabled": false,
  "editor.fontFamily": "DejaVu Sans Mono",
  "editor.fontSize": 13,
  "editor.lineHeight": 21,
  "editor.cursorBlinking": "solid",
  "editor.renderLineHighlight": "none",
  "editor.guides.indentation": false,
  "editor.occurrencesHighlight": "off",
  "editor.scrollbar.vertical": "hidden",
  "editor.scrollbar.horizontal": "hidden",
  "editor.overviewRulerLanes": 0,
  "editor.overviewRulerBorder": false,
  "editor.hideCursorInOverviewRuler": true,
  "editor.stickyScroll.enabled": false,
  "editor.hover.delay": 100,
  "editor.hover.above": false,
  "notebook.cellToolbarLocation": { default: "hidden" },
  "notebook.globalToolbar": false,
  "scm.diffDecorations": "none",
};

/** Each gets the editor to look as in its picture, which shows the lines from `first` to `last`. */
const SCENES = {
  hints: {
    file: "attention.py",
    prepare: async (editor) => {
      await editor.seeLine(/^result ?\[8 12 64\]/);
      await editor.clickOn("result");
      await editor.press("End");
    },
    first: /^import torch/,
    last: /^result/,
  },
  problem: {
    file: "attention.py",
    prepare: async (editor) => {
      await editor.seeLine(/^ +y ?\[/);
      await editor.hoverOver(await editor.pointOf("view", { line: /^ +y ?\[/ }));
    },
    first: /forward/,
    last: /^result/,
  },
  fix: {
    file: "attention.py",
    prepare: async (editor) => {
      await editor.seeLine(/^ +y ?\[/);
      await editor.clickOn("view", { line: /^ +y ?\[/ });
      await editor.press("Control+.");
      await editor.page.locator(".action-widget:visible").getByText(/reshape/).first().waitFor();
    },
    first: /forward/,
    last: /^result/,
  },
  notebook: {
    file: "notebook.ipynb",
    prepare: async (editor) => editor.seeLine(/^heads ?\[3 2 4\]/),
    height: 360,
  },
};

const SCALE = 2;
const SIZE = { width: 740, height: 760 };
const MARGIN = { x: 10, y: 3 }; // keeps the frame of the window and the lines beside out of the picture

/** The part of the window between two lines, both included. */
async function between(editor, first, last) {
  const box = (pattern) =>
    editor.page.evaluate(
      (source) =>
        [...document.querySelectorAll(".view-line")]
          .find((line) => new RegExp(source).test(line.textContent.replaceAll("\u00a0", " ")))
          .getBoundingClientRect()
          .toJSON(),
      pattern.source,
    );
  const top = (await box(first)).top - MARGIN.y;
  const height = (await box(last)).bottom + MARGIN.y - top;
  return { x: MARGIN.x, y: top, width: SIZE.width - 3 * MARGIN.x, height };
}

mkdirSync(PICTURES, { recursive: true });
installExtension();
const wanted = process.argv.slice(2);
const browser = await launchBrowser();
try {
  for (const [theme, label] of Object.entries(THEMES)) {
    const name = `pictures-${theme}`;
    const folder = freshFolder(name);
    const workbench = await Workbench.start({
      name,
      interpreter: PYTHON,
      settings: { "workbench.colorTheme": label, ...ONLY_THE_EDITOR },
    });
    for (const [scene, { file, prepare, first, last, height = SIZE.height }] of Object.entries(SCENES)) {
      if (wanted.length > 0 && !wanted.includes(scene)) continue;
      const view = { viewport: { ...SIZE, height }, deviceScaleFactor: SCALE };
      const editor = await openEditor(browser, workbench, folder, file, view);
      await editor.page.locator(".monaco-editor .view-line").first().waitFor();
      await editor.press("Control+b");
      await prepare(editor);
      await sleep(800); // whatever fades in
      const path = join(PICTURES, `${scene}-${theme}.png`);
      await editor.page.screenshot({ path, ...(first && { clip: await between(editor, first, last) }) });
      console.log(path);
      await editor.page.context().close();
    }
    workbench.kill();
  }
} finally {
  await browser.close();
}
