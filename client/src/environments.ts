import * as vscode from "vscode";
import type { Interpreter, Source } from "./interpreter";

// Other extensions are asked if they are there; none is needed. Only what is used of them is declared.

interface EnvironmentsApi {
  getEnvironment(scope: vscode.Uri | undefined): Promise<
    | { displayName?: string; execInfo?: { run?: { executable?: string }; activatedRun?: { executable?: string } } }
    | undefined
  >;
  onDidChangeEnvironment?: vscode.Event<unknown>;
}

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(scope: vscode.Uri | undefined): { path: string };
    resolveEnvironment(
      environment: { path: string },
    ): Promise<{ executable: { uri: vscode.Uri | undefined } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

abstract class ExtensionSource<Api> implements Source, vscode.Disposable {
  abstract readonly name: string;
  protected abstract readonly id: string;
  private listening: vscode.Disposable | undefined;

  constructor(private readonly changed: () => void) {}

  protected abstract ask(api: Api, scope: vscode.Uri | undefined): Promise<string | undefined>;
  protected abstract changes(api: Api): vscode.Event<unknown> | undefined;

  async find(): Promise<Interpreter | undefined> {
    const extension = vscode.extensions.getExtension<Api | null>(this.id);
    // Null: the extension has been switched off by its own setting.
    const api = await extension?.activate();
    if (!api) {
      return undefined;
    }
    this.listening ??= this.changes(api)?.(() => this.changed());
    const path = await this.ask(api, vscode.workspace.workspaceFolders?.[0]?.uri);
    return path ? { path, reason: this.name } : undefined;
  }

  dispose(): void {
    this.listening?.dispose();
  }
}

class PythonEnvironments extends ExtensionSource<EnvironmentsApi> {
  readonly name = "chosen in Python Environments";
  protected readonly id = "ms-python.vscode-python-envs";

  protected async ask(api: EnvironmentsApi, scope: vscode.Uri | undefined): Promise<string | undefined> {
    const info = (await api.getEnvironment(scope))?.execInfo;
    return info?.run?.executable ?? info?.activatedRun?.executable;
  }

  protected changes(api: EnvironmentsApi): vscode.Event<unknown> | undefined {
    return api.onDidChangeEnvironment;
  }
}

class PythonExtension extends ExtensionSource<PythonApi> {
  readonly name = "chosen in the Python extension";
  protected readonly id = "ms-python.python";

  protected async ask(api: PythonApi, scope: vscode.Uri | undefined): Promise<string | undefined> {
    const active = api.environments.getActiveEnvironmentPath(scope);
    return (await api.environments.resolveEnvironment(active))?.executable.uri?.fsPath;
  }

  protected changes(api: PythonApi): vscode.Event<unknown> | undefined {
    return api.environments.onDidChangeActiveEnvironmentPath;
  }
}

/** The extensions that know which Python the user chose, the newer one first. */
export const extensionSources = (changed: () => void): (Source & vscode.Disposable)[] => [
  new PythonEnvironments(changed),
  new PythonExtension(changed),
];
