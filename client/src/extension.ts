import * as vscode from "vscode";
import { Discovery } from "./discovery";
import { createLog } from "./logger";
import { Server } from "./server";
import { toggleHints } from "./settings";
import { StatusItem } from "./status";

let server: Server | undefined;

/** Returns at once: the editor never waits for a Python. */
export function activate(context: vscode.ExtensionContext): void {
  const log = createLog();
  const status = new StatusItem();
  const discovery = new Discovery(log);
  const current = new Server(context.extensionPath, discovery, status, log);
  server = current;

  context.subscriptions.push(
    log,
    status,
    discovery,
    discovery.onDidChange(() => void current.update()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void current.update()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void current.update()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("shapewise.enable") || event.affectsConfiguration("shapewise.interpreter")) {
        void current.update();
      }
      if (event.affectsConfiguration("shapewise.inlayHints")) {
        current.sendSettings();
      }
    }),
    vscode.commands.registerCommand("shapewise.restart", () => current.restart()),
    vscode.commands.registerCommand("shapewise.showLogs", () => log.show()),
    vscode.commands.registerCommand("shapewise.toggleHints", toggleHints),
  );
  void current.update();
}

export async function deactivate(): Promise<void> {
  await server?.dispose();
}
