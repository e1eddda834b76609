import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { convertByWebhook } from "../../custom-resources/conversion.ts";
import type { Machinery } from "../../machinery.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { internalError } from "../../request/refusal.ts";

/** Converts an object to another served version of its kind. */
export async function inVersion(
  machinery: Machinery,
  from: ServedKind,
  to: ServedKind,
  object: KubeObject,
): Promise<Result<KubeObject, ApiStatus>> {
  const apiVersion = apiVersionOf(to.type);
  if (from === to || object.apiVersion === apiVersion) return done(object);
  if (to.custom === undefined) return done(asKubeObject(to.fromStored(from.toStored(asJson(object)))) ?? object);
  if (to.custom.definition.spec.conversion?.strategy !== "Webhook") return done({ ...object, apiVersion });
  const converted = await convertByWebhook(machinery, from, [object], apiVersion);
  if (!converted.ok) return internalError(converted.problem.message);
  return done(converted.value[0] ?? object);
}
