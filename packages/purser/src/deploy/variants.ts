import type { JsonValue } from "@purser/kubernetes/json";
import { defaultValues, type InstallValues, type ValueName, withValues } from "./values.ts";

/** A ready-made installation beside the one of the default values. */
export interface Variant {
  /** Of the Kustomize overlay and of the chart's file of values. */
  readonly name: "v0" | "v1" | "both" | "openshift" | "air-gapped";
  readonly help: string;
  readonly changes: Readonly<Partial<Record<ValueName, JsonValue>>>;
}

export const variants: readonly Variant[] = [
  { name: "v0", help: "OLM v0 alone", changes: { "apis.v1": false } },
  { name: "v1", help: "OLM v1 alone", changes: { "apis.v0": false } },
  { name: "both", help: "both families, as the base", changes: {} },
  {
    name: "openshift",
    help: "ClusterOperators, metrics over TLS with a certificate of the service CA, catalogs in openshift-marketplace",
    changes: { openshift: true, globalNamespace: "openshift-marketplace", "metrics.tlsSecret": "purser-metrics-tls" },
  },
  {
    name: "air-gapped",
    help: "mirrors, certificate authorities and credentials of your registry, from objects that you create",
    changes: {
      "registry.authorities": "purser-registry-authorities",
      "registry.configuration": "purser-registries",
      "registry.pullSecret": "purser-registry",
      imagePullSecrets: [{ name: "purser-registry" }],
    },
  },
];

export const variantValues = ({ changes }: Variant): InstallValues => withValues(defaultValues, changes);
