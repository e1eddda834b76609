import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { WriteOptions } from "../../request/query.ts";
import { writeOptions } from "../../request/query.ts";
import { modify } from "../modify.ts";
import type { ObjectRequest } from "../resource-request.ts";
import { applyObject } from "./apply.ts";
import type { PatchBody, PatchType } from "./patch-body.ts";
import { patchBody, patchTypeOf } from "./patch-body.ts";
import { patchedObject } from "./patch-forms.ts";

/** A parsed PATCH request. The body is not parsed when the object does not exist. */
export interface SentPatch {
  readonly form: PatchType;
  readonly options: WriteOptions;
  readonly body: Result<PatchBody, ApiStatus>;
}

/** Reads type, options and body of a PATCH; a body that is too large is refused in any case. */
export async function readPatch({ kind, call, sent }: ObjectRequest): Promise<Result<SentPatch, ApiStatus>> {
  const form = patchTypeOf(sent, kind);
  if (!form.ok) return form;
  const options = writeOptions(call.query, call.headers["user-agent"], "PatchOptions", form.value === "apply");
  if (!options.ok) return options;
  const body = await patchBody(sent, form.value, options.value.fieldValidation !== "Ignore", call.work);
  if (!body.ok && body.problem.code === 413) return body;
  return done({ form: form.value, options: options.value, body });
}

/** PATCH of all four types. */
export async function patchObject(
  request: ObjectRequest,
  /** May the caller create the object, where an apply finds none? Refuses when not. */
  mayCreate: () => Result<undefined, ApiStatus>,
): Promise<Result<{ readonly object: KubeObject; readonly created: boolean }, ApiStatus>> {
  const patch = await readPatch(request);
  if (!patch.ok) return patch;
  const { form, options, body } = patch.value;
  if (form === "apply") return applyObject(request, { options, body }, mayCreate);
  return modify(request, {
    options,
    ownershipDone: false,
    *next(live) {
      // The patch of a missing object is not parsed.
      if (!body.ok) return body;
      return yield* patchedObject(request, live, { form, options, body: body.value });
    },
  });
}
