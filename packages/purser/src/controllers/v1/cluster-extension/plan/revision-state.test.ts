import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import { bundleOf, pinnedProvider, recordFault, revisionStates } from "./revision-state.ts";

function revision(number: number, succeeded: boolean, change: object = {}): ClusterObjectSet {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: { name: `a-${number}` },
    spec: { lifecycleState: "Active", revision: number, phases: [] },
    status: { conditions: [{ type: "Succeeded", status: succeeded ? "True" : "False", reason: "", message: "" }] },
    ...change,
  } as unknown as ClusterObjectSet;
}
const archived = { spec: { lifecycleState: "Archived", revision: 1, phases: [] } };
const leaving = { metadata: { name: "a-1", deletionTimestamp: "2026-01-01T00:00:00Z" } };

const table: readonly (readonly [string, readonly ClusterObjectSet[], string | undefined, readonly string[]])[] = [
  ["nothing is installed without revisions", [], undefined, []],
  ["the newest that succeeded is installed, whatever the order", [revision(2, true), revision(1, true)], "a-2", []],
  ["one that never succeeded is on its way", [revision(1, true), revision(2, false)], "a-1", ["a-2"]],
  ["several on their way stand oldest first", [revision(3, false), revision(2, false)], undefined, ["a-2", "a-3"]],
  ["archived ones do not count", [revision(1, true, archived)], undefined, []],
  ["leaving ones do not count", [revision(1, true, leaving)], undefined, []],
];

for (const [what, revisions, installed, rollingOut] of table)
  test(what, () => {
    const states = revisionStates(revisions);
    assert.equal(states.installed?.metadata.name, installed);
    assert.deepEqual(
      states.rollingOut.map(({ metadata }) => metadata.name),
      rollingOut,
    );
  });

const prefix = "olm.operatorframework.io/";
const recorded = (annotations: Readonly<Record<string, string>>): ClusterObjectSet =>
  revision(1, true, { metadata: { name: "a-1", annotations } });
const records: readonly (readonly [string, Readonly<Record<string, string>>, string | undefined])[] = [
  ["a name and a version", { [`${prefix}bundle-name`]: "op.v1", [`${prefix}bundle-version`]: "1.0.0+2" }, undefined],
  ["no annotations", {}, "annotation olm.operatorframework.io/bundle-name of ClusterObjectSet a-1 is missing"],
  [
    "no version",
    { [`${prefix}bundle-name`]: "op.v1" },
    "annotation olm.operatorframework.io/bundle-version of ClusterObjectSet a-1 is missing",
  ],
  [
    "a name in capitals",
    { [`${prefix}bundle-name`]: "Op", [`${prefix}bundle-version`]: "1.0.0" },
    'annotation olm.operatorframework.io/bundle-name of ClusterObjectSet a-1 is invalid: "Op"',
  ],
  [
    "a version that is none",
    { [`${prefix}bundle-name`]: "op.v1", [`${prefix}bundle-version`]: "latest" },
    'annotation olm.operatorframework.io/bundle-version of ClusterObjectSet a-1 is invalid: "latest"',
  ],
];
for (const [what, annotations, fault] of records)
  test(`a revision that records ${what} ${fault === undefined ? "can" : "cannot"} be shown as installed`, () => {
    assert.equal(
      recordFault(recorded(annotations)),
      fault && `the installed bundle is not known: ${fault}; correct it, or delete the ClusterObjectSet`,
    );
  });

test("a release that is recorded as empty is another one than none", () => {
  const release = `${prefix}bundle-release`;
  assert.deepEqual(
    [{}, { [release]: "" }, { [release]: "2" }].map((annotations) => bundleOf(recorded(annotations)).release),
    [undefined, "", "2"],
  );
});

test("the issuer of certificates is that of the newest revision, while it has the same bundle", () => {
  const recorded = (number: number, version: string, provider?: string): ClusterObjectSet => {
    const annotations = {
      "olm.operatorframework.io/bundle-name": "op",
      "olm.operatorframework.io/bundle-version": version,
      ...(provider === undefined ? {} : { "purser.dev/certificate-provider": provider }),
    };
    return revision(number, number === 1, { metadata: { name: `a-${number}`, annotations } });
  };
  const pinned = (version: string, ...revisions: readonly ClusterObjectSet[]): string | undefined =>
    pinnedProvider(revisionStates(revisions), { name: "op", version });
  const [first, second] = [recorded(1, "1.0.0", "own"), recorded(2, "1.1.0", "cert-manager")];
  assert.equal(pinned("1.0.0", first), "own");
  assert.equal(pinned("1.1.0", first, second), "cert-manager");
  assert.equal(pinned("1.0.0", first, second), undefined, "back to an older version");
  assert.equal(pinned("1.1.0", first), undefined);
  assert.equal(pinned("1.0.0", recorded(1, "1.0.0")), undefined, "made before issuers were recorded");
  assert.equal(pinned("1.0.0", recorded(1, "1.0.0", "somebody")), undefined);
  assert.equal(pinned("1.0.0"), undefined);
});
