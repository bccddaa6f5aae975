// The table of `railyard reproduce`: what the papers say, what we get, and whether they agree.

import type { Verdict, Verdicts } from "./data";
import { element, select, table, type Cell } from "./dom";
import { quantity, short } from "./numbers";

// Verdicts are told by a word; the colour only helps.
const kinds: Record<string, string> = {
  holds: "good",
  marginal: "known",
  off: "bad",
  excepted: "known",
  "come-right": "bad",
  "not-available": "bad",
};

function badge(verdict: string): Cell {
  return { text: verdict, kind: kinds[verdict] ?? "none" };
}

function published(verdict: Verdict): string {
  if (verdict.published === undefined) return verdict.statement ?? "";
  const sign: Record<string, string> = { "=": "", "~": "about ", ">=": "≥ ", "<=": "≤ " };
  const qualifier = verdict.qualifier ?? "=";
  return (sign[qualifier] ?? `${qualifier} `) + quantity(verdict.published, verdict.unit ?? "1");
}

function percent(share: number): string {
  return `${short(Number((share * 100).toFixed(1)))} %`;
}

// Of a value, how far it is from the paper's; of a relation, by how much it holds, and in the paper.
function difference(verdict: Verdict): string {
  if (verdict.margin !== undefined) {
    const paper = verdict.published_margin;
    return `by ${percent(verdict.margin)}${paper === undefined ? "" : ` of ${percent(paper)}`}`;
  }
  if (verdict.difference === undefined) return "";
  return `${verdict.difference > 0 ? "+" : ""}${percent(verdict.difference)}`;
}

function cells(verdict: Verdict): Cell[] {
  const source = [verdict.paper, verdict.where].filter((part) => part !== undefined).join(", ");
  return [
    badge(verdict.verdict),
    verdict.id,
    source,
    verdict.experiment ?? "",
    verdict.fabric ?? verdict.system ?? "",
    published(verdict),
    verdict.ours === undefined ? "" : quantity(verdict.ours, verdict.unit ?? "1"),
    difference(verdict),
    (verdict.vacuous ? "vacuous " : "") + (verdict.class ?? ""),
    verdict.basis ?? "",
    [verdict.numbers, verdict.steady === false ? "not steady" : undefined, verdict.reason]
      .filter((part) => part !== undefined)
      .join("; "),
  ];
}

const columns = [
  { name: "verdict" },
  { name: "record" },
  { name: "paper" },
  { name: "experiment" },
  { name: "interconnect" },
  { name: "published", kind: "number" as const },
  { name: "ours", kind: "number" as const },
  { name: "difference or margin", kind: "number" as const },
  { name: "class" },
  { name: "basis" },
  { name: "remark", kind: "long" as const },
];

export function verdictSection(verdicts: Verdicts): HTMLElement {
  const words = [...new Set(verdicts.records.map((v) => v.verdict))];
  const holder = element("div");
  const show = (word: string | null) => {
    const chosen = verdicts.records.filter((v) => word === null || v.verdict === word);
    holder.replaceChildren(table("Published and reproduced", columns, chosen.map(cells)));
  };
  show(null);
  const count = (word: string) => verdicts.records.filter((v) => v.verdict === word).length;
  const options = [
    `all (${verdicts.records.length})`,
    ...words.map((word) => `${word} (${count(word)})`),
  ];
  return element(
    "section",
    { id: "reproduce" },
    element("h2", {}, "The papers' figures and ours"),
    element(
      "p",
      {},
      "Each line is one statement of a paper, run again on the model of its interconnect, in " +
        "virtual time. A fitted figure is one that a parameter of the model was chosen by: " +
        "it proves nothing. A predicted one came out by itself. A relation is marginal if it holds " +
        "by less than a tenth of the paper's margin.",
    ),
    element(
      "div",
      { class: "controls" },
      select("show", options, 0, (index) => show(index === 0 ? null : (words[index - 1] ?? null))),
    ),
    holder,
    element("p", { class: "summary" }, verdicts.summary ?? ""),
  );
}
