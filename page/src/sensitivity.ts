// Which verdicts hang on which numbers, as `railyard reproduce --sensitivity` found it.

import type { Effect, Sensitivity } from "./data";
import { element, select, table, type Cell } from "./dom";
import { short } from "./numbers";

export type Kind = "flips" | "moves" | "nothing" | "fails";

// Of the two directions, what counts more.
export function kind(number: Sensitivity): Kind {
  const effects = [number.less, number.more];
  if (effects.some((effect) => effect.flips.length > 0)) return "flips";
  if (effects.some((effect) => effect.moved)) return "moves";
  return effects.every((effect) => effect.failure !== undefined) ? "fails" : "nothing";
}

const words: Record<Kind, string> = {
  flips: "flips verdicts",
  moves: "moves figures only",
  nothing: "matters to nothing",
  fails: "makes no machine",
};

export function effectText(effect: Effect): string {
  if (effect.failure !== undefined) return "no such machine";
  if (effect.flips.length > 0) return effect.flips.map((flip) => flip.id).join(", ");
  if (!effect.moved) return "–";
  return `${short(Number(((effect.largest ?? 0) * 100).toFixed(1)))} %`;
}

const columns = [
  { name: "profile" },
  { name: "number" },
  { name: "value", kind: "number" as const },
  { name: "evidence" },
  { name: "" },
  { name: "10 % less: what flips, or moves most", kind: "long" as const },
  { name: "10 % more", kind: "long" as const },
];

function cells(number: Sensitivity): Cell[] {
  return [
    number.profile,
    number.key,
    number.value,
    number.evidence,
    words[kind(number)],
    effectText(number.less),
    effectText(number.more),
  ];
}

export function sensitivitySection(numbers: Sensitivity[]): HTMLElement {
  const kinds = (Object.keys(words) as Kind[]).filter((k) => numbers.some((n) => kind(n) === k));
  const holder = element("div");
  const show = (chosen: Kind | null) => {
    const lines = numbers.filter((n) => chosen === null || kind(n) === chosen).map(cells);
    holder.replaceChildren(table("Sensitivity", columns, lines));
  };
  show(kinds[0] ?? null);
  const options = [
    ...kinds.map((k) => `${words[k]} (${numbers.filter((n) => kind(n) === k).length})`),
    `all (${numbers.length})`,
  ];
  return element(
    "section",
    { id: "sensitivity" },
    element("h2", {}, "What hangs on which number"),
    element(
      "p",
      {},
      "Every number of the models that was fitted or assumed, made 10 % smaller and larger, one " +
        "at a time: the verdicts that flip, or by how much it moves a figure at most.",
    ),
    element(
      "div",
      { class: "controls" },
      select("show", options, 0, (index) => show(kinds[index] ?? null)),
    ),
    holder,
  );
}
