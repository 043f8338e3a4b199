// Where things lie. Everything that is made lies below .cache/workbench, nothing in the home folder.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const HERE = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const ROOT = resolve(HERE, "../..");
export const CACHE = join(ROOT, ".cache", "workbench");
export const VSIX = process.env.SHAPEWISE_VSIX ?? join(ROOT, "dist", "shapewise.vsix");
export const PYTHON = process.env.SHAPEWISE_PYTHON ?? join(ROOT, ".venv", "bin", "python");
export const CHROMIUM = process.env.SHAPEWISE_CHROMIUM ?? "/usr/bin/chromium";

export const fingerprint = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");
