import type { KubeObject } from "../../apis/object.ts";
import { asJson, asKubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import { objectIn, objectsIn } from "../kinds/json-parts.ts";
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
  const admitted = admitPod(asJson(object), namespace, writeContext(machinery, dryRun));
  if (admitted.ok) return done(asKubeObject(kind.defaults(admitted.value)) ?? object);
  const { name, generateName = "" } = object.metadata;
  return forbidden(kind.type, name ?? generateName, admitted.problem.message);
}

/** LimitRanger: a new pod must keep within what its namespace allows for pods and containers. */
export function withinLimits(
  { storage }: Machinery,
  { kind, operation, subresource, namespace }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (operation !== "CREATE" || subresource !== "" || kind.table !== "pods") return done(undefined);
  if (object === undefined || namespace === undefined || storage.count("limitranges") === 0) return done(undefined);
  const held = storage.list("limitranges", { namespace });
  const limits = (held.ok ? held.value : []).flatMap((range) => objectsIn(objectIn(asJson(range), "spec"), "limits"));
  const problem = beyondLimits(objectIn(asJson(object), "spec"), limits);
  return problem === undefined ? done(undefined) : forbidden(kind.type, object.metadata.name ?? "", problem);
}

/** ResourceQuota: a new object must fit into every quota of its namespace. */
export function withinQuota(
  { storage }: Machinery,
  { kind, operation, subresource, namespace }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (operation !== "CREATE" || subresource !== "" || namespace === undefined || !kind.stored) return done(undefined);
  if (object === undefined || storage.count("resourcequotas") === 0) return done(undefined);
  const refused = checkQuota(kind.type, object, namespace, viewOf(storage));
  return refused === undefined ? done(undefined) : forbidden(kind.type, object.metadata.name ?? "", refused.message);
}
