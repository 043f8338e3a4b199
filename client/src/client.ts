import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type WorkspaceEdit,
} from "vscode-languageclient/node";
import type { Interpreter } from "./interpreter";
import { ServerProcess } from "./process";
import { serverSettings } from "./settings";
import type { Status } from "./status";

/** vscode-languageclient, except that a failure is told to the log and to its owner, never in a toast. */
class QuietLanguageClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** One run of the server, from its start to its end. It is never restarted: the next run is another `Client`. */
export class Client {
  private readonly client: LanguageClient;
  private process: ServerProcess | undefined;
  private isRunning = false;

  constructor(
    readonly interpreter: Interpreter,
    extension: string,
    channel: vscode.LogOutputChannel,
    show: (status: Status) => void,
    died: (client: Client) => void,
  ) {
    const options: LanguageClientOptions = {
      // Cells of notebooks have a scheme of their own.
      documentSelector: ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({
        scheme,
        language: "python",
      })),
      initializationOptions: {
        interpreter: interpreter.path,
        reason: interpreter.reason,
        settings: serverSettings(),
      },
      outputChannel: channel,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          if (this.isRunning) {
            this.isRunning = false;
            died(this);
          }
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
    const start = async () => {
      this.process = await ServerProcess.start(interpreter.path, extension);
      return { process: this.process.child, detached: false };
    };
    this.client = new QuietLanguageClient("shapewise", "Shapewise", start, options);
    this.client.onNotification("shapewise/status", show);
  }

  /** Rejects, with one sentence for the user, if the server does not come up. */
  async start(): Promise<void> {
    try {
      await this.client.start();
      this.isRunning = true;
      this.sendFocus(vscode.window.state.focused);
    } catch (error) {
      if (this.process === undefined) {
        const { path } = this.interpreter;
        throw new Error(`${path} cannot be run. Set shapewise.interpreter to your Python.`, { cause: error });
      }
      this.process.kill();
      throw new Error(await this.lastWords(), { cause: error });
    }
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    try {
      await this.client.stop();
    } catch {
      // It did not go when asked to.
    }
    this.process?.kill();
  }

  /** One sentence on why the server is gone. */
  async lastWords(): Promise<string> {
    await this.process?.exited;
    return this.process?.epitaph ?? "The language server did not start.";
  }

  /** Asks the server. Rejects if it is not running or refuses, or if it is `cancelled`. */
  request(method: string, params: object, cancelled?: vscode.CancellationToken): Promise<unknown> {
    // An absent token must not be passed on: it would count as a second parameter.
    return cancelled === undefined
      ? this.client.sendRequest(method, params)
      : this.client.sendRequest(method, params, cancelled);
  }

  /** What the server calls itself, with its version. */
  get server(): string {
    const info = this.client.initializeResult?.serverInfo;
    return info === undefined ? "not running" : `${info.name} ${info.version ?? ""}`.trim();
  }

  /** Whether the server knows a command for `workspace/executeCommand`. */
  knows(command: string): boolean {
    return this.client.initializeResult?.capabilities.executeCommandProvider?.commands.includes(command) ?? false;
  }

  /** Has the server run a command and makes the edit that it answers with. Whether there was one. */
  async execute(command: string, ...args: unknown[]): Promise<boolean> {
    const answer: unknown = await this.request("workspace/executeCommand", { command, arguments: args });
    if (!isEdit(answer)) {
      return false;
    }
    return vscode.workspace.applyEdit(await this.client.protocol2CodeConverter.asWorkspaceEdit(answer));
  }

  /** Whether somebody looks at the editor: while nobody does, the server does little. */
  sendFocus(focused: boolean): void {
    if (this.isRunning) {
      void this.client.sendNotification("shapewise/focus", { focused });
    }
  }

  sendSettings(): void {
    void this.client.sendNotification("workspace/didChangeConfiguration", {
      settings: { shapewise: serverSettings() },
    });
  }
}

const isEdit = (answer: unknown): answer is WorkspaceEdit =>
  typeof answer === "object" && answer !== null && ("changes" in answer || "documentChanges" in answer);
