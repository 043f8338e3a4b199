import type { Memory, ModelView } from "../src/model/view";
import { drawn, element } from "./dom";
import { bytes } from "./format";
import { paths, pattern, together } from "./paths";

const HEIGHT = 190;
const TOP = 26;
const BELOW = 26;
const LEFT = 66;
const RIGHT = 10;
const CHARACTER = 6.3;
const HELD = 6;

/** Live memory along the forward pass: an area with its peak, and a caption that follows pointer and arrow keys. */
export function plot(view: ModelView, memory: Memory, open: (row: number) => void): HTMLElement {
  const names = paths(view.rows);
  const count = memory.live.length;
  const caption = element("p", { class: "caption" });
  const frame = element("div", {
    class: "plot",
    role: "slider",
    tabindex: "0",
    "aria-label": "Live memory along the forward pass; arrow keys move, Enter goes to the line",
    "aria-valuemin": "1",
    "aria-valuemax": String(count),
  });
  let at = memory.peak;
  let cursor: SVGLineElement | undefined;
  let scale = (step: number) => step;

  const say = (step: number) => {
    at = Math.min(Math.max(step, 0), count - 1);
    const row = memory.rows[at] ?? 0;
    const line = view.rows[row]?.place?.line;
    const where = `${names[row] || view.type}${line === undefined ? "" : `, line ${line}`}`;
    const peak = at === memory.peak ? "Peak: " : "";
    const words = `${peak}${bytes(memory.live[at] ?? 0)} at ${where}`;
    caption.textContent = words;
    frame.setAttribute("aria-valuenow", String(at + 1));
    frame.setAttribute("aria-valuetext", words);
    const x = String(scale(at + 0.5));
    cursor?.setAttribute("x1", x);
    cursor?.setAttribute("x2", x);
  };

  const draw = () => {
    const width = frame.clientWidth;
    if (width === 0) {
      return;
    }
    const top = ceiling(Math.max(...memory.live, 1));
    const floor = HEIGHT - BELOW;
    scale = (step) => LEFT + (step / count) * (width - LEFT - RIGHT);
    const y = (amount: number) => floor - (amount / top) * (floor - TOP);
    const outline = memory.live
      .map((live, step) => `L${scale(step).toFixed(1)} ${y(live).toFixed(1)}H${scale(step + 1).toFixed(1)}`)
      .join("");
    const peakX = scale(memory.peak + 0.5);
    const peakY = y(memory.live[memory.peak] ?? 0);
    const image = drawn("svg", { width, height: HEIGHT, "aria-hidden": "true" });
    for (const share of [0, 0.5, 1]) {
      image.append(
        drawn("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(top * share), y2: y(top * share) }),
        drawn("text", { class: "scale", x: LEFT - 8, y: y(top * share) + 4, "text-anchor": "end" }, bytes(top * share)),
      );
    }
    image.append(
      drawn("path", { class: "area", d: `M${scale(0)} ${floor}${outline}V${floor}Z` }),
      drawn("path", { class: "outline", d: outline.replace("L", "M") }),
      ...parts(view, memory, scale, floor, names),
    );
    cursor = drawn("line", { class: "cursor", x1: peakX, x2: peakX, y1: TOP - 4, y2: floor });
    const isLate = peakX > (LEFT + width) / 2;
    image.append(
      cursor,
      drawn("circle", { class: "peak", cx: peakX, cy: peakY, r: 4.5 }),
      drawn(
        "text",
        { class: "peak-label", x: peakX + (isLate ? -8 : 8), y: TOP - 10, "text-anchor": isLate ? "end" : "start" },
        `peak ${bytes(memory.live[memory.peak] ?? 0)}`,
      ),
    );
    frame.replaceChildren(image);
    say(at);
  };

  const stepAt = (event: MouseEvent) => {
    const box = frame.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    return Math.floor(share * count);
  };
  frame.addEventListener("mousemove", (event) => say(stepAt(event)));
  frame.addEventListener("mouseleave", () => say(memory.peak));
  frame.addEventListener("click", (event) => {
    say(stepAt(event));
    open(memory.rows[at] ?? 0);
  });
  frame.addEventListener("keydown", (event) => {
    const moves: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      Home: 0,
      End: count - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      say(to);
      event.preventDefault();
    } else if (event.key === "Enter") {
      open(memory.rows[at] ?? 0);
    }
  });
  new ResizeObserver(draw).observe(frame);
  return element(
    "section",
    { class: "course", "aria-label": "Live memory" },
    element("h2", {}, "Live memory along the forward pass"),
    frame,
    caption,
  );
}

