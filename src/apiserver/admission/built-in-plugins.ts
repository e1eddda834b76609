import type { KubeObject } from "../../apis/object.ts";
import { asJson, asKubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import { hasMember, objectIn, objectsIn, textIn } from "../kinds/json-parts.ts";
import { beyondLimits } from "../kinds/limit-range.ts";
import { admitPod } from "../kinds/pod-admission.ts";
import { checkQuota } from "../kinds/quota.ts";
import type { Machinery } from "../machinery.ts";
import { viewOf, writeContext } from "../machinery.ts";
import { forbidden } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

/** LimitRanger, ServiceAccount, Priority and DefaultTolerationSeconds: what a new pod gets from its surroundings. */
export function completePod(
  machinery: Machinery,
  { kind, operation, subresource, namespace, dryRun }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<KubeObject | undefined, ApiStatus> {
  if (operation !== "CREATE" || subresource !== "" || kind.table !== "pods") return done(object);
  if (object === undefined || namespace === undefined) return done(object);
  const runtime = textIn(objectIn(asJson(object), "spec"), "runtimeClassName");
  if (runtime !== "" && machinery.storage.get("runtimeclasses.node.k8s.io", runtime) === undefined)
    return forbidden(
      kind.type,
      object.metadata.name ?? object.metadata.generateName ?? "",
      `pod rejected: RuntimeClass ${JSON.stringify(runtime)} not found`,
    );
  const admitted = admitPod(asJson(object), namespace, writeContext(machinery, dryRun));
  if (admitted.ok) return done(asKubeObject(kind.defaults(admitted.value)) ?? object);
  const { name, generateName = "" } = object.metadata;
  return forbidden(kind.type, name ?? generateName, admitted.problem.message);
}

const limitedKinds: ReadonlyMap<string, "Pod" | "PersistentVolumeClaim"> = new Map([
  ["pods", "Pod"],
  ["persistentvolumeclaims", "PersistentVolumeClaim"],
]);

/** LimitRanger: a new pod, and a claim, must keep within what its namespace allows. */
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

/** Priority: one class is everybody's, not two. */
export function onlyDefaultPriority(
  { storage }: Machinery,
  { kind, operation, name }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (kind.table !== "priorityclasses.scheduling.k8s.io" || object === undefined) return done(undefined);
  if ((operation !== "CREATE" && operation !== "UPDATE") || asJson(object)["globalDefault"] !== true)
    return done(undefined);
  const listed = storage.list(kind.table);
  const other = (listed.ok ? listed.value : []).find(
    (held) => asJson(held)["globalDefault"] === true && (operation === "CREATE" || held.metadata.name !== name),
  );
  if (other === undefined) return done(undefined);
  const message = `PriorityClass ${other.metadata.name ?? ""} is already marked as default. Only one default can exist`;
  return forbidden(kind.type, name, message);
}

/** Kinds whose changes can take more than they took before. */
const remeasured: ReadonlySet<string> = new Set(["services", "persistentvolumeclaims", "pods"]);

/** ResourceQuota: a new object, or one that has grown, must fit into every quota of its namespace. */
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

/** Pods that end by themselves are counted apart. */
function hasDeadline(pod: KubeObject | undefined): boolean {
  return pod !== undefined && hasMember(objectIn(asJson(pod), "spec"), "activeDeadlineSeconds");
}
