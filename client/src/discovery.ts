import * as vscode from "vscode";
import { extensionSources } from "./environments";
import { choose, type Interpreter, type Source } from "./interpreter";
import type { Log } from "./logger";
import { FROM_PATH, fromFolders, fromPath, fromSetting, isInside } from "./places";
import { interpreterSetting } from "./settings";

/** Finds the user's Python, and says when it may have become another one. */
export class Discovery implements vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly onDidChange = this.emitter.event;
  private readonly extensions = extensionSources(() => this.emitter.fire());

  constructor(private readonly log: Log) {}

  /** Throws BadSetting. */
  async find(): Promise<Interpreter | undefined> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const untrusted = vscode.workspace.isTrusted ? [] : folders;
    const sources: Source[] = [
      { name: "shapewise.interpreter", find: () => fromSetting(interpreterSetting(), folders[0], untrusted) },
      ...this.extensions.map((source) => outside(untrusted, source)),
      outside(untrusted, { name: "the workspace", find: () => fromFolders(folders) }),
      { name: "PATH", find: () => fromPath(untrusted) },
    ];
    const found = await choose(sources, this.log, () => this.emitter.fire());
    // The Python of the folder would have come before the one on PATH: say why it did not.
    const isPassedOver = found?.reason === FROM_PATH && untrusted.length > 0 && fromFolders(folders) !== undefined;
    return isPassedOver ? { ...found, reason: `${FROM_PATH}: this folder is not trusted` } : found;
  }

  dispose(): void {
    this.extensions.forEach((source) => source.dispose());
    this.emitter.dispose();
  }
}

/** A source whose answer does not count if it lies in one of the folders: opening a folder must start nothing in it. */
const outside = (folders: readonly string[], source: Source): Source => ({
  name: source.name,
  find: async () => {
    const found = await source.find();
    return found && folders.some((folder) => isInside(found.path, folder)) ? undefined : found;
  },
});
