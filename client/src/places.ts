import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { BadSetting, type Interpreter } from "./interpreter";

const ADVICE = "Set shapewise.interpreter to your Python.";
const IN_ENVIRONMENT =
  process.platform === "win32" ? ["Scripts/python.exe", "python.exe"] : ["bin/python", "bin/python3"];
const ON_PATH = process.platform === "win32" ? ["python.exe", "python3.exe"] : ["python3", "python"];
const ENVIRONMENTS = [".venv", "venv"];
export const FROM_PATH = "first on PATH";

/** The executable that `shapewise.interpreter` means; it must lie in none of the forbidden folders. Throws BadSetting. */
export function fromSetting(
  setting: string,
  folder: string | undefined,
  forbidden: readonly string[] = [],
): Interpreter | undefined {
  if (setting === "") {
    return undefined;
  }
  const meant = setting
    .replace(/^~(?=$|[/\\])/, os.homedir())
    .replaceAll("${workspaceFolder}", () => folder ?? "${workspaceFolder}");
  const isCommand = path.basename(meant) === meant;
  const full = path.resolve(folder ?? "", meant);
  const found = isCommand ? onPath([meant], forbidden) : isFile(full) ? full : inEnvironment(full);
  if (found === undefined) {
    throw new BadSetting(`There is no Python at ${setting}. ${ADVICE}`);
  }
  if (forbidden.some((root) => isInside(found, root))) {
    throw new BadSetting(`${setting} lies in a folder that is not trusted. Trust the folder or set another Python.`);
  }
  return { path: found, reason: "shapewise.interpreter" };
}

/** The Python of the environment that lies in one of the folders. */
export function fromFolders(folders: readonly string[]): Interpreter | undefined {
  for (const folder of folders) {
    for (const name of ENVIRONMENTS) {
      const found = inEnvironment(path.join(folder, name));
      if (found !== undefined) {
        return { path: found, reason: `${name} in the workspace` };
      }
    }
  }
  return undefined;
}

/** The first Python on PATH that lies in none of the folders. */
export function fromPath(forbidden: readonly string[]): Interpreter | undefined {
  const found = onPath(ON_PATH, forbidden);
  return found === undefined ? undefined : { path: found, reason: FROM_PATH };
}

// A link is left as it is: the link of a virtual environment is what makes it one.
const inEnvironment = (folder: string): string | undefined =>
  IN_ENVIRONMENT.map((name) => path.join(folder, name)).find(isFile);

function onPath(names: readonly string[], forbidden: readonly string[] = []): string | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    // A relative entry would lead into whatever folder is open.
    if (!path.isAbsolute(folder) || forbidden.some((root) => isInside(folder, root))) {
      continue;
    }
    const found = names.map((name) => path.join(folder, name)).find(isFile);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Whether a place is a folder itself or lies in it. */
export function isInside(place: string, root: string): boolean {
  const way = path.relative(root, place);
  return way === "" || (!way.startsWith("..") && !path.isAbsolute(way));
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
