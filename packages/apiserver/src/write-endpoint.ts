import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { accessDenied } from "./authorization/refusals.ts";
import type { HandlerParts } from "./handler-parts.ts";
import type { Answer } from "./request/answer.ts";
import { readBody } from "./request/body.ts";
import { writeOptions } from "./request/query.ts";
import { methodNotAllowed } from "./request/refusal.ts";
import { patchObject } from "./resource/patches/patch.ts";
import { post, put } from "./resource/put.ts";
import { outputOf } from "./resource/output.ts";
import type { ObjectRequest, ResourceRequest } from "./resource/resource-request.ts";

/** POST to a collection: a new object, or the answer to a review, which is not stored. */
export async function create(
  { reviews }: Pick<HandlerParts, "reviews">,
  request: ResourceRequest,
): Promise<Result<Answer, ApiStatus>> {
  const { kind, call, protobuf } = request;
  const output = outputOf(request);
  if (!output.ok) return output;
  const body = await readBody(request.sent, kind.type.kind, protobuf.decoderOf(kind), call.work);
  if (!body.ok && body.problem.code === 415) return body;
  const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
  if (!options.ok) return options;
  if (!body.ok) return body;
  if (!kind.stored) {
    const review = await reviews.create(request, body.value);
    return review.ok ? output.value.object(review.value, 201) : review;
  }
  const created = await post(request, body.value);
  await call.work.nextStep();
  return created.ok ? output.value.object(created.value, 201) : created;
}

/** PUT to an object or to one of its endpoints. */
export async function replace(request: ObjectRequest): Promise<Result<Answer, ApiStatus>> {
  const { kind, call, endpoint, protobuf } = request;
  if (endpoint === "main" && !kind.verbs.includes("update")) return methodNotAllowed();
  const output = outputOf(request);
  if (!output.ok) return output;
  const options = writeOptions(call.query, call.headers["user-agent"], "UpdateOptions");
  if (!options.ok) return options;
  const body = await readBody(request.sent, kind.type.kind, protobuf.decoderOf(kind), call.work);
  if (!body.ok) return body;
  const written = await put(request, body.value);
  await call.work.nextStep();
  return written.ok ? output.value.object(written.value.object, written.value.created ? 201 : 200) : written;
}

/** PATCH of an object or of one of its endpoints, in any of the four languages. */
export async function patch(
  { authorizer }: Pick<HandlerParts, "authorizer">,
  request: ObjectRequest,
): Promise<Result<Answer, ApiStatus>> {
  const { kind, call, namespace, name, endpoint } = request;
  if (endpoint === "main" && !kind.verbs.includes("patch")) return methodNotAllowed();
  const output = outputOf(request);
  if (!output.ok) return output;
  const mayCreate = (): Result<undefined, ApiStatus> => {
    const { group, plural } = kind.type;
    const access = {
      user: call.user,
      request: { kind: "resource", verb: "create", group, resource: plural, name },
      namespace,
    } as const;
    const decision = authorizer.decide(access);
    return decision.allowed ? done(undefined) : accessDenied(access, decision.reason);
  };
  const written = await patchObject(request, mayCreate);
  await call.work.nextStep();
  return written.ok ? output.value.object(written.value.object, written.value.created ? 201 : 200) : written;
}
