import assert from "node:assert/strict";
import { test } from "node:test";

import type { Effect, Sensitivity } from "../src/data";
import { effectText, kind } from "../src/sensitivity";

function number(less: Partial<Effect>, more: Partial<Effect>): Sensitivity {
  return {
    profile: "quadrics",
    key: "elan.check",
    value: "150 ns",
    evidence: "fitted",
    less: { flips: [], ...less },
    more: { flips: [], ...more },
  };
}

test("a number is what it does in the direction that counts more", () => {
  const flips = [{ id: "liu04.latency" }];
  assert.equal(kind(number({ moved: true }, { moved: true, flips })), "flips");
  assert.equal(kind(number({ moved: true }, { failure: "too many" })), "moves");
  assert.equal(kind(number({ moved: false }, { failure: "too many" })), "nothing");
  assert.equal(kind(number({ failure: "too few" }, { failure: "too many" })), "fails");
});

test("an effect is told by what flips, else by how much moves", () => {
  assert.equal(effectText({ flips: [{ id: "a" }, { id: "b" }], moved: true }), "a, b");
  assert.equal(effectText({ flips: [], moved: true, largest: 0.0314 }), "3.1 %");
  assert.equal(effectText({ flips: [], moved: false }), "–");
  assert.equal(effectText({ flips: [], failure: "too many" }), "no such machine");
});
