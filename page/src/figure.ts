// A plot with all that belongs to it: what the reader may choose, the legend, what may be taken
// along, and the rows.

import { firstChoice, series, type Chart } from "./charts";
import { Crosshair } from "./crosshair";
import type { Experiment, Fabric, Row } from "./data";
import { button, element, folded, select, table, whenResized } from "./dom";
import { draw } from "./draw";
import { command, csv, save, svgText } from "./exports";
import { legend } from "./legend";
import { count, exact, parameter, percent, short, unitName, words } from "./numbers";
import { shownOf, type Context, type View } from "./pieces";
import { weight } from "./published";

// Below this, text in a plot would stand upon other text; the figure scrolls instead.
const leastWidth = 280;

export interface Known {
  fabrics: Record<string, Fabric>;
  experiments: Record<string, Experiment>;
}

export function figureId(chart: Chart): string {
  return `${chart.experiment}.${chart.metric}.${chart.unit}`.replace(/[^\w.-]+/g, "_");
}

export function title(chart: Chart): string {
  const what = `${words(chart.metric)} (${unitName(chart.unit)})`;
  if (chart.groups !== null) return `${what} by ${words(chart.groups.name)}`;
  return chart.x === null ? what : `${what} against ${words(chart.x)}`;
}

// What is on the clock: the machine's own time, or that of a simulation.
export function clocks(chart: Chart, fabrics: Record<string, Fabric>): string {
  const named = (clock: string) =>
    chart.fabrics.filter((name) => (fabrics[name]?.clock ?? "unknown") === clock).join(", ");
  const sentences = [
    [named("real"), "measured in real time"],
    [named("virtual"), "modelled, in virtual time"],
    [named("unknown"), "as their files have it"],
  ];
  return sentences.flatMap(([who, how]) => (who === "" ? [] : [`${who}: ${how}.`])).join(" ");
}

function distribution({ statistics: found }: Row): string[] {
  if (found === undefined) return ["", "", "", ""];
  return [short(found.p1), short(found.p99), percent(found.spread), String(found.iterations)];
}

function rowTable(chart: Chart, rows: Row[]): HTMLElement {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.parameters)))];
  const hasSamples = rows.some((row) => row.statistics !== undefined);
  const columns = [
    { name: "interconnect" },
    ...names.map((name) =>
      rows.every((row) => typeof row.parameters[name] !== "string")
        ? { name: words(name), kind: "number" as const }
        : { name: words(name) },
    ),
    ...[unitName(chart.unit), ...(hasSamples ? ["p1", "p99", "spread", "samples"] : [])].map(
      (name) => ({ name, kind: "number" as const }),
    ),
  ];
  const cells = (row: Row) => [
    row.fabric,
    ...names.map((name) => {
      const value = row.parameters[name];
      return value === undefined ? "" : parameter(name, value);
    }),
    exact(row.value) + (row.steady ? "" : " ?"),
    ...(hasSamples ? distribution(row) : []),
  ];
  const made = table(`Rows of ${chart.experiment}`, columns, rows.map(cells), "rows");
  if (rows.every((row) => row.steady)) return made;
  return element("div", {}, made, element("p", { class: "remark" }, "?: longer runs still change it."));
}

export class Figure {
  readonly element: HTMLElement;
  readonly id: string;
  private readonly view: View;
  private readonly controls = element("div", { class: "controls" });
  private readonly names = element("div");
  private readonly holder = element("div", { class: "plot" });
  private readonly remark = element("p", { class: "remark" });
  private readonly nothing = element("p", { class: "remark", hidden: "" });
  private readonly crosshair: Crosshair;

