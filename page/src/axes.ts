// The scales of a plot: what they span, where their ticks are, and how these are written.

import type { ScaleOptions } from "@observablehq/plot";
import type { Chart } from "./charts";
import { powerTicks, short, size, unitName, words } from "./numbers";

export type Kind = "log" | "linear";

const pixelsPerTick = 64;

function within(values: number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

// Where values differ by less than this, a linear axis from nought tells more.
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

export function vertical(unit: string, metric: string, values: number[], kind: Kind): ScaleOptions {
  const [least, most] = within(values);
  const label = `${words(metric)} (${unitName(unit)})`;
  if (kind === "linear")
    return {
      type: "linear",
      domain: [Math.min(0, least), most],
      nice: true,
      label,
      tickFormat: short,
    };
  // Room above and below, so that no point stands on the frame.
  const domain: [number, number] = [least / 1.3, most * 1.3];
  return { type: "log", domain, label, ticks: decimalTicks(...domain), tickFormat: short };
}

export class Horizontal {
  readonly scale: ScaleOptions;
  readonly least: number;
  readonly most: number;
  private readonly zero: number;

  constructor(chart: Chart, values: number[], width: number) {
    const positive = values.filter((v) => v > 0);
    const [least, most] = within(positive.length > 0 ? positive : [1]);
    const sizes = chart.x === "message_bytes";
    const log = sizes || (positive.length === values.length && most / least >= 16);
    // A logarithm has no place for nought: it stands one step to the left of all.
    this.zero = log ? least / 2 : 0;
    this.least = positive.length < values.length ? this.zero : least;
    this.most = most;
    const label = words(chart.x ?? "") + (sizes ? " (bytes)" : "");
    const written = (v: number) =>
      v === this.zero && this.least === this.zero ? "0" : sizes ? size(v) : short(v);
    const domain: [number, number] = log ? [this.least / 1.15, most * 1.15] : [this.least, most];
    this.scale = log
      ? { type: "log", base: 2, domain, label, tickFormat: written, ticks: this.ticks(width) }
      : { type: "linear", domain, label, tickFormat: written, insetLeft: 8, insetRight: 8 };
  }

  place(value: number): number {
    return value <= 0 ? this.zero : value;
  }

  private ticks(width: number): number[] {
    const room = Math.max(2, Math.floor(width / pixelsPerTick));
    return powerTicks(this.least, this.most, room);
  }
}
