import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import test from "node:test";
import { page } from "../src/model/page";

const WEBVIEW = path.join(process.cwd(), "client", "webview");

test("the page loads our script and our style sheet, and may load nothing else", () => {
  const html = page("https://ours", "https://ours/model.js", "https://ours/model.css");
  const [, policy] = /Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
  assert.equal(policy, "default-src 'none'; style-src https://ours; script-src https://ours");
  assert.deepEqual([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url), [
    "https://ours/model.css",
    "https://ours/model.js",
  ]);
  assert.doesNotMatch(html, /<script>|style="|onclick|unsafe/);
});

test("what is drawn asks for nothing and takes no text for HTML", () => {
  for (const name of readdirSync(WEBVIEW)) {
    const text = readFileSync(path.join(WEBVIEW, name), "utf8").replaceAll("http://www.w3.org/2000/svg", "");
    assert.doesNotMatch(text, /https?:|innerHTML|fetch\(|XMLHttpRequest|WebSocket|@import|url\(/, name);
  }
});

test("all colours are the theme's", () => {
  const css = readFileSync(path.join(WEBVIEW, "model.css"), "utf8");
  assert.doesNotMatch(css, /#[0-9a-f]{3,8}\b|rgba?\(|hsl/i);
});
