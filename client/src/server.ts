import type * as vscode from "vscode";
import type { Client } from "./client";
import type { Discovery } from "./discovery";
import { BadSetting, type Interpreter } from "./interpreter";
import { isEnabled } from "./settings";
import type { StatusItem } from "./status";
import { messageOf } from "./text";

const CRASHES_FORGIVEN = 4;
const CRASH_WINDOW_MS = 3 * 60 * 1000;

/** Keeps the server running as it should be: with the right Python, once, or not at all. */
export class Server {
  private client: Client | undefined;
  private crashes: number[] = [];
  private queued: { force: boolean } | undefined;
  private working: Promise<void> | undefined;
  private isDisposed = false;

  constructor(
    private readonly extension: string,
    private readonly discovery: Discovery,
    private readonly status: StatusItem,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /**
   * Makes the server what it should be now. Without `force` a server that runs under the right Python is left
   * alone. However many calls come while one is at work, one more follows.
   */
  update({ force = false } = {}): Promise<void> {
    this.queued = { force: force || (this.queued?.force ?? false) };
    this.working ??= this.work().finally(() => (this.working = undefined));
    return this.working;
  }

  /** A restart that the user asked for. */
  restart(): Promise<void> {
    this.crashes = [];
    return this.update({ force: true });
  }

  get isRunning(): boolean {
    return this.client !== undefined;
  }

  /** The server that runs. Throws, with one sentence for the user, if there is none. */
  get running(): Client {
    if (this.client === undefined) {
      throw new Error("Shapewise is not running: its status, behind the braces in the status bar, says why.");
    }
    return this.client;
  }

  sendFocus(focused: boolean): void {
    this.client?.sendFocus(focused);
  }

  sendSettings(): void {
    this.client?.sendSettings();
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    this.queued = undefined;
    await this.working;
    await this.stop();
  }

  private async work(): Promise<void> {
    while (this.queued !== undefined) {
      const { force } = this.queued;
      this.queued = undefined;
      try {
        await this.once(force);
      } catch (error) {
        this.log.error(error instanceof Error ? error : String(error));
        this.status.failed(messageOf(error));
      }
    }
  }

  private async once(force: boolean): Promise<void> {
    if (!isEnabled()) {
      await this.stop();
      this.status.off();
      return;
    }
    const interpreter = await this.find();
    if (interpreter === undefined) {
      await this.stop();
      return;
    }
    if (!force && this.client?.interpreter.path === interpreter.path) {
      return;
    }
    await this.stop();
    if (!this.isDisposed) {
      await this.start(interpreter);
    }
  }

  private async find(): Promise<Interpreter | undefined> {
    try {
      const found = await this.discovery.find();
      if (found === undefined) {
        this.status.failed("No Python found. Set shapewise.interpreter to your Python.");
      }
      return found;
    } catch (error) {
      if (!(error instanceof BadSetting)) {
        throw error;
      }
      this.log.warn(error.message);
      this.status.failed(error.message);
      return undefined;
    }
  }

  private async start(interpreter: Interpreter): Promise<void> {
    this.status.starting();
    // Most of the code is the language client's: it is loaded once the editor has gone on.
    const { Client } = await import("./client");
    const client: Client = new Client(
      interpreter,
      this.extension,
      this.log,
      (status) => this.client === client && this.status.show(status),
      (dead) => void this.bury(dead),
    );
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      const message = messageOf(error);
      this.log.error(message);
      this.status.failed(message);
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.stop();
  }

  private async bury(client: Client): Promise<void> {
    if (this.client !== client) {
      return;
    }
    this.client = undefined;
    const words = await client.lastWords();
    this.log.error(words);
    const now = Date.now();
    this.crashes = [...this.crashes.filter((then) => now - then < CRASH_WINDOW_MS), now];
    if (this.crashes.length <= CRASHES_FORGIVEN) {
      await this.update();
    } else {
      this.status.failed(`${words} It has failed too often to be started again by itself.`, "restart");
    }
  }
}
