import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { hasMember, objectIn } from "../kinds/decoding/json-parts.ts";
import type { ObjectView } from "../kinds/built-in-kind.ts";
import { checkQuota, isMeasured, measure, needsMeasure } from "../kinds/quotas/quota.ts";
import { pods, services } from "@purser/kubernetes/apis/resources";
import { persistentVolumeClaims } from "../kinds/resource-types.ts";
import type { Machinery } from "../machinery.ts";
import { viewOf } from "../machinery.ts";
import { forbidden } from "../request/refusal.ts";
import { turns } from "../turns.ts";
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

/**
 * Reads, each in its turn, what the objects of the request's kind use, so that the check in the turn of the write reads few of
 * them or none.
 */
export async function prepareQuota(
  { storage }: Machinery,
  { kind, subresource, namespace }: AdmissionRequest,
): Promise<void> {
  if (subresource !== "" || namespace === undefined || !needsMeasure(kind.type)) return;
  if (storage.count("resourcequotas") > 0) await measureInTurns(viewOf(storage), namespace, [kind.type]);
}

/** What a look at an object that is known costs, in characters of JSON. */
const workOfLook = 16;

/** Reads what the objects of a namespace use, each in its turn. */
export async function measureInTurns(
  view: ObjectView,
  namespace: string,
  types: readonly ResourceType[] = [pods, services, persistentVolumeClaims],
): Promise<void> {
  for (const type of types)
    for (const object of view.unread(type, namespace)) {
      const wait = turns.before(isMeasured(object) ? workOfLook : object.size);
      if (wait !== undefined) await wait;
      measure(type, object);
    }
}

/** Pods with activeDeadlineSeconds are counted by the scope Terminating. */
function hasDeadline(pod: KubeObject | undefined): boolean {
  return pod !== undefined && hasMember(objectIn(asJson(pod), "spec"), "activeDeadlineSeconds");
}
