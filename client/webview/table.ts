import type { ModelView, Row } from "../src/model/view";
import { element } from "./dom";
import { bytes, exactly, short } from "./format";
import { operation, parents } from "./paths";

const MANY = 60;
/** Rows beyond which only the first level is open at the start. */

const HEADERS = [
  ["Layer", ""],
  ["Output", "Shape, and dtype unless it is float32"],
  ["Parameters", "Of the layer with all that is in it"],
  ["FLOPs", "Matrix products, convolutions and attention, two for a multiply and add, as torch counts them"],
  ["Size", "What the output takes"],
  ["Kept", "Memory made in it that autograd keeps for the backward pass"],
] as const;

/** The tree of layers as a grid: arrow keys move, open and close; Enter and a click go to the line. */
export function table(view: ModelView, closed: Set<string>, open: (row: number) => void, changed: () => void): HTMLElement {
  const { rows } = view;
  const above = parents(rows);
  const hasChildren = rows.map((row, index) => (rows[index + 1]?.depth ?? 0) > row.depth);
  const keys = rows.map((row, index) => key(rows, above, index, row));
  if (closed.size === 0 && rows.length > MANY) {
    rows.forEach((row, index) => row.depth > 0 && hasChildren[index] && closed.add(keys[index] ?? ""));
  }
  const most = { flops: Math.max(rows[0]?.flops ?? 0, 1), kept: Math.max(rows[0]?.kept ?? 0, 1) };
  const lines = rows.map((row, index) => line(row, index, hasChildren[index] ?? false, index > 0 ? most : undefined));
  const body = element("tbody", {}, ...lines);

  const isHidden = (index: number): boolean => {
    const parent = above[index];
    return parent !== undefined && (closed.has(keys[parent] ?? "") || isHidden(parent));
  };
  const update = () => {
    lines.forEach((one, index) => {
      one.hidden = isHidden(index);
      if (hasChildren[index]) {
        one.setAttribute("aria-expanded", String(!closed.has(keys[index] ?? "")));
      }
    });
  };
  const toggle = (index: number, isOpen: boolean) => {
    if (isOpen) {
      closed.delete(keys[index] ?? "");
    } else {
      closed.add(keys[index] ?? "");
    }
    update();
    changed();
  };
  const go = (index: number) => {
    lines.forEach((one, other) => (one.tabIndex = other === index ? 0 : -1));
    lines[index]?.focus();
  };
  const next = (index: number, step: number) => {
    for (let other = index + step; other >= 0 && other < lines.length; other += step) {
      if (!lines[other]?.hidden) {
        return other;
      }
    }
    return index;
  };

  lines.forEach((one, index) => {
    one.addEventListener("click", (event) => {
      const isChevron = (event.target as Element).closest(".chevron") !== null;
      if (isChevron && hasChildren[index]) {
        toggle(index, one.getAttribute("aria-expanded") === "false");
      } else {
        go(index);
        open(index);
      }
    });
    one.addEventListener("keydown", (event) => {
      const isOpen = one.getAttribute("aria-expanded") === "true";
      const isClosed = one.getAttribute("aria-expanded") === "false";
      switch (event.key) {
        case "ArrowDown":
          go(next(index, 1));
          break;
        case "ArrowUp":
          go(next(index, -1));
          break;
        case "ArrowRight":
          isClosed ? toggle(index, true) : isOpen && go(next(index, 1));
          break;
        case "ArrowLeft":
          isOpen ? toggle(index, false) : go(above[index] ?? 0);
          break;
        case "Home":
          go(0);
          break;
        case "End":
          go(next(lines.length, -1));
          break;
        case "Enter":
        case " ":
          open(index);
          break;
        default:
          return;
      }
      event.preventDefault();
    });
  });
  if (lines[0] !== undefined) {
    lines[0].tabIndex = 0;
  }
  update();
  const head = element("tr", { role: "row" });
  for (const [name, title] of HEADERS) {
    head.append(element("th", { scope: "col", role: "columnheader", ...(title ? { title } : {}) }, name));
  }
  return element(
    "div",
    { class: view.assumed ? "layers sketch" : "layers" },
    element("table", { role: "treegrid", "aria-label": `Layers of ${view.type}` }, element("thead", {}, head), body),
  );
}

/** Names a row across edits. */
function key(rows: readonly Row[], above: readonly (number | undefined)[], index: number, row: Row): string {
  const parent = above[index];
  const before = parent === undefined ? "" : key(rows, above, parent, rows[parent] as Row);
  return `${before}/${row.name}`;
}

function line(row: Row, index: number, hasChildren: boolean, most?: { flops: number; kept: number }): HTMLTableRowElement {
  const isOperation = row.type === null;
  const name = element("span", { class: "indent" });
  name.style.paddingLeft = `${row.depth * 16}px`;
  const chevron = element("span", { class: "chevron", "aria-hidden": "true" });
  const words = [
    element("span", { class: "name" }, isOperation ? operation(row.name) : row.name),
    row.type !== null && row.type !== row.name ? element("span", { class: "type" }, row.type) : undefined,
    ...marks(row),
  ];
  name.append(chevron, ...words.filter((word) => word !== undefined));
  const parameters = row.parameters ?? 0;
  const frozen = parameters > 0 && row.trainable !== null && row.trainable < parameters;
  const cells = [
    element("td", { class: "layer", role: "gridcell" }, name),
    element("td", { class: "shape", role: "gridcell" }, row.output ?? (row.failed ? "" : "?")),
    number(
      row.again ? "" : parameters ? short(parameters) : "",
      `${exactly(parameters)} parameters${frozen ? `, ${exactly(row.trainable ?? 0)} of them trainable` : ""}`,
    ),
    number(
      row.flops || !row.exact ? `${row.exact ? "" : "≥ "}${row.flops ? short(row.flops) : "?"}` : "",
      `${exactly(row.flops)} FLOPs`,
      most && row.flops / most.flops,
    ),
    number(row.bytes === null ? "" : bytes(row.bytes), row.bytes === null ? "" : `${exactly(row.bytes)} bytes`),
    number(row.kept ? bytes(row.kept) : "", `${exactly(row.kept)} bytes`, most && row.kept / most.kept),
  ];
  const classes = [isOperation ? "operation" : "", row.failed ? "failed" : "", row.place === null ? "" : "goes"];
  const place = row.place === null ? "" : `${row.place.file}, line ${row.place.line}`;
  return element(
    "tr",
    {
      role: "row",
      "aria-level": String(row.depth + 1),
      tabindex: "-1",
      class: classes.filter(Boolean).join(" "),
      "data-row": String(index),
      ...(hasChildren ? { "aria-expanded": "true" } : {}),
      ...(place ? { title: place } : {}),
    },
    ...cells,
  );
}

function marks(row: Row): HTMLElement[] {
  const found: [string, string][] = [];
  if (row.failed) {
    found.push(["fails", "Torch refuses this"]);
  }
  if (row.perhaps) {
    found.push(["±", "On one way of a condition that is not known, or in a loop that was not followed"]);
  }
  if (row.again) {
    found.push(["again", "The same layer was called before: its parameters are counted there"]);
  }
  return found.map(([text, title]) => element("span", { class: "mark", title }, text));
}

function number(text: string, title: string, share = 0): HTMLTableCellElement {
  const cell = element("td", { class: "number", role: "gridcell", ...(text && title ? { title } : {}) }, text);
  if (share > 0 && text) {
    const bar = element("span", {});
    bar.style.width = `${Math.min(100, 100 * share)}%`;
    cell.prepend(element("span", { class: "share", "aria-hidden": "true" }, bar));
  }
  return cell;
}
