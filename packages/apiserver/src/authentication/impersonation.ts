import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { ApiRequest, UserInfo } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { AccessRequest } from "../authorization/attributes.ts";
import {
  anonymousUser,
  authenticatedGroup,
  serviceAccountOf,
  serviceAccountUser,
  unauthenticatedGroup,
} from "../authorization/attributes.ts";
import type { RbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import { accessDenied } from "../authorization/refusals.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { badRequest } from "../request/refusal.ts";

const extraPrefix = "impersonate-extra-";

/** Values of a repeatable header, separated as in {@link ApiRequest.headers}. */
function values(header: string | undefined): readonly string[] {
  return header === undefined ? [] : header.split("\n");
}

/** A []string as Go's %#v prints it; an unset one is nil. */
function goTexts(texts: readonly string[]): string {
  return texts.length === 0 ? "[]string(nil)" : `[]string{${texts.map(goQuote).join(", ")}}`;
}

function goExtras(extras: Readonly<Record<string, readonly string[]>>): string {
  const entries = Object.entries(extras).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return "map[string][]string(nil)";
  return `map[string][]string{${entries.map(([key, held]) => `${goQuote(key)}:${goTexts(held)}`).join(", ")}}`;
}

/**
 * The user to act as: the one of the impersonation headers if the caller may impersonate it, otherwise a refusal; the
 * caller when there are no such headers.
 */
export function impersonated(
  authorizer: RbacAuthorizer,
  headers: NonNullable<ApiRequest["headers"]>,
  caller: UserInfo,
): Result<UserInfo, ApiStatus> {
  const name = headers["impersonate-user"] ?? "";
  const groups = values(headers["impersonate-group"]);
  const uid = headers["impersonate-uid"] ?? "";
  const extra = Object.entries(headers).filter(([header]) => header.startsWith(extraPrefix));
  if (name === "" && groups.length === 0 && uid === "" && extra.length === 0) return done(caller);
  const extras = Object.fromEntries(
    extra.map(([header, value]) => [decode(header.slice(extraPrefix.length)), values(value)] as const),
  );
  if (name === "")
    return badRequest(
      `requested &user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${goTexts(groups)}, Extra:${goExtras(extras)}} without impersonating a user name`,
    );
  const account = serviceAccountOf(name);
  const checks: AccessRequest[] = [];
  const check = (
    group: string,
    resource: string,
    target: string,
    more: { namespace?: string; subresource?: string } = {},
  ): void => {
    const { namespace, subresource } = more;
    checks.push({
      user: caller,
      request: {
        kind: "resource",
        verb: "impersonate",
        group,
        resource,
        name: target,
        ...(subresource === undefined ? {} : { subresource }),
      },
      namespace,
    });
  };
  if (account === undefined) check("", "users", name);
  else check("", "serviceaccounts", account.name, { namespace: account.namespace });
  for (const group of groups) check("", "groups", group);
  if (uid !== "") check("authentication.k8s.io", "uids", uid);
  for (const [key, held] of Object.entries(extras))
    for (const value of held) check("authentication.k8s.io", "userextras", value, { subresource: key });
  for (const access of checks) {
    const decision = authorizer.decide(access);
    if (!decision.allowed) return accessDenied(access, decision.reason);
  }
  const implied =
    groups.length > 0 || account === undefined ? groups : serviceAccountUser(account.namespace, account.name).groups;
  const isPlaced = implied.some((group) => group === authenticatedGroup || group === unauthenticatedGroup);
  const all =
    name === anonymousUser.name
      ? [...implied, unauthenticatedGroup]
      : isPlaced
        ? implied
        : [...implied, authenticatedGroup];
  return done({
    name,
    ...(uid === "" ? {} : { uid }),
    groups: [...new Set(all)],
    ...(extra.length === 0 ? {} : { extra: extras }),
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
