import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import { builtInKinds } from "../kinds/catalogue.ts";

/** All kinds that requests for built-in kinds can contain: the kinds, those of subresources, and DeleteOptions. */
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

/** `rbac.v1.Role` for `rbac.authorization.k8s.io/v1`: package in k8s.io/api and message name. */
export function messageName({ group, version, kind }: GroupVersionKind): string {
  return `${group === "" ? "core" : (group.split(".")[0] ?? "")}.${version}.${kind}`;
}
