import type { KubeObject } from "../../apis/object.ts";
import { asJson, asKubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import { objectIn, textIn } from "../kinds/json-parts.ts";
import { admitPod } from "../kinds/pod-admission.ts";
import type { Machinery } from "../machinery.ts";
import { writeContext } from "../machinery.ts";
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
