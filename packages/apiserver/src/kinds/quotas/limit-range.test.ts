import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { beyondLimits } from "./limit-range.ts";

const limits: readonly JsonObject[] = [
  { type: "Container", max: { cpu: "1" }, min: { cpu: "100m", memory: "10Mi" } },
  { type: "Pod", max: { memory: "1Gi" } },
];

const fits = { requests: { cpu: "200m", memory: "20Mi" }, limits: { cpu: "1", memory: "512Mi" } };

/** Name, resources of the containers, the error text of kube-apiserver. */
const cases: readonly (readonly [string, readonly JsonObject[], string | undefined])[] = [
  ["what fits passes", [fits, fits], undefined],
  [
    "reports a limit above max, and a missing one",
    [{ requests: { cpu: "1", memory: "10Mi" }, limits: { cpu: "2" } }],
    "[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Pod is 1Gi.  No limit is specified]",
  ],
  [
    "reports requests below min",
    [{ requests: { cpu: "10m", memory: "1Mi" }, limits: { cpu: "50m" } }],
    "[minimum cpu usage per Container is 100m, but request is 10m, minimum memory usage per Container is 10Mi, but request is 1Mi, maximum memory usage per Pod is 1Gi.  No limit is specified]",
  ],
  [
    "sums containers for a Pod limit",
    [fits, fits, { requests: { cpu: "200m", memory: "10Mi" }, limits: { cpu: "1", memory: "10Mi" } }],
    "maximum memory usage per Pod is 1Gi, but limit is 1034Mi",
  ],
];

describe("limits of types other than container requests", () => {
  const spec = (requests: JsonObject, limits: JsonObject, more: JsonObject = {}): JsonObject => ({
    containers: [{ name: "c", resources: { requests, limits } }],
    ...more,
  });
  const ratio = [{ type: "Container", maxLimitRequestRatio: { cpu: "2" } }];
  for (const [name, pod, limits, expected] of [
    ["a ratio that is kept", spec({ cpu: "1" }, { cpu: "2" }), ratio, undefined],
    [
      "reports a limit/request ratio above the maximum",
      spec({ cpu: "1" }, { cpu: "2500m" }),
      ratio,
      "cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000",
    ],
    [
      "reports a ratio limit without a request",
      spec({}, { cpu: "1" }),
      ratio,
      "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
    ],
    [
      "counts an init container that needs more than all others",
      spec({ cpu: "1" }, { cpu: "1" }, { initContainers: [{ name: "i", resources: { limits: { cpu: "3" } } }] }),
      [{ type: "Pod", max: { cpu: "2" } }],
      "maximum cpu usage per Pod is 2, but limit is 3",
    ],
    [
      "adds restartable init containers to the others",
      spec(
        { cpu: "1" },
        { cpu: "1500m" },
        { initContainers: [{ name: "i", restartPolicy: "Always", resources: { limits: { cpu: "1" } } }] },
      ),
      [{ type: "Pod", max: { cpu: "2" } }],
      "maximum cpu usage per Pod is 2, but limit is 2500m",
    ],
    [
      "uses pod-level limits when set",
      spec({ cpu: "1" }, { cpu: "1" }, { resources: { limits: { cpu: "5" } } }),
      [{ type: "Pod", max: { cpu: "2" } }],
      "maximum cpu usage per Pod is 2, but limit is 5",
    ],
  ] as const)
    test(name, () => assert.equal(beyondLimits(pod, limits), expected));

  test("a claim's request is checked against min and max", () => {
    const limits = [{ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }];
    const claim = (storage: string): JsonObject => ({ resources: { requests: { storage } } });
    const fault = (storage: string): string | undefined =>
      beyondLimits(claim(storage), limits, "PersistentVolumeClaim");
    assert.equal(fault("1Gi"), undefined);
    assert.equal(fault("1Mi"), "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi");
    assert.equal(fault("3Gi"), "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi");
  });
});

describe("limits of a namespace", () => {
  for (const [name, resources, expected] of cases)
    test(name, () => {
      const containers = resources.map((held, index) => ({ name: `c${index}`, resources: held }));
      assert.equal(beyondLimits({ containers }, limits), expected);
    });
});
