// What the reader has chosen, kept in the address, so that a link shows the same: the place, the
// interconnects that are shown, and what is searched for. "#latency-uni.latency?on=quadrics,shm".

export interface Place {
  at: string; // the id of an element
  shown: string[] | null; // null: all
  query: string;
}

export function placeOf(hash: string): Place {
  const [at = "", words = ""] = hash.replace(/^#/, "").split("?", 2);
  const given = new URLSearchParams(words);
  const shown = given.get("on");
  return {
    at: decode(at),
    shown: shown === null ? null : shown.split(",").filter((name) => name !== ""),
    query: given.get("q") ?? "",
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hashOf({ at, shown, query }: Place): string {
  const words: string[] = [];
  if (shown !== null) words.push(`on=${shown.map(encodeURIComponent).join(",")}`);
  if (query !== "") words.push(`q=${encodeURIComponent(query)}`);
  if (at === "" && words.length === 0) return "";
  return `#${encodeURIComponent(at)}${words.length > 0 ? `?${words.join("&")}` : ""}`;
}

type Listener = () => void;

// One for the page. Whoever draws asks it, and is told when the choice of interconnects changes.
export class State {
  private place: Place;
  private readonly listeners: Listener[] = [];

  constructor(
    hash: string,
    readonly fabrics: string[],
    private readonly write: (hash: string) => void,
  ) {
    this.place = this.checked(placeOf(hash));
  }

  get at(): string {
    return this.place.at;
  }
  get query(): string {
    return this.place.query;
  }
  shows(fabric: string): boolean {
    return this.place.shown === null || this.place.shown.includes(fabric);
  }
  get isFiltered(): boolean {
    return this.place.shown !== null;
  }

  whenFiltered(listener: Listener): void {
    this.listeners.push(listener);
  }

  show(fabrics: string[]): void {
    const shown = this.fabrics.filter((name) => fabrics.includes(name));
    this.change({ shown: shown.length === this.fabrics.length ? null : shown });
    for (const listener of this.listeners) listener();
  }
  search(query: string): void {
    this.change({ query });
  }
  goTo(at: string): void {
    this.change({ at });
  }
  // The address of a place under the same choice.
  linkTo(at: string): string {
    return hashOf({ ...this.place, at, query: "" });
  }
  // The address has changed by itself. True: what is shown is another choice.
  follow(hash: string): void {
    const before = JSON.stringify(this.place.shown);
    this.place = this.checked(placeOf(hash));
    if (JSON.stringify(this.place.shown) !== before) for (const listener of this.listeners) listener();
  }

  private change(part: Partial<Place>): void {
    this.place = { ...this.place, ...part };
    this.write(hashOf(this.place));
  }
  // A link may name what is not here.
  private checked(place: Place): Place {
    if (place.shown === null) return place;
    const shown = place.shown.filter((name) => this.fabrics.includes(name));
    return { ...place, shown: shown.length === 0 ? null : shown };
  }
}
