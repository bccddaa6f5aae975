// This machine: what the real interconnects reach of what the machine itself can do, by raw code.

import * as Plot from "@observablehq/plot";
import type { Readable } from "./crosshair";
import type { Bounded, Source } from "./data";
import { element, folded, table } from "./dom";
import { largeFigure } from "./large";
import { exact, percent, quantity, size, words } from "./numbers";
import { pixels } from "./pieces";
import type { Contents } from "./top";

// 1 is the limit. Of a time, the limit is the least; of a rate, the most.
export function reached(one: Bounded): number {
  return one.unit === "us" ? one.limit / one.value : one.value / one.limit;
}

interface Group {
  name: string;
  fabric: string;
  all: Bounded[];
}

export function groupsOf(limits: Bounded[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of limits) {
    const op = one.parameters["op"];
    const name = [one.fabric, one.experiment, ...(op === undefined ? [] : [op])].join(", ");
    const group = groups.get(name) ?? { name, fabric: one.fabric, all: [] };
    group.all.push(one);
    groups.set(name, group);
  }
  return [...groups.values()];
}

function place(one: Bounded): string {
  const bytes = one.parameters["message_bytes"];
  return typeof bytes === "number" ? size(bytes) : "";
}

function plot(shown: Group[], colour: Contents["colour"], width: number): Readable {
  const isOne = new Set(shown.map((group) => group.fabric)).size === 1;
  const label = (name: string) => (isOne ? name.replace(/^[^,]*, /, "") : name);
  const longest = Math.max(...shown.map((group) => label(group.name).length));
  const most = Math.max(1.15, ...shown.flatMap((group) => group.all.map(reached)));
  const points = shown.flatMap((group) => group.all.map((one) => ({ y: group.name, x: reached(one) * 100, fabric: group.fabric })));
  const svg = Plot.plot({
    width,
    height: 58 + 22 * shown.length,
    marginLeft: Math.min(width / 1.75, 12 + 6.1 * longest),
    marginBottom: 40,
    x: { domain: [0, most * 100], label: "of the limit (%)", grid: true },
    y: { type: "point", domain: shown.map((group) => group.name), label: null, padding: 0.6, tickFormat: label },
    marks: [
      Plot.ruleX([100], { strokeWidth: 1.5 }),
      Plot.ruleY(
        shown.map((group) => ({ y: group.name, a: Math.min(...group.all.map(reached)) * 100, b: Math.max(...group.all.map(reached)) * 100, fabric: group.fabric })),
        { y: "y", x1: "a", x2: "b", strokeWidth: 5, strokeOpacity: 0.25, stroke: (d: { fabric: string }) => colour(d.fabric) },
      ),
      Plot.dot(points, { x: "x", y: "y", r: 3.2, fill: (d: { fabric: string }) => colour(d.fabric), className: "points" }),
    ],
    color: { type: "identity" },
  }) as SVGSVGElement;
  const at = pixels(svg, "y");
  const stops = shown.map((group) => ({
    at: at(group.name),
    title: group.name,
    lines: group.all.slice(0, 14).map((one) => ({
      name: `${place(one)}: ${quantity(one.value, one.unit)} of ${quantity(one.limit, one.unit)} (${words(one.of)})`,
      text: percent(reached(one)),
      colour: colour(group.fabric),
    })),
  }));
  return { svg, isUpright: true, stops };
}

function figure(groups: Group[], { state, colour }: Contents): HTMLElement {
  const name = "What is reached of the machine's limit";
  const chosen = () => groups.filter((group) => state.shows(group.fabric));
  return largeFigure(
    {
      name,
      label: () => name,
      draw: (width) =>
        chosen().length === 0 ? "Nothing that you chose was measured here." : plot(chosen(), colour, width),
      sheet: () => [
        ["what", "size", "value", "limit", "unit", "limited by"],
        ...chosen().flatMap((group) =>
          group.all.map((one) => [group.name, place(one), one.value, one.limit, one.unit, words(one.of)]),
        ),
      ],
    },
    state,
  );
}

function machine(source: Source): HTMLElement {
  const lines = Object.entries(source.machine).map(([name, value]) => {
    const bytes = name.endsWith("_bytes") && typeof value === "number";
    return [words(name.replace(/_bytes$/, "")), bytes ? size(value) : String(value)];
  });
  const cpu = String(source.machine["cpu"] ?? "unknown");
  return folded([cpu, " ", element("small", {}, source.files.length > 3 ? `${source.files.length} files` : source.files.join(", "))], (body) =>
    body.append(
      element("p", { class: "remark" }, source.files.join(", ")),
      table("Machine", [{ name: "what" }, { name: "here" }], lines),
    ),
  );
}

export function hereSection(contents: Contents): HTMLElement | null {
  const { data } = contents;
  if (data.sources.length === 0) return null;
  const groups = groupsOf(data.limits);
  const section = element(
    "section",
    { id: "here" },
    element("h2", {}, data.sources.length === 1 ? "This machine" : "The machines"),
  );
  if (groups.length > 0) {
    section.append(
      element(
        "p",
        {},
        "Interconnects that move bytes for real, against what raw code reaches on the same cores: a " +
          "cache line handed over, copies across cores, loopback TCP. Each dot is a message size; 100 % is the limit.",
      ),
      figure(groups, contents),
      folded([`${data.limits.length} results and their limits`], (body) =>
        body.append(
          table(
            "Results and their limits",
            [
              { name: "interconnect" },
              { name: "experiment" },
              { name: "with" },
              { name: "result", kind: "number" },
              { name: "limit", kind: "number" },
              { name: "of the limit", kind: "number" },
            ],
            data.limits.map((one) => [
              one.fabric,
              one.experiment,
              Object.entries(one.parameters).map(([name, value]) => `${words(name)} ${value}`).join(", "),
              `${exact(one.value)} ${one.unit}`,
              `${exact(one.limit)} ${one.unit}, ${words(one.of)}`,
              percent(reached(one)),
            ]),
          ),
        ),
      ),
    );
  }
  section.append(
    element("p", { class: "remark" }, "Results in real time depend on the machine; those in virtual time are the same on every machine."),
    ...data.sources.map(machine),
  );
  return section;
}
