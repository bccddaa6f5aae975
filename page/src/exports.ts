// What a reader may take along from a plot: its rows as CSV, the plot as SVG, the command that
// makes the rows again.

import type { Chart } from "./charts";
import type { Fabric, Row } from "./data";
import { element } from "./dom";

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Lines of a file; the first names the columns.
export type Sheet = (string | number)[][];

export function csvText(sheet: Sheet): string {
  return sheet.map((line) => line.map((value) => quoted(String(value))).join(",") + "\r\n").join("");
}

// As `railyard measure --csv` has it, with what is known of the samples.
export function csv(rows: Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.parameters)))].sort();
  const head = ["experiment", "fabric", ...names, "metric", "value", "unit"];
  const tail = ["p1", "p99", "spread", "iterations"];
  const lines = rows.map((row) => {
    const { p1, p99, spread, iterations } = row.statistics ?? {};
    return [
      row.experiment,
      row.fabric,
      ...names.map((name) => row.parameters[name] ?? ""),
      row.metric,
      row.value,
      row.unit,
      p1 ?? row.value,
      p99 ?? row.value,
      spread ?? 0,
      iterations ?? "",
    ];
  });
  return csvText([[...head, ...tail], ...lines]);
}

function word(text: string): string {
  return /^[\w@%+=:,./×-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// What was typed to have these rows; null: nobody here knows, since they are of another program.
export function command(
  chart: Chart,
  shown: string[],
  fabrics: Record<string, Fabric>,
  isKnown: boolean,
): string | null {
  const rows = chart.rows.filter((row) => shown.includes(row.fabric));
  const names = [...new Set(rows.map((row) => row.fabric))].filter((name) => name in fabrics);
  if (chart.experiment === "run") {
    const programs = [...new Set(rows.map((row) => String(row.parameters["program"] ?? "")))];
    const sizes = [...new Set(rows.map((row) => Number(row.parameters["processes"] ?? 2)))];
    if (programs.length !== 1 || names.length === 0) return null;
    const ranks = sizes.length === 1 ? `-n ${sizes[0]}` : `--sweep ranks=${sizes.join(",")}`;
    return `railyard run ${ranks} --on ${names.join(",")} --json out.json ${programs[0]}`;
  }
  if (!isKnown || names.length === 0) return null;
  const hosts = names.filter((name) => name !== "host");
  const on = hosts.length === 0 ? "shm" : hosts.map(word).join(",");
  const papers = rows.some((row) => row.parameters["mpi"] === "paper") ? " --mpi paper" : "";
  return `railyard measure ${chart.experiment} --on ${on}${papers} --json out.json`;
}

export function save(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// Colours of the page's style become their own numbers: a file has no page around it.
function plain(colour: string): string {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const paint = canvas.getContext("2d");
  if (paint === null) return colour;
  paint.fillStyle = colour;
  paint.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
  return alpha === 0 ? "none" : `rgb(${red},${green},${blue})`;
}

export function svgText(svg: Element): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((made, i) => {
    const style = getComputedStyle(originals[i]!);
    for (const name of ["fill", "stroke"]) {
      const value = style.getPropertyValue(name);
      if (value === "" || value === "none") continue;
      made.setAttribute(name, plain(value));
      (made as SVGElement).style.removeProperty(name);
    }
    made.removeAttribute("class");
  });
  copy.querySelectorAll("style, .crosshair").forEach((part) => part.remove());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "sans-serif");
  copy.setAttribute("font-size", "11");
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", plain(getComputedStyle(document.body).backgroundColor));
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}
