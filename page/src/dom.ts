// Makes elements. Text goes in as text, never as markup: whatever a file holds is harmless here.

export type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function svgElement(
  tag: string,
  attributes: Record<string, string> = {},
  ...children: Child[]
): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A picture that is drawn by hand.
export function drawing(width: number, height: number): SVGSVGElement {
  const size = { viewBox: `0 0 ${width} ${height}`, width: String(width), height: String(height) };
  return svgElement("svg", size) as SVGSVGElement;
}

export interface Column {
  name: string;
  kind?: "number" | "long"; // words of a line or two by default
}

export type Cell = Child | { text: string; kind: string };

function look(column: Column): Record<string, string> {
  return column.kind === undefined ? {} : { class: column.kind };
}

function cell(content: Cell, column: Column): HTMLElement {
  const made = element("td", { ...look(column), "data-label": column.name });
  if (typeof content === "object" && "kind" in content)
    made.append(element("span", { class: `badge ${content.kind}` }, content.text));
  else made.append(content);
  return made;
}

export function tableRow(columns: Column[], line: Cell[]): HTMLTableRowElement {
  const row = element("tr");
  line.forEach((content, i) => row.append(cell(content, columns[i]!)));
  return row;
}

// A table that scrolls by itself where the screen is narrow, also by keyboard.
export function table(name: string, columns: Column[], lines: Cell[][], kind = ""): HTMLElement {
  const head = element("tr");
  for (const column of columns)
    head.append(element("th", { scope: "col", ...look(column) }, column.name));
  const body = element("tbody", {}, ...lines.map((line) => tableRow(columns, line)));
  return element(
    "div",
    { class: `scroll ${kind}`.trim(), role: "region", "aria-label": name, tabindex: "0" },
    element("table", {}, element("thead", {}, head), body),
  );
}

// Choices between a few words, with a label that is read aloud.
export function select(
  name: string,
  options: string[],
  chosen: number,
  changed: (index: number) => void,
): HTMLElement {
  const box = element("select");
  options.forEach((text, i) => box.append(new Option(text, String(i), i === chosen, i === chosen)));
  box.addEventListener("change", () => changed(box.selectedIndex));
  return element("label", {}, `${name} `, box);
}

export function button(text: string, title: string, pressed: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title }, text);
  made.addEventListener("click", pressed);
  return made;
}

// Not at once: what is drawn may change the size of others that are being told.
export function whenResized(holder: HTMLElement, redraw: () => void): void {
  let width = holder.clientWidth;
  new ResizeObserver(() => {
    if (holder.clientWidth === width) return;
    width = holder.clientWidth;
    setTimeout(redraw);
  }).observe(holder);
}

// Made only when somebody looks.
export function folded(summary: Child[], make: (body: HTMLElement) => void): HTMLDetailsElement {
  const body = element("div", { class: "folded" });
  const details = element("details", {}, element("summary", {}, ...summary), body);
  details.addEventListener("toggle", () => {
    if (details.open && details.dataset["made"] === undefined) {
      details.dataset["made"] = "yes";
      make(body);
    }
  });
  return details;
}
