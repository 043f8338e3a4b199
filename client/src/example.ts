import * as vscode from "vscode";

/** Opens a copy of an example that may be changed as one likes. */
export async function openExample(extension: vscode.Uri): Promise<void> {
  const file = vscode.Uri.joinPath(extension, "examples", "attention.py");
  const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "python", content }));
}
