import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { JsonValue } from "@purser/kubernetes/json";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { ServedKind } from "../../registry/served-kind.ts";
import { bodyBytes, contentType, decodeText, readJsonBody, readYaml } from "../../request/body.ts";
import { textSize } from "../../request/body-size.ts";
import { type RequestWork, workPerTurn } from "../../turns.ts";
import { badRequest, unsupportedMediaType } from "../../request/refusal.ts";

export type PatchType = "json" | "merge" | "strategic" | "apply";

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
]);

export function patchTypeOf(request: ApiRequest, kind: ServedKind): Result<PatchType, ApiStatus> {
  const type = patchTypes.get(contentType(request));
  if (type === undefined && kind.custom === undefined)
    return failed(statusOf("UnsupportedMediaType", "415: Unsupported Media Type", {}));
  if (type === undefined || (type === "strategic" && kind.custom !== undefined))
    return unsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    );
  return done(type);
}

export interface PatchBody {
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
  /** As it was sent; absent when it never was text. */
  readonly text?: string;
}

/** Reads the text of a patch; apply patches are YAML. */
export async function patchBody(
  request: ApiRequest,
  type: PatchType,
  checked: boolean,
  work: RequestWork,
): Promise<Result<PatchBody, ApiStatus>> {
  if (request.body?.kind === "object") {
    work.holds(textSize(request.body.value, workPerTurn));
    return done({ value: request.body.value, duplicates: [] });
  }
  const bytes = await bodyBytes(request);
  if (!bytes.ok) return bytes;
  work.holds(bytes.value.length);
  await work.nextStep();
  if (type === "apply") {
    const parsed = await readYaml(bytes.value, work, false);
    return parsed.ok
      ? parsed
      : badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${parsed.problem.message}`);
  }
  const text = decodeText(bytes.value);
  const parsed = await work.through(readJsonBody(text));
  if (parsed.ok) return done({ ...parsed.value, text });
  if (type === "merge" && !checked) return badRequest("Invalid JSON Patch");
  return badRequest(
    type === "strategic" || !checked ? parsed.problem.message : `error decoding patch: ${parsed.problem.message}`,
  );
}
