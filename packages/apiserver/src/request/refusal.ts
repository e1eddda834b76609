import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { FieldError } from "@purser/kubernetes/object/field-error";
import { formatFieldError, formatFieldErrors, statusCauses } from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { failed } from "@purser/kubernetes/result";

/** A refused request. */
export type Refused = Result<never, ApiStatus>;

type Details = NonNullable<ApiStatus["details"]>;

function about(type: ResourceType, name: string): Details {
  return { ...(name === "" ? {} : { name }), ...(type.group === "" ? {} : { group: type.group }), kind: type.plural };
}

export function badRequest(message: string): Refused {
  return failed(statusOf("BadRequest", message));
}

export function notFound(type: ResourceType, name: string): Refused {
  return failed(statusOf("NotFound", `${groupResource(type)} "${name}" not found`, about(type, name)));
}

/** The 404 of a path without a route. */
export function unrouted(): Refused {
  return failed(statusOf("NotFound", "the server could not find the requested resource", {}));
}

export function methodNotAllowed(): Refused {
  return failed(statusOf("MethodNotAllowed", "the server does not allow this method on the requested resource", {}));
}

/** For custom resources the message names the verb. */
export function verbNotSupported(type: ResourceType, verb: string): Refused {
  const message = `${verb} is not supported on resources of kind ${JSON.stringify(groupResource(type))}`;
  return failed(statusOf("MethodNotAllowed", message, about(type, "")));
}

export function alreadyExists(type: ResourceType, name: string, terminating: boolean): Refused {
  const message = `${groupResource(type)} "${name}" already exists`;
  return failed(
    statusOf("AlreadyExists", terminating ? `object is being deleted: ${message}` : message, about(type, name)),
  );
}

export function conflict(type: ResourceType, name: string, why: string): Refused {
  const message = `Operation cannot be fulfilled on ${groupResource(type)} "${name}": ${why}`;
  return failed(statusOf("Conflict", message, about(type, name)));
}

/** A failed precondition of a delete; unlike other conflicts it names the Kind. */
export function preconditionFailed({ group, kind }: ResourceType, name: string, why: string): Refused {
  const subject = group === "" ? kind : `${kind}.${group}`;
  const details = { name, ...(group === "" ? {} : { group }), kind };
  return failed(statusOf("Conflict", `Operation cannot be fulfilled on ${subject} "${name}": ${why}`, details));
}

export const modifiedMeanwhile =
  "the object has been modified; please apply your changes to the latest version and try again";

export function forbidden(type: ResourceType, name: string, why: string, causes?: Details["causes"]): Refused {
  const details = { ...about(type, name), ...(causes === undefined ? {} : { causes }) };
  const subject = name === "" ? groupResource(type) : `${groupResource(type)} "${name}"`;
  return failed(statusOf("Forbidden", `${subject} is forbidden: ${why}`, details));
}

export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  found: readonly FieldError[],
): Refused {
  const errors = tellable(found);
  const subject = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const details: Details = {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    ...(kind.kind === "" ? {} : { kind: kind.kind }),
    causes: statusCauses(errors),
  };
  return failed(statusOf("Invalid", `${subject} "${name}" is invalid: ${formatFieldErrors(errors)}`, details));
}

/**
 * Limit of the length of one refusal: a body with an error in each member would cause a message many times its size.
 */
const roomForErrors = 256 * 1024;

/** As many errors as fit the limit, at least one. */
function tellable(errors: readonly FieldError[]): readonly FieldError[] {
  let room = roomForErrors;
  const end = errors.findIndex((error) => (room -= formatFieldError(error).length) < 0);
  return end < 0 ? errors : errors.slice(0, Math.max(1, end));
}

/** Refused query parameters or body options; `kind` is `ListOptions`, `PatchOptions` and so on. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): Refused {
  return invalid({ group: "meta.k8s.io", kind }, "", errors);
}

/** The result of a patch cannot be decoded as the object's type. */
export function invalidPatchResult(json: string, why: string): Refused {
  return invalid({ group: "", kind: "" }, "", [
    { type: "FieldValueInvalid", field: "patch", badValue: json, detail: why },
  ]);
}

/** An operation of a JSON patch failed; the message does not say which. */
export function operationFailed(): Refused {
  return failed(statusOf("Invalid", "the server rejected our request due to an error in our request", {}));
}

export function internalError(message: string, causes?: Details["causes"]): Refused {
  return failed(
    statusOf(
      "InternalError",
      `Internal error occurred: ${message}`,
      causes === undefined ? { causes: [{ message }] } : { causes },
    ),
  );
}

/** For some invalid requests kube-apiserver responds with 500 without a reason. */
export function unexplained(message: string): Refused {
  return failed({ code: 500, reason: "", message });
}

/** A Status that contains a new continue token. */
export interface ExpiredStatus extends ApiStatus {
  readonly continueToken?: string;
}

export function expired(message: string, continueToken?: string): Result<never, ExpiredStatus> {
  return failed({ ...statusOf("Expired", message), ...(continueToken === undefined ? {} : { continueToken }) });
}

export function unsupportedMediaType(message: string): Refused {
  return failed(statusOf("UnsupportedMediaType", message));
}

export function notAcceptable(message: string): Refused {
  return failed(statusOf("NotAcceptable", message));
}

/** The path supports none of the acceptable media types. */
export function notProduced(types: readonly string[]): Refused {
  const message = `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`;
  return failed(statusOf("NotAcceptable", message, {}));
}

export function tooLargeRevision(asked: bigint, current: number): Refused {
  return failed(
    statusOf("Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    }),
  );
}

/**
 * A feature of kube-apiserver that this server does not have; the message has a hint and the requested object where
 * known.
 */
export function notImplemented(feature: string, hint: string, type?: ResourceType, name = ""): Refused {
  return failed({
    code: 501,
    reason: "NotImplemented",
    message: `embedded server: ${feature} is not supported (${hint})`,
    ...(type === undefined ? {} : { details: about(type, name) }),
  });
}
