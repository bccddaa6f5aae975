// Every statement of the papers that was checked, as a table: what does not agree comes first, and
// what is known of each unfolds.

import type { Verdict } from "./data";
import { element, select, tableRow, type Cell, type Child } from "./dom";
import { percent, quantity } from "./numbers";
import type { Contents } from "./top";

// Verdicts are told by a word; the colour only helps.
const kinds: Record<string, string> = {
  holds: "good",
  marginal: "known",
  off: "bad",
  excepted: "known",
  "come-right": "bad",
  "not-available": "bad",
};

function published(verdict: Verdict): string {
  if (verdict.published === undefined) return "";
  const sign: Record<string, string> = { "=": "", "~": "about ", ">=": "≥ ", "<=": "≤ " };
  const qualifier = verdict.qualifier ?? "=";
  return (sign[qualifier] ?? `${qualifier} `) + quantity(verdict.published, verdict.unit ?? "1");
}

// A bar from the middle, as long as it is off; what is longer than fits says so by its number.
// A long name may go on in the next line after a dot.
function breakable(id: string): Child[] {
  return id.split(/(?<=\.)/).flatMap((part) => [part, element("wbr")]);
}

function differenceBar(verdict: Verdict): Cell {
  if (verdict.margin !== undefined) {
    const paper = verdict.published_margin;
    return `by ${percent(verdict.margin)}${paper === undefined ? "" : ` of ${percent(paper)}`}`;
  }
  const share = verdict.difference;
  if (share === undefined) return "";
  const length = Math.min(1, Math.abs(share) / 0.2) * 50;
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.append(
    element("i", {
      class: Math.abs(share) <= 0.05 ? "good" : Math.abs(share) <= 0.1 ? "known" : "bad",
      style: `width:${length}%;left:${share < 0 ? 50 - length : 50}%`,
    }),
  );
  return element("span", { class: "difference" }, bar, `${share > 0 ? "+" : ""}${percent(share)}`);
}

const columns = [
  { name: "verdict" },
  { name: "statement" },
  { name: "published", kind: "number" as const },
  { name: "ours", kind: "number" as const },
  { name: "difference or margin" },
];

function details(verdict: Verdict): HTMLElement | string {
  const facts: [string, string | undefined][] = [
    ["stands in", [verdict.paper, verdict.where].filter((part) => part !== undefined).join(", ")],
    ["experiment", verdict.experiment],
    ["statement", verdict.statement],
    ["class", [verdict.vacuous === true ? "vacuous" : "", verdict.class ?? "", verdict.basis ?? ""].join(" ").trim()],
    ["rests on", verdict.numbers],
    ["steady", verdict.steady === false ? "no: longer runs still change it" : undefined],
    ["reason", verdict.reason],
  ];
  const told = facts.filter(([, text]) => text !== undefined && text !== "");
  const where = verdict.fabric ?? verdict.system ?? "";
  return element(
    "details",
    {},
    element("summary", {}, ...breakable(verdict.id), ...(where === "" ? [] : [element("small", {}, where)])),
    element("dl", {}, ...told.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text!)])),
  );
}

function line(verdict: Verdict): Cell[] {
  return [
    { text: verdict.verdict, kind: kinds[verdict.verdict] ?? "none" },
    details(verdict),
    published(verdict),
    verdict.ours === undefined ? "" : quantity(verdict.ours, verdict.unit ?? "1"),
    differenceBar(verdict),
  ];
}

function countOf(records: Verdict[], word: string): number {
  return records.filter((v) => v.verdict === word).length;
}

export function recordTable(contents: Contents): HTMLElement[] {
  const records = contents.data.verdicts!.records;
  const isOpen = (v: Verdict) => v.verdict === "off" || v.verdict === "excepted" || v.verdict === "come-right" || v.verdict === "not-available";
  // What does not agree comes first.
  const words = [...new Set(records.map((v) => v.verdict))].sort((a, b) => countOf(records, a) - countOf(records, b));
  const views: [string, (v: Verdict) => boolean][] = [
    ...(records.some(isOpen) ? [["what does not agree", isOpen] as [string, typeof isOpen]] : []),
    ["everything", () => true],
    ...words.map((word): [string, (v: Verdict) => boolean] => [word, (v) => v.verdict === word]),
    ["predictions of performance", (v) => v.class === "performance" && v.basis === "predicted"],
  ];
  const body = element("tbody");
  let view = 0;
  const fill = () => {
    const shown = records.filter(
      (v) =>
        views[view]![1](v) &&
        (v.fabric === undefined || !contents.fabrics.includes(v.fabric) || contents.state.shows(v.fabric)),
    );
    body.replaceChildren(...shown.map((v) => tableRow(columns, line(v))));
    if (shown.length === 0) body.append(element("tr", {}, element("td", { colspan: "5" }, "none")));
  };
  fill();
  contents.state.whenFiltered(fill);
  const head = element("tr", {}, ...columns.map((c) => element("th", { scope: "col", ...(c.kind === undefined ? {} : { class: c.kind }) }, c.name)));
  const options = views.map(([name, take]) => `${name} (${records.filter(take).length})`);
  return [
    element(
      "div",
      { class: "controls" },
      select("show", options, 0, (index) => {
        view = index;
        fill();
      }),
    ),
    element(
      "div",
      { class: "scroll records", role: "region", "aria-label": "Published and reproduced", tabindex: "0" },
      element("table", {}, element("thead", {}, head), body),
    ),
  ];
}
