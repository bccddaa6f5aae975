// Rows and records as the tests need them.

import type { Paper, Row, Value } from "../src/data";

export function row(
  fabric: string,
  parameters: Record<string, Value>,
  value: number,
  experiment = "latency-uni",
  more: Partial<Row> = {},
): Row {
  return { experiment, fabric, parameters, metric: "latency", value, unit: "us", steady: true, ...more };
}

export function sizes(fabric: string, more: Record<string, Value> = {}): Row[] {
  return [8, 64, 4096].map((bytes) => row(fabric, { message_bytes: bytes, ...more }, bytes));
}

export function paper(params: Record<string, unknown>, more: Partial<Paper> = {}): Paper {
  return {
    id: "liu04.latency.small",
    seed: "liu04",
    experiment: "latency-uni",
    kind: "measurement",
    system: "quadrics/elanlib",
    metric: "latency",
    params,
    value: 2,
    unit: "us",
    qualifier: "=",
    ...more,
  };
}
