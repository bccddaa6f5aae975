import assert from "node:assert/strict";
import test from "node:test";
import { decimalTicks, Horizontal, naturalKind } from "../src/axes";
import { charts } from "../src/charts";
import { row } from "./rows";
import { powerTicks, quantity, short, size } from "../src/numbers";

test("sizes are written in binary units", () => {
  assert.deepEqual([1, 64, 1023, 4096, 262144, 1 << 20, 1536].map(size), [
    "1",
    "64",
    "1023",
    "4 KiB",
    "256 KiB",
    "1 MiB",
    "1.50 KiB",
  ]);
});

test("numbers keep the digits that matter", () => {
  assert.deepEqual([0, 0.1031, 9.999, 12.345, 831.4, 21345.6, 2.5e8].map(short), [
    "0",
    "0.103",
    "10",
    "12.3",
    "831.4",
    "21346",
    "2.50e+8",
  ]);
  assert.equal(quantity(6, "us"), "6 µs");
  assert.equal(quantity(0.5, "1"), "0.5");
  assert.equal(quantity(831, "MB/s"), "831 MB/s");
});

test("ticks of sizes are the same powers of two in every plot, and fit the room", () => {
  assert.deepEqual(powerTicks(1, 1 << 22, 8), [1, 8, 64, 512, 4096, 32768, 262144, 2097152]);
  assert.deepEqual(powerTicks(1, 1 << 22, 5), [1, 64, 4096, 262144]);
  assert.deepEqual(powerTicks(8, 65536, 4), [64, 4096]);
  assert.deepEqual(powerTicks(3, 20, 8), [4, 8, 16]);
});

test("a wide range of values is shown on a logarithmic axis, with few ticks", () => {
  assert.equal(naturalKind([1, 9]), "log");
  assert.equal(naturalKind([1, 7]), "linear");
  assert.equal(naturalKind([0, 100]), "linear");
  assert.deepEqual(decimalTicks(1, 60), [1, 2, 5, 10, 20, 50]);
  assert.deepEqual(decimalTicks(0.01, 5000), [0.01, 0.1, 1, 10, 100, 1000]);
});

test("a message of no bytes has its place and its name on a logarithmic axis", () => {
  const bytes = [0, 1, 2, 4];
  const [chart] = charts(bytes.map((n) => row("shm", { message_bytes: n }, 1)));
  const axis = new Horizontal(chart!, bytes, 600);
  assert.equal(axis.place(0), 0.5);
  assert.deepEqual(axis.ticks!.map(axis.text), ["0", "1", "2", "4"]);
});

test("numbers of processes are doubled from tick to tick", () => {
  const ranks = [2, 4, 8];
  const [chart] = charts(ranks.map((n) => row("via", { processes: n }, 1, "mpi-init-time")));
  const axis = new Horizontal(chart!, ranks, 600);
  assert.deepEqual(axis.ticks!.map(axis.text), ["2", "4", "8"]);
});
