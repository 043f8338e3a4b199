import assert from "node:assert/strict";
import test from "node:test";
import type { Row } from "../src/model/view";
import { operation, parents, paths, pattern, together } from "../webview/paths";

const row = (depth: number, name: string, type: string | null = "Layer"): Row => ({
  depth,
  name,
  type,
  output: null,
  parameters: null,
  trainable: null,
  flops: 0,
  exact: true,
  bytes: null,
  kept: 0,
  place: null,
  first: 0,
  end: 0,
  again: false,
  failed: false,
  perhaps: false,
});

const ROWS = [
  row(0, "Net"),
  row(1, "blocks.0"),
  row(2, "conv"),
  row(2, "torch.nn.functional.relu", null),
  row(1, "mean", null),
  row(1, "head"),
];

test("each row knows the one it is in", () => {
  assert.deepEqual(parents(ROWS), [undefined, 0, 1, 1, 0, 0]);
});

test("a path leaves out the model itself", () => {
  assert.deepEqual(paths(ROWS), ["Net", "blocks.0", "blocks.0.conv", "blocks.0 · relu", "mean", "head"]);
});

test("an operation is called as one writes it", () => {
  assert.deepEqual(["torch.relu", "torch.nn.functional.gelu", "@", "torchvision.ops.nms"].map(operation), [
    "relu",
    "gelu",
    "@",
    "torchvision.ops.nms",
  ]);
});

test("parts that differ by their first number are alike", () => {
  assert.deepEqual(
    ["blocks.11.mlp.0", "0.conv", "layer1.0", "blocks.3 · +", "head"].map(pattern),
    ["blocks.*.mlp.0", "*.conv", "layer1.*", "blocks.* · +", "head"],
  );
});

test("what is alike is counted together, the most first", () => {
  const names = ["head", "blocks.0.fc", "blocks.1.fc"];
  const held = [
    { row: 0, bytes: 50 },
    { row: 1, bytes: 30 },
    { row: 2, bytes: 30 },
    { row: null, bytes: 5 },
  ];
  assert.deepEqual(
    together(held, (one) => (one === null ? "given" : (names[one] ?? ""))),
    [
      { row: 1, name: "blocks.*.fc", bytes: 60, times: 2 },
      { row: 0, name: "head", bytes: 50, times: 1 },
      { row: null, name: "given", bytes: 5, times: 1 },
    ],
  );
});
