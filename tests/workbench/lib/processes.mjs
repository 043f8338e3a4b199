// The processes below another one, from /proc; none where there is no /proc.
import { existsSync, readdirSync, readFileSync } from "node:fs";

export function descendants(root) {
  const children = new Map();
  for (const entry of existsSync("/proc") ? readdirSync("/proc") : []) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      const command = readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      children.set(parent, [...(children.get(parent) ?? []), { pid: Number(entry), command }]);
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = [];
  const below = (pid) => (children.get(pid) ?? []).forEach((child) => (found.push(child), below(child.pid)));
  below(root);
  return found;
}
