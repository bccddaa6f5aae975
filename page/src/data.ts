// What `railyard report` and `railyard run --report` put into the page. src/report/page.cpp writes it.

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
  steady: boolean;
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
  verdict: string; // "holds", "marginal", "off", "excepted", "come-right", "not-available"
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
  tolerance_percent?: number;
  sensitivity?: Sensitivity[];
}

// A result of a real interconnect beside what the machine itself can do.
export interface Bounded {
  experiment: string;
  fabric: string;
  parameters: Record<string, Value>;
  metric: string;
  unit: string;
  value: number;
  limit: number;
  of: string; // which limit: "copy"
}

// Files side by side: the first column is the measure of all.
export interface ComparedCell {
  value: number;
  ratio?: number; // to the first column
  change?: "better" | "worse" | "differs"; // beyond the spread
}
export interface ComparedTable {
  experiment: string;
  unit: string;
  columns: string[];
  lines: { metric: string; parameters: Record<string, Value>; cells: (ComparedCell | null)[] }[];
}

// A run of a program: `railyard run --report`.
export interface RunRank {
  start_up: number; // all in seconds
  shut_down: number;
  computing: number;
  mpi: number; // of which ...
  connecting: number;
  late_sender: number;
  late_receiver: number;
  collective: number;
}
export interface RunPart {
  kind: string;
  name: string;
  seconds: number;
  share: number; // of the run's time
}
export interface Run {
  program: string;
  fabric: string;
  ranks: number;
  nodes: number;
  seconds: number;
  start_up: number;
  compute: string;
  lanes: { first: number; ranks: number; bins: string }[]; // a letter a bin: see timelines.ts
  pairs: { from: number; to: number; messages: number; bytes: number }[];
  ranks_a_cell: number; // of the matrix; 1: each rank has its own
  sizes: { from_bytes: number; messages: number; bytes: number }[];
  times: { first: number; ranks: number; mean: RunRank }[];
  functions: { name: string; calls: number; seconds: number }[];
  waits: { why: string; rank: number; by: number; times: number; seconds: number }[];
  parts: RunPart[];
  parts_left_out: number;
}

export interface PageData {
  generator: string;
  command: string; // that wrote the page
  sources: Source[];
  fabrics: Record<string, Fabric>;
  experiments: Record<string, Experiment>;
  rows: Row[];
  papers: Paper[];
  verdicts: Verdicts | null;
  limits: Bounded[];
  comparison: ComparedTable[];
  runs: Run[];
}

// Rows of one experiment, metric and unit have a sheet: their names stand there once.
interface Sheet {
  experiment: string;
  metric: string;
  unit: string;
  names: string[]; // of parameters
  // The fabric's number, a value for each parameter (null: it has none), the result; then, where
  // there is more to tell, p1, p99, spread and samples, or null; then 0 if it is not steady.
  rows: (Value | null | number[])[][];
}

type Packed = Omit<PageData, "rows"> & { fabric_names: string[]; sheets: Sheet[] };

function rowOf(sheet: Sheet, cells: Sheet["rows"][number], fabrics: string[]): Row {
  const count = sheet.names.length;
  const parameters: Record<string, Value> = {};
  sheet.names.forEach((name, i) => {
    const value = cells[i + 1];
    if (value !== null) parameters[name] = value as Value;
  });
  const found = cells[count + 2] as number[] | null | undefined;
  const row: Row = {
    experiment: sheet.experiment,
    fabric: fabrics[cells[0] as number]!,
    parameters,
    metric: sheet.metric,
    value: cells[count + 1] as number,
    unit: sheet.unit,
    steady: cells[count + 3] !== 0,
  };
  if (found)
    row.statistics = { p1: found[0]!, p99: found[1]!, spread: found[2]!, iterations: found[3]! };
  return row;
}

export function unpacked(text: string): PageData {
  const { fabric_names, sheets, ...rest } = JSON.parse(text) as Packed;
  const rows = sheets.flatMap((sheet) => sheet.rows.map((row) => rowOf(sheet, row, fabric_names)));
  return { ...rest, rows };
}
