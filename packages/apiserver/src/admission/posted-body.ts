import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Call } from "../call.ts";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { writeOptions } from "../request/query.ts";
import { createOptions } from "../resource/create.ts";

/** A posted subresource that is not stored: an Eviction, a Binding, a TokenRequest. */
export interface Posted {
  readonly kind: ServedKind;
  readonly subresource: string;
  readonly body: GroupVersionKind;
  readonly namespace: string | undefined;
  /** Name of the parent object. */
  readonly name: string;
}

/** Admits the body (for webhooks and policies a CREATE of its own kind) and returns it as mutated. */
export async function admitPosted(
  machinery: Machinery,
  call: Call,
  { kind, subresource, body, namespace, name }: Posted,
  value: JsonObject,
): Promise<Result<JsonObject, ApiStatus>> {
  const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
  if (!options.ok) return options;
  const metadata = member(value, "metadata");
  const object = {
    ...value,
    kind: body.kind,
    apiVersion: apiVersionOf(body),
    metadata: { ...(namespace === undefined ? {} : { namespace }), ...(isJsonObject(metadata) ? metadata : {}) },
  } as unknown as KubeObject;
  const request = {
    kind,
    body,
    call,
    operation: "CREATE",
    namespace,
    name,
    subresource,
    dryRun: options.value.dryRun,
    options: createOptions(options.value),
  } as const;
  const mutated = await machinery.admission.mutate(request, object, undefined);
  if (!mutated.ok) return mutated;
  const valid = await machinery.admission.validate(request, mutated.value, undefined);
  if (!valid.ok) return valid;
  return done(asJson(mutated.value ?? object));
}
