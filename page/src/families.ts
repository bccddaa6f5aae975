// Interconnects of one family share a colour, and each has a shade of its own. The colours are in
// page.css, for light and for dark, and differ for colour-blind readers; shapes and dashes tell the
// rest (looks.ts), so that nothing hangs on colour alone.

// In the order in which they are shown. What fits none is a family by its first word.
const known: [name: string, pattern: RegExp][] = [
  ["InfiniBand", /^infiniband/],
  ["Quadrics", /^quadrics/],
  ["Myrinet", /^(myrinet|mx10g)/],
  ["VIA", /via$/],
  ["Ethernet", /^(iwarp|neteffect|roce|ethernet|tcp|efa|slingshot)/],
  ["this machine", /^(shm|host)/],
  ["libfabric", /^ofi/],
  ["ideal", /^ideal/],
];

export const colours = 8; // page.css has as many

export function family(fabric: string): string {
  const found = known.find(([, pattern]) => pattern.test(fabric));
  return found?.[0] ?? fabric.split(/[-_: ]/)[0]!;
}

// How much of the text's colour, or of the paper's, goes into a shade.
const shades: [of: string, percent: number][] = [
  ["text", 0],
  ["text", 42],
  ["paper", 45],
  ["text", 66],
  ["paper", 66],
  ["text", 22],
  ["paper", 24],
];

export interface Shade {
  family: string;
  colour: string; // as CSS has it
  variant: number; // in its family
}

export class Families {
  private readonly shades = new Map<string, Shade>();
  // Each family's interconnects.
  readonly members = new Map<string, string[]>();

  constructor(fabrics: string[]) {
    const order = [...new Set(fabrics.map(family))].sort((a, b) => rank(a) - rank(b));
    const taken = new Set(order.map(rank).filter((place) => place < known.length));
    const free = [...Array(colours).keys()].filter((place) => !taken.has(place));
    for (const name of order) {
      const own = rank(name);
      const hue = own < known.length ? own : (free.shift() ?? colours - 1);
      const members = fabrics.filter((fabric) => family(fabric) === name);
      this.members.set(name, members);
      members.forEach((fabric, variant) =>
        this.shades.set(fabric, { family: name, colour: shade(hue, variant), variant }),
      );
    }
  }

  of(fabric: string): Shade {
    return this.shades.get(fabric) ?? { family: fabric, colour: "currentColor", variant: 0 };
  }
}

function rank(name: string): number {
  const place = known.findIndex(([of]) => of === name);
  return place < 0 ? known.length : place;
}

function shade(hue: number, variant: number): string {
  const [of, percent] = shades[variant % shades.length]!;
  const base = `var(--series-${hue % colours})`;
  return percent === 0 ? base : `color-mix(in oklab, ${base}, var(--${of}) ${percent}%)`;
}
