import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Subscription, SubscriptionConfig } from "../../apis/v0/subscription.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { metadataNameLabel } from "../../apis/v1/labels.ts";
import type { ChosenBundle, ChosenPackage } from "./package-request.ts";

/** The request of `install`, and of `plan` for a package that is not installed: both create the same objects. */
export interface PackageRequest {
  /** Name of the Subscription or ClusterExtension. */
  readonly name: string;
  readonly namespace: string;
  readonly packageName: string;
  /** None: those that the package has. */
  readonly channels: readonly string[];
  /** A version or a range of versions. */
  readonly version: string | undefined;
  /** Whether the user named the catalog, so that no other catalog is used. */
  readonly namesSource: boolean;
  /** Configuration of the operator: `spec.config` of a Subscription, inline configuration of a ClusterExtension. */
  readonly values?: JsonObject;
}

export function requestedSubscription(
  { name, namespace, packageName, values }: PackageRequest,
  { source }: ChosenPackage,
  { channel, bundle }: ChosenBundle,
  approval?: string,
): Subscription {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { name, namespace },
    spec: {
      name: packageName,
      channel,
      source: source.name,
      sourceNamespace: source.namespace ?? "",
      ...(approval === undefined ? {} : { installPlanApproval: approval }),
      ...(bundle === undefined ? {} : { startingCSV: bundle }),
      ...(values === undefined ? {} : { config: values as SubscriptionConfig }),
    },
  };
}

/**
 * The OperatorGroup to create in a namespace that has none; it targets all namespaces when `watched` is undefined, and installs as
 * the ServiceAccount `account` where one is named.
 */
export function requestedGroup(namespace: string, watched?: readonly string[], account?: string): OperatorGroup {
  return {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { name: namespace, namespace },
    spec: {
      ...(watched === undefined ? {} : { targetNamespaces: watched }),
      ...(account === undefined ? {} : { serviceAccountName: account }),
    },
  };
}

export function requestedExtension(
  { name, namespace, packageName, channels, version, namesSource, values }: PackageRequest,
  { source }: ChosenPackage,
): ClusterExtension {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name },
    spec: {
      namespace,
      source: {
        sourceType: "Catalog",
        catalog: {
          packageName,
          ...(version === undefined ? {} : { version }),
          ...(channels.length === 0 ? {} : { channels: [...channels] }),
          ...(namesSource ? { selector: { matchLabels: { [metadataNameLabel]: source.name } } } : {}),
        },
      },
      ...(values === undefined ? {} : { config: { configType: "Inline", inline: values } }),
    },
  };
}
