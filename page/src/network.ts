// The network of a run, tier by tier: switches above, then each node's links, adapter and bus, a
// column a node; shaded by the share of the time in which a part was busy.

import type { Run, RunPart } from "./data";
import { drawing, element, folded, svgElement, table } from "./dom";
import { largeFigure } from "./large";
import { count, percent, seconds } from "./numbers";

export interface Tier {
  name: string;
  isOfNodes: boolean;
  parts: { part: RunPart; place: number; label: string }[]; // from left to right
}

const ofNode = /^node (\d+), (.*)$/;
const ofSwitch = /^switches, the cable of port (\d+) of switch (\d+) of level (\d+), (\w+)$/;

// Which tier a part is in, and where.
function placed(part: RunPart): { tier: string; rank: number; place: number; label: string; isOfNodes: boolean } {
  const node = ofNode.exec(part.name);
  if (node !== null) {
    const rank = part.kind === "link" ? 1e3 : part.kind === "bus" ? 3e3 : 2e3;
    return { tier: `node: ${node[2]!}`, rank, place: Number(node[1]), label: `node ${node[1]}`, isOfNodes: true };
  }
  const cable = ofSwitch.exec(part.name);
  if (cable !== null) {
    const [, port, of, level, way] = cable;
    const place = Number(of) * 1e3 + Number(port);
    const label = `switch ${of}, port ${port}`;
    return { tier: `switches, level ${level}, ${way}`, rank: 500 - Number(level), place, label, isOfNodes: false };
  }
  return { tier: part.kind, rank: 900, place: -1, label: part.name, isOfNodes: false };
}

export function tiersOf(parts: RunPart[]): Tier[] {
  const tiers = new Map<string, Tier & { rank: number }>();
  parts.forEach((part, i) => {
    const { tier, rank, place, label, isOfNodes } = placed(part);
    const found = tiers.get(tier) ?? { name: tier, rank, isOfNodes, parts: [] };
    found.parts.push({ part, place: place < 0 ? i : place, label });
    tiers.set(tier, found);
  });
  const all = [...tiers.values()].sort((a, b) => a.rank - b.rank);
  for (const tier of all) {
    tier.parts.sort((a, b) => a.place - b.place);
    // What is no node stands side by side, without gaps.
    if (!tier.isOfNodes) tier.parts.forEach((one, i) => (one.place = i));
  }
  return all;
}

const tall = 20;
const left = 168;

function drawn(tiers: Tier[], width: number, most: number): SVGSVGElement {
  const height = tiers.length * tall + 8;
  const root = drawing(width, height);
  const nodes = Math.max(1, ...tiers.filter((tier) => tier.isOfNodes).flatMap((tier) => tier.parts.map((one) => one.place + 1)));
  tiers.forEach((tier, i) => {
    const columns = tier.isOfNodes ? nodes : tier.parts.length;
    const side = (width - left - 4) / columns;
    const name = tier.name.length > 28 ? `${tier.name.slice(0, 27)}…` : tier.name;
    root.append(svgElement("text", { x: String(left - 8), y: String(i * tall + 14), "text-anchor": "end" }, name));
    for (const { part, place } of tier.parts)
      root.append(
        svgElement("rect", {
          class: "series part",
          x: (left + place * side).toFixed(2),
          width: Math.max(0.5, side - (side > 6 ? 1.5 : 0.3)).toFixed(2),
          y: String(i * tall + 2),
          height: String(tall - 4),
          style: `--use:${Math.round((part.share / most) * 100)}%`,
        }),
      );
  });
  return root;
}

export function networkFigure(run: Run): HTMLElement | null {
  if (run.parts.length === 0) return null;
  const tiers = tiersOf(run.parts);
  const most = Math.max(...run.parts.map((part) => part.share), 1e-9);
  const left_out = run.parts_left_out > 0 ? ` ${count(run.parts_left_out, "less busy part")} left out.` : "";
  const all = folded(["all of them as a table"], (body) =>
    body.append(
      table(
        "Parts of the network",
        [{ name: "kind" }, { name: "part" }, { name: "busy", kind: "number" }, { name: "of the time", kind: "number" }],
        run.parts.map((part) => [part.kind, part.name, seconds(part.seconds), percent(part.share)]),
      ),
    ),
  );
  const stops = tiers.map((tier, i) => ({
    at: i * tall + tall / 2,
    title: `${tier.name}: ${count(tier.parts.length, "part")}`,
    lines: [...tier.parts]
      .sort((a, b) => b.part.share - a.part.share)
      .slice(0, 6)
      .map(({ part, label }) => ({ name: label, text: percent(part.share), colour: "var(--part-5)" })),
  }));
  return largeFigure({
    name: "The network, and how busy its parts were",
    label: () => `${count(tiers.length, "tier")} of the network`,
    draw: (width) => ({ svg: drawn(tiers, width, most), isUpright: true, stops }),
    sheet: () => [
      ["kind", "part", "busy (s)", "share of the time"],
      ...run.parts.map((part) => [part.kind, part.name, part.seconds, part.share]),
    ],
    below: [
      element(
        "p",
        { class: "remark" },
        `A line is a tier, a column a node or a port. Stronger is busier; ${percent(most)} of the time is the strongest. ` +
          `Parts that were never busy are not shown.${left_out}`,
      ),
      all,
    ],
  });
}
