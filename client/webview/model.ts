// The page of `Shapewise: Show Model`. It draws what it is told and says what was clicked; it loads nothing.
import type { About, FromPage, Kept, ModelView, ToPage } from "../src/model/view";
import { element } from "./dom";
import { bytes, exactly, short } from "./format";
import { peak, plot } from "./plot";
import { table } from "./table";

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
};

const api = acquireVsCodeApi();
const main = document.getElementById("main") as HTMLElement;
const closed = new Set(api.getState()?.closed);
let shown = "";

const open = (row: number) => api.postMessage({ kind: "open", row });

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.kind) {
    case "busy":
      main.replaceChildren(element("p", { class: "empty", role: "status" }, "Following the model …"));
      break;
    case "why":
      main.replaceChildren(element("p", { class: "empty", role: "status" }, data.why));
      break;
    case "view":
      draw(data.view, data.about);
      break;
  }
});
api.postMessage({ kind: "ready" });

function draw(view: ModelView, about: About): void {
  const top = document.scrollingElement?.scrollTop ?? 0;
  if (shown !== view.type) {
    if (shown !== "") {
      closed.clear();
    }
    shown = view.type;
  }
  const memory = view.memory;
  const changed = () => api.setState({ closed: [...closed], about });
  changed();
  main.replaceChildren(
    header(view),
    ...(memory ? [element("div", { class: "memory" }, plot(view, memory, open), peak(view, memory, open))] : []),
    table(view, closed, open, changed),
    ...view.notes.map((note) => element("p", { class: "note" }, note)),
    ...(memory ? [memoryNote()] : []),
  );
  if (document.scrollingElement) {
    document.scrollingElement.scrollTop = top;
  }
}

const memoryNote = () =>
  element(
    "p",
    { class: "note" },
    "Memory is what torch's CPU kernels allocate, without parameters, what kernels need meanwhile, and what an allocator rounds up.",
  );

function header(view: ModelView): HTMLElement {
  const [model] = view.rows;
  const figures = element("dl", { class: "figures" });
  const figure = (name: string, value: string, more: string) =>
    figures.append(
      element("div", {}, element("dt", {}, name), element("dd", {}, value), element("dd", { class: "dim" }, more)),
    );
  if (view.assumed) {
    return element("header", { class: "sketch" }, element("h1", {}, view.type));
  }
  const parameters = model?.parameters ?? 0;
  const frozen = parameters - view.trainable;
  figure(
    "Parameters",
    exactly(parameters),
    `${bytes(view.weights)}${view.buffers ? " with buffers" : ""}${frozen ? `, ${exactly(frozen)} frozen` : ""}`,
  );
  figure("FLOPs", `${model?.exact ? "" : "≥ "}${short(model?.flops ?? 0)}`, "forward");
  if (view.memory !== null) {
    figure("Peak memory", bytes(view.memory.live[view.memory.peak] ?? 0), "without parameters");
    const kept = model?.kept ?? 0;
    const given = view.memory.saved - kept;
    const more = given > 0 ? `and ${bytes(given)} of its input` : "by autograd";
    figure("Kept for backward", bytes(kept), kept > 0 ? more : "nothing");
  }
  return element(
    "header",
    {},
    element("div", { class: "title" }, element("h1", {}, view.type), choices(view)),
    figures,
  );
}

function choices(view: ModelView): HTMLElement {
  if (view.choices.length < 2) {
    const [only] = view.choices;
    return element("p", { class: "dim which" }, `${view.place?.file ?? ""} · ${only?.label ?? ""}`);
  }
  const select = element("select", { "aria-label": "Which call" });
  for (const { key, label } of view.choices) {
    const option = element("option", { value: key }, label);
    option.selected = key === view.choice;
    select.append(option);
  }
  select.addEventListener("change", () => api.postMessage({ kind: "choose", key: select.value }));
  return element("div", { class: "which" }, select);
}
