// Bundles the client into dist/extension.js; with --tests, its unit tests into dist/test/.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

const tests = process.argv.includes("--tests");
const sources = readdirSync("client/test").filter((name) => name.endsWith(".test.ts"));
if (tests) rmSync("dist/test", { recursive: true, force: true });

await build({
  entryPoints: tests ? sources.map((name) => `client/test/${name}`) : ["client/src/extension.ts"],
  ...(tests ? { outdir: "dist/test" } : { outfile: "dist/extension.js" }),
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  minify: !tests,
  sourcemap: tests ? "inline" : false,
  logLevel: "warning",
});