/** Below the plot, the parts of the model that the steps belong to, named where there is room. */
function parts(
  view: ModelView,
  memory: Memory,
  scale: (step: number) => number,
  floor: number,
  names: string[],
): SVGElement[] {
  const base = view.rows[0]?.first ?? 0;
  const level = view.rows.filter((row) => row.depth === 1 && row.type !== null).length > 1 ? 1 : 2;
  const shown = view.rows.flatMap((row, index) =>
    row.depth === level && row.type !== null && row.first < row.end && row.end - base <= memory.live.length
      ? [{ name: names[index] ?? "", from: scale(row.first - base), to: scale(row.end - base) }]
      : [],
  );
  const marks: SVGElement[] = shown.map(({ from, to }) =>
    drawn("line", { class: "part", x1: from + 1, x2: Math.max(to - 1, from + 2), y1: floor + 5, y2: floor + 5 }),
  );
  const labels = shown.some(({ name, from, to }) => fits(name, from, to)) ? shown : runs(shown);
  let room = -Infinity;
  for (const { name, from, to } of labels) {
    const middle = (from + to) / 2;
    const half = (name.length * CHARACTER) / 2;
    if (fits(name, from, to) && middle - half > room) {
      room = middle + half + 6;
      marks.push(drawn("text", { class: "scale", x: middle, y: floor + 20, "text-anchor": "middle" }, name));
    }
  }
  return marks;
}

interface Part {
  name: string;
  from: number;
  to: number;
}

const fits = (name: string, from: number, to: number): boolean => name.length * CHARACTER <= to - from + 14;

/** Parts that are alike and follow each other as one: `blocks.0…47`. */
function runs(parts: readonly Part[]): Part[] {
  const found: (Part & { first: string })[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    if (last !== undefined && pattern(last.first) === pattern(part.name)) {
      last.to = part.to;
      last.name = `${last.first}…${part.name.split(".").at(-1)}`;
    } else {
      found.push({ ...part, first: part.name });
    }
  }
  return found;
}

/** The next number above that is round in bytes: the upper end of the scale. */
function ceiling(most: number): number {
  const unit = 1024 ** Math.floor(Math.log(most) / Math.log(1024));
  const amount = most / unit;
  const round = [1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100];
  const more = [120, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1024];
  return ([...round, ...more].find((one) => one >= amount) ?? 1024) * unit;
}

/** What is held at the peak, the largest first, each with a bar of its share. */
export function peak(view: ModelView, memory: Memory, open: (row: number) => void): HTMLElement {
  const names = paths(view.rows);
  const most = memory.live[memory.peak] ?? 1;
  const list = element("ol", { class: "held" });
  const groups = together(memory.held, (row) => (row === null ? "its input" : names[row] || view.type));
  for (const { row, name, bytes: size, times } of groups.slice(0, HELD)) {
    const bar = element("span", { class: "bar" });
    bar.style.width = `${Math.max((100 * size) / most, 0.5)}%`;
    const label = element(
      "button",
      { class: "line", ...(row === null ? { disabled: "" } : {}), title: name },
      element("span", { class: "name" }, name, times > 1 ? element("span", { class: "dim" }, ` ×${times}`) : undefined),
      element("span", { class: "number" }, bytes(size)),
      bar,
    );
    label.addEventListener("click", () => row !== null && open(row));
    list.append(element("li", {}, label));
  }
  const left = groups.slice(HELD).reduce((sum, { bytes: size }) => sum + size, memory.rest);
  return element(
    "section",
    { class: "at-peak", "aria-label": "Held at the peak" },
    element("h2", {}, "Held at the peak"),
    list,
    left > 0 ? element("p", { class: "dim rest" }, `and ${bytes(left)} in smaller ones`) : undefined,
  );
}
