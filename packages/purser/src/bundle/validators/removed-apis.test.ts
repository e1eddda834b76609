import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoadedBundle } from "./loaded-bundle.ts";
import { listApis, removedApis } from "./removed-apis.ts";

/** `APIVERSION KIND ...` that each release no longer serves, as in the Kubernetes deprecation guide. */
const gone: Readonly<Record<string, readonly string[]>> = {
  "1.22": [
    "scheduling.k8s.io/v1beta1 PriorityClass",
    "rbac.authorization.k8s.io/v1beta1 Role RoleBinding ClusterRole ClusterRoleBinding",
    "apiregistration.k8s.io/v1beta1 APIService",
    "authentication.k8s.io/v1beta1 TokenReview",
    "authorization.k8s.io/v1beta1 LocalSubjectAccessReview SelfSubjectAccessReview SubjectAccessReview",
    "admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "coordination.k8s.io/v1beta1 Lease",
    "extensions/v1beta1 Ingress",
    "networking.k8s.io/v1beta1 Ingress IngressClass",
    "storage.k8s.io/v1beta1 CSIDriver CSINode StorageClass VolumeAttachment",
    "certificates.k8s.io/v1beta1 CertificateSigningRequest",
  ],
  "1.25": [
    "batch/v1beta1 CronJob",
    "discovery.k8s.io/v1beta1 EndpointSlice",
    "events.k8s.io/v1beta1 Event",
    "autoscaling/v2beta1 HorizontalPodAutoscaler",
    "policy/v1beta1 PodDisruptionBudget PodSecurityPolicy",
    "node.k8s.io/v1beta1 RuntimeClass",
  ],
  "1.26": ["autoscaling/v2beta2 HorizontalPodAutoscaler"],
};
const all = Object.values(gone)
  .flat()
  .flatMap((line) => {
    const [apiVersion = "", ...kinds] = line.split(" ");
    return kinds.map((kind) => ({ apiVersion, kind, metadata: { name: `${apiVersion} ${kind}` } }));
  });
const kept = [
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "kept" } },
  { apiVersion: "rbac.authorization.k8s.io/v1beta1", kind: "Lease", metadata: { name: "kept" } },
  { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "kept" } },
];
const crd = (version: string): object => ({ version, object: { metadata: { name: `crd of ${version}` } } });
const bundle = {
  crds: [crd("v1"), crd("v1beta1")],
  objects: [...kept, ...all].map((object) => ({ object })),
} as unknown as LoadedBundle;

for (const release of ["1.22", "1.25", "1.26", "1.29"])
  test(`Kubernetes ${release} no longer serves what its deprecation guide lists, and nothing else`, () => {
    const expected = (gone[release] ?? []).flatMap((line) => {
      const [apiVersion = "", ...kinds] = line.split(" ");
      return kinds.map((kind) => `${apiVersion} ${kind}`);
    });
    const found = [...removedApis(bundle, release).values()].flat();
    assert.deepEqual(found.toSorted(), [...expected, ...(release === "1.22" ? ["crd of v1beta1"] : [])].toSorted());
  });

test("objects are listed by kind in the order found", () => {
  const found = removedApis(bundle, "1.22");
  assert.deepEqual([...found.keys()].slice(0, 3), ["CRD", "PriorityClass", "Role"]);
  assert.equal(
    listApis(new Map([...found].filter(([kind]) => kind === "Ingress" || kind === "CRD"))),
    [
      'CRD: (["crd of v1beta1"])',
      'Ingress: (["extensions/v1beta1 Ingress" "networking.k8s.io/v1beta1 Ingress"]),',
    ].join(","),
  );
});
