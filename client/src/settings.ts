import * as vscode from "vscode";

export const SECTION = "shapewise";

/** What the server is told of the settings: all of ours but those that decide whether and how it is started. */
export type ServerSettings = Record<string, unknown>;

const OF_THE_CLIENT = new Set(["enable", "interpreter", "trace", "validate"]);

const settings = () => vscode.workspace.getConfiguration(SECTION);

export const isEnabled = (): boolean => settings().get("enable", true);

/** What the user named as interpreter; empty if nothing. */
export const interpreterSetting = (): string => settings().get("interpreter", "").trim();

export function serverSettings(): ServerSettings {
  const all = Object.entries(settings()).filter(
    ([name, value]) => typeof value !== "function" && !OF_THE_CLIENT.has(name),
  );
  return JSON.parse(JSON.stringify(Object.fromEntries(all))) as ServerSettings;
}

/** The settings of ours that the user has changed, for a report. */
export function changedSettings(): Record<string, unknown> {
  const { packageJSON } = vscode.extensions.getExtension("shapewise.shapewise") ?? { packageJSON: {} };
  const names = Object.keys(packageJSON.contributes?.configuration?.properties ?? {});
  const changed: Record<string, unknown> = {};
  for (const name of names) {
    const found = vscode.workspace.getConfiguration().inspect(name);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined) {
      changed[name] = value;
    }
  }
  return changed;
}

/** Turns the hints on or off where the user last said so: here if the workspace says so, else everywhere. */
export async function toggleHints(): Promise<void> {
  const key = "inlayHints.enabled";
  const isInWorkspace = settings().inspect<boolean>(key)?.workspaceValue !== undefined;
  await settings().update(
    key,
    !settings().get(key, true),
    isInWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
  );
}
