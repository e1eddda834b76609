import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { RuleRequest } from "@purser/kubernetes/object/rbac";

/** Who asks to do what, and where. */
export interface AccessRequest {
  readonly user: UserInfo;
  readonly request: RuleRequest;
  /** Undefined: cluster-wide. */
  readonly namespace: string | undefined;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** Why it is allowed; or what could not be read, where it is not. */
  readonly reason: string;
}

export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";
export const anonymousUser: UserInfo = { name: "system:anonymous", groups: [unauthenticatedGroup] };

export function isMaster(user: UserInfo): boolean {
  return user.groups.includes(mastersGroup);
}

/** Namespace and name of a user that is a service account. */
export function serviceAccountOf(name: string): { readonly namespace: string; readonly name: string } | undefined {
  const match = /^system:serviceaccount:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?):([a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)$/.exec(
    name,
  );
  return match === null ? undefined : { namespace: match[1] ?? "", name: match[2] ?? "" };
}

export function serviceAccountUser(namespace: string, name: string, uid?: string): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    ...(uid === undefined ? {} : { uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, authenticatedGroup],
  };
}
