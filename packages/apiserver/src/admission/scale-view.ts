import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { withMember } from "@purser/kubernetes/object/patches/json-edit";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { ServedKind } from "../registry/served-kind.ts";
import { scaleOf } from "../resource/subresources/scale.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { Objects } from "./webhooks/webhook-review.ts";

const scale = { group: "autoscaling", version: "v1", kind: "Scale" };

/** A write to `scale` as webhooks and policies see it; undefined for all other writes. */
export interface ScaleView {
  readonly request: AdmissionRequest;
  readonly objects: Objects;
}

export function scaleView(request: AdmissionRequest, { object, old }: Objects): ScaleView | undefined {
  if (request.subresource !== "scale" || request.body !== undefined || object === undefined) return undefined;
  const next = scaleOf(request.kind, object);
  const before = old === undefined ? undefined : scaleOf(request.kind, old);
  if (!next.ok) return undefined;
  return {
    request: { ...request, body: scale },
    objects: { object: next.value, old: before?.ok === true ? before.value : undefined },
  };
}

/** The object with the replicas of a Scale that admission has mutated. */
export function withScaled(
  kind: ServedKind,
  object: KubeObject,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): Result<KubeObject, ApiStatus> {
  const wanted = replicasOf(after);
  if (wanted === replicasOf(before)) return done(object);
  const path = kind.custom?.version.subresources?.scale?.specReplicasPath ?? ".spec.replicas";
  const keys = path.replace(/^\./, "").split(".");
  return done(asKubeObject(set(asJson(object), keys, wanted)) ?? object);
}

function replicasOf(held: KubeObject | undefined): number {
  const spec = held === undefined ? undefined : held.spec;
  const replicas = isJsonObject(spec) ? member(spec, "replicas") : undefined;
  return typeof replicas === "number" ? replicas : 0;
}

function set(object: JsonObject, [key = "", ...rest]: readonly string[], value: number): JsonObject {
  const held = member(object, key);
  return withMember(object, key, rest.length === 0 ? value : set(isJsonObject(held) ? held : {}, rest, value));
}
