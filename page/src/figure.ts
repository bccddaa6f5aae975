// A plot with all that belongs to it: what the reader may choose, the legend, and the rows.

import { firstChoice, series, type Chart } from "./charts";
import type { Fabric, Row } from "./data";
import { element, select, table } from "./dom";
import { draw } from "./draw";
import { legend } from "./legend";
import { parameter, short, unitName, words } from "./numbers";
import type { Context, View } from "./pieces";
import { weight } from "./published";

// Below this, text in a plot would stand upon other text; the figure scrolls instead.
const leastWidth = 280;

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
    [named("unknown"), "not known to this railyard, so the file does not tell which time"],
  ];
  return sentences.flatMap(([who, how]) => (who === "" ? [] : [`${who}: ${how}.`])).join(" ");
}

function distribution({ statistics: found }: Row): string[] {
  if (found === undefined) return ["", "", "", ""];
  const spread = `${(found.spread * 100).toFixed(1)} %`;
  return [short(found.p1), short(found.p99), spread, String(found.iterations)];
}

function rowTable(chart: Chart): HTMLElement {
  const names = [...new Set(chart.rows.flatMap((row) => Object.keys(row.parameters)))];
  const columns = [
    { name: "interconnect" },
    ...names.map((name) =>
      chart.rows.every((row) => typeof row.parameters[name] !== "string")
        ? { name: words(name), kind: "number" as const }
        : { name: words(name) },
    ),
    ...[unitName(chart.unit), "p1", "p99", "spread", "samples"].map((name) => ({
      name,
      kind: "number" as const,
    })),
  ];
  const cells = (row: Row) => [
    row.fabric,
    ...names.map((name) => {
      const value = row.parameters[name];
      return value === undefined ? "" : parameter(name, value);
    }),
    short(row.value),
    ...distribution(row),
  ];
  const details = element("details", {}, element("summary", {}, `${chart.rows.length} rows`));
  // Thousands of rows are made only when somebody looks.
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1)
      details.append(table(`Rows of ${chart.experiment}`, columns, chart.rows.map(cells)));
  });
  return details;
}

// What a pointer finds by hovering, the keyboard finds by moving to a mark.
function tellOnFocus(holder: HTMLElement): void {
  const note = element("div", { class: "note", hidden: "" });
  holder.addEventListener("focusin", (event) => {
    const mark = event.target as Element;
    const text = mark.getAttribute("aria-label");
    if (!(mark instanceof SVGElement) || text === null) return;
    const at = mark.getBoundingClientRect();
    const frame = holder.getBoundingClientRect();
    note.textContent = text;
    note.hidden = false;
    holder.append(note); // it has a size only now
    const left = Math.min(at.left - frame.left, frame.width - note.offsetWidth);
    const below = at.bottom - frame.top + 6;
    const above = at.top - frame.top - note.offsetHeight - 6;
    note.style.left = `${Math.max(0, left)}px`;
    note.style.top = `${below + note.offsetHeight > frame.height && above > 0 ? above : below}px`;
  });
  holder.addEventListener("focusout", () => (note.hidden = true));
}

export class Figure {
  readonly element: HTMLElement;
  private readonly view: View;
  private readonly controls = element("div", { class: "controls" });
  private readonly names = element("div");
  private readonly holder = element("div", { class: "plot" });
  private readonly remark = element("p", { class: "remark" });

  constructor(
    private readonly chart: Chart,
    private readonly context: Context,
    fabrics: Record<string, Fabric>,
  ) {
    const choice = firstChoice(chart, (some) => weight(chart, some, context.papers));
    this.view = { choice, hidden: new Set(), kind: null };
    this.element = element(
      "figure",
      { "data-experiment": chart.experiment, "data-metric": chart.metric },
      element("figcaption", {}, element("h3", {}, title(chart))),
      element("p", { class: "remark" }, clocks(chart, fabrics)),
      this.controls,
      this.names,
      this.holder,
      this.remark,
      rowTable(chart),
    );
    tellOnFocus(this.holder);
  }

  // To be called once the figure is part of the document and has a width.
  start(): void {
    this.choices();
    this.redrawAll();
    let width = this.holder.clientWidth;
    new ResizeObserver(() => {
      if (this.holder.clientWidth === width) return;
      width = this.holder.clientWidth;
      // Not at once: what is drawn inside an observer makes it observe again.
      requestAnimationFrame(() => this.redraw());
    }).observe(this.holder);
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
    const all = series(this.chart, this.view.choice);
    this.names.replaceChildren(
      legend(this.chart, this.context.looks, all, this.view.hidden, () => this.redraw()),
    );
    this.redraw();
  }

  private redraw(): void {
    const width = Math.max(leastWidth, this.holder.clientWidth);
    const drawing = draw(this.chart, this.context, this.view, width);
    this.holder.replaceChildren(drawing.svg);
    const count = new Set(drawing.marks.map((mark) => mark.id)).size; // one may stand at two bars
    this.remark.textContent =
      count === 0
        ? ""
        : `${count} published ${count === 1 ? "value" : "values"}: ◇ the value, △ at least, ` +
          "▽ at most; a dotted line where the paper names no place on the axis.";
  }
}
