// All experiments, grouped and folded; a chart is drawn when somebody opens it.

import { charts as chartsOf, type Chart } from "./charts";
import type { Row } from "./data";
import { element } from "./dom";
import { Figure, figureId } from "./figure";
import { count } from "./numbers";
import type { Contents } from "./top";

const groups: [string, RegExp][] = [
  ["Your programs", /^run$/],
  ["Latency", /^latency-/],
  ["Bandwidth", /^bandwidth-|^multi-connection|-two-port|-two-process/],
  ["The host's part", /host-overhead|completion|remote-memory|buffer|address|overlap/],
  ["Many at a time", /hotspot|connections|scal|remote|concurren|simultaneous/],
  ["MPI between two", /^mpi-(?!init)|^mvich/],
  ["MPI among many", /allreduce|collective|vi-count|destinations|npb|mpi-init/],
  ["Quadrics from inside", /^quadrics-|^elan|^network-/],
  ["The machine itself", /^limits$/],
];

export function groupOf(experiment: string): string {
  return groups.find(([, pattern]) => pattern.test(experiment))?.[0] ?? "Others";
}

// Everything that an experiment can be found by.
function searchable(name: string, own: Chart[], contents: Contents): string {
  const known = contents.data.experiments[name];
  return [name, known?.summary ?? "", known?.source ?? "", ...own.flatMap((c) => [c.metric, ...c.fabrics])]
    .join(" ")
    .toLowerCase();
}

export class Experiments {
  readonly section = element("section", { id: "all" }, element("h2", {}, "All experiments"));
  readonly names: { group: string; name: string }[] = [];
  private readonly entries: { text: string; details: HTMLDetailsElement; link: string }[] = [];
  private readonly byFigure = new Map<string, HTMLDetailsElement>();
  private readonly none = element("p", { class: "remark", hidden: "" }, "No experiment has all these words.");

  constructor(private readonly contents: Contents) {
    const { charts } = contents;
    const names = [...new Set(charts.map((chart) => chart.experiment))];
    const order = [...groups.map(([name]) => name), "Others"];
    for (const group of order) {
      const own = names.filter((name) => groupOf(name) === group);
      if (own.length === 0) continue;
      const block = element("div", { class: "group" }, element("h3", {}, group));
      for (const name of own) {
        this.names.push({ group, name });
        block.append(this.experiment(name, charts.filter((chart) => chart.experiment === name)));
      }
      this.section.append(block);
    }
    if (names.length === 0)
      this.section.append(element("p", {}, "There are no rows in the files."));
    this.section.append(this.none);
  }

  // Opens what has this id, and gives the element; null: there is none here.
  reveal(id: string): HTMLElement | null {
    const details = this.byFigure.get(id);
    if (details === undefined) return null;
    details.hidden = false;
    this.open(details);
    return document.getElementById(id);
  }

  search(query: string): void {
    const wanted = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let found = 0;
    for (const { text, details } of this.entries) {
      details.hidden = !wanted.every((word) => text.includes(word));
      if (!details.hidden) found += 1;
    }
    this.none.hidden = found > 0 || this.entries.length === 0;
    for (const block of this.section.querySelectorAll<HTMLElement>(".group"))
      block.hidden = block.querySelector("details.experiment:not([hidden])") === null;
  }

  openAll(): void {
    for (const { details } of this.entries) this.open(details);
  }

  private open(details: HTMLDetailsElement): void {
    details.open = true;
    this.fill(details); // before the event, so that there is something to go to
  }

  private readonly makers = new Map<HTMLDetailsElement, () => void>();
  private fill(details: HTMLDetailsElement): void {
    const make = this.makers.get(details);
    this.makers.delete(details);
    make?.();
  }

  private experiment(name: string, own: Chart[]): HTMLElement {
    const { data, fabrics } = this.contents;
    const known = data.experiments[name];
    const asked = fabrics.filter((fabric) => own.some((chart) => chart.fabrics.includes(fabric)));
    const body = element("div", { class: "figures" });
    const details = element(
      "details",
      { class: "experiment", id: `experiment-${name}` },
      element(
        "summary",
        {},
        element("b", {}, name),
        element("span", {}, known?.summary ?? ""),
        element("small", {}, `${count(own.length, "chart")}, ${count(asked.length, "interconnect")}`),
      ),
      ...(known === undefined ? [] : [element("p", { class: "remark" }, `Source: ${known.source}.`)]),
      body,
    );
    this.makers.set(details, () => {
      for (const chart of own) {
        const figure = new Figure(chart, this.contents, data);
        body.append(figure.element);
        figure.start();
      }
    });
    details.addEventListener("toggle", () => {
      if (details.open) this.fill(details);
    });
    this.byFigure.set(details.id, details);
    for (const chart of own) this.byFigure.set(figureId(chart), details);
    this.entries.push({ text: searchable(name, own, this.contents), details, link: details.id });
    return details;
  }
}

// One chart an experiment and metric, interconnects in the page's order.
export function orderedCharts(rows: Row[], fabrics: string[], names: string[]): Chart[] {
  const place = new Map(fabrics.map((name, i) => [name, i]));
  const sorted = [...rows].sort((a, b) => place.get(a.fabric)! - place.get(b.fabric)!);
  const at = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length);
  return chartsOf(sorted)
    .map((chart, i) => ({ chart, i }))
    .sort((a, b) => at(a.chart.experiment) - at(b.chart.experiment) || a.i - b.i)
    .map(({ chart }) => chart);
}
