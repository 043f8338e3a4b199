import * as vscode from "vscode";
import type { Server } from "./server";
import { messageOf } from "./text";

const COMMANDS = { function: "shapewise.annotateFunction", file: "shapewise.annotateFile" };

/** Writes the shapes that the hints show into the text: of the function at the cursor, or of the file. */
export async function annotate(server: Server, what: keyof typeof COMMANDS): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "python") {
    void vscode.window.showInformationMessage("Open a Python file, then annotate its shapes.");
    return;
  }
  try {
    const client = server.running;
    if (!client.knows(COMMANDS[what])) {
      throw new Error("This language server cannot annotate shapes.");
    }
    const { line, character } = editor.selection.active;
    const position = what === "function" ? [{ line, character }] : [];
    if (!(await client.execute(COMMANDS[what], editor.document.uri.toString(), ...position))) {
      void vscode.window.showInformationMessage(`There is no shape to write down in this ${what}.`);
    }
  } catch (error) {
    void vscode.window.showWarningMessage(messageOf(error));
  }
}
