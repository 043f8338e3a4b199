import assert from "node:assert/strict";
import test from "node:test";
import { fenced, listed, text } from "../src/text";

test("a document has a title, what it is about and sections", () => {
  assert.equal(
    text("Title", [["One", "body\n\n"], ["Two", listed([])]], "About."),
    "# Title\n\nAbout.\n\n## One\n\nbody\n\n## Two\n\nNothing.\n",
  );
});

test("a fence is longer than any in what it holds", () => {
  assert.equal(fenced("python", "x = 1\n"), "```python\nx = 1\n```");
  assert.equal(fenced("", 's = """\n````\n"""'), '`````\ns = """\n````\n"""\n`````');
});

test("an item of several lines goes on below itself", () => {
  assert.equal(listed(["one", "two\nthree"]), "- one\n- two\n  three");
});
