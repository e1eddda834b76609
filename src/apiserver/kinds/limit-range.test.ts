import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../json.ts";
import { beyondLimits } from "./limit-range.ts";

const limits: readonly JsonObject[] = [
  { type: "Container", max: { cpu: "1" }, min: { cpu: "100m", memory: "10Mi" } },
  { type: "Pod", max: { memory: "1Gi" } },
];

const fits = { requests: { cpu: "200m", memory: "20Mi" }, limits: { cpu: "1", memory: "512Mi" } };

/** Name, resources of the containers, what the real server says. */
const cases: readonly (readonly [string, readonly JsonObject[], string | undefined])[] = [
  ["what fits passes", [fits, fits], undefined],
  [
    "a limit above the most, and none where one is needed",
    [{ requests: { cpu: "1", memory: "10Mi" }, limits: { cpu: "2" } }],
    "[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Pod is 1Gi.  No limit is specified]",
  ],
  [
    "requests below the least",
    [{ requests: { cpu: "10m", memory: "1Mi" }, limits: { cpu: "50m" } }],
    "[minimum cpu usage per Container is 100m, but request is 10m, minimum memory usage per Container is 10Mi, but request is 1Mi, maximum memory usage per Pod is 1Gi.  No limit is specified]",
  ],
  [
    "containers count together for a pod",
    [fits, fits, { requests: { cpu: "200m", memory: "10Mi" }, limits: { cpu: "1", memory: "10Mi" } }],
    "maximum memory usage per Pod is 1Gi, but limit is 1034Mi",
  ],
];

describe("limits of a namespace", () => {
  for (const [name, resources, expected] of cases)
    test(name, () => {
      const containers = resources.map((held, index) => ({ name: `c${index}`, resources: held }));
      assert.equal(beyondLimits({ containers }, limits), expected);
    });
});
