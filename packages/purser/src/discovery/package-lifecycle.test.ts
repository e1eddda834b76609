import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { BlobId, PackageSummary } from "../catalog/catalog-index.ts";
import { lifecycleOf, packageLifecycle, phaseState } from "./package-lifecycle.ts";

const read = (...blobs: readonly JsonObject[]) => {
  const ids = blobs.map((_, at) => at as BlobId);
  return packageLifecycle({ blobs: ids } as unknown as PackageSummary, (id) => blobs[id] ?? {});
};
const schema = "io.openshift.operators.lifecycles.v1alpha1";
const stated = {
  schema,
  package: "p",
  versions: [
    {
      name: "1.2",
      platformCompatibility: [{ name: "openshift", versions: ["4.14", "4.15"] }, "else"],
      phases: [
        { name: "Extended", startDate: "2026-07-01" },
        { name: "Maintenance", startDate: "2026-01-01", endDate: "2026-06-30" },
        { name: "Full", startDate: 20250101, endDate: "2025-12-31" },
      ],
    },
  ],
};

test("a package without documents of lifecycles states nothing", () => {
  assert.deepEqual(read({ schema: "olm.package" }, { schema: "example.com/other" }), { kind: "none" });
});

test("phases are in order of their end, and what has another form is left out", () => {
  const lifecycle = read({ schema: "olm.bundle" }, stated, { schema: "example.com/other" });
  assert.deepEqual(lifecycle, {
    kind: "stated",
    versions: [
      {
        name: "1.2",
        phases: [
          { name: "Full", endDate: "2025-12-31" },
          { name: "Maintenance", startDate: "2026-01-01", endDate: "2026-06-30" },
          { name: "Extended", startDate: "2026-07-01" },
        ],
        platforms: [{ name: "openshift", versions: ["4.14", "4.15"] }],
      },
    ],
  });
  assert.equal(lifecycleOf(lifecycle, "1.2.9-rc.1")?.name, "1.2");
  assert.equal(lifecycleOf(lifecycle, "1.20.0"), undefined);
  assert.equal(lifecycleOf(lifecycle, ""), undefined);
});

test("two documents of one package are a conflict", () => {
  assert.deepEqual(read(stated, { ...stated, schema: "io.openshift.operators.lifecycles.v1" }), {
    kind: "several",
    count: 2,
  });
});

for (const [today, state] of [
  ["2025-12-31", "future"],
  ["2026-01-01", "active"],
  ["2026-06-30", "active"],
  ["2026-07-01", "past"],
] as const)
  test(`a phase from 2026-01-01 to 2026-06-30 is ${state} on ${today}`, () => {
    assert.equal(phaseState({ name: "a", startDate: "2026-01-01", endDate: "2026-06-30" }, today), state);
  });

test("a phase without dates is active", () => assert.equal(phaseState({ name: "a" }, "2026-01-01"), "active"));
