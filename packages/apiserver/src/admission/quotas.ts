import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { hasMember, objectIn } from "../kinds/decoding/json-parts.ts";
import { checkQuota } from "../kinds/quotas/quota.ts";
import type { Machinery } from "../machinery.ts";
import { viewOf } from "../machinery.ts";
import { forbidden } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Kinds whose updates can increase their usage. */
const remeasured: ReadonlySet<string> = new Set(["services", "persistentvolumeclaims", "pods"]);

/** ResourceQuota: a new object, or one whose usage grows, must fit into all quotas of its namespace. */
export function withinQuota(
  { storage, clock }: Machinery,
  { kind, operation, subresource, namespace, name }: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (subresource !== "" || namespace === undefined || !kind.stored || object === undefined) return done(undefined);
  if (operation !== "CREATE" && (operation !== "UPDATE" || !remeasured.has(kind.table))) return done(undefined);
  if (operation === "UPDATE" && kind.table === "pods" && hasDeadline(object) === hasDeadline(old))
    return done(undefined);
  if (storage.count("resourcequotas") === 0) return done(undefined);
  const refused = checkQuota(kind.type, object, old, namespace, viewOf(storage), clock.now());
  return refused === undefined ? done(undefined) : forbidden(kind.type, name, refused.message);
}

/** Pods with activeDeadlineSeconds are counted by the scope Terminating. */
function hasDeadline(pod: KubeObject | undefined): boolean {
  return pod !== undefined && hasMember(objectIn(asJson(pod), "spec"), "activeDeadlineSeconds");
}
