// Numbers and names as people read them.

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

// 1, 64, "4 KiB", "1.5 MiB".
export function size(bytes: number): string {
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    unit += 1;
  }
  const text = Number.isInteger(bytes) ? String(bytes) : bytes.toPrecision(3);
  return unit === 0 ? text : `${text} ${units[unit]}`;
}

// With three or four digits that matter: "0.103", "12.3", "21345".
export function short(value: number): string {
  if (value === 0) return "0";
  const magnitude = Math.abs(value);
  if (magnitude >= 1e7 || magnitude < 1e-4) return value.toExponential(2);
  if (magnitude >= 1000) return value.toFixed(0);
  return String(Number(value.toPrecision(magnitude >= 100 ? 4 : 3)));
}

// All its digits, as the file has them.
export function exact(value: number): string {
  return String(value);
}

export function percent(share: number): string {
  return `${short(Number((share * 100).toFixed(1)))} %`;
}

export function seconds(value: number): string {
  if (value >= 1) return `${short(value)} s`;
  return value >= 1e-3 ? `${short(value * 1e3)} ms` : `${short(value * 1e6)} µs`;
}

export function count(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? "" : "s"}`;
}

// A number with its unit; a ratio has none. Long times are told in larger units.
export function quantity(value: number, unit: string): string {
  if (unit === "us" && value >= 1e4) return seconds(value * 1e-6);
  const names: Record<string, string> = { "1": "", us: " µs", percent: " %" };
  return short(value) + (names[unit] ?? ` ${unit}`);
}

export function unitName(unit: string): string {
  return unit === "us" ? "µs" : unit === "1" ? "ratio" : unit;
}

const spoken: Record<string, string> = {
  message_bytes: "message size",
  mpi: "MPI",
  vis_per_process: "VIs per process",
};

// "bandwidth_aggregate" is "bandwidth aggregate".
export function words(name: string): string {
  return spoken[name] ?? name.replaceAll("_", " ");
}

export function parameter(name: string, value: unknown): string {
  return name === "message_bytes" && typeof value === "number" ? size(value) : String(value);
}

// Powers of two within the limits, few enough to be read side by side.
export function powerTicks(least: number, most: number, room: number): number[] {
  const first = Math.ceil(Math.log2(least) - 1e-9);
  const last = Math.floor(Math.log2(most) + 1e-9);
  const steps = [1, 2, 3, 6, 10, 20];
  const step = steps.find((s) => Math.floor((last - first) / s) + 1 <= room) ?? 20;
  const ticks: number[] = [];
  // Steps are counted from one, so that every plot has the same: 1, 64, 4 KiB, 256 KiB.
  for (let e = Math.ceil(first / step) * step; e <= last; e += step) ticks.push(2 ** e);
  return ticks;
}
