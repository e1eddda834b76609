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

/** Kinds that only OLM v1 installs. */
const onlyV1 = new Set(["podmonitors"]);

/** What depends on the content of bundles. */
export const content: readonly Right[] = [
  ...kindsOfBundles.flatMap(([group, resources]) => [
    v0({
      group,
      resources: resources.filter((resource) => !onlyV1.has(resource)),
      verbs: ["get", ...watched, "create", "update", "delete"],
      why: "create and update objects of bundles, by InstallPlans",
      asked: "content",
    }),
    v1({ group, resources, verbs: applied, why: "create and update objects of bundles", asked: "content" }),
  ]),
  v1({
    group: "cert-manager.io",
    resources: ["issuers", "certificates"],
    verbs: applied,
    why: "request the certificates of webhooks where cert-manager is installed",
    asked: "content",
  }),
  right({
    group: "*",
    resources: ["*"],
    verbs: ["list"],
    why: "check the stored objects of an operator's API against a new version of its definition",
    asked: "content",
  }),
  right({
    group: rbac,
    resources: ["roles", "clusterroles"],
    verbs: ["escalate", "bind"],
    why: "grant operators the permissions of their bundles, including those that Purser itself lacks. With this right Purser can grant any permission, so protect its namespace like the control plane",
    asked: "check",
  }),
  v1({
    group: olmV1,
    resources: ["clusterextensions/finalizers", "clusterobjectsets/finalizers"],
    verbs: ["update"],
    why: "set blockOwnerDeletion on revisions and their objects (checked on OpenShift)",
    asked: "check",
  }),
];
