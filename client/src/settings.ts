import * as vscode from "vscode";

export const SECTION = "shapewise";

/** What the server wants to know of the settings. */
export interface ServerSettings {
  inlayHints: { enabled: boolean; parameters: boolean };
}

const settings = () => vscode.workspace.getConfiguration(SECTION);

export const isEnabled = (): boolean => settings().get("enable", true);

/** What the user named as interpreter; empty if nothing. */
export const interpreterSetting = (): string => settings().get("interpreter", "").trim();

export const serverSettings = (): ServerSettings => ({
  inlayHints: {
    enabled: settings().get("inlayHints.enabled", true),
    parameters: settings().get("inlayHints.parameters", true),
  },
});

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
