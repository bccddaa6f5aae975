// Reads a plot: a line at the nearest place, and beside it what every series has to say there. With
// the pointer, with a finger, and with the arrow keys, when it is read aloud.

import { element, svgElement } from "./dom";

// A place on the axis, and what all series have to say there.
export interface Stop {
  at: number; // pixels
  title: string;
  lines: { name: string; text: string; colour: string }[];
}

export interface Readable {
  svg: SVGSVGElement | HTMLElement;
  stops: Stop[]; // from left to right, or downwards
  isUpright: boolean; // the stops lie one above the other
}

function nearest(stops: Stop[], at: number): number {
  let best = 0;
  stops.forEach((stop, i) => {
    if (Math.abs(stop.at - at) < Math.abs(stops[best]!.at - at)) best = i;
  });
  return best;
}

function content(stop: Stop): Node[] {
  const list = element("ul");
  for (const line of stop.lines)
    list.append(
      element(
        "li",
        {},
        element("i", { style: `background:${line.colour}`, "aria-hidden": "true" }),
        element("span", {}, line.name),
        element("b", {}, line.text),
      ),
    );
  return [element("strong", {}, stop.title), list];
}

export class Crosshair {
  private readonly note = element("div", { class: "note", "aria-live": "polite", hidden: "" });
  private drawing: Readable | null = null;
  private line: SVGElement | null = null;
  private place = -1;

  constructor(
    private readonly holder: HTMLElement,
    name: string,
  ) {
    holder.setAttribute("tabindex", "0");
    holder.setAttribute("role", "group");
    holder.setAttribute("aria-label", `${name}. The arrow keys read its values.`);
    holder.addEventListener("pointermove", (event) => this.follow(event));
    holder.addEventListener("pointerdown", (event) => this.follow(event));
    holder.addEventListener("pointerleave", () => this.hide());
    holder.addEventListener("blur", () => this.hide());
    holder.addEventListener("keydown", (event) => this.key(event));
  }

  // Of what is drawn from now on.
  watch(drawing: Readable): void {
    this.drawing = drawing;
    this.hide();
    this.holder.dataset["stops"] = String(drawing.stops.length);
    this.holder.append(this.note);
  }

  private follow(event: PointerEvent): void {
    const drawing = this.drawing;
    if (drawing === null || drawing.stops.length === 0) return;
    const frame = drawing.svg.getBoundingClientRect();
    const at = drawing.isUpright ? event.clientY - frame.top : event.clientX - frame.left;
    this.show(nearest(drawing.stops, at));
  }

  private key(event: KeyboardEvent): void {
    const count = this.drawing?.stops.length ?? 0;
    if (event.key === "Escape") this.hide();
    const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const step = steps[event.key];
    const end = event.key === "Home" ? 0 : event.key === "End" ? count - 1 : null;
    if (count === 0 || (step === undefined && end === null)) return;
    event.preventDefault();
    const next = this.place < 0 ? (step === -1 ? count - 1 : 0) : this.place + (step ?? 0);
    this.show(end ?? Math.min(count - 1, Math.max(0, next)));
  }

  private show(place: number): void {
    const { svg, stops, isUpright } = this.drawing!;
    if (place === this.place) return;
    this.place = place;
    const stop = stops[place]!;
    const root = svg instanceof SVGSVGElement ? svg : svg.querySelector("svg")!;
    this.line?.remove();
    const width = root.viewBox.baseVal.width;
    const height = root.viewBox.baseVal.height;
    this.line = svgElement("line", {
      class: "crosshair",
      x1: String(isUpright ? 0 : stop.at),
      x2: String(isUpright ? width : stop.at),
      y1: String(isUpright ? stop.at : 12),
      y2: String(isUpright ? stop.at : height - 30),
    });
    root.append(this.line);
    this.note.replaceChildren(...content(stop));
    this.note.hidden = false;
    this.put(stop, isUpright);
  }

  // Beside the line, on the side that has room.
  private put(stop: Stop, isUpright: boolean): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    const own = this.note.getBoundingClientRect();
    const room = stop.at + 12 + own.width <= width;
    const left = isUpright ? width - own.width : room ? stop.at + 12 : stop.at - own.width - 12;
    const top = isUpright ? stop.at + 10 : 16;
    this.note.style.left = `${Math.min(Math.max(0, left), Math.max(0, width - own.width))}px`;
    const above = isUpright && top + own.height > height;
    this.note.style.top = `${above ? Math.max(0, stop.at - own.height - 10) : top}px`;
  }

  private hide(): void {
    this.place = -1;
    this.line?.remove();
    this.line = null;
    this.note.hidden = true;
  }
}
