// Builds the page from the data that stands in it.

import { comparedSection } from "./compared";
import { unpacked, type PageData } from "./data";
import { element } from "./dom";
import { Experiments, orderedCharts } from "./experiments";
import { Families } from "./families";
import { hereSection } from "./here";
import { Looks } from "./looks";
import { runSections } from "./runs";
import { sensitivitySection } from "./sensitivity";
import { Sidebar, type Entry } from "./sidebar";
import { State } from "./state";
import { topSection, type Contents } from "./top";
import { trustSection } from "./trust";
import { whichSection } from "./which";

// Each name once: first those that railyard knows, in its order, then the others.
function inOrder(found: string[], known: Record<string, unknown>): string[] {
  const names = new Set(found);
  return [...new Set([...Object.keys(known).filter((name) => names.has(name)), ...names])];
}

function byFamily(fabrics: string[]): string[] {
  const families = new Families(fabrics);
  return [...families.members.values()].flat();
}

function contentsOf(data: PageData): Contents {
  const fabrics = byFamily(inOrder(data.rows.map((row) => row.fabric), data.fabrics));
  const names = inOrder(data.rows.map((row) => row.experiment), data.experiments);
  const families = new Families(fabrics);
  return {
    data,
    fabrics,
    charts: orderedCharts(data.rows, fabrics, names),
    colour: (fabric) => families.of(fabric).colour,
    looks: new Looks(families, fabrics),
    papers: data.papers,
    verdicts: new Map(data.verdicts?.records.map((verdict) => [verdict.id, verdict])),
    state: new State(location.hash, fabrics, (hash) =>
      history.replaceState(null, "", hash === "" ? location.pathname + location.search : hash),
    ),
  };
}

const headings: Record<string, string> = {
  top: "At a glance",
  which: "Which interconnect for what?",
  trust: "Can you trust it?",
  compared: "Files side by side",
  here: "This machine",
  all: "All experiments",
  sensitivity: "What hangs on which number",
};

function entriesOf(sections: HTMLElement[], experiments: Experiments): Entry[] {
  return sections.flatMap((section): Entry[] => {
    const text = headings[section.id] ?? section.querySelector("h1, h2")?.textContent ?? section.id;
    const own: Entry[] = [{ id: section.id, text, level: 1 }];
    if (section.id !== "all") return own;
    return [
      ...own,
      ...experiments.names.map(({ name }): Entry => ({ id: `experiment-${name}`, text: name, level: 2 })),
    ];
  });
}

// Goes where the address says, also to what is folded.
function goTo(id: string, experiments: Experiments): void {
  if (id === "") return;
  const target = experiments.reveal(id) ?? document.getElementById(id);
  target?.scrollIntoView();
}

function watchAddress(contents: Contents, experiments: Experiments): void {
  addEventListener("hashchange", () => {
    contents.state.follow(location.hash);
    goTo(contents.state.at, experiments);
  });
  // A link to where one is already changes no address.
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a[href^='#']");
    if (link !== null && link !== undefined && link.getAttribute("href") === location.hash)
      goTo(contents.state.at, experiments);
  });
}

function watchScrolling(sections: HTMLElement[], sidebar: Sidebar): void {
  const seen = new Map<Element, boolean>();
  const observer = new IntersectionObserver(
    (changes) => {
      for (const change of changes) seen.set(change.target, change.isIntersecting);
      const first = sections.find((section) => seen.get(section));
      if (first !== undefined) sidebar.mark(first.id);
    },
    { rootMargin: "-10% 0px -80% 0px" },
  );
  for (const section of sections) observer.observe(section);
}

// Plots are drawn when they are about to be seen: the page opens at once, however many there are.
function drawWhenNear(main: HTMLElement): void {
  const waiting = new Set<Element>(main.querySelectorAll("figure.large"));
  const place = (one: Element) => {
    waiting.delete(one);
    one.dispatchEvent(new Event("placed"));
  };
  const observer = new IntersectionObserver(
    (changes) => {
      for (const change of changes)
        if (change.isIntersecting) {
          observer.unobserve(change.target);
          place(change.target);
        }
    },
    { rootMargin: "600px 0px" },
  );
  for (const one of waiting) observer.observe(one);
  addEventListener("beforeprint", () => {
    for (const one of [...waiting]) place(one);
  });
}

function build(): void {
  const data = unpacked(document.getElementById("data")!.textContent ?? "");
  const contents = contentsOf(data);
  const main = document.querySelector("main")!;
  const experiments = new Experiments(contents);
  const runs = runSections(contents);
  const hasRows = data.rows.length > 0 || runs.length === 0;
  const sections = [
    ...runs,
    ...(hasRows ? [topSection(contents), comparedSection(contents), whichSection(contents), trustSection(contents)] : []),
    hereSection(contents),
    ...(hasRows ? [experiments.section] : []),
    data.verdicts?.sensitivity === undefined ? null : sensitivitySection(data.verdicts.sensitivity),
  ].filter((section) => section !== null);
  const sidebar = new Sidebar(contents.state, new Families(contents.fabrics), entriesOf(sections, experiments), (query) =>
    experiments.search(query),
  );
  main.before(sidebar.element);
  main.append(...sections);
  if (runs.length > 0) document.title = `Railyard: ${data.runs.map((run) => run.program).join(", ")}`;
  document.getElementById("generator")!.textContent = data.generator;
  if (data.command !== "")
    document.getElementById("made-by")!.append(" It was made by ", element("code", {}, data.command), ".");
  experiments.search(contents.state.query);
  sidebar.find(contents.state.query);
  drawWhenNear(main);
  watchAddress(contents, experiments);
  watchScrolling(sections, sidebar);
  goTo(contents.state.at, experiments);
  document.documentElement.dataset["state"] = "drawn";
}

build();
