// Makes elements. Text goes in as text, never as markup: whatever a file holds is harmless here.

type Child = Node | string;

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

export interface Column {
  name: string;
  kind?: "number" | "long"; // words of a line or two by default
}

export type Cell = Child | { text: string; kind: string };

function look(column: Column): Record<string, string> {
  return column.kind === undefined ? {} : { class: column.kind };
}

function cell(content: Cell, column: Column): HTMLElement {
  const made = element("td", look(column));
  if (typeof content === "object" && "kind" in content)
    made.append(element("span", { class: `badge ${content.kind}` }, content.text));
  else made.append(content);
  return made;
}

// A table that scrolls by itself where the screen is narrow, also by keyboard.
export function table(name: string, columns: Column[], lines: Cell[][]): HTMLElement {
  const head = element("tr");
  for (const column of columns)
    head.append(element("th", { scope: "col", ...look(column) }, column.name));
  const body = element("tbody");
  for (const line of lines) {
    const row = element("tr");
    line.forEach((content, i) => row.append(cell(content, columns[i]!)));
    body.append(row);
  }
  return element(
    "div",
    { class: "scroll", role: "region", "aria-label": name, tabindex: "0" },
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
