// The names of the series, as buttons that show and hide them.

import * as Plot from "@observablehq/plot";
import { label, type Chart, type Series } from "./charts";
import { element } from "./dom";
import type { Look, Looks } from "./looks";
import { dotLook } from "./pieces";

function swatch(look: Look, line: boolean): SVGSVGElement | HTMLElement {
  const svg = Plot.plot({
    width: 30,
    height: 14,
    margin: 0,
    axis: null,
    x: { type: "identity" },
    y: { type: "identity" },
    marks: [
      ...(line
        ? [
            Plot.line(
              [
                [1, 7],
                [29, 7],
              ],
              {
                stroke: look.colour,
                strokeWidth: 2,
                strokeDasharray: look.dash,
              },
            ),
          ]
        : []),
      Plot.dot([[15, 7]], { ...dotLook(look), r: 4 }),
    ],
  });
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

export function legend(
  chart: Chart,
  looks: Looks,
  all: Series[],
  hidden: Set<string>,
  changed: () => void,
): HTMLElement {
  const list = element("div", {
    class: "legend",
    role: "group",
    "aria-label": "Interconnects shown",
  });
  for (const one of all) {
    const button = element(
      "button",
      { type: "button", "aria-pressed": String(!hidden.has(one.key)) },
      swatch(looks.of(chart, all, one), chart.x !== null || chart.groups !== null),
      label(chart, all, one),
    );
    button.addEventListener("click", () => {
      if (!hidden.delete(one.key)) hidden.add(one.key);
      button.setAttribute("aria-pressed", String(!hidden.has(one.key)));
      changed();
    });
    list.append(button);
  }
  return list;
}
