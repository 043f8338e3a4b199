// node serve.mjs FOLDER [PORT]: a workbench on a folder until somebody ends it.
import { resolve } from "node:path";
import { PYTHON } from "./lib/places.mjs";
import { freePort, installExtension, Workbench } from "./lib/workbench.mjs";

const [folder, port] = process.argv.slice(2);
installExtension();
const workbench = await Workbench.start({
  name: "serve",
  interpreter: PYTHON,
  port: await freePort(Number(port ?? 0)),
});
console.log(`\n  ${workbench.address(resolve(folder))}\n\n  Ctrl-C ends it.`);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));
setInterval(() => undefined, 2 ** 30);
