// A large figure: drawn when it is about to be seen, again when its width or the reader's choice
// changes, read by the crosshair, and with what a reader may take along.

import { Crosshair, type Readable } from "./crosshair";
import { button, element, whenResized, type Child } from "./dom";
import { csvText, save, svgText, type Sheet } from "./exports";
import type { State } from "./state";

const leastWidth = 280;

export interface Large {
  name: string;
  attributes?: Record<string, string>;
  above?: Child[];
  below?: Child[];
  // What a screen reader says of the plot.
  label: () => string;
  // Words instead of a plot say why there is nothing to see.
  draw: (width: number) => Readable | string;
  sheet: () => Sheet;
}

function tools(large: Large, holder: HTMLElement): HTMLElement {
  const file = large.name.replace(/[^\w]+/g, "-").replace(/^-|-$/g, "").toLowerCase();
  return element(
    "div",
    { class: "tools" },
    button("CSV", "The values of this chart", () => save(`${file}.csv`, "text/csv", csvText(large.sheet()))),
    button("SVG", "This chart as a picture", () => {
      const svg = holder.querySelector("svg");
      if (svg !== null) save(`${file}.svg`, "image/svg+xml", svgText(svg));
    }),
  );
}

export function largeFigure(large: Large, state: State | null = null): HTMLElement {
  const holder = element("div", { class: "plot" });
  const crosshair = new Crosshair(holder, large.name);
  const figure = element(
    "figure",
    { class: "large", ...large.attributes },
    element("figcaption", {}, element("h3", {}, large.name), element("div", {}, tools(large, holder))),
    ...(large.above ?? []),
    holder,
    ...(large.below ?? []),
  );
  const redraw = () => {
    const drawn = large.draw(Math.max(leastWidth, holder.clientWidth));
    if (typeof drawn === "string") {
      holder.replaceChildren(element("p", { class: "remark" }, drawn));
      return;
    }
    drawn.svg.setAttribute("role", "img");
    drawn.svg.setAttribute("aria-label", large.label());
    holder.replaceChildren(drawn.svg);
    crosshair.watch(drawn);
  };
  figure.addEventListener("placed", () => {
    redraw();
    whenResized(holder, redraw);
    state?.whenFiltered(redraw);
  });
  return figure;
}

// What a colour stands for, in a line of its own.
export function legendLine(parts: { name: string; fill: string }[]): HTMLElement {
  return element(
    "p",
    { class: "names" },
    ...parts.map(({ name, fill }) => element("span", {}, element("i", { style: `background:${fill}` }), name)),
  );
}
