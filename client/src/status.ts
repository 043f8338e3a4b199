import * as vscode from "vscode";

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

/** The entry of Shapewise behind the `{}` of the status bar: how things are, in one sentence. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("shapewise.status", [
    { language: "python" },
    { language: "python", notebookType: "*" },
  ]);

  constructor() {
    this.item.name = "Shapewise";
    this.starting();
  }

  starting(): void {
    this.show({ state: "starting", message: "Starting.", detail: "", busy: true });
  }

  off(): void {
    this.show({ state: "ready", message: "Off (shapewise.enable).", detail: "", busy: false });
  }

  /** There is no server, and this is what the user can do. */
  failed(message: string, remedy: Remedy): void {
    this.show({ state: "problem", message, detail: "", busy: false }, remedy);
    this.item.severity = vscode.LanguageStatusSeverity.Error;
  }

  show(status: Status, remedy: Remedy = "showLogs"): void {
    const isProblem = status.state === "problem";
    this.item.text = status.message;
    this.item.detail = status.detail;
    this.item.busy = status.busy;
    this.item.severity = isProblem
      ? vscode.LanguageStatusSeverity.Warning
      : vscode.LanguageStatusSeverity.Information;
    this.item.command = COMMANDS[remedy];
  }

  dispose(): void {
    this.item.dispose();
  }
}
