import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { formatFieldErrors, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { noSteps } from "@purser/kubernetes/steps";
import { admitted } from "../../admission/admission.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import type { Answer } from "../../request/answer.ts";
import { answerObject } from "../../request/answer.ts";
import { writeOptions } from "../../request/query.ts";
import { badRequest, conflict, unexplained } from "../../request/refusal.ts";
import { modify } from "../modify.ts";
import type { ObjectRequest } from "../resource-request.ts";

const created: Answer = answerObject(201, {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
});

function partOf(object: JsonObject, key: string): JsonObject {
  const value = member(object, key);
  return isJsonObject(value) ? value : {};
}

function validateBinding(target: JsonObject): readonly FieldError[] {
  const [kind, name] = [member(target, "kind") ?? "", member(target, "name") ?? ""];
  return [
    ...(kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === "" ? [required("target.name")] : []),
  ];
}

/** `pods/binding`: gives a pod its node, once. */
export async function bindPod(request: ObjectRequest, binding: JsonObject): Promise<Result<Answer, ApiStatus>> {
  const { machinery, kind, call, name } = request;
  const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
  if (!options.ok) return options;
  if (member(partOf(binding, "metadata"), "name") !== name)
    return badRequest("name in URL does not match name in Binding object");
  const faults = validateBinding(partOf(binding, "target"));
  // Not reported as field errors, although they are.
  if (faults.length > 0) return unexplained(formatFieldErrors(faults));
  const node = member(partOf(binding, "target"), "name");
  const own = { ...request, machinery: { ...machinery, admission: admitted }, endpoint: "binding" } as const;
  const bound = await modify(own, {
    options: options.value,
    ownershipDone: true,
    next: (live) => noSteps(onNode(kind, live, typeof node === "string" ? node : "")),
  });
  return bound.ok ? done(created) : bound;
}

/** The pod with its node; refused when it has one. */
function onNode(kind: ServedKind, pod: KubeObject, node: string): Result<KubeObject, ApiStatus> {
  const spec = partOf(asJson(pod), "spec");
  const held = member(spec, "nodeName");
  const name = pod.metadata.name ?? "";
  if (typeof held === "string" && held !== "")
    return conflict(
      { ...kind.type, plural: "pods/binding" },
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(held)}`,
    );
  return done({ ...pod, spec: { ...spec, nodeName: node } } as KubeObject);
}
