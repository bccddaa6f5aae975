// How series are told apart: by colour, by the shape of their points, and by dashes, so that no
// reader depends on colour alone. The colours themselves are in page.css, for light and for dark.

import type { SymbolType } from "@observablehq/plot";
import type { Chart, Series } from "./charts";

export interface Look {
  colour: string;
  symbol: SymbolType;
  filled: boolean;
  dash: string;
}

const colours = 8; // page.css has as many
const symbols: SymbolType[] = ["circle", "square", "triangle", "diamond", "cross", "wye", "star"];
const dashes = ["none", "6 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2"];

export function colour(index: number): string {
  return `var(--series-${index % colours})`;
}

function look(index: number, variant: number): Look {
  return {
    colour: colour(index),
    symbol: symbols[index % symbols.length]!,
    filled: index < symbols.length,
    dash: dashes[variant % dashes.length]!,
  };
}

// An interconnect has the same colour and shape in all plots; what else was varied shows in the
// dashes. A plot of one interconnect gives the colours to what was varied.
export class Looks {
  private readonly places: Map<string, number>;

  constructor(fabrics: string[]) {
    this.places = new Map(fabrics.map((name, i) => [name, i]));
  }

  of(chart: Chart, all: Series[], one: Series): Look {
    if (chart.fabrics.length === 1) return look(all.indexOf(one), 0);
    const variants = [...new Set(all.map((s) => JSON.stringify(s.choice)))];
    return look(this.place(one.fabric), variants.indexOf(JSON.stringify(one.choice)));
  }

  // For a mark of a paper: the colour of the interconnect that models it.
  ofFabric(chart: Chart, fabric: string | null): string {
    if (fabric === null || chart.fabrics.length === 1 || !this.places.has(fabric))
      return "currentColor";
    return colour(this.place(fabric));
  }

  private place(fabric: string): number {
    return this.places.get(fabric) ?? 0;
  }
}
