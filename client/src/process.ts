import { type ChildProcess, spawn } from "node:child_process";
import * as path from "node:path";

const TAIL = 40;
/** What every sentence of the launcher names as the remedy. */
const REMEDY = "shapewise.interpreter";

/** The server process, and its last words. */
export class ServerProcess {
  private readonly lines: string[] = [];
  private rest = "";
  readonly exited: Promise<void>;

  private constructor(readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => child.once("close", () => resolve()));
    child.stderr?.on("data", (data: Buffer) => {
      const lines = (this.rest + data.toString()).split(/\r?\n/);
      this.rest = lines.pop() ?? "";
      this.lines.push(...lines.filter((line) => line.trim() !== ""));
      this.lines.splice(0, this.lines.length - TAIL);
    });
  }

  /** Starts `python`. Rejects if it cannot be run at all. */
  static start(python: string, extension: string): Promise<ServerProcess> {
    const launcher = path.join(extension, "server", "launch.py");
    // -I: nothing of the user's folder or environment variables reaches the server's imports.
    const child = spawn(python, ["-I", launcher, "serve"], { cwd: extension });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("spawn", () => resolve(new ServerProcess(child)));
    });
  }

  /** One sentence on why the process has ended. */
  get epitaph(): string {
    const last = this.rest.trim() || this.lines.at(-1);
    if (last?.includes(REMEDY)) {
      return last;
    }
    const how = this.child.signalCode ?? `code ${this.child.exitCode ?? "unknown"}`;
    return `The language server stopped (${how}${last === undefined ? "" : `: ${last}`}).`;
  }

  kill(): void {
    this.child.kill();
  }
}
