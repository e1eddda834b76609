import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { accessDenied } from "./authorization/refusals.ts";
import type { HandlerParts } from "./handler-parts.ts";
import type { WriteEndpoint } from "./kinds/built-in-kind.ts";
import type { Call } from "./call.ts";
import type { ServedKind } from "./registry/served-kind.ts";
import type { Answer } from "./request/answer.ts";
import { readBody } from "./request/body.ts";
import { writeOptions } from "./request/query.ts";
import { methodNotAllowed } from "./request/refusal.ts";
import { patchObject } from "./resource/patches/patch.ts";
import { post, put } from "./resource/put.ts";
import { outputOf } from "./resource/output.ts";

/** The object that a request names. */
export interface Target {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** POST to a collection: a new object, or the answer to a review, which is not stored. */
export async function create(
  parts: HandlerParts,
  kind: ServedKind,
  namespace: string | undefined,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(parts.machinery, kind, call);
  if (!output.ok) return output;
  const body = await readBody(request, kind.type.kind, parts.protobuf.decoderOf(kind), call.work);
  if (!body.ok && body.problem.code === 415) return body;
  const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
  if (!options.ok) return options;
  if (!body.ok) return body;
  if (!kind.stored) {
    const review = await parts.reviews.create(kind, call, namespace, body.value);
    return review.ok ? output.value.object(review.value, 201) : review;
  }
  const created = await post(parts.machinery, kind, call, namespace, body.value);
  await call.work.nextStep();
  return created.ok ? output.value.object(created.value, 201) : created;
}

/** PUT to an object or to one of its endpoints. */
export async function replace(
  parts: HandlerParts,
  kind: ServedKind,
  target: Target,
  endpoint: WriteEndpoint,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  if (endpoint === "main" && !kind.verbs.includes("update")) return methodNotAllowed();
  const output = outputOf(parts.machinery, kind, call);
  if (!output.ok) return output;
  const options = writeOptions(call.query, call.headers["user-agent"], "UpdateOptions");
  if (!options.ok) return options;
  const body = await readBody(request, kind.type.kind, parts.protobuf.decoderOf(kind), call.work);
  if (!body.ok) return body;
  const written = await put(parts.machinery, kind, call, { ...target, endpoint }, body.value);
  await call.work.nextStep();
  return written.ok ? output.value.object(written.value.object, written.value.created ? 201 : 200) : written;
}

/** PATCH of an object or of one of its endpoints, in any of the four languages. */
export async function patch(
  parts: HandlerParts,
  kind: ServedKind,
  target: Target,
  endpoint: WriteEndpoint,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  if (endpoint === "main" && !kind.verbs.includes("patch")) return methodNotAllowed();
  const output = outputOf(parts.machinery, kind, call);
  if (!output.ok) return output;
  const mayCreate = (): Result<undefined, ApiStatus> => {
    const { group, plural } = kind.type;
    const access = {
      user: call.user,
      request: { kind: "resource", verb: "create", group, resource: plural, name: target.name },
      namespace: target.namespace,
    } as const;
    const decision = parts.authorizer.decide(access);
    return decision.allowed ? done(undefined) : accessDenied(access, decision.reason);
  };
  const written = await patchObject(parts.machinery, kind, call, { ...target, endpoint, mayCreate }, request);
  await call.work.nextStep();
  return written.ok ? output.value.object(written.value.object, written.value.created ? 201 : 200) : written;
}
