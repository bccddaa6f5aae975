// What one sees first: what this is, what it found, and whether to trust it; then all interconnects
// by the few numbers that matter most.

import type { Chart } from "./charts";
import type { PageData } from "./data";
import { element } from "./dom";
import { figureId } from "./figure";
import { chartOf, isHost, isModel, matrix, scores, standing, type Finding } from "./findings";
import { count, exact, percent, quantity, short } from "./numbers";
import type { Context } from "./pieces";

export interface Contents extends Context {
  data: PageData;
  charts: Chart[];
  fabrics: string[];
  colour: (fabric: string) => string;
}

function tile(number: string, what: string, more: string, at: string): HTMLElement {
  return element(
    "a",
    { class: "tile", href: at },
    element("b", {}, number),
    element("span", {}, what),
    element("small", {}, more),
  );
}

function trustTiles({ data, state }: Contents): HTMLElement[] {
  if (data.verdicts === null) return [];
  const found = scores(data);
  const tolerance = data.verdicts.tolerance_percent ?? 5;
  const share = (score: { right: number; checked: number }) =>
    score.checked === 0 ? "–" : `${score.right} of ${score.checked}`;
  const to = state.linkTo("trust");
  return [
    tile(
      share(found.predicted),
      `predictions within ${tolerance} %`,
      "performance that papers published and no parameter was fitted to",
      to,
    ),
    tile(
      share(found.relations),
      "relations hold",
      `who is faster, and where; ${found.marginal} more by a hair`,
      to,
    ),
    tile(
      String(found.exceptions + found.off),
      found.off === 0 ? "known exceptions" : `exceptions, ${found.off} of them unexplained`,
      "figures that we do not get, each with the reason",
      to,
    ),
  ];
}

function machineTile({ data, state }: Contents): HTMLElement[] {
  const latency = data.limits.filter((one) => one.unit === "us" && /^shm\b/.test(one.fabric));
  if (latency.length === 0) return [];
  const best = latency.reduce((a, b) => (b.value / b.limit < a.value / a.limit ? b : a));
  return [
    tile(
      `${short(best.value / best.limit)} ×`,
      "the time that the hardware itself takes",
      `shared memory here: ${quantity(best.value, best.unit)}, the limit ${quantity(best.limit, best.unit)}`,
      state.linkTo("here"),
    ),
  ];
}

function countTiles({ data, fabrics, state }: Contents): HTMLElement[] {
  const own = fabrics.filter((name) => !isHost(name));
  const experiments = new Set(data.rows.map((row) => row.experiment)).size;
  const tiles = [
    tile(String(data.rows.length), "results", `${count(experiments, "experiment")}`, state.linkTo("all")),
    tile(String(own.length), "interconnects", own.slice(0, 3).join(", "), state.linkTo("all")),
  ];
  const lines = data.comparison.flatMap((table) => table.lines);
  const changed = lines.flatMap((line) => line.cells).filter((cell) => cell?.change !== undefined);
  if (lines.length > 0)
    tiles.unshift(
      tile(String(changed.length), "differences beyond the spread", `${count(lines.length, "result")} side by side`, state.linkTo("compared")),
    );
  return tiles;
}

function sentence({ data, fabrics }: Contents): string {
  const models = fabrics.filter((name) => isModel(data.fabrics[name])).length;
  const real = fabrics.filter((name) => !isHost(name)).length - models;
  const parts = [
    ...(models > 0 ? [`${count(models, "interconnect")} rebuilt as ${models === 1 ? "a model" : "models"}`] : []),
    ...(real > 0 ? [`${real} measured for real`] : []),
  ];
  const held =
    data.verdicts === null
      ? ""
      : `, held against ${data.verdicts.records.length} statements of the papers that measured the originals`;
  return `The same experiments and MPI programs on ${parts.join(" and ")}, side by side${held}.`;
}

function cell(name: string, finding: Finding | null, place: number, contents: Contents): HTMLElement {
  if (finding === null) return element("td", { class: "none", "data-label": name }, "–");
  const chart = chartOf(finding.row, contents.charts);
  const at = chart === undefined ? "all" : figureId(chart);
  const link = element(
    "a",
    { href: contents.state.linkTo(at), title: finding.note, "data-exact": exact(finding.value) },
    quantity(finding.value, finding.unit),
  );
  return element("td", { style: `--standing:${Math.round(place * 100)}%`, "data-label": name }, link);
}

function matrixOf(contents: Contents): HTMLElement | null {
  const { columns, lines } = matrix(contents.data.rows, contents.fabrics);
  const shown = lines.filter((name) => contents.state.shows(name));
  if (columns.length === 0 || shown.length === 0) return null;
  const head = element("tr", {}, element("th", { scope: "col" }, "interconnect"));
  for (const { question } of columns)
    head.append(
      element("th", { scope: "col", title: question.explained }, question.name, element("small", {}, question.explained)),
    );
  const body = element("tbody");
  for (const name of shown) {
    const kind = isModel(contents.data.fabrics[name]) ? "" : "measured";
    const row = element(
      "tr",
      {},
      element(
        "th",
        { scope: "row", title: contents.data.fabrics[name]?.description ?? "" },
        element("i", { style: `background:${contents.colour(name)}`, "aria-hidden": "true" }),
        name,
        ...(kind === "" ? [] : [element("small", {}, kind)]),
      ),
    );
    for (const { question, cells } of columns) {
      const found = cells.get(name) ?? null;
      // What is measured on this machine, decades later, would make all models look alike.
      const all = lines
        .filter((of) => isModel(contents.data.fabrics[of]) || kind === "measured")
        .flatMap((of) => cells.get(of)?.value ?? []);
      const place = found === null ? 0 : standing(found.value, all, question.better);
      row.append(cell(question.name, found, place, contents));
    }
    body.append(row);
  }
  return element(
    "div",
    { class: "scroll matrix", role: "region", "aria-label": "Interconnects by what matters most", tabindex: "0" },
    element("table", {}, element("thead", {}, head), body),
  );
}

export function topSection(contents: Contents): HTMLElement {
  const section = element("section", { id: "top" }, element("h1", {}, "Interconnects side by side"));
  section.append(element("p", { class: "lead" }, sentence(contents)));
  const tiles = [...trustTiles(contents), ...machineTile(contents)];
  if (tiles.length < 3) tiles.push(...countTiles(contents));
  section.append(element("div", { class: "tiles" }, ...tiles.slice(0, 4)));
  const holder = element("div");
  const fill = () => holder.replaceChildren(...[matrixOf(contents)].filter((one) => one !== null));
  fill();
  contents.state.whenFiltered(fill);
  section.append(holder);
  const fitted = scores(contents.data).fitted;
  if (fitted.checked > 0)
    section.append(
      element(
        "p",
        { class: "remark" },
        "The stronger a cell is shaded, the better it stands in its column. Each leads to its chart. Models run " +
          "in virtual time and give the same numbers on every machine; ",
        `${fitted.right} more figures agree because a parameter was chosen by them, which proves nothing ` +
          `and is not counted above. Within ${percent((contents.data.verdicts?.tolerance_percent ?? 5) / 100)} counts as agreement.`,
      ),
    );
  return section;
}
