import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { emptiedIn } from "../kinds/emptied.ts";
import { hasMember, objectIn, textIn } from "../kinds/decoding/json-parts.ts";
import { forbidden, unexplained } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

/** RuntimeClass: this server has no RuntimeClass objects, so a pod that names one is refused. */
export function withoutRuntimeClass({ kind }: AdmissionRequest, pod: KubeObject): Result<undefined, ApiStatus> {
  const spec = objectIn(asJson(pod), "spec");
  if (!hasMember(spec, "runtimeClassName")) return done(undefined);
  const name = textIn(spec, "runtimeClassName");
  // kube-apiserver looks up an empty name, too.
  if (name === "") return unexplained("resource name may not be empty");
  return forbidden(
    kind.type,
    pod.metadata.name ?? pod.metadata.generateName ?? "",
    `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`,
  );
}

/** RuntimeClass: only a RuntimeClass may set a pod's overhead. */
export function withoutOverhead(
  { kind, operation, subresource, name }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (operation !== "CREATE" || subresource !== "" || kind.table !== "pods" || object === undefined)
    return done(undefined);
  const spec = objectIn(asJson(object), "spec");
  return hasMember(spec, "overhead") || emptiedIn(spec).includes("overhead")
    ? forbidden(kind.type, name, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
    : done(undefined);
}
