// How series are told apart: by colour, by the shape of their points, and by dashes, so that no
// reader depends on colour alone. The colours themselves are in page.css, for light and for dark.

import type { SymbolType } from "@observablehq/plot";
import type { Chart, Series } from "./charts";
import { colours, type Families } from "./families";

export interface Look {
  colour: string;
  symbol: SymbolType;
  filled: boolean;
  dash: string;
}

const symbols: SymbolType[] = ["circle", "square", "triangle", "diamond", "cross", "wye", "star"];
const dashes = ["none", "6 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2"];

function look(colour: string, place: number, variant: number): Look {
  return {
    colour,
    symbol: symbols[place % symbols.length]!,
    filled: place < symbols.length,
    dash: dashes[variant % dashes.length]!,
  };
}

// An interconnect has the same colour and shape in all plots; what else was varied shows in the
// dashes. A plot of one interconnect gives the colours to what was varied.
export class Looks {
  private readonly places: Map<string, number>;

  constructor(
    private readonly families: Families,
    fabrics: string[],
  ) {
    this.places = new Map(fabrics.map((name, i) => [name, i]));
  }

  of(chart: Chart, all: Series[], one: Series): Look {
    if (chart.fabrics.length === 1) {
      const place = all.indexOf(one);
      return look(`var(--series-${place % colours})`, place, 0);
    }
    const variants = [...new Set(all.map((s) => JSON.stringify(s.choice)))];
    return this.ofFabric(one.fabric, variants.indexOf(JSON.stringify(one.choice)));
  }

  ofFabric(fabric: string, variant = 0): Look {
    return look(this.families.of(fabric).colour, this.places.get(fabric) ?? 0, variant);
  }

  // For a mark of a paper: the colour of the interconnect that models it.
  ofMark(chart: Chart, fabric: string | null): string {
    if (fabric === null || chart.fabrics.length === 1 || !this.places.has(fabric))
      return "currentColor";
    return this.families.of(fabric).colour;
  }
}
