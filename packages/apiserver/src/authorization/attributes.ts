import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { RuleRequest } from "@purser/kubernetes/object/rbac";

/** The attributes of an access decision: user, request and namespace. */
export interface AccessRequest {
  readonly user: UserInfo;
  readonly request: RuleRequest;
  /** Undefined for cluster scope. */
  readonly namespace: string | undefined;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** Why the request is allowed; for a refusal, errors while reading roles. */
  readonly reason: string;
}

export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";
export const anonymousUser: UserInfo = { name: "system:anonymous", groups: [unauthenticatedGroup] };

export function isMaster(user: UserInfo): boolean {
  return user.groups.includes(mastersGroup);
}

/** Namespace and name of a service account's user name; undefined for other users. */
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
