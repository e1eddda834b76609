import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { pods } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn } from "../kinds/decoding/json-parts.ts";
import { record } from "./recorder.ts";
import type { Pass } from "./runtime.ts";
import { RefusedError, type Refusal } from "./writer.ts";

/** A pod from a controller's template, with a generated name. */
export function podFrom(owner: KubeObject, template: JsonObject, more: JsonObject): JsonObject {
  const metadata = objectIn(template, "metadata");
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      generateName: `${owner.metadata.name ?? ""}-`,
      ...(metadata["labels"] === undefined ? {} : { labels: metadata["labels"] }),
      ...(metadata["annotations"] === undefined ? {} : { annotations: metadata["annotations"] }),
      ...(metadata["finalizers"] === undefined ? {} : { finalizers: metadata["finalizers"] }),
      ...more,
    },
    spec: objectIn(template, "spec"),
  };
}

/** Whether the namespace is terminating: creates fail, and neither an event nor a retry would help. */
export function isEnding({ message }: Refusal): boolean {
  return message.includes("because it is being terminated");
}

/** Creates a pod and emits an event on its owner; returns the refusal when the create should be retried. */
export async function createPod(
  pass: Pass,
  owner: KubeObject,
  component: string,
  pod: JsonObject,
): Promise<Refusal | undefined> {
  const created = await pass.writer.tryCreate(pods, pod, owner.metadata.namespace ?? "");
  if (created.ok) {
    const message = `Created pod: ${created.value.metadata.name ?? ""}`;
    await record(pass, owner, { component, type: "Normal", reason: "SuccessfulCreate", message });
    return undefined;
  }
  if (isEnding(created.problem)) return undefined;
  const message = `Error creating: ${created.problem.message}`;
  await record(pass, owner, { component, type: "Warning", reason: "FailedCreate", message });
  return created.problem;
}

/** Deletes the pod with this uid and emits an event on its owner. */
export async function deletePod(pass: Pass, owner: KubeObject, component: string, pod: Pod): Promise<void> {
  const { name = "", uid = "" } = pod.metadata;
  await pass.writer.remove(pods, keyOf(pod), { uid });
  const message = `Deleted pod: ${name}`;
  await record(pass, owner, { component, type: "Normal", reason: "SuccessfulDelete", message });
}

/** Throws, so that the loop retries with backoff. */
export function retryLater(refusal: Refusal | undefined): void {
  if (refusal !== undefined) throw new RefusedError("create a pod", refusal.code, refusal.message);
}
