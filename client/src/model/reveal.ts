import * as vscode from "vscode";
import type { Place } from "./view";

/** Shows a place in the editor that it came from: a line of a file, or of a notebook's cell. */
export async function reveal(place: Place | null | undefined, column: vscode.ViewColumn | undefined): Promise<void> {
  if (!place) {
    return;
  }
  const { start, end } = place.range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  const options = { viewColumn: column ?? vscode.ViewColumn.One, selection };
  for (const notebook of vscode.workspace.notebookDocuments) {
    const cell = notebook.getCells().find((one) => one.document.uri.toString() === place.uri);
    if (cell !== undefined) {
      const range = new vscode.NotebookRange(cell.index, cell.index + 1);
      await vscode.window.showNotebookDocument(notebook, { viewColumn: options.viewColumn, selections: [range] });
      return;
    }
  }
  await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), options);
}
