import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { readStatus } from "@purser/kubernetes/apis/status";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";

/** Supported versions of AdmissionReview; the first supported one of admissionReviewVersions is sent. */
export type ReviewVersion = "v1" | "v1beta1";

/** A webhook's response. */
export interface WebhookAnswer {
  readonly allowed: boolean;
  /** JSON patch in base64; empty when absent. */
  readonly patch: string;
  readonly patchType: string;
  readonly status: JsonObject;
  readonly warnings: readonly string[];
}

/**
 * Reads a response. The problem is the text after `received invalid webhook response: `. For v1beta1 neither the uid
 * nor the patch type is checked.
 */
export function readAnswer(
  review: JsonValue,
  version: ReviewVersion,
  uid: string,
  mutating: boolean,
): Result<WebhookAnswer, string> {
  const envelope = isJsonObject(review) ? review : {};
  const response = member(envelope, "response");
  if (!isJsonObject(response)) return failed("webhook response was absent");
  const problem = version === "v1" ? (strangerProblem(response, uid) ?? misfit(response, mutating)) : undefined;
  if (problem !== undefined) return failed(problem);
  const status = member(response, "status");
  const warnings = member(response, "warnings");
  return done({
    allowed: member(response, "allowed") === true,
    patch: mutating ? textOf(response, "patch") : "",
    patchType: version === "v1" ? textOf(response, "patchType") : "JSONPatch",
    status: isJsonObject(status) ? status : {},
    warnings: (Array.isArray(warnings) ? (warnings as readonly JsonValue[]) : []).filter(
      (warning) => typeof warning === "string",
    ),
  });
}

function textOf(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === "string" ? value : "";
}

function strangerProblem(response: JsonObject, uid: string): string | undefined {
  const found = textOf(response, "uid");
  return found === uid ? undefined : `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(found)}`;
}

/** Why a response is not an AdmissionReview; the text after `failed to call webhook: `. */
export function formProblem(review: JsonValue, version: ReviewVersion): string | undefined {
  const envelope = isJsonObject(review) ? review : {};
  const [apiVersion, kind] = [textOf(envelope, "apiVersion"), textOf(envelope, "kind")];
  if (kind === "AdmissionReview" && apiVersion === `admission.k8s.io/${version}`) return undefined;
  const [sent = ""] = apiVersion.split("/").slice(-1);
  return `converting (${sent}.${kind}) to (${version}.AdmissionReview): unknown conversion`;
}

/** Why the response's patch is invalid or not allowed. */
function misfit(response: JsonObject, mutating: boolean): string | undefined {
  const [hasPatch, type] = [textOf(response, "patch") !== "", member(response, "patchType") ?? undefined];
  if (!mutating) {
    if (hasPatch) return "validating webhook may not return response.patch";
    return type === undefined ? undefined : "validating webhook may not return response.patchType";
  }
  if (hasPatch && type === undefined) return "webhook returned response.patch but not response.patchType";
  if (!hasPatch && type !== undefined) return "webhook returned response.patchType but not response.patch";
  return type === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}

/** The Status for a request that a webhook denied. */
export function denial(name: string, status: JsonObject): Result<never, ApiStatus> {
  const read = readStatus(0, { ...status, kind: "Status" });
  const why = read.message === "" ? read.reason : read.message;
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  return failed({
    code: read.code >= 400 ? read.code : 400,
    reason: read.reason,
    message: why === "" ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(read.details === undefined ? {} : { details: read.details }),
  });
}
