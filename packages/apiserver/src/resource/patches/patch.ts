import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import type { Call } from "../../call.ts";
import type { Machinery } from "../../machinery.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { writeOptions } from "../../request/query.ts";
import { applyObject, type Target } from "./apply.ts";
import { modify } from "../modify.ts";
import { patchBody, patchTypeOf } from "./patch-body.ts";
import { patchedObject } from "./patch-forms.ts";

/** PATCH of all four types. */
export async function patchObject(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  request: ApiRequest,
): Promise<Result<{ readonly object: KubeObject; readonly created: boolean }, ApiStatus>> {
  const type = patchTypeOf(request, kind);
  if (!type.ok) return type;
  const options = writeOptions(call.query, call.headers["user-agent"], "PatchOptions", type.value === "apply");
  if (!options.ok) return options;
  const body = await patchBody(request, type.value, options.value.fieldValidation !== "Ignore", call.work);
  if (!body.ok && body.problem.code === 413) return body;
  if (type.value === "apply") return applyObject(machinery, kind, call, target, options.value, body);
  const form = type.value;
  const { namespace, name, endpoint } = target;
  return modify(machinery, call, {
    kind,
    namespace,
    name,
    endpoint,
    options: options.value,
    ownershipDone: false,
    put: false,
    *next(live) {
      // Nobody reads the patch of an object that is not there.
      if (!body.ok) return body;
      return yield* patchedObject(machinery, kind, call, options.value, target, live, body.value, form);
    },
  });
}
