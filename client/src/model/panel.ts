import * as vscode from "vscode";
import { messageOf } from "../text";
import { page } from "./page";
import { reveal } from "./reveal";
import type { About, Answer, FromPage, Kept, ModelView, ToPage } from "./view";

const METHOD = "shapewise/model";
const TYPE = "shapewise.model";
const PAUSE_MS = 500;

/** Asks the server. Rejects, with one sentence for the user, if there is none. */
export type Ask = (method: string, params: object) => Promise<unknown>;

/** `Shapewise: Show Model`: one panel, about one call of a model, kept up to date while its file is edited. */
export class ModelPanel implements vscode.Disposable, vscode.WebviewPanelSerializer<Kept | undefined> {
  private panel: vscode.WebviewPanel | undefined;
  private document: vscode.Uri | undefined;
  private column: vscode.ViewColumn | undefined;
  private view: ModelView | undefined;
  private about: About | undefined;
  private last: ToPage = { kind: "busy" };
  private asked = 0;
  private timer: NodeJS.Timeout | undefined;
  /** How long the last answer took: hints come first, and one tracer serves both. */
  private took = 0;
  private isStale = false;
  private readonly listening: vscode.Disposable;
  private readonly restoring: vscode.Disposable;

  /** `started` resolves when the server has been started, whether that went well or not. */
  constructor(
    private readonly extension: vscode.Uri,
    private readonly ask: Ask,
    private readonly started: () => Promise<void>,
  ) {
    this.restoring = vscode.window.registerWebviewPanelSerializer(TYPE, this);
    this.listening = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      // Cells of one notebook have its path in common.
      if (contentChanges.length > 0 && document.uri.path === this.document?.path) {
        this.isStale = true;
        this.later();
      }
    });
  }

  /** Shows the model at the cursor. */
  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== "python") {
      if (this.panel !== undefined) {
        this.panel.reveal();
      } else {
        void vscode.window.showInformationMessage(
          "Put the cursor into a class or onto a call of a model in a Python file, then show the model.",
        );
      }
      return;
    }
    this.document = editor.document.uri;
    this.column = editor.viewColumn;
    this.about = this.view = undefined;
    this.open();
    await this.update(editor.selection.active);
  }

  /** The window was loaded anew: the panel is about the same call as before. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, kept: Kept | undefined): Promise<void> {
    if (this.panel !== undefined || kept?.about === undefined) {
      panel.dispose();
      return;
    }
    const { about } = kept;
    this.adopt(panel);
    this.about = about;
    this.document = vscode.Uri.parse(about.document);
    await this.started();
    try {
      await vscode.workspace.openTextDocument(this.document);
    } catch {
      this.post({ kind: "why", why: `${this.document.path.split("/").pop()} is no longer there.` });
      return;
    }
    await this.update();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listening.dispose();
    this.restoring.dispose();
    this.panel?.dispose();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.panel?.visible && void this.update(), PAUSE_MS + this.took);
  }

  private open(): void {
    if (this.panel !== undefined) {
      this.panel.reveal(undefined, true);
      return;
    }
    this.adopt(
      vscode.window.createWebviewPanel(TYPE, "Model", { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }),
    );
  }

  private adopt(panel: vscode.WebviewPanel): void {
    const media = vscode.Uri.joinPath(this.extension, "dist", "webview");
    panel.webview.options = { enableScripts: true, localResourceRoots: [media] };
    this.panel = panel;
    panel.iconPath = vscode.Uri.joinPath(this.extension, "client", "icon.png");
    panel.onDidChangeViewState(() => panel.visible && this.isStale && this.later());
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.document = undefined;
    });
    panel.webview.onDidReceiveMessage((message: FromPage) => void this.receive(message));
    const uri = (name: string) => panel.webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
    panel.webview.html = page(panel.webview.cspSource, uri("model.js"), uri("model.css"));
  }

  private async receive(message: FromPage): Promise<void> {
    switch (message.kind) {
      case "ready":
        this.post(this.last);
        break;
      case "open":
        await reveal(this.view?.rows[message.row]?.place, this.column);
        break;
      case "choose":
        await this.update(undefined, message.key);
        break;
    }
  }

  /** Asks anew: at a position, or for the call that is shown. Of several questions the last one counts. */
  private async update(position?: vscode.Position, choice = this.about?.choice): Promise<void> {
    if (this.panel === undefined || this.document === undefined) {
      return;
    }
    const number = ++this.asked;
    const began = performance.now();
    this.isStale = false;
    const answer = await this.answer({
      textDocument: { uri: this.document.toString() },
      ...(position === undefined ? {} : { position: { line: position.line, character: position.character } }),
      ...(this.about === undefined ? {} : { type: this.about.type }),
      ...(choice === undefined ? {} : { choice }),
    });
    this.took = performance.now() - began;
    if (number !== this.asked) {
      return;
    }
    if ("why" in answer) {
      this.post({ kind: "why", why: answer.why });
      return;
    }
    this.view = answer;
    this.about = { document: this.document.toString(), type: answer.type, choice: answer.choice };
    this.panel.title = answer.type;
    this.post({ kind: "view", view: answer, about: this.about });
  }

  private async answer(params: object): Promise<Answer> {
    const slow = setTimeout(() => this.view === undefined && this.post({ kind: "busy" }), PAUSE_MS);
    try {
      return (await this.ask(METHOD, params)) as Answer;
    } catch (error) {
      return { why: messageOf(error) };
    } finally {
      clearTimeout(slow);
    }
  }

  private post(message: ToPage): void {
    this.last = message;
    void this.panel?.webview.postMessage(message);
  }
}
