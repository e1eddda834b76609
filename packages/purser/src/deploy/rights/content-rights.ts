import { applied, olmV1, rbac, right, type Right, v0, v1, watched } from "./right.ts";

const kindsOfBundles: readonly (readonly [group: string, resources: readonly string[]])[] = [
  ["policy", ["poddisruptionbudgets"]],
  ["networking.k8s.io", ["networkpolicies"]],
  ["scheduling.k8s.io", ["priorityclasses"]],
  ["monitoring.coreos.com", ["prometheusrules", "servicemonitors", "podmonitors"]],
  ["autoscaling.k8s.io", ["verticalpodautoscalers"]],
  [
    "console.openshift.io",
    ["consoleyamlsamples", "consolequickstarts", "consoleclidownloads", "consolelinks", "consoleplugins"],
  ],
];

/** What depends on the content of bundles. */
export const content: readonly Right[] = [
  ...kindsOfBundles.flatMap(([group, resources]) => [
    v0({
      group,
      resources,
      verbs: ["get", ...watched, "create", "update", "delete"],
      why: "bundles may hold objects of this kind; an InstallPlan creates and updates them",
      asked: "content",
    }),
    v1({ group, resources, verbs: applied, why: "bundles may hold objects of this kind", asked: "content" }),
  ]),
  v1({
    group: "cert-manager.io",
    resources: ["issuers", "certificates"],
    verbs: applied,
    why: "where cert-manager is installed it issues the certificates of webhooks",
    asked: "content",
  }),
  right({
    group: "*",
    resources: ["*"],
    verbs: ["list"],
    why: "before a new version of a definition is written, the stored objects of any API that operators own are checked against it",
    asked: "content",
  }),
  right({
    group: rbac,
    resources: ["roles", "clusterroles"],
    verbs: ["escalate", "bind"],
    why: "operators get the permissions of their bundles, also those that Purser itself does not have; with this right Purser can give any permission, so protect its namespace like the control plane",
    asked: "check",
  }),
  v1({
    group: olmV1,
    resources: ["clusterextensions/finalizers", "clusterobjectsets/finalizers"],
    verbs: ["update"],
    why: "revisions and their objects keep their owner until they are deleted (blockOwnerDeletion; checked on OpenShift)",
    asked: "check",
  }),
];