  constructor(
    private readonly chart: Chart,
    private readonly context: Context,
    private readonly known: Known,
  ) {
    this.id = figureId(chart);
    const choice = firstChoice(chart, (some) => weight(chart, some, context.papers));
    this.view = { choice, hidden: new Set(), kind: null };
    this.crosshair = new Crosshair(this.holder, `${chart.experiment}: ${title(chart)}`);
    const link = element("a", { class: "self", href: context.state.linkTo(this.id) }, "#");
    link.setAttribute("aria-label", `Link to ${chart.experiment}: ${title(chart)}`);
    this.element = element(
      "figure",
      { id: this.id, "data-experiment": chart.experiment, "data-metric": chart.metric },
      element("figcaption", {}, element("h4", {}, title(chart), " ", link), this.tools()),
      this.controls,
      this.names,
      this.nothing,
      this.holder,
      this.remark,
      folded([`${count(chart.rows.length, "row")}`], (body) =>
        body.append(rowTable(chart, this.rows())),
      ),
    );
    context.state.whenFiltered(() => {
      if (!this.element.isConnected) return;
      link.href = context.state.linkTo(this.id);
      this.redrawAll();
    });
  }

  // To be called once the figure is part of the document and has a width.
  start(): void {
    this.choices();
    this.redrawAll();
    whenResized(this.holder, () => this.redraw());
  }

  private rows(): Row[] {
    return this.chart.rows.filter((row) => this.context.state.shows(row.fabric));
  }

  private tools(): HTMLElement {
    const name = this.id.replaceAll(".", "-");
    const words = element("code", { class: "command", hidden: "" });
    const tools = element(
      "div",
      { class: "tools" },
      button("CSV", "The rows of this chart", () =>
        save(`${name}.csv`, "text/csv", csv(this.rows())),
      ),
      button("SVG", "This chart as a picture", () =>
        save(`${name}.svg`, "image/svg+xml", svgText(this.holder.querySelector("svg")!)),
      ),
    );
    const show = button("Command", "What makes these rows again", () => {
      const shown = this.chart.fabrics.filter((fabric) => this.context.state.shows(fabric));
      const isKnown = this.chart.experiment in this.known.experiments;
      words.textContent =
        command(this.chart, shown, this.known.fabrics, isKnown) ??
        "These rows were not made by one command of railyard.";
      words.hidden = !words.hidden;
      show.setAttribute("aria-expanded", String(!words.hidden));
    });
    show.setAttribute("aria-expanded", "false");
    tools.append(show);
    return element("div", {}, tools, words);
  }

  private choices(): void {
    this.chart.dimensions.forEach((dimension, i) => {
      const values = [null, ...dimension.values];
      this.controls.append(
        select(
          words(dimension.name),
          values.map((value) => (value === null ? "all" : parameter(dimension.name, value))),
          values.indexOf(this.view.choice[i] ?? null),
          (index) => {
            this.view.choice[i] = values[index] ?? null;
            this.redrawAll();
          },
        ),
      );
    });
    this.controls.append(
      select("scale", ["as suits", "logarithmic", "linear"], 0, (index) => {
        this.view.kind = ([null, "log", "linear"] as const)[index] ?? null;
        this.redraw();
      }),
    );
  }

  private redrawAll(): void {
    const all = series(this.chart, this.view.choice).filter((one) =>
      this.context.state.shows(one.fabric),
    );
    this.names.replaceChildren(
      legend(this.chart, this.context.looks, all, this.view.hidden, () => this.redraw()),
    );
    this.redraw();
  }

  private redraw(): void {
    const left = shownOf(series(this.chart, this.view.choice), this.view, this.context);
    this.nothing.hidden = left.length > 0;
    this.holder.hidden = left.length === 0;
    if (left.length === 0) {
      this.nothing.textContent = this.rows().length === 0
        ? "None of the interconnects that you chose has been asked this."
        : "All series of this choice are switched off.";
      return;
    }
    const width = Math.max(leastWidth, this.holder.clientWidth);
    const drawing = draw(this.chart, this.context, this.view, width);
    this.holder.replaceChildren(drawing.svg);
    this.crosshair.watch(drawing);
    const marked = new Set(drawing.marks.map((mark) => mark.id)).size; // one may stand at two bars
    this.remark.textContent = clocks(this.chart, this.known.fabrics);
    if (marked > 0)
      this.remark.textContent +=
        ` ${count(marked, "published value")}: ◇ the value, △ at least, ` +
        "▽ at most; a dotted line where the paper names no place on the axis.";
  }
}
