// Always at hand: where one is, what to search for, and which interconnects are shown.

import { button, element } from "./dom";
import type { Families } from "./families";
import type { State } from "./state";

export interface Entry {
  id: string;
  text: string;
  level: 1 | 2;
}

export class Sidebar {
  readonly element = element("aside", { id: "side", "aria-label": "Contents and filter" });
  private readonly links = new Map<string, HTMLAnchorElement>();
  private readonly boxes = new Map<string, HTMLInputElement>();
  private readonly told = element("small", { "aria-live": "polite" });

  constructor(
    private readonly state: State,
    private readonly families: Families,
    entries: Entry[],
    searched: (query: string) => void,
  ) {
    const search = element("input", { type: "search", placeholder: "Search experiments", "aria-label": "Search experiments" });
    search.value = state.query;
    search.addEventListener("input", () => {
      state.search(search.value);
      searched(search.value);
      this.find(search.value);
    });
    const list = element("ul", { class: "contents" });
    for (const { id, text, level } of entries) {
      const link = element("a", { href: state.linkTo(id) }, text);
      this.links.set(id, link);
      list.append(element("li", { class: `level-${level}` }, link));
    }
    this.element.append(
      element("a", { class: "brand", href: "#top" }, "Railyard"),
      ...(entries.some(({ level }) => level === 2) ? [search] : []),
      ...(state.fabrics.length > 1 ? [this.filter()] : []),
      element("nav", { "aria-label": "Contents" }, list),
    );
    state.whenFiltered(() => this.follow());
    this.follow();
  }

  private filter(): HTMLElement {
    const holder = element("details", { class: "filter", open: "" });
    if (matchMedia("(max-width: 72rem)").matches) holder.removeAttribute("open");
    holder.append(element("summary", {}, "Interconnects ", this.told));
    holder.append(
      element(
        "div",
        { class: "tools" },
        button("all", "Show all interconnects", () => this.state.show(this.state.fabrics)),
        button("none but …", "Switch all off; then choose", () => this.chooseFew()),
      ),
    );
    for (const [family, members] of this.families.members) {
      const group = element("fieldset", {}, element("legend", {}, family));
      for (const fabric of members) {
        const box = element("input", { type: "checkbox", value: fabric });
        box.addEventListener("change", () => this.changed(box));
        this.boxes.set(fabric, box);
        group.append(
          element(
            "label",
            {},
            box,
            element("i", { style: `background:${this.families.of(fabric).colour}`, "aria-hidden": "true" }),
            fabric,
          ),
        );
      }
      holder.append(group);
    }
    return holder;
  }

  private chooseFew(): void {
    for (const box of this.boxes.values()) box.checked = false;
    this.told.textContent = "choose some";
  }

  private changed(box: HTMLInputElement): void {
    const chosen = [...this.boxes].filter(([, one]) => one.checked).map(([fabric]) => fabric);
    // Nothing at all would be an empty page.
    if (chosen.length === 0) box.checked = true;
    else this.state.show(chosen);
  }

  private follow(): void {
    for (const [fabric, box] of this.boxes) box.checked = this.state.shows(fabric);
    const shown = this.state.fabrics.filter((fabric) => this.state.shows(fabric)).length;
    this.told.textContent = this.state.isFiltered ? `${shown} of ${this.state.fabrics.length}` : "all";
    for (const [id, link] of this.links) link.href = this.state.linkTo(id);
  }

  // Of the experiments, those that the search leaves.
  find(query: string): void {
    const wanted = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
    for (const [id, link] of this.links) {
      const isExperiment = id.startsWith("experiment-");
      const details = isExperiment ? document.getElementById(id) : null;
      link.parentElement!.hidden = isExperiment && wanted.length > 0 && details?.hidden === true;
    }
  }

  // Marks what is on the screen.
  mark(id: string): void {
    for (const [of, link] of this.links) {
      if (of === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
}
