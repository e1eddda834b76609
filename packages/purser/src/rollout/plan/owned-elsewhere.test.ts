import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ObjectMeta } from "@purser/kubernetes/apis/object";
import { remedyWords } from "../../explanation/explanation.ts";
import { type Colliding, ownedElsewhere } from "./owned-elsewhere.ts";

const objectOf = (kind: string, metadata: ObjectMeta): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "taken", ...metadata },
});
const controlled = (kind: string, owner: string, extension?: string): ObjectMeta => ({
  ...(extension === undefined ? {} : { labels: { "olm.operatorframework.io/owner-name": extension } }),
  ownerReferences: [{ apiVersion: "a/v1", kind, name: owner, uid: "u", controller: true }],
});
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
