import * as vscode from "vscode";
import { rows } from "./rows";

/** What the server sends as `shapewise/status`, and what the client says while there is no server. */
export interface Status {
  state: "starting" | "ready" | "working" | "problem";
  message: string;
  detail: string;
  busy: boolean;
}

export type Remedy = "showLogs" | "restart" | "setInterpreter";

const COMMANDS: Record<Remedy, vscode.Command> = {
  showLogs: { title: "Show log", command: "shapewise.showLogs" },
  restart: { title: "Restart", command: "shapewise.restart" },
  setInterpreter: {
    title: "Set interpreter",
    command: "workbench.action.openSettings",
    arguments: ["shapewise.interpreter"],
  },
};

const SELECTOR: vscode.DocumentSelector = [{ language: "python" }, { language: "python", notebookType: "*" }];

/** The entries of Shapewise behind the `{}` of the status bar: how things are, and what to do about it. */
export class StatusItem implements vscode.Disposable {
  private items: vscode.LanguageStatusItem[] = [];
  private line: vscode.LanguageStatusItem | undefined;
  private readonly loading = new Loading();
  /** What it says now. */
  text = "";

  constructor() {
    this.starting();
  }

  starting(): void {
    this.show({ state: "starting", message: "Starting.", detail: "", busy: true });
  }

  off(): void {
    this.show({ state: "ready", message: "Off (shapewise.enable).", detail: "", busy: false });
  }

  /** There is no server, and this is what the user can do. */
  failed(message: string, remedy?: Remedy): void {
    const severity = vscode.LanguageStatusSeverity.Error;
    this.show({ state: "problem", message, detail: "", busy: false }, remedy, severity);
  }

  show(
    { state, message, detail, busy }: Status,
    remedy: Remedy = message.includes("shapewise.interpreter") ? "setInterpreter" : "showLogs",
    severity: vscode.LanguageStatusSeverity = state === "problem"
      ? vscode.LanguageStatusSeverity.Warning
      : vscode.LanguageStatusSeverity.Information,
  ): void {
    this.text = [message, detail].filter(Boolean).join("\n");
    this.loading.show(state === "starting" && detail ? message : undefined);
    const texts = rows(message, detail);
    this.items.splice(texts.length).forEach((item) => item.dispose());
    texts.forEach((text, index) => {
      const item = (this.items[index] ??= vscode.languages.createLanguageStatusItem(
        `shapewise.status.${index}`,
        SELECTOR,
      ));
      const isFirst = index === 0;
      item.name = isFirst ? "Shapewise" : `Shapewise (${index + 1})`;
      item.text = text;
      item.busy = isFirst && busy;
      item.severity = isFirst ? severity : vscode.LanguageStatusSeverity.Information;
      item.command = isFirst ? COMMANDS[remedy] : undefined;
    });
  }

  /** Says why there is no hint on the line of the cursor, or nothing. */
  explain(line: number, why: string | undefined): void {
    if (why === undefined) {
      this.line?.dispose();
      this.line = undefined;
      return;
    }
    this.line ??= vscode.languages.createLanguageStatusItem("shapewise.status.line", SELECTOR);
    this.line.name = "Shapewise (this line)";
    this.line.text = `Line ${line}: ${rows(why, "")[0]}`;
  }

  dispose(): void {
    this.loading.show(undefined);
    this.line?.dispose();
    this.items.forEach((item) => item.dispose());
  }
}

/** What is waited for, written out in the status bar while it lasts: torch takes seconds to load, and there is no hint before. */
class Loading {
  private end: (() => void) | undefined;

  show(message: string | undefined): void {
    if (message === undefined) {
      this.end?.();
      this.end = undefined;
    } else if (this.end === undefined) {
      const options = { location: vscode.ProgressLocation.Window, title: "Shapewise" };
      const over = new Promise<void>((resolve) => {
        this.end = resolve;
      });
      void vscode.window.withProgress(options, async (progress) => {
        progress.report({ message });
        await over;
      });
    }
  }
}
