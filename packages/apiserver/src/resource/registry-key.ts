import type { ServedKind } from "../registry/served-kind.ts";

interface KeptObject {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Kinds that kube-apiserver does not store under their plural. */
const registryDirectories: ReadonlyMap<string, string> = new Map([
  ["services", "services/specs"],
  ["endpoints", "services/endpoints"],
  ["nodes", "minions"],
  ["ingresses.networking.k8s.io", "ingress"],
  ["customresourcedefinitions.apiextensions.k8s.io", "apiextensions.k8s.io/customresourcedefinitions"],
  ["apiservices.apiregistration.k8s.io", "apiregistration.k8s.io/apiservices"],
]);

/** The etcd key under which kube-apiserver stores an object: built-in groups share one level. */
export function registryKey({ kind, namespace, name }: KeptObject, dryRun: boolean): string {
  const group = kind.custom === undefined ? "" : `${kind.type.group}/`;
  const directory =
    kind.custom === undefined ? (registryDirectories.get(kind.table) ?? kind.type.plural) : kind.type.plural;
  return `${dryRun ? "" : "/registry"}/${group}${directory}/${kind.type.namespaced ? `${namespace}/` : ""}${name}`;
}
