// What `railyard report` puts into the page. src/report/page.cpp writes it.

export type Value = number | string;

export interface Statistics {
  p1: number;
  p99: number;
  spread: number;
  iterations: number;
}

export interface Row {
  experiment: string;
  fabric: string;
  parameters: Record<string, Value>;
  metric: string;
  value: number;
  unit: string;
  statistics?: Statistics; // left out where all samples are the same
}

export type Machine = Record<string, Value>;

export interface Source {
  files: string[];
  machine: Machine;
}

export interface Fabric {
  clock: "real" | "virtual";
  description: string;
}

export interface Experiment {
  summary: string;
  source: string;
}

// One statement of a paper: a value, or a relation between values.
export interface Paper {
  id: string;
  seed: string;
  experiment: string;
  kind: string;
  system: string;
  metric: string;
  params: Record<string, unknown>;
  value?: number;
  unit?: string;
  qualifier?: string;
  where?: string;
}

// One line of the table of `railyard reproduce`. Only the id and the verdict are always there.
export interface Verdict {
  id: string;
  verdict: string; // "holds", "off", "excepted", "come-right", "not-available"
  paper?: string;
  where?: string;
  experiment?: string;
  system?: string;
  fabric?: string;
  statement?: string; // of a relation
  published?: number;
  unit?: string;
  qualifier?: string;
  ours?: number;
  difference?: number; // as a share of what was published
  class?: string; // "performance", "bound", "structure" or "relation"
  basis?: string; // "fitted" or "predicted"
  vacuous?: boolean; // a bound on what the model does not have
  steady?: boolean; // false: it rests on a rate that longer runs still change
  margin?: number; // of a relation, as a share
  published_margin?: number;
  numbers?: string; // what the answer about a relation rests on
  reason?: string;
  place?: Record<string, Value>; // with which parameters ours was measured
}

// What a number does that is a tenth smaller, or larger.
export interface Effect {
  value?: string;
  failure?: string; // there is no such machine
  moved?: boolean; // anything that was measured
  largest?: number; // change of a figure, as a share
  record?: string; // of that figure
  flips: { id: string; before?: string; after?: string }[];
}

export interface Sensitivity {
  profile: string;
  key: string;
  value: string;
  evidence: string;
  less: Effect;
  more: Effect;
}

export interface Verdicts {
  records: Verdict[];
  summary?: string;
  sensitivity?: Sensitivity[];
}

export interface PageData {
  generator: string;
  sources: Source[];
  fabrics: Record<string, Fabric>;
  experiments: Record<string, Experiment>;
  rows: Row[];
  papers: Paper[];
  verdicts: Verdicts | null;
}
