// Takes the pictures of the docs: what the editor shows, in both themes, twice as sharp as the screen.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PYTHON, ROOT } from "./lib/places.mjs";
import { freshFolder, launchBrowser, newContext, openEditor } from "./lib/scenario.mjs";
import { installExtension, Workbench } from "./lib/workbench.mjs";

const EXAMPLES = join(ROOT, "examples");
const PICTURES = join(ROOT, "docs", "pictures");
const THEMES = { light: "Light Modern", dark: "Dark Modern" };

const ONLY_THE_EDITOR = {
  "workbench.activityBar.location": "hidden",
  "workbench.sideBar.location": "right",
  "workbench.statusBar.visible": false,
  "workbench.layoutControl.enabled": false,
  "workbench.editor.editorActionsLocation": "hidden",
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
  "editor.matchBrackets": "never",
  "editor.lineNumbersMinChars": 3,
  "editor.folding": false,
  "editor.stickyScroll.enabled": false,
  "editor.hover.delay": 100,
  "editor.hover.above": false,
  "notebook.cellToolbarLocation": { default: "hidden" },
  "notebook.globalToolbar": false,
  "notebook.markup.fontSize": 11,
  "scm.diffDecorations": "none",
};

const HOVER = ".monaco-hover:visible";
const MENU = ".action-widget:visible";
const LAST_LINE = ".view-line:has-text('attention(x)')";
const WRONG = /^ +y.* = y\.view/;

/** Each gets the editor to look as in its picture, which reaches from a line to the lower end of `last`. */
const SCENES = {
  hints: {
    file: "attention.py",
    prepare: async (editor) => {
      await editor.seeLine(/^out ?\[4 16 64\]/);
      await editor.clickOn("out");
      await editor.press("End");
    },
    first: /def forward/,
    last: LAST_LINE,
  },
  squiggle: {
    file: "attention.py",
    prepare: async (editor) => {
      await editor.seeLine(/^out ?\[4 16 64\]/);
      await editor.hoverOver(await editor.pointOf("view", { line: WRONG }));
    },
    first: /weights @ v/,
    last: HOVER,
  },
  hover: {
    file: "attention.py",
    prepare: async (editor) => {
      await editor.seeLine(/^out ?\[4 16 64\]/);
      await editor.hoverOver(await editor.pointOf("@", { line: /scores.* = q @/ }));
    },
    first: /scores.* = q @/,
    last: HOVER,
  },
  fix: {
    file: "attention.py",
    prepare: async (editor) => {
      await editor.seeLine(/^out ?\[4 16 64\]/);
      await editor.clickOn("view", { line: WRONG });
      await editor.press("Control+.");
      await editor.page.locator(MENU).getByText(/reshape/).first().waitFor();
    },
    first: /def forward/,
    last: LAST_LINE,
  },
  names: {
    file: "model.py",
    prepare: async (editor) => {
      await editor.seeLine(/^ +scores ?\[B n_head T T\]/);
      await editor.clickOn("proj", { line: /return self/ });
      await editor.press("End");
    },
    first: /def forward/,
    last: ".view-line:has-text('self.proj(y)')",
  },
  notebook: {
    file: "notes.ipynb",
    prepare: async (editor) => {
      await editor.seeLine(/^s ?\[3 1\]/);
      await editor.squiggle("warning").waitFor();
    },
    first: /^a ?\[1 4\]/,
    last: ".view-line:has-text('probs')",
    around: 36,
  },
};

/** Of these the picture is of a panel, which is half as wide as the window. */
const PANELS = {
  model: {
    file: "cnn.py",
    prepare: async (editor) => {
      await editor.seeLine(/^batch ?\[16 3 96 96\]/);
      await editor.clickOn("SmallResNet", { line: /^class/ });
      await editor.command("Shapewise: Show Model");
      await editor.panel("[role=treegrid]");
    },
    inside: "[role=treegrid]",
    height: 640,
  },
};

const SCALE = 2;
const SIZE = { width: 820, height: 1400 };
const MARGIN = 10; // the frame of the window
const AROUND = 3; // less than what is between two lines

async function part(editor, first, last, around = AROUND) {
  const top = await editor.page.evaluate(
    (source) =>
      [...document.querySelectorAll(".view-line")]
        .find((line) => new RegExp(source).test(line.textContent.replaceAll("\u00a0", " ")))
        .getBoundingClientRect().top,
    first.source,
  );
  const end = await editor.page.locator(last).first().boundingBox();
  const y = top - around;
  return { x: MARGIN, y, width: SIZE.width - 2 * MARGIN, height: end.y + end.height + around - y };
}

mkdirSync(PICTURES, { recursive: true });
installExtension();
const wanted = process.argv.slice(2);
const browser = await launchBrowser();
try {
  for (const [theme, label] of Object.entries(THEMES)) {
    const name = `pictures-${theme}`;
    const folder = freshFolder(name, EXAMPLES);
    const workbench = await Workbench.start({
      name,
      interpreter: PYTHON,
      settings: { "workbench.colorTheme": label, ...ONLY_THE_EDITOR },
    });
    for (const [scene, { file, prepare, first, last, around }] of Object.entries(SCENES)) {
      if (wanted.length > 0 && !wanted.includes(scene)) continue;
      const view = { viewport: SIZE, deviceScaleFactor: SCALE };
      const editor = await openEditor(await newContext(browser, view), workbench, folder, file);
      await editor.page.locator(".monaco-editor .view-line").first().waitFor();
      await editor.press("Control+b");
      await prepare(editor);
      await sleep(800); // whatever fades in
      const path = join(PICTURES, `${scene}-${theme}.png`);
      await editor.page.addStyleTag({ content: ".decorationsOverviewRuler { display: none }" });
      await editor.page.screenshot({ path, clip: await part(editor, first, last, around) });
      console.log(path);
      await editor.page.context().close();
    }
    for (const [scene, { file, prepare, inside, height }] of Object.entries(PANELS)) {
      if (wanted.length > 0 && !wanted.includes(scene)) continue;
      const view = { viewport: { ...SIZE, width: 2 * SIZE.width }, deviceScaleFactor: SCALE };
      const editor = await openEditor(await newContext(browser, view), workbench, folder, file);
      await editor.page.locator(".monaco-editor .view-line").first().waitFor();
      await editor.press("Control+b");
      await prepare(editor);
      await editor.panel(inside);
      await sleep(800);
      const frame = await editor.page.locator("iframe.webview").boundingBox();
      const path = join(PICTURES, `${scene}-${theme}.png`);
      const { x, y, width } = frame;
      await editor.page.screenshot({ path, clip: { x: x + 1, y, width: width - MARGIN, height } });
      console.log(path);
      await editor.page.context().close();
    }
    workbench.kill();
  }
} finally {
  await browser.close();
}
