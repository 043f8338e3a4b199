// Bundles the client into dist/extension.js and the pages of its panels into dist/webview; with --tests, the
// client's unit tests into dist/test/.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

const tests = process.argv.includes("--tests");
const sources = readdirSync("client/test").filter((name) => name.endsWith(".test.ts"));
rmSync(tests ? "dist/test" : "dist/webview", { recursive: true, force: true });

const common = { bundle: true, minify: !tests, logLevel: "warning" };
const node = { ...common, platform: "node", format: "cjs", target: "node20", external: ["vscode"] };

if (tests) {
  const entryPoints = sources.map((name) => `client/test/${name}`);
  await build({ ...node, entryPoints, outdir: "dist/test", sourcemap: "inline" });
} else {
  await build({ ...node, entryPoints: ["client/src/extension.ts"], outfile: "dist/extension.js" });
  const entryPoints = ["client/webview/model.ts", "client/webview/model.css"];
  await build({ ...common, entryPoints, outdir: "dist/webview", platform: "browser", format: "iife", target: "es2022" });
}
