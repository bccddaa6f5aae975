// The table of `railyard reproduce`: what the papers say, what we get, and whether they agree.

import type { Verdict, Verdicts } from "./data";
import { element, select, table, type Cell } from "./dom";
import { quantity, short } from "./numbers";

// Verdicts are told by a word; the colour only helps.
const kinds: Record<string, string> = {
  holds: "good",
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

function difference(verdict: Verdict): string {
  if (verdict.difference === undefined) return "";
  const percent = verdict.difference * 100;
  return `${percent > 0 ? "+" : ""}${short(Number(percent.toFixed(1)))} %`;
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
    verdict.basis ?? "",
    [verdict.numbers, verdict.reason].filter((part) => part !== undefined).join("; "),
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
  { name: "difference", kind: "number" as const },
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
        "virtual time. A fitted figure is one that a parameter of the model was chosen to give: " +
        "it proves nothing. A predicted one came out by itself.",
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
