import type { Digest } from "@purser/kubernetes/digest";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { formatPlace, type Place } from "@purser/kubernetes/place";
import type { ConfigFault } from "./config-schema.ts";

export interface BundleProperty {
  readonly type: string;
  readonly value: JsonValue;
}

/** One object of `manifests/` with the file it came from. */
export interface BundleManifest {
  readonly object: JsonObject;
  readonly place: Place;
}

/** A registry+v1 bundle, read and not yet judged: support checks and validators come with rendering. */
export interface RegistryBundle {
  readonly digest: Digest;
  /** Annotation `operators.operatorframework.io.bundle.package.v1`; may be empty. */
  readonly packageName: string;
  /** All of `metadata/annotations.yaml`. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The ClusterServiceVersion as its API type reads it: unknown fields dropped, `olm.properties` merged. */
  readonly csv: JsonObject;
  /** As `apiextensions.k8s.io/v1` reads them. */
  readonly crds: readonly BundleManifest[];
  readonly others: readonly BundleManifest[];
  /** CSV annotation `olm.properties` first, then `metadata/properties.yaml`. */
  readonly properties: readonly BundleProperty[];
  readonly dependencies: readonly BundleProperty[];
}

/** What is wrong with a bundle. `message` is upstream's text where upstream has one. */
export interface BundleProblem {
  readonly kind:
    /** A file is missing, cannot be read, or holds the wrong thing. */
    | "unreadable"
    /** Well formed, but asks for what v1 does not do. */
    | "unsupported"
    /** Breaks a rule of registry+v1. */
    | "invalid"
    /** The user's `spec.config` does not fit the bundle. */
    | "configuration"
    /** The bundle's install modes do not fit the namespaces. */
    | "targetNamespaces";
  readonly message: string;
  readonly place?: Place;
  /** Of `configuration`: the fields that do not fit. */
  readonly faults?: readonly ConfigFault[];
}

export function formatBundleProblem({ message, place }: BundleProblem): string {
  const where = place === undefined ? "" : formatPlace(place);
  return where === "" ? message : `${where}: ${message}`;
}
