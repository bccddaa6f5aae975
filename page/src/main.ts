// Builds the page from the data that stands in it.

import { charts, type Chart } from "./charts";
import type { PageData, Row, Source } from "./data";
import { element, table } from "./dom";
import { Figure } from "./figure";
import { Looks } from "./looks";
import { size, words } from "./numbers";
import type { Context } from "./pieces";
import { sensitivitySection } from "./sensitivity";
import { verdictSection } from "./verdicts";

function readData(): PageData {
  return JSON.parse(document.getElementById("data")!.textContent ?? "") as PageData;
}

function machine(source: Source): HTMLElement {
  const lines = Object.entries(source.machine).map(([name, value]) => {
    const bytes = name.endsWith("_bytes") && typeof value === "number";
    return [words(name.replace(/_bytes$/, "")), bytes ? size(value) : String(value)];
  });
  return element(
    "div",
    {},
    element("p", { class: "remark" }, source.files.join(", ")),
    table("Machine", [{ name: "what" }, { name: "here" }], lines),
  );
}

function machines(data: PageData): HTMLElement {
  const section = element(
    "section",
    { id: "machine" },
    element("h2", {}, data.sources.length === 1 ? "The machine" : "The machines"),
    element(
      "p",
      {},
      "Results in real time depend on it; results in virtual time are the same on every machine.",
    ),
  );
  section.append(...data.sources.map(machine));
  return section;
}

function contents(names: string[], data: PageData): HTMLElement {
  const list = element("ul");
  const add = (id: string, text: string) =>
    list.append(element("li", {}, element("a", { href: `#${id}` }, text)));
  for (const name of names) add(`experiment-${name}`, name);
  if (data.verdicts !== null) add("reproduce", "the papers' figures and ours");
  if (data.verdicts?.sensitivity !== undefined) add("sensitivity", "what hangs on which number");
  if (data.sources.length > 0) add("machine", "the machine");
  return element("nav", { "aria-label": "Contents" }, list);
}

function experimentSection(
  name: string,
  own: Chart[],
  context: Context,
  data: PageData,
): HTMLElement {
  const known = data.experiments[name];
  const section = element("section", { id: `experiment-${name}` }, element("h2", {}, name));
  if (known !== undefined)
    section.append(
      element("p", {}, `What is measured: ${known.summary}. Source: ${known.source}.`),
    );
  for (const chart of own) {
    const figure = new Figure(chart, context, data.fabrics);
    section.append(figure.element);
    started.push(figure);
  }
  return section;
}

const started: Figure[] = [];

// Each name once: first those that railyard knows, in its order, then the others.
function inOrder(found: string[], known: Record<string, unknown>): string[] {
  const names = new Set(found);
  return [...new Set([...Object.keys(known).filter((name) => names.has(name)), ...names])];
}

function build(): void {
  const data = readData();
  const main = document.querySelector("main")!;
  const fabrics = inOrder(
    data.rows.map((row) => row.fabric),
    data.fabrics,
  );
  const place = (row: Row) => fabrics.indexOf(row.fabric);
  const all = charts([...data.rows].sort((a, b) => place(a) - place(b)));
  const names = inOrder(
    all.map((chart) => chart.experiment),
    data.experiments,
  );
  const context: Context = {
    looks: new Looks(fabrics),
    papers: data.papers,
    verdicts: new Map(data.verdicts?.records.map((verdict) => [verdict.id, verdict])),
  };
  main.append(contents(names, data));
  for (const name of names)
    main.append(
      experimentSection(
        name,
        all.filter((c) => c.experiment === name),
        context,
        data,
      ),
    );
  if (names.length === 0) main.append(element("p", {}, "There are no rows in the files."));
  if (data.verdicts !== null) main.append(verdictSection(data.verdicts));
  if (data.verdicts?.sensitivity !== undefined)
    main.append(sensitivitySection(data.verdicts.sensitivity));
  if (data.sources.length > 0) main.append(machines(data));
  document.getElementById("generator")!.textContent = data.generator;
  for (const figure of started) figure.start();
  document.documentElement.dataset["state"] = "drawn";
}

build();
