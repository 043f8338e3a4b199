import * as vscode from "vscode";
import type { Server } from "./server";
import type { StatusItem } from "./status";

const METHOD = "shapewise/why";
const PAUSE_MS = 400;

/** Has the status say why there is no hint on the line of the cursor, once the cursor rests. */
export class Silence implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly listening: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly status: StatusItem,
  ) {
    const later = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.ask(), PAUSE_MS);
    };
    this.listening = [
      vscode.window.onDidChangeTextEditorSelection(later),
      vscode.window.onDidChangeActiveTextEditor(later),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listening.forEach((one) => one.dispose());
  }

  private async ask(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== "python" || !this.server.isRunning) {
      this.status.explain(0, undefined);
      return;
    }
    const { line } = editor.selection.active;
    const textDocument = { uri: editor.document.uri.toString() };
    try {
      const answer = (await this.server.running.request(METHOD, { textDocument, line })) as { why: string | null };
      this.status.explain(line + 1, answer.why ?? undefined);
    } catch {
      // The server is going: there is nothing to explain.
    }
  }
}
