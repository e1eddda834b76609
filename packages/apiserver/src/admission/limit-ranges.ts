import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { objectIn, objectsIn } from "../kinds/decoding/json-parts.ts";
import { beyondLimits } from "../kinds/quotas/limit-range.ts";
import type { Machinery } from "../machinery.ts";
import { forbidden } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

const limitedKinds: ReadonlyMap<string, "Pod" | "PersistentVolumeClaim"> = new Map([
  ["pods", "Pod"],
  ["persistentvolumeclaims", "PersistentVolumeClaim"],
]);

/** LimitRanger: a new pod or claim must satisfy the LimitRanges of its namespace. */
export function withinLimits(
  { storage }: Machinery,
  { kind, operation, subresource, namespace, name }: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  const of = limitedKinds.get(kind.table);
  if (of === undefined || subresource !== "" || namespace === undefined || object === undefined) return done(undefined);
  if (operation === "UPDATE" && (of === "Pod" || old?.metadata.deletionTimestamp !== undefined)) return done(undefined);
  if (storage.count("limitranges") === 0) return done(undefined);
  const held = storage.list("limitranges", { namespace });
  for (const range of held.ok ? held.value : []) {
    const limits = objectsIn(objectIn(asJson(range), "spec"), "limits");
    const problem = beyondLimits(objectIn(asJson(object), "spec"), limits, of);
    if (problem !== undefined) return forbidden(kind.type, name, problem);
  }
  return done(undefined);
}
