import * as vscode from "vscode";
import { annotate } from "./annotate";
import { Discovery } from "./discovery";
import { openExample } from "./example";
import { createLog } from "./logger";
import { ModelPanel } from "./model/panel";
import { debugInformation, wrongHint } from "./reports";
import { Server } from "./server";
import { Silence } from "./silence";
import { SECTION, toggleHints } from "./settings";
import { StatusItem } from "./status";
import { validate } from "./validate";

let server: Server | undefined;

/** Returns at once: the editor never waits for a Python. */
export function activate(context: vscode.ExtensionContext): void {
  const log = createLog();
  const status = new StatusItem();
  const discovery = new Discovery(log);
  const current = new Server(context.extensionPath, discovery, status, log);
  server = current;
  const model = new ModelPanel(
    context.extensionUri,
    async (method, params) => current.running.request(method, params),
    () => current.update(),
  );

  context.subscriptions.push(
    log,
    status,
    discovery,
    model,
    new Silence(current, status),
    discovery.onDidChange(() => void current.update()),
    vscode.window.onDidChangeWindowState(({ focused }) => current.sendFocus(focused)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void current.update()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void current.update()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("shapewise.enable") || event.affectsConfiguration("shapewise.interpreter")) {
        void current.update();
      }
      if (event.affectsConfiguration(SECTION)) {
        current.sendSettings();
      }
    }),
    vscode.commands.registerCommand("shapewise.restart", () => current.restart()),
    vscode.commands.registerCommand("shapewise.showLogs", () => log.show()),
    vscode.commands.registerCommand("shapewise.toggleHints", toggleHints),
    vscode.commands.registerCommand("shapewise.showModel", () => model.show()),
    vscode.commands.registerCommand("shapewise.openExample", () => openExample(context.extensionUri)),
    vscode.commands.registerCommand("shapewise.annotateShapesInFunction", () => annotate(current, "function")),
    vscode.commands.registerCommand("shapewise.annotateShapesInFile", () => annotate(current, "file")),
    vscode.commands.registerCommand("shapewise.debugInformation", () => debugInformation(current, status)),
    vscode.commands.registerCommand("shapewise.validate", () => validate(current, context.globalState)),
    vscode.commands.registerCommand("shapewise.reportWrongHint", () => wrongHint(current, status)),
  );
  setImmediate(() => void current.update());
}

export async function deactivate(): Promise<void> {
  await server?.dispose();
}
