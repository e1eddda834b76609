import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { admitPod } from "../kinds/pods/pod-admission.ts";
import type { Machinery } from "../machinery.ts";
import { writeContext } from "../machinery.ts";
import { forbidden } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";
import { withoutRuntimeClass } from "./runtime-class.ts";

/** LimitRanger, ServiceAccount, Priority, DefaultTolerationSeconds and RuntimeClass: what they add to a new pod. */
export function completePod(
  machinery: Machinery,
  request: AdmissionRequest,
  object: KubeObject | undefined,
): Result<KubeObject | undefined, ApiStatus> {
  const { kind, operation, subresource, namespace, dryRun } = request;
  if (operation !== "CREATE" || subresource !== "" || kind.table !== "pods") return done(object);
  if (object === undefined || namespace === undefined) return done(object);
  const admitted = admitPod(asJson(object), namespace, writeContext(machinery, dryRun));
  const { name, generateName = "" } = object.metadata;
  if (!admitted.ok) return forbidden(kind.type, name ?? generateName, admitted.problem.message);
  const unclassed = withoutRuntimeClass(request, object);
  return unclassed.ok ? done(asKubeObject(kind.defaults(admitted.value)) ?? object) : unclassed;
}
