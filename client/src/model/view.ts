/** What `shapewise/model` answers, and what the panel and its page say to each other. Plain data. */

export interface Place {
  uri: string;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  /** From 1. */
  line: number;
  file: string;
}

/** A layer that is called, or an operation between layers: then `type` is null. */
export interface Row {
  depth: number;
  name: string;
  type: string | null;
  output: string | null;
  parameters: number | null;
  trainable: number | null;
  flops: number;
  exact: boolean;
  bytes: number | null;
  kept: number;
  place: Place | null;
  first: number;
  end: number;
  again: boolean;
  failed: boolean;
  perhaps: boolean;
}

/** Bytes held at each step; `rows` names the row of each step, `held` what is held at the peak by row. */
export interface Memory {
  live: number[];
  rows: number[];
  peak: number;
  held: { row: number | null; bytes: number }[];
  rest: number;
  saved: number;
  after: number;
}

export interface ModelView {
  type: string;
  /** Nothing calls it: there are shapes with names, and no numbers. */
  assumed: boolean;
  place: Place | null;
  training: boolean;
  choice: string;
  choices: { key: string; label: string }[];
  rows: Row[];
  weights: number;
  trainable: number;
  buffers: number;
  memory: Memory | null;
  notes: string[];
}

export type Answer = ModelView | { why: string };

/** Which call of which document a panel is about: enough to ask for it again. */
export interface About {
  document: string;
  type: string;
  choice: string;
}

/** What the page keeps while its window is loaded anew: rows that are closed, and what it is about. */
export interface Kept {
  closed: string[];
  about?: About;
}

export type ToPage = { kind: "view"; view: ModelView; about: About } | { kind: "why"; why: string } | { kind: "busy" };

export type FromPage = { kind: "ready" } | { kind: "open"; row: number } | { kind: "choose"; key: string };
