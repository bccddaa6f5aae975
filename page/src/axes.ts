// The scales of a plot: what they span, where their ticks are, and how these are written.

import type { ScaleOptions } from "@observablehq/plot";
import type { Chart } from "./charts";
import { powerTicks, short, size, unitName, words } from "./numbers";

export type Kind = "log" | "linear";

const pixelsPerTick = 64;

function within(values: number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

// Where values differ by less than this, a linear axis from 0 tells more.
const wide = 8;

export function naturalKind(values: number[]): Kind {
  const [least, most] = within(values);
  return least > 0 && most / least > wide ? "log" : "linear";
}

// Powers of ten; 1, 2 and 5 of each where there are few of them.
export function decimalTicks(least: number, most: number): number[] {
  const decades = Math.log10(most / least);
  const digits = decades < 3 ? [1, 2, 5] : [1];
  const step = Math.max(1, Math.ceil(decades / 8));
  const ticks: number[] = [];
  for (let e = Math.floor(Math.log10(least)); e <= Math.ceil(Math.log10(most)); e += step)
    for (const digit of digits) ticks.push(Number((digit * 10 ** e).toPrecision(3)));
  return ticks.filter((tick) => tick >= least * 0.999 && tick <= most * 1.001);
}

// A scale, and its ticks where the library would choose worse ones.
export interface Axis {
  scale: ScaleOptions;
  ticks?: number[];
  text: (value: number) => string;
}

export function valueAxis(unit: string, metric: string, values: number[], kind: Kind): Axis {
  const [least, most] = within(values);
  const label = `${words(metric)} (${unitName(unit)})`;
  if (kind === "linear") {
    const domain = [Math.min(0, least), most];
    return { scale: { type: "linear", domain, nice: true, label }, text: short };
  }
  // Room above and below, so that no point stands on the frame.
  const domain: [number, number] = [least / 1.3, most * 1.3];
  return { scale: { type: "log", domain, label }, ticks: decimalTicks(...domain), text: short };
}

// Along what was varied.
export class Horizontal implements Axis {
  readonly scale: ScaleOptions;
  readonly ticks?: number[];
  readonly least: number;
  readonly most: number;
  private readonly sizes: boolean;
  private readonly zero: number;

  constructor(chart: Chart, values: number[], width: number) {
    const positive = values.filter((v) => v > 0);
    const [least, most] = within(positive.length > 0 ? positive : [1]);
    const none = positive.length < values.length;
    this.sizes = chart.x === "message_bytes";
    // Numbers of processes are powers of two more often than not.
    const log = this.sizes || (!none && (chart.x === "processes" || most / least >= 16));
    // A logarithm has no place for 0: it stands one step to the left of all.
    this.zero = log ? least / 2 : 0;
    this.least = none ? this.zero : least;
    this.most = most;
    const label = words(chart.x ?? "") + (this.sizes ? " (bytes)" : "");
    if (!log) {
      const domain = [this.least, most];
      this.scale = { type: "linear", domain, label, insetLeft: 8, insetRight: 8 };
      return;
    }
    const room = Math.max(2, Math.floor(width / pixelsPerTick));
    this.scale = { type: "log", base: 2, domain: [this.least / 1.15, most * 1.15], label };
    this.ticks = [...(none ? [this.zero] : []), ...powerTicks(least, most, room)];
  }

  text = (value: number): string => {
    if (value === this.zero) return "0";
    return this.sizes ? size(value) : short(value);
  };

  place(value: number): number {
    return value <= 0 ? this.zero : value;
  }
}
