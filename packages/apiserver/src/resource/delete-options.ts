import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { type FieldError, invalid, notSupported } from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { allSteps } from "@purser/kubernetes/steps";
import { done } from "@purser/kubernetes/result";
import type { Body } from "../request/body.ts";
import { decodeAs } from "../kinds/decoding/decode.ts";
import { bodyMisfit } from "./decode.ts";
import type { Query } from "../request/query.ts";
import { flag } from "../request/query.ts";
import { readRepeated, type RepeatedReading } from "../request/repeated-members.ts";
import { badRequest, invalidOptions } from "../request/refusal.ts";

export type Propagation = "Foreground" | "Background" | "Orphan";

export interface DeleteOptions {
  readonly dryRun: boolean;
  /** Undefined: the default of the kind or the object. */
  readonly propagation: Propagation | undefined;
  readonly graceSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** `orphanDependents: false` was set explicitly. */
  readonly cascades: boolean;
  /** As sent to webhooks. */
  readonly object: JsonObject;
}

function text(object: JsonObject, key: string): string | undefined {
  const value = member(object, key);
  return typeof value === "string" ? value : undefined;
}

function isPropagation(policy: string | undefined): policy is Propagation {
  return policy === "Foreground" || policy === "Background" || policy === "Orphan";
}

function preconditionIn(query: Query, name: "uid" | "resourceVersion"): string | undefined {
  const value = query.get(name) ?? "";
  return value === "" ? undefined : value;
}

/** The body with all occurrences of repeated members, because Go decodes each of them. */
function readBoth(body: Body | undefined): RepeatedReading {
  return body?.json === undefined || body.duplicates.length === 0
    ? { value: body?.value ?? null, earlier: [] }
    : allSteps(readRepeated(body.json));
}

/** Parses the options of a delete from its body or, without one, from its query. */
export function deleteOptions(given: Query, body: Body | undefined): Result<DeleteOptions, ApiStatus> {
  const query = body === undefined ? given : new URLSearchParams();
  const misfit = body === undefined ? undefined : allSteps(bodyMisfit(body));
  if (misfit !== undefined) return badRequest(misfit);
  const { value, earlier } = readBoth(body);
  const sent: JsonObject = isJsonObject(value) ? value : {};
  const kind = text(sent, "kind");
  if (kind !== undefined && kind !== "" && kind !== "DeleteOptions")
    return badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify((text(sent, "apiVersion") ?? "") || "meta.k8s.io/v1")} in scheme "pkg/runtime/scheme.go:111"`,
    );
  for (const reading of [...earlier.filter(isJsonObject), sent]) {
    const { problem } = decodeAs("DeleteOptions", reading);
    if (problem !== undefined) return badRequest(problem);
  }
  const policy = text(sent, "propagationPolicy") ?? query.get("propagationPolicy") ?? undefined;
  const orphanSent = member(sent, "orphanDependents");
  const orphan = typeof orphanSent === "boolean" ? orphanSent : flag(query, "orphanDependents");
  const graceSent = member(sent, "gracePeriodSeconds");
  const graceText = query.get("gracePeriodSeconds");
  if (graceText !== null && !/^[+-]?\d+$/.test(graceText))
    return badRequest(`strconv.ParseInt: parsing ${JSON.stringify(graceText)}: invalid syntax`);
  const dryRunSent = member(sent, "dryRun");
  const dryRun = Array.isArray(dryRunSent)
    ? dryRunSent.map((value: JsonValue) => (typeof value === "string" ? value : ""))
    : query.getAll("dryRun");
  const errors: FieldError[] = [];
  if (policy !== undefined && orphan !== undefined)
    errors.push(invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"));
  if (policy !== undefined && !isPropagation(policy))
    errors.push(notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]));
  if (dryRun.some((value) => value !== "All"))
    errors.push({
      type: "FieldValueNotSupported",
      field: "dryRun",
      badValue: dryRun,
      detail: 'supported values: "All"',
    });
  if (errors.length > 0) return invalidOptions("DeleteOptions", errors);
  const conditions = member(sent, "preconditions");
  const held: JsonObject = isJsonObject(conditions) ? conditions : {};
  return done({
    dryRun: dryRun.length > 0,
    propagation: isPropagation(policy) ? policy : orphan === undefined ? undefined : orphan ? "Orphan" : "Background",
    graceSeconds: typeof graceSent === "number" ? graceSent : graceText === null ? undefined : Number(graceText),
    cascades: orphan === false,
    uid: text(held, "uid") ?? preconditionIn(query, "uid"),
    resourceVersion: text(held, "resourceVersion") ?? preconditionIn(query, "resourceVersion"),
    object: {
      kind: "DeleteOptions",
      apiVersion: "meta.k8s.io/v1",
      ...(graceText === null ? {} : { gracePeriodSeconds: Number(graceText) }),
      ...(query.has("propagationPolicy") ? { propagationPolicy: policy } : {}),
      ...(query.has("orphanDependents") ? { orphanDependents: orphan } : {}),
      ...sent,
      ...(dryRun.length > 0 ? { dryRun } : {}),
    },
  });
}
