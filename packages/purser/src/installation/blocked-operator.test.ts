import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import { explainBlocked } from "./blocked-operator.ts";

const invalid =
  'error validating existing CRs against new CRD\'s schema for "kilns.g.io": error validating g.io/v1, Kind=Kiln "ns/a": updated validation is too restrictive: [].spec.size: Invalid value: 9';
const unread =
  'risk of data loss updating "kilns.g.io": new CRD removes version v1 that is listed as a stored version on the existing CRD';

const plan = (phase: "Installing" | "Failed" | "Complete", message: string): InstallPlan => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "InstallPlan",
  metadata: { namespace: "ns", name: "install-abcde" },
  spec: { approval: "Manual", approved: true, clusterServiceVersionNames: ["kiln.v2.0.0"] },
  status: { phase, message, catalogSources: [] },
});
const explained = (of: InstallPlan) =>
  explainBlocked({
    reference: "sub/ns/kiln",
    packageName: "kiln",
    csv: undefined,
    plan: of,
    groups: [
      { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata: { namespace: "ns", name: "g" } },
    ],
  });

const change = [
  "Change or delete the custom resource that the message names; to list them",
  "kubectl get kilns.g.io -A",
];
const rewrite = [
  "Write all its custom resources in a version that stays, and remove the other one from the CRD's status.storedVersions; to list them",
  "kubectl get kilns.g.io -A",
];
const again = [
  "Then delete the InstallPlan, which has failed: another one is made",
  "kubectl delete installplans.operators.coreos.com install-abcde -n ns",
];
const others = ["See which other versions the catalogs have", "purser show kiln --versions"];

for (const [name, of, text, remedies] of [
  [
    "objects that the new schema refuses, while it is retried",
    plan("Installing", `retrying execution due to error: ${invalid}`),
    invalid,
    [change, others],
  ],
  [
    "objects that the new schema refuses, once it has failed",
    plan("Failed", invalid),
    invalid,
    [change, again, others],
  ],
  ["a stored version that the new CRD removes", plan("Failed", unread), unread, [rewrite, again, others]],
] as const)
  test(`an InstallPlan is refused as CrdUnsafe for ${name}`, () => {
    const found = explained(of);
    assert.equal(found?.code, "CrdUnsafe");
    assert.match(
      found.summary,
      /^The new version of CustomResourceDefinition kilns\.g\.io would break objects that exist: /,
    );
    assert.deepEqual(
      found.derivation.map((reason) => reason.text),
      [text],
    );
    assert.deepEqual(
      found.remedies.map(({ summary, command }) => [summary, command]),
      remedies,
    );
  });

for (const [name, of] of [
  ["another text", plan("Failed", "error creating CRD kilns.g.io: it is too long")],
  ["what a complete plan was refused for before", plan("Complete", invalid)],
] as const)
  test(`an InstallPlan is not refused as CrdUnsafe for ${name}`, () => assert.equal(explained(of), undefined));
