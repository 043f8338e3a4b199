// A workbench that talks to nobody and shows nothing but the editor.
export const QUIET = {
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "update.showReleaseNotes": false,
  "extensions.autoUpdate": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "workbench.startupEditor": "none",
  "workbench.enableExperiments": false,
  "workbench.tips.enabled": false,
  "workbench.settings.enableNaturalLanguageSearch": false,
  "chat.disableAIFeatures": true,
  "security.workspace.trust.enabled": false,
  "git.enabled": false,
  "npm.fetchOnlinePackageInfo": false,
  "json.schemaDownload.enable": false,
  "typescript.disableAutomaticTypeAcquisition": true,
  "editor.inlayHints.enabled": "on",
  "editor.minimap.enabled": false,
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.editorAssociations": { "*.ipynb": "jupyter-notebook" },
};

/** Folders are not trusted until somebody says so, and nobody is asked at the start. */
export const TRUST = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
  "security.workspace.trust.emptyWindow": false,
  "security.workspace.trust.untrustedFiles": "open",
};
