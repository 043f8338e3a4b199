import * as os from "node:os";
import * as vscode from "vscode";
import type { Server } from "./server";
import { changedSettings } from "./settings";
import type { StatusItem } from "./status";
import { fenced, listed, messageOf, type Section, text } from "./text";

const AROUND = 3;
const CONTEXT_LINES = 40;

/** What to send along with a bug report, as a document: nothing is sent by itself. */
export async function debugInformation(server: Server, status: StatusItem): Promise<void> {
  await open(text("Shapewise: debug information", await facts(server, status)));
}

/**
 * A report of a hint that is wrong: the lines around it, what is shown for them, and the versions. It stays in
 * an untitled document until its writer has looked at it and put it into an issue.
 */
export async function wrongHint(server: Server, status: StatusItem): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "python") {
    void vscode.window.showInformationMessage("Put the cursor onto the line whose hint is wrong.");
    return;
  }
  const { document, selection } = editor;
  const first = Math.max(0, Math.min(selection.start.line, selection.end.line) - AROUND);
  const last = Math.min(document.lineCount - 1, Math.max(selection.start.line, selection.end.line) + AROUND);
  const end = Math.min(last, first + CONTEXT_LINES);
  const range = new vscode.Range(first, 0, end, document.lineAt(end).text.length);
  const shown = await shownIn(server, document, range, selection.active);
  const sections: Section[] = [
    ["What is wrong", "Line and name, what the hint says, and what it should say:\n\n"],
    ["The lines", fenced("python", document.getText(range))],
    ["What Shapewise shows there", listed(shown)],
    ...(await facts(server, status)),
  ];
  const about = "Nothing of this is sent anywhere. Leave out what you cannot share, then paste it into an issue.";
  await open(text("Shapewise: a hint is wrong", sections, about));
}

async function shownIn(
  server: Server,
  document: vscode.TextDocument,
  range: vscode.Range,
  at: vscode.Position,
): Promise<string[]> {
  const textDocument = { uri: document.uri.toString() };
  const shown: string[] = [];
  try {
    const client = server.running;
    const { start, end } = range;
    const within = { start: plain(start), end: plain(end) };
    type Hint = { position: { line: number; character: number }; label: string | { value: string }[] };
    const hints = (await client.request("textDocument/inlayHint", { textDocument, range: within })) as Hint[] | null;
    for (const { position, label } of hints ?? []) {
      const before = document.lineAt(position.line).text.slice(0, position.character);
      const name = /[\w.]+$/.exec(before)?.[0] ?? "";
      const words = typeof label === "string" ? label : label.map(({ value }) => value).join("");
      shown.push(`line ${position.line + 1}: ${name} ${words}`);
    }
    type Hover = { contents: { value: string } };
    const hover = (await client.request("textDocument/hover", { textDocument, position: plain(at) })) as Hover | null;
    if (hover !== null) {
      shown.push(`at the cursor:\n\n${hover.contents.value}`);
    }
  } catch (error) {
    shown.push(messageOf(error));
  }
  for (const one of vscode.languages.getDiagnostics(document.uri)) {
    if (one.source === "shapewise" && range.intersection(one.range) !== undefined) {
      const code = typeof one.code === "object" ? one.code.value : one.code;
      shown.push(`line ${one.range.start.line + 1}: ${code}: ${one.message}`);
    }
  }
  return shown;
}

const plain = ({ line, character }: vscode.Position) => ({ line, character });

async function facts(server: Server, status: StatusItem): Promise<Section[]> {
  let running = "not running";
  let interpreter = "none";
  let times = "";
  try {
    const client = server.running;
    running = client.server;
    interpreter = `${client.interpreter.path} (${client.interpreter.reason})`;
    times = JSON.stringify(await client.request("shapewise/timing", {}));
  } catch {
    // The status says why.
  }
  const extension = vscode.extensions.getExtension("shapewise.shapewise");
  const versions = [
    `extension: ${String(extension?.packageJSON.version ?? "unknown")}`,
    `server: ${running}`,
    `interpreter: ${interpreter}`,
    `editor: ${vscode.env.appName} ${vscode.version}${vscode.env.remoteName ? `, remote (${vscode.env.remoteName})` : ""}`,
    `system: ${os.platform()} ${os.release()} ${os.arch()}`,
    `workspace: ${vscode.workspace.workspaceFolders?.length ?? 0} folders, ${vscode.workspace.isTrusted ? "trusted" : "not trusted"}`,
  ];
  const sections: Section[] = [
    ["Versions", listed(versions)],
    ["Status", fenced("", status.text)],
    ["Settings that were changed", fenced("json", JSON.stringify(changedSettings(), undefined, 2))],
  ];
  return times === "" || times === "{}" ? sections : [...sections, ["Times in ms", fenced("json", times)]];
}

async function open(content: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content });
  await vscode.window.showTextDocument(document, { preview: false });
}
