import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import { builtInKinds } from "../kinds/catalogue.ts";

/** Everything that a request for a built-in kind may carry: the kinds, those of their subresources, options of a deletion. */
export function requestKinds(): readonly GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  const add = ({ group, version, kind }: GroupVersionKind): void => {
    const found = { group, version, kind };
    kinds.set(messageName(found), found);
  };
  for (const { type, subresources } of builtInKinds) {
    add(type);
    for (const subresource of subresources) add(subresource.kind);
  }
  add(deleteOptionsKind);
  return [...kinds.values()];
}

export const deleteOptionsKind: GroupVersionKind = { group: "meta", version: "v1", kind: "DeleteOptions" };

/** `rbac.v1.Role` for `rbac.authorization.k8s.io/v1`: the package of Kubernetes' API modules that has the kind, and its message. */
export function messageName({ group, version, kind }: GroupVersionKind): string {
  return `${group === "" ? "core" : (group.split(".")[0] ?? "")}.${version}.${kind}`;
}
