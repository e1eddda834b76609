import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ObjectMeta } from "@purser/kubernetes/apis/object";
import { remedyWords } from "../../explanation/explanation.ts";
import { type Colliding, collisionOf, collisionReport, ownedElsewhere } from "./owned-elsewhere.ts";

const objectOf = (kind: string, metadata: ObjectMeta): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "taken", ...metadata },
});
const controlled = (kind: string, owner: string, extension?: string): ObjectMeta => ({
  ...(extension === undefined ? {} : { labels: { "olm.operatorframework.io/owner-name": extension } }),
  ownerReferences: [{ apiVersion: "a/v1", kind, name: owner, uid: "u", controller: true }],
});
const reference = (kind: string, name: string) => ({ apiVersion: "v1", kind, name, uid: name });
const fresh: Colliding = { extension: "ext", installed: undefined };
const delete_ =
  'Delete ClusterExtension "ext"; the objects stay with their owner: kubectl delete clusterextensions.olm.operatorframework.io ext';

for (const [what, objects, colliding, summary, remedies] of [
  [
    "a ServiceAccount of an installed operator is not to be deleted",
    [objectOf("ServiceAccount", { namespace: "ns", labels: { "olm.owner": "op.v1", "olm.owner.kind": "CSV" } })],
    fresh,
    'ServiceAccount "taken" exists already and belongs to CSV "op.v1"',
    [delete_, 'Uninstall CSV "op.v1"'],
  ],
  [
    "a CustomResourceDefinition of another extension is not to be deleted",
    [objectOf("CustomResourceDefinition", controlled("ClusterObjectSet", "other-1", "other"))],
    fresh,
    'CustomResourceDefinition "taken" exists already and belongs to ClusterExtension "other"',
    [
      delete_,
      'Uninstall ClusterExtension "other", with those of its CustomResourceDefinitions that hold no objects: purser uninstall ext/other --mode unused',
    ],
  ],
  [
    "an upgrade that meets objects of another extension may stay where it is",
    [objectOf("ConfigMap", controlled("ClusterObjectSet", "other-1", "other"))],
    { extension: "ext", installed: "1.0.0" },
    'ConfigMap "taken" exists already and belongs to ClusterExtension "other"',
    [
      'Stay at version 1.0.0: kubectl patch clusterextensions.olm.operatorframework.io ext --type merge -p \'{"spec":{"source":{"catalog":{"version":"1.0.0"}}}}\'',
      'Uninstall ClusterExtension "other", with those of its CustomResourceDefinitions that hold no objects: purser uninstall ext/other --mode unused',
    ],
  ],
  [
    "an object of a Helm release belongs to that",
    [
      objectOf("ConfigMap", {
        namespace: "ns",
        annotations: { "meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "apps" },
      }),
    ],
    { extension: undefined, installed: undefined },
    'ConfigMap "taken" exists already and belongs to Helm release "apps/web"',
    ['Uninstall Helm release "apps/web"'],
  ],
  [
    "objects without owner may be deleted, with care",
    [objectOf("ServiceAccount", { namespace: "ns" }), objectOf("CustomResourceDefinition", { name: "a.b" })],
    fresh,
    'ServiceAccount "taken" and CustomResourceDefinition "a.b" exist already',
    [
      'Remove ServiceAccount "taken" if nothing needs it any more: kubectl delete serviceaccount taken -n ns',
      "loses data: Delete it with all objects that it holds; look first at what they are (kubectl get a.b -A): kubectl delete customresourcedefinition a.b",
    ],
  ],
  [
    "beside an object with an owner one without is not to be deleted alone",
    [objectOf("Secret", { namespace: "ns" }), objectOf("ConfigMap", controlled("Deployment", "web"))],
    fresh,
    'Secret "taken" and ConfigMap "taken" exist already',
    [delete_, 'Uninstall Deployment "web"'],
  ],
] as const satisfies readonly (readonly [string, readonly KubeObject[], Colliding, string, readonly string[]])[])
  test(what, () => {
    const explained = ownedElsewhere(
      objects.map((live) => ({ live, managers: [] })),
      colliding,
    );
    assert.equal(explained.summary, summary);
    assert.deepEqual(
      explained.remedies.map(
        (remedy) => `${remedyWords(remedy)}${remedy.command === undefined ? "" : `: ${remedy.command}`}`,
      ),
      remedies,
    );
  });

const ofOwner = { "olm.owner": "op.v1", "olm.owner.kind": "CSV" };
for (const [what, metadata, owner] of [
  [
    "the controller before other owners",
    { ownerReferences: [reference("Other", "o"), { ...reference("Job", "j"), controller: true }] },
    'Job "j"',
  ],
  [
    "the first owner without a controller",
    { ownerReferences: [reference("Other", "o"), reference("Job", "j")] },
    'Other "o"',
  ],
  ["owner labels", { labels: ofOwner }, 'CSV "op.v1"'],
  ["owner labels with a namespace", { labels: { ...ofOwner, "olm.owner.namespace": "ns" } }, 'CSV "ns/op.v1"'],
  ["an owner label without a kind", { labels: { "olm.owner": "op.v1" } }, 'object "op.v1"'],
  [
    "what it was installed alongside",
    { annotations: { other: "x", "operatorframework.io/installed-alongside-1": "ns/op.v1" } },
    'ClusterServiceVersion "ns/op.v1"',
  ],
  ["nothing", {}, undefined],
] as const)
  test(`a condition names as owner of an object ${what}`, () => {
    const report = collisionReport(2, [{ live: objectOf("ConfigMap", metadata as ObjectMeta), managers: [] }]);
    const lines = ["revision object collisions in phase 2", "Object ConfigMap.v1 taken", 'Action: "Collision"'];
    assert.equal(report, [...lines, ...(owner === undefined ? [] : [`Owner: ${owner}`])].join("\n"));
  });

test("a condition has a paragraph for each object, with its field managers but ours, in order", () => {
  const fields = (manager: string | undefined, subresource?: string) => ({ manager, subresource });
  const managedFields = [
    fields("kubectl"),
    fields("ours"),
    fields("b"),
    fields("a"),
    fields("a"),
    fields("c", "status"),
    fields(undefined),
  ];
  const live = objectOf("ConfigMap", { namespace: "ns", managedFields } as unknown as ObjectMeta);
  assert.equal(
    collisionReport(0, [collisionOf(live, "ours"), { live: objectOf("Secret", {}), managers: [] }]),
    `revision object collisions in phase 0
Object ConfigMap.v1 ns/taken
Action: "Collision"
Field managers: a, b, kubectl

Object Secret.v1 taken
Action: "Collision"`,
  );
});
