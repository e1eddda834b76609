import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { plainJson } from "@purser/kubernetes/json";
import type { RuleRequest } from "@purser/kubernetes/object/rbac";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { AccessDecision } from "../authorization/attributes.ts";
import type { RbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import type { Machinery } from "../machinery.ts";
import { forbidden } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Pod subresources that the plug-in ignores. */
const guarded: ReadonlySet<string> = new Set(["binding", "status"]);

/**
 * OwnerReferencesPermissionEnforcement (disabled by default): changing the owners of an object requires permission to
 * delete it, and setting blockOwnerDeletion requires permission to update the owner's finalizers.
 */
export function ownersPermitted(
  machinery: Machinery,
  authorizer: RbacAuthorizer,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  const { kind, operation, subresource, namespace, call, name } = request;
  if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return done(undefined);
  if (kind.table === "pods" && guarded.has(subresource)) return done(undefined);
  const [next, before] = [object.metadata.ownerReferences ?? [], old?.metadata.ownerReferences ?? []];
  if (deepEqual(plainJson(next), plainJson(before))) return done(undefined);
  const refuse = (why: string): Result<undefined, ApiStatus> => forbidden(kind.type, name, why);
  const decide = (rule: RuleRequest, within: string | undefined): AccessDecision =>
    authorizer.decide({ user: call.user, request: rule, namespace: within });
  if (operation === "UPDATE") {
    const { group, plural } = kind.type;
    const decision = decide(
      { kind: "resource", verb: "delete", group, resource: plural, subresource, name },
      namespace,
    );
    if (!decision.allowed) return refuse(`cannot set an ownerRef on a resource you can't delete: ${tail(decision)}`);
  }
  const blocking = next.filter(
    ({ uid, blockOwnerDeletion }) =>
      blockOwnerDeletion === true && before.find((held) => held.uid === uid)?.blockOwnerDeletion !== true,
  );
  const anything = {
    kind: "resource",
    verb: "update",
    group: "*",
    resource: "*",
    subresource: "finalizers",
    name: "*",
  } as const;
  if (blocking.length === 0 || decide(anything, undefined).allowed) return done(undefined);
  for (const owner of blocking) {
    const found = machinery.registry().ofKind({ ...parseApiVersion(owner.apiVersion), kind: owner.kind });
    if (found === undefined)
      return refuse(
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${owner.apiVersion} Kind ${owner.kind}: no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`,
      );
    const { group, plural, namespaced } = found.type;
    const rule = {
      kind: "resource",
      verb: "update",
      group,
      resource: plural,
      subresource: "finalizers",
      name: owner.name,
    } as const;
    // A namespaced owner is in the object's own namespace.
    const decision = decide(rule, namespaced ? namespace : undefined);
    if (!decision.allowed)
      return refuse(
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${tail(decision)}`,
      );
  }
  return done(undefined);
}

/** Go prints the authorizer's reason and a nil error. */
function tail({ reason }: AccessDecision): string {
  return `${reason}, <nil>`;
}
