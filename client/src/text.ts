/** A heading and what stands below it. */
export type Section = [heading: string, body: string];

/** A document of Markdown. */
export const text = (title: string, sections: readonly Section[], about = ""): string =>
  [`# ${title}`, about, ...sections.map(([heading, body]) => `## ${heading}\n\n${body}`)]
    .filter((part) => part !== "")
    .map((part) => part.trimEnd())
    .join("\n\n") + "\n";

/** A block of code, fenced by more backticks than it holds in a row. */
export function fenced(language: string, code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code.trimEnd()}\n${fence}`;
}

/** A list; an item of several lines goes on below itself. */
export const listed = (items: readonly string[]): string =>
  items.length === 0 ? "Nothing." : items.map((item) => `- ${item.replaceAll("\n", "\n  ")}`).join("\n");

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
