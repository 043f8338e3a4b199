import * as vscode from "vscode";
import type { Server } from "./server";
import { messageOf } from "./text";
import { agreement, type Host, hosts, type Plan } from "./validation";

type Refused = { why: string };
type Done = { summary: string; report: string };

const AGREED = "shapewise.validate.agreed";
const MOST_FILES = 20;

/** Runs the open file for real where its user says, and shows what that confirmed and refuted. */
export async function validate(server: Server, state: vscode.Memento): Promise<void> {
  try {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    if (uri === undefined || vscode.window.activeTextEditor?.document.languageId !== "python") {
      throw new Error("Open the Python file that is to be run.");
    }
    if (!vscode.workspace.isTrusted) {
      throw new Error("Validation runs the code of this folder: trust it first.");
    }
    const host = await pick();
    if (host === undefined) {
      return;
    }
    const client = server.running;
    const plan = (await client.request("shapewise/validation/plan", { uri, on: host.prefix })) as Plan | Refused;
    if ("why" in plan) {
      throw new Error(plan.why);
    }
    if (!(await agreed(plan, host, state))) {
      return;
    }
    const options = { location: vscode.ProgressLocation.Notification, cancellable: true };
    const done = await vscode.window.withProgress(
      { ...options, title: `Shapewise: running on ${host.name}` },
      (_, cancelled) =>
        client.request(
          "shapewise/validation/run",
          { uri, on: host.prefix, agreed: plan },
          cancelled,
        ) as Promise<Done | Refused>,
    );
    if ("why" in done) {
      throw new Error(done.why);
    }
    if ((await vscode.window.showInformationMessage(done.summary, "Show Report")) !== undefined) {
      const report = { language: "markdown", content: done.report };
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(report), { preview: false });
    }
  } catch (error) {
    if (!(error instanceof vscode.CancellationError) && !isCancelled(error)) {
      void vscode.window.showWarningMessage(messageOf(error));
    }
  }
}

async function pick(): Promise<Host | undefined> {
  // Of machine scope: no workspace can set it.
  const found = hosts(vscode.workspace.getConfiguration("shapewise").inspect("validate.hosts")?.globalValue);
  if (found.length === 0) {
    const settings = "Open Settings";
    const words = "Validation is off: name the machines that may run your code in shapewise.validate.hosts.";
    if ((await vscode.window.showInformationMessage(words, settings)) === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "shapewise.validate.hosts");
    }
    return undefined;
  }
  const items = found.map((host) => ({ label: host.name, description: host.prefix || "this machine", host }));
  const title = "Run this file for real on ...";
  return (await vscode.window.showQuickPick(items, { title }))?.host;
}

/** Whether this very command may run these very files: asked once, and again when either is another. */
async function agreed(plan: Plan, host: Host, state: vscode.Memento): Promise<boolean> {
  const known = state.get<string[]>(AGREED, []);
  const key = agreement(plan);
  if (known.includes(key)) {
    return true;
  }
  const more = plan.files.length - MOST_FILES;
  const files = [...plan.files.slice(0, MOST_FILES), ...(more > 0 ? [`... and ${more} more`] : [])];
  const detail = `Command:\n${plan.command}\n\nSent along and run:\n${files.join("\n")}`;
  const run = "Run";
  const words = `Run this file for real on ${host.name}?`;
  if ((await vscode.window.showWarningMessage(words, { modal: true, detail }, run)) !== run) {
    return false;
  }
  await state.update(AGREED, [...known, key].slice(-100));
  return true;
}

const isCancelled = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === -32800;
