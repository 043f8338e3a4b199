// What a person sees of the editor and does with it.
import { setTimeout as sleep } from "node:timers/promises";

/** Long enough for a machine that does other things too. */
export const PATIENCE_MS = Number(process.env.SHAPEWISE_PATIENCE_MS ?? 60_000);

export class Editor {
  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
  }

  // -------------------------------------------------------------- seeing

  /** The lines on the screen from top to bottom, hints included, with plain spaces. */
  async lines(within = ".monaco-editor") {
    return this.page.evaluate((selector) => {
      const lines = [...document.querySelectorAll(`${selector} .view-lines .view-line`)];
      const top = (line) => line.getBoundingClientRect().top;
      return lines
        .filter((line) => line.getBoundingClientRect().height > 0)
        .sort((one, other) => top(one) - top(other))
        .map((line) => line.textContent.replaceAll("\u00a0", " "));
    }, within);
  }

  /** Waits until a line matches; `undefined` as pattern: until none does. Gives the milliseconds waited. */
  async seeLine(pattern, { gone = false, within } = {}) {
    const begin = performance.now();
    await this.until(
      async () => (await this.lines(within)).some((line) => pattern.test(line)) !== gone,
      async () => `${gone ? "still" : "no"} line ${pattern} in\n${(await this.lines(within)).join("\n")}`,
    );
    return performance.now() - begin;
  }

  async until(holds, complaint) {
    const until = Date.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (Date.now() > until) throw new Error(await complaint());
      await sleep(15);
    }
  }

  squiggle(severity = "error") {
    return this.page.locator(`.monaco-editor .squiggly-${severity}`).first();
  }

  /** The text of the card under the pointer, which is moved to `point`. */
  async hoverOver(point) {
    await this.page.mouse.move(0, 0);
    await this.page.mouse.move(point.x, point.y, { steps: 3 });
    const hover = this.page.locator(".monaco-hover:visible").first();
    await hover.waitFor();
    return hover;
  }

  /** What the `{}` of the status bar tells of Shapewise. */
  async status() {
    const item = this.page.locator(".statusbar-item#status\\.languageStatus, [id='status.languageStatus']").first();
    await item.waitFor();
    await item.hover();
    const hover = this.page.locator(".hover-language-status:visible, .workbench-hover:visible").first();
    await hover.waitFor();
    const text = (await hover.innerText()).replaceAll("\u00a0", " ");
    await this.page.mouse.move(600, 300);
    return text;
  }

  /** The page of a panel: `inside` is within VS Code's two frames around it. */
  async panel(inside) {
    const page = this.page.frameLocator("iframe.webview").frameLocator("iframe#active-frame");
    await page.locator(inside).first().waitFor();
    return page;
  }

  /** The number of the line that the cursor is on, as the status bar says it. */
  async line() {
    const words = await this.page.locator("#status\\.editor\\.selection").innerText();
    return Number(/Ln (\d+)/.exec(words)?.[1]);
  }

  /** The shape of the mouse pointer there: `pointer` over a link. */
  pointerAt({ x, y }) {
    return this.page.evaluate(([x, y]) => getComputedStyle(document.elementFromPoint(x, y)).cursor, [x, y]);
  }

  toasts() {
    return this.page.locator(".notifications-toasts .notification-toast:visible").allInnerTexts();
  }

  // -------------------------------------------------------------- doing

  /** The middle of a word on the screen. `nth` counts the lines that hold it, in the order of the document. */
  async pointOf(word, { line: linePattern = /./ } = {}) {
    const point = await this.page.evaluate(
      ([word, source]) => {
        for (const line of document.querySelectorAll(".monaco-editor .view-lines .view-line")) {
          const text = line.textContent.replaceAll("\u00a0", " ");
          if (!new RegExp(source).test(text)) continue;
          const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.replaceAll("\u00a0", " ").indexOf(word);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            const box = range.getBoundingClientRect();
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
          }
        }
      },
      [word, linePattern.source],
    );
    if (!point) throw new Error(`${word} is not on the screen`);
    return point;
  }

  async clickOn(word, options) {
    const { x, y } = await this.pointOf(word, options);
    await this.page.mouse.click(x, y);
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  async command(title) {
    await this.press("F1");
    await this.page.locator(".quick-input-widget:visible input").first().waitFor();
    await this.type(title);
    await this.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await this.press("Enter");
  }

  /** Opens a file of the window's folder by its path in it. */
  async openFile(path) {
    const input = this.page.locator(".quick-input-widget:visible input").first();
    // A window that has just come up does not listen to keys yet.
    await this.until(
      async () => {
        await this.press("Control+p");
        return input.waitFor({ timeout: 2000 }).then(() => true, () => false);
      },
      async () => "no list of files",
    );
    await input.fill(path);
    const folder = path.split("/").at(-2);
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: folder }).first().click();
    await this.page.locator(".monaco-editor .view-line").first().waitFor();
  }

  /** Leaves the window as it was before anything was opened; what was typed is thrown away. */
  async closeAll() {
    await this.press("Escape");
    if ((await this.toasts()).length > 0) await this.command("Notifications: Clear All Notifications");
    if (await this.page.locator(".part.panel:visible").count()) await this.command("View: Hide Panel");
    await this.command("View: Close All Editors");
    const tabs = this.page.locator(".tabs-container .tab");
    const throwAway = this.page.locator(".monaco-dialog-box").getByRole("button", { name: "Don't Save" });
    await this.until(
      async () => {
        if (await throwAway.isVisible()) await throwAway.click();
        return (await tabs.count()) === 0;
      },
      async () => `still open: ${await tabs.allInnerTexts()}`,
    );
  }
}
