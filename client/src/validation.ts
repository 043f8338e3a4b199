/** A machine that may run the user's code. An empty prefix is this one. */
export type Host = { name: string; prefix: string };

/** What a run would be: it is shown before, and agreed to. */
export type Plan = { command: string; files: string[] };

/** The machines of a setting, `{"box": "ssh -T box"}`; what makes no sense is left out. */
export const hosts = (setting: unknown): Host[] =>
  typeof setting === "object" && setting !== null && !Array.isArray(setting)
    ? Object.entries(setting)
        .filter((entry): entry is [string, string] => entry[0].trim() !== "" && typeof entry[1] === "string")
        .map(([name, prefix]) => ({ name, prefix: prefix.trim() }))
    : [];

/** What names a plan: another command or another file is another one. */
export const agreement = ({ command, files }: Plan): string => JSON.stringify([command, ...files.toSorted()]);
