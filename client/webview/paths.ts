import type { Row } from "../src/model/view";

/** The row that each row is in; the first is in none. */
export function parents(rows: readonly Row[]): (number | undefined)[] {
  const open: number[] = [];
  return rows.map((row, index) => {
    open.length = row.depth;
    open.push(index);
    return row.depth === 0 ? undefined : open[row.depth - 1];
  });
}

/** `stage1.conv2` or `stage1 · relu`: a row's place in the model, without the model itself. */
export function paths(rows: readonly Row[]): string[] {
  const above = parents(rows);
  const found: string[] = [];
  rows.forEach((row, index) => {
    const name = row.type === null ? operation(row.name) : row.name;
    const parent = above[index];
    const before = parent === undefined || rows[parent]?.depth === 0 ? "" : (found[parent] ?? "");
    found.push(before === "" ? name : `${before}${row.type === null ? " · " : "."}${name}`);
  });
  return found;
}

/** `blocks.*.mlp.0`: a path that names all parts that are alike but for the first number in it. */
export const pattern = (path: string): string => path.replace(/(^|\.)\d+(?=[. ]|$)/, "$1*");

/** What is held, with what lies in parts that are alike counted together, the most first. */
export function together(
  held: readonly { row: number | null; bytes: number }[],
  name: (row: number | null) => string,
): { row: number | null; name: string; bytes: number; times: number }[] {
  const found = new Map<string, { row: number | null; name: string; bytes: number; times: number }>();
  for (const { row, bytes } of held) {
    const key = pattern(name(row));
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, { row, name: name(row), bytes, times: 1 });
    } else {
      known.bytes += bytes;
      known.times++;
      known.name = key;
    }
  }
  return [...found.values()].sort((one, other) => other.bytes - one.bytes);
}

/** What torch calls an operation, without the modules it lies in. */
export const operation = (name: string): string => name.replace(/^torch\.(nn\.functional\.)?/, "");
