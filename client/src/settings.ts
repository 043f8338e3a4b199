import * as vscode from "vscode";

export const SECTION = "shapewise";

/** What the server wants to know of the settings. */
export interface ServerSettings {
  inlayHints: Record<string, unknown>;
  rules: Record<string, string>;
}

const settings = () => vscode.workspace.getConfiguration(SECTION);

export const isEnabled = (): boolean => settings().get("enable", true);

/** What the user named as interpreter; empty if nothing. */
export const interpreterSetting = (): string => settings().get("interpreter", "").trim();

export const serverSettings = (): ServerSettings => ({
  inlayHints: { ...settings().get<Record<string, unknown>>("inlayHints") },
  rules: { ...settings().get<Record<string, string>>("rules") },
});

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
