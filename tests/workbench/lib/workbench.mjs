// The real VS Code workbench, served by code-server with the packaged extension in it.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CACHE, fingerprint, HERE, VSIX } from "./places.mjs";
import { descendants } from "./processes.mjs";
import { QUIET, TRUST } from "./settings.mjs";

const ENTRY = join(HERE, "node_modules", "code-server", "out", "node", "entry.js");
const EXTENSIONS = join(CACHE, "extensions");
const UP_WITHIN_MS = 60_000;

/** Installs the .vsix, unless this very one is installed already. */
export function installExtension() {
  const stamp = join(CACHE, "installed");
  const wanted = fingerprint(VSIX);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  rmSync(EXTENSIONS, { recursive: true, force: true });
  const state = join(CACHE, "install");
  mkdirSync(EXTENSIONS, { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [ENTRY, ...folders(state), "--install-extension", VSIX],
    { env: environment(state), encoding: "utf8", timeout: UP_WITHIN_MS },
  );
  if (status !== 0) throw new Error(`The extension cannot be installed:\n${stdout}\n${stderr}`.slice(0, 2000));
  writeFileSync(stamp, wanted);
}

const running = new Set();
process.once("exit", () => running.forEach((workbench) => workbench.kill()));

export class Workbench {
  #server;

  constructor(server, port, state) {
    this.#server = server;
    this.port = port;
    this.state = state;
  }

  /** Starts one whose state lies in the folder `name` below .cache/workbench. `trust`: folders have to be trusted. */
  static async start({ name, interpreter, settings = {}, machine = {}, port, trust = false }) {
    const state = join(CACHE, name);
    const write = (scope, values) => {
      mkdirSync(join(state, "user", scope), { recursive: true });
      writeFileSync(join(state, "user", scope, "settings.json"), JSON.stringify(values, undefined, 2));
    };
    write("User", { ...QUIET, ...(trust ? TRUST : {}), ...settings });
    // A server's window does not take settings of the machine from those of the user.
    write("Machine", { "shapewise.interpreter": interpreter, ...machine });
    const chosen = port ?? (await freePort());
    const server = spawn(
      process.execPath,
      [
        ENTRY,
        ...folders(state),
        ...["--bind-addr", `127.0.0.1:${chosen}`, "--auth", "none"],
        ...["--disable-telemetry", "--disable-update-check"],
        ...(trust ? [] : ["--disable-workspace-trust"]),
        ...["--disable-getting-started-override", "--ignore-last-opened"],
        // Without it the extension host and all below it outlive the browser by hours.
        ...["--reconnection-grace-time", "5"],
      ],
      { env: environment(state), stdio: ["ignore", "pipe", "pipe"] },
    );
    let output = "";
    server.stdout.on("data", (data) => (output += data));
    server.stderr.on("data", (data) => (output += data));
    const workbench = new Workbench(server, chosen, state);
    running.add(workbench);
    server.once("exit", () => running.delete(workbench));
    const until = Date.now() + UP_WITHIN_MS;
    while (!(await answers(chosen))) {
      if (server.exitCode !== null || Date.now() > until) {
        workbench.kill();
        throw new Error(`code-server does not come up:\n${output}`);
      }
      await sleep(100);
    }
    return workbench;
  }

  get pid() {
    return this.#server.pid;
  }

  /** The address of a folder, with one of its files open in the editor. */
  address(folder, file) {
    const address = new URL(`http://127.0.0.1:${this.port}/`);
    address.searchParams.set("folder", folder);
    if (file !== undefined) {
      const uri = `vscode-remote://127.0.0.1:${this.port}${join(folder, file)}`;
      address.searchParams.set("payload", JSON.stringify([["openFile", uri]]));
    }
    return address.href;
  }

  kill() {
    running.delete(this);
    killed([...descendants(this.pid), { pid: this.pid }]);
  }
}

function killed(processes) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
  }
}

const folders = (state) => [
  ...["--config", join(state, "config.yaml")],
  ...["--user-data-dir", join(state, "user")],
  ...["--extensions-dir", EXTENSIONS],
];

const environment = (state) => ({
  ...process.env,
  EXTENSIONS_GALLERY: "{}",
  XDG_CONFIG_HOME: join(state, "xdg", "config"),
  XDG_DATA_HOME: join(state, "xdg", "data"),
  XDG_CACHE_HOME: join(state, "xdg", "cache"),
  XDG_STATE_HOME: join(state, "xdg", "state"),
});

async function answers(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
  } catch {
    return false;
  }
}

/** `wanted` if nobody listens there, else any port. */
export function freePort(wanted = 0) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", () => (wanted === 0 ? reject(new Error("no free port")) : resolve(freePort())));
    probe.listen(wanted, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
