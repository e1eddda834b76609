import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { PolicyRule, Role, RoleBinding, RoleRef } from "@purser/kubernetes/apis/rbac";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { formatRule, rulesCover, uncoveredRules } from "@purser/kubernetes/object/rbac";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { isMaster } from "../authorization/attributes.ts";
import type { RbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import { forbidden, notFound } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

const group = "rbac.authorization.k8s.io";

/**
 * RBAC escalation check: a user can grant only permissions he has, in a role or by a binding, unless he has the verb
 * `escalate` or `bind`.
 */
export function roleEscalation(
  authorizer: RbacAuthorizer,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  const { kind, call, operation } = request;
  if (kind.type.group !== group || object === undefined || operation === "DELETE" || isMaster(call.user))
    return done(undefined);
  // The garbage collector may change roles that it could not write otherwise.
  if (old !== undefined && isCollectorsChange(object, old)) return done(undefined);
  switch (kind.type.kind) {
    case "Role":
    case "ClusterRole": {
      if (may(authorizer, request, "escalate", kind.type.plural, request.name)) return done(undefined);
      const held = covered(authorizer, request, (object as Role).rules ?? []);
      return held.ok && (gathers(object) || gathers(old)) ? coversAll(authorizer, request) : held;
    }
    case "RoleBinding":
    case "ClusterRoleBinding": {
      const { roleRef } = object as RoleBinding;
      const plural = roleRef.kind === "ClusterRole" ? "clusterroles" : "roles";
      if (may(authorizer, request, "bind", plural, roleRef.name)) return done(undefined);
      const rules = authorizer.rulesOf(roleRef, request.namespace);
      return rules === undefined ? missing(request, roleRef) : covered(authorizer, request, rules);
    }
    default:
      return done(undefined);
  }
}

/** Whether only finalizers and owner references differ. */
function isCollectorsChange(object: KubeObject, old: KubeObject): boolean {
  const { ownerReferences, finalizers, managedFields: _managed, ...metadata } = object.metadata;
  const kept = {
    ...metadata,
    ...(old.metadata.ownerReferences === undefined ? {} : { ownerReferences: old.metadata.ownerReferences }),
    ...(old.metadata.finalizers === undefined ? {} : { finalizers: old.metadata.finalizers }),
    ...(old.metadata.managedFields === undefined ? {} : { managedFields: old.metadata.managedFields }),
  };
  return (
    (ownerReferences !== old.metadata.ownerReferences || finalizers !== old.metadata.finalizers) &&
    deepEqual(asJson({ ...object, metadata: kept }), asJson(old))
  );
}

function gathers(role: KubeObject | undefined): boolean {
  return role !== undefined && isJsonObject(member(asJson(role), "aggregationRule"));
}

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** An aggregated role may get any permission, so all of them are required. */
function coversAll(authorizer: RbacAuthorizer, request: AdmissionRequest): Result<undefined, ApiStatus> {
  const { grants } = authorizer.grantsOf(request.call.user, request.namespace);
  const rules = grants.flatMap((grant) => grant.rules);
  if (rulesCover(rules, everything)) return done(undefined);
  return forbidden(request.kind.type, request.name, "must have cluster-admin privileges to use the aggregationRule");
}

function missing({ kind }: AdmissionRequest, { name }: RoleRef): Result<undefined, ApiStatus> {
  return notFound(kind.type, name);
}

function may(
  authorizer: RbacAuthorizer,
  { call, namespace }: AdmissionRequest,
  verb: string,
  resource: string,
  name: string,
): boolean {
  return authorizer.decide({ user: call.user, request: { kind: "resource", verb, group, resource, name }, namespace })
    .allowed;
}

function covered(
  authorizer: RbacAuthorizer,
  { kind, call, namespace, name }: AdmissionRequest,
  wanted: readonly PolicyRule[],
): Result<undefined, ApiStatus> {
  const { user } = call;
  const { grants } = authorizer.grantsOf(user, namespace);
  const lacking = uncoveredRules(
    grants.flatMap(({ rules }) => rules),
    wanted,
  );
  if (lacking.length === 0) return done(undefined);
  const groups = user.groups.map((held) => JSON.stringify(held)).join(" ");
  return forbidden(
    kind.type,
    name,
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lacking.map(formatRule).join("\n")}`,
  );
}
