import * as vscode from "vscode";

/** The one channel that everything is written to: what the client decides and what the server says. */
export const createLog = (): vscode.LogOutputChannel =>
  vscode.window.createOutputChannel("Shapewise", { log: true });

export type Log = Pick<vscode.LogOutputChannel, "debug" | "info" | "warn" | "error">;
