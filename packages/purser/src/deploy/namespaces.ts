import { ownLabels } from "./labels.ts";
import { only, type Template, value } from "./template.ts";

type Level = "baseline" | "restricted";

const levels = (enforced: Level): Readonly<Record<string, string>> => ({
  "pod-security.kubernetes.io/enforce": enforced,
  "pod-security.kubernetes.io/enforce-version": "latest",
  "pod-security.kubernetes.io/audit": "restricted",
  "pod-security.kubernetes.io/audit-version": "latest",
  "pod-security.kubernetes.io/warn": "restricted",
  "pod-security.kubernetes.io/warn-version": "latest",
});

/** Operators and catalogs live there: uninstalling the chart of Purser must not delete them. */
const kept = { "helm.sh/resource-policy": "keep" };

const namespace = (name: Template, enforced: Level): Template => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { ...ownLabels, ...levels(enforced) }, annotations: kept },
});

/** Purser's own namespace, which Helm makes by itself. */
export const ownNamespace: Template = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: value("namespace"), labels: { ...ownLabels, ...levels("restricted") } },
};

/** The namespaces of global catalogs, of operators for all namespaces, and of the revisions of OLM v1. */
export const namespaceManifests: readonly Template[] = [
  only("ownCatalogNamespace", namespace(value("globalNamespace"), "baseline")),
  only("ownCatalogNamespace", namespace("operators", "baseline")),
  only("v1", namespace(value("systemNamespace"), "restricted")),
];
