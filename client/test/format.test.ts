import assert from "node:assert/strict";
import test from "node:test";
import { bytes, exactly, short } from "../webview/format";

test("amounts have three digits that count", () => {
  const amounts = [0, 7, 4_736, 9_999, 57_600, 293_514, 999_499, 999_999, 2_460_786_688, 6.2e12];
  assert.deepEqual(amounts.map(short), ["0", "7", "4,736", "9,999", "57.6 K", "294 K", "999 K", "1 M", "2.46 G", "6.2 T"]);
});

test("bytes are in units of 1024", () => {
  const amounts = [0, 640, 1023, 1024, 2_359_296, 26_545_152, 1_048_575, 1024 ** 4];
  assert.deepEqual(amounts.map(bytes), ["0 B", "640 B", "1,023 B", "1 KiB", "2.25 MiB", "25.3 MiB", "1 MiB", "1 TiB"]);
});

test("exactly means every digit", () => assert.equal(exactly(379_601_664), "379,601,664"));
