import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterUpdatePolicySpec } from "../apis/policy/cluster-update-policy.ts";
import { judgeTime } from "./judge-time.ts";

const at = (time: string): number => Date.parse(time);
const bundle = { name: "etcd.v1.1.0", version: "1.1.0" };
const firstSeen = [
  { package: "other", at: "2026-01-01T00:00:00Z", bundles: ["etcd.v1.1.0", "etcd.v1.2.0"] },
  { package: "etcd", at: "2026-11-20T12:00:00Z", bundles: ["etcd.v1.0.1", "etcd.v1.1.0"] },
];
const weekend = { schedule: "0 22 * * 6", duration: "4h", timeZone: "Europe/Berlin" };
const never = { schedule: "0 0 30 2 *", duration: "4h" };

for (const [what, spec, time, name, expected] of [
  ["without windows and soak", {}, "2026-11-23T12:00:00Z", bundle.name, undefined],
  ["in a window", { windows: [weekend] }, "2026-11-28T22:00:00Z", bundle.name, undefined],
  [
    "outside of its windows",
    { windows: [weekend] },
    "2026-11-23T12:00:00Z",
    bundle.name,
    [
      "OutsideWindow",
      "outside of its windows, the next of which opens at 2026-11-28T21:00:00Z (Sat 22:00 in Europe/Berlin)",
      "2026-11-28T21:00:00Z",
    ],
  ],
  [
    "with windows that never open",
    { windows: [never] },
    "2026-11-23T12:00:00Z",
    bundle.name,
    ["OutsideWindow", "outside of its windows, none of which opens again", undefined],
  ],
  [
    "with a window that cannot be read",
    { windows: [{ ...weekend, timeZone: "Mars" }] },
    "2026-11-28T22:00:00Z",
    bundle.name,
    ["VersionHeld", 'its time zone "Mars" does not exist', undefined],
  ],
  [
    "with a soak that cannot be read",
    { soak: "long" },
    "2026-11-28T22:00:00Z",
    bundle.name,
    ["VersionHeld", 'its soak "long" cannot be read', undefined],
  ],
  [
    "of a version that no record names",
    { soak: "3d" },
    "2026-11-28T22:00:00Z",
    "etcd.v1.2.0",
    ["Soaking", "soaks for 3d, from when it is seen in a catalog", undefined],
  ],
  [
    "a second before the version has soaked",
    { soak: "3d" },
    "2026-11-23T11:59:59Z",
    bundle.name,
    ["Soaking", "soaks until 2026-11-23T12:00:00Z, 3d after it was first seen", "2026-11-23T12:00:00Z"],
  ],
  ["once the version has soaked", { soak: "3d" }, "2026-11-23T12:00:00Z", bundle.name, undefined],
  [
    "of a version that has soaked outside of a window",
    { soak: "3d", windows: [weekend] },
    "2026-11-23T12:00:00Z",
    bundle.name,
    [
      "OutsideWindow",
      "outside of its windows, the next of which opens at 2026-11-28T21:00:00Z (Sat 22:00 in Europe/Berlin)",
      "2026-11-28T21:00:00Z",
    ],
  ],
  [
    "of a version that soaks until a window is closed",
    { soak: "3d", windows: [weekend] },
    "2026-11-22T00:00:00Z",
    bundle.name,
    [
      "Soaking",
      "soaks until 2026-11-23T12:00:00Z, 3d after it was first seen, then waits until 2026-11-28T21:00:00Z (Sat 22:00 in Europe/Berlin)",
      "2026-11-23T12:00:00Z",
    ],
  ],
  [
    "of a version that soaks until a window is open",
    { soak: "8d12h", windows: [weekend] },
    "2026-11-22T00:00:00Z",
    bundle.name,
    ["Soaking", "soaks until 2026-11-29T00:00:00Z, 8d12h after it was first seen", "2026-11-29T00:00:00Z"],
  ],
  [
    "of a version that soaks while no window opens again",
    { soak: "3d", windows: [never] },
    "2026-11-22T00:00:00Z",
    bundle.name,
    [
      "Soaking",
      "soaks until 2026-11-23T12:00:00Z, 3d after it was first seen, then no window opens",
      "2026-11-23T12:00:00Z",
    ],
  ],
] satisfies [
  string,
  ClusterUpdatePolicySpec,
  string,
  string,
  readonly [string, string, string | undefined] | undefined,
][])
  test(`an upgrade ${what} ${expected === undefined ? "may begin" : `waits: ${expected[0]}`}`, () => {
    const verdict = judgeTime({ spec, firstSeen }, "etcd", { ...bundle, name }, at(time));
    const [code, text, until] = expected ?? [];
    assert.deepEqual(
      verdict,
      code === undefined ? undefined : { code, text, ...(until === undefined ? {} : { until: at(until) }) },
    );
  });
