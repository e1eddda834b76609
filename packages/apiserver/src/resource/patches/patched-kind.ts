import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf, parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { FieldError } from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { goJson } from "@purser/kubernetes/text/go-json";
import type { ServedKind } from "../../registry/served-kind.ts";
import { badRequest, internalError, invalid, invalidPatchResult } from "../../request/refusal.ts";
import type { ObjectRequest } from "../resource-request.ts";
import { otherKindFault, typeMisfit } from "../decode.ts";

function textOf(document: JsonObject, key: string): string {
  const held: JsonValue = member(document, key) ?? "";
  return typeof held === "string" ? held : goJson(held);
}

interface PatchReading {
  readonly form: "json" | "merge" | "strategic";
  readonly warn: (text: string) => void;
  /** The document as Go prints it, for error messages. */
  readonly shown: () => string;
}

/**
 * The document with the kind and version of its path, if what the patch left of them allows that. A missing kind
 * defaults to the path's; a strategic merge patch is converted to the path's type in any case.
 */
export function withKindOfPath(
  { machinery, kind, name, endpoint }: Pick<ObjectRequest, "machinery" | "kind" | "name" | "endpoint">,
  document: JsonObject,
  { form, warn, shown }: PatchReading,
): Result<JsonObject, ApiStatus> {
  const apiVersion = apiVersionOf(kind.type);
  const apiVersionSent = textOf(document, "apiVersion");
  const sent = {
    apiVersion: /^\/|^$/.test(apiVersionSent) ? apiVersionSent.slice(1) : apiVersionSent,
    kind: textOf(document, "kind"),
  };
  if (sent.apiVersion === apiVersion && sent.kind === kind.type.kind) return done({ ...document, apiVersion });
  if (form === "strategic" && ["apiVersion", "kind"].every((key) => typeof (member(document, key) ?? "") === "string"))
    return done({ ...document, apiVersion, kind: kind.type.kind });
  if (form === "strategic") return done(document);
  const refused = (why: string): Result<never, ApiStatus> => invalidPatchResult(shown(), why);
  const misfit = typeMisfit(document);
  if (misfit !== undefined) return refused(misfit);
  if (sent.apiVersion.split("/").length > 2) return refused(`unexpected GroupVersion string: ${sent.apiVersion}`);
  // A patch of a custom resource's status changes only the status.
  if (kind.custom !== undefined && endpoint === "status" && sent.kind !== "" && sent.apiVersion !== "")
    return done({ ...document, apiVersion, kind: kind.type.kind });
  if (kind.custom !== undefined) return customKind(kind, document, sent, name, shown);
  if (sent.apiVersion === "") {
    // Decoded as the internal type, whose fields have no JSON names.
    for (const key of Object.keys(document).toSorted())
      if (key !== "kind" && key !== "apiVersion" && document[key] !== undefined)
        warn(`unknown field ${JSON.stringify(key)}`);
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (sent.kind === "" && sent.apiVersion === apiVersion) return done({ ...document, kind: kind.type.kind });
  if (parseApiVersion(sent.apiVersion).version === "") return refused(`Object 'apiVersion' is missing in '${shown()}'`);
  const full = { ...parseApiVersion(sent.apiVersion), kind: sent.kind === "" ? kind.type.kind : sent.kind };
  return refused(otherKindFault(machinery, kind, document, full));
}

/** Custom resources are decoded whatever their kind, and refused afterwards. */
function customKind(
  kind: ServedKind,
  document: JsonObject,
  sent: { readonly apiVersion: string; readonly kind: string },
  name: string,
  shown: () => string,
): Result<never, ApiStatus> {
  if (sent.kind === "") return invalidPatchResult(shown(), `Object 'Kind' is missing in '${shown()}'`);
  if (sent.apiVersion === "")
    return internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const metadata = member(document, "metadata");
  const found = isJsonObject(metadata) ? member(metadata, "name") : undefined;
  if (typeof found !== "string" || found === "")
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (found !== name)
    return badRequest(`the name of the object (${found}) does not match the name on the URL (${name})`);
  const wanted = { kind: kind.type.kind, apiVersion: apiVersionOf(kind.type) };
  const errors = (["kind", "apiVersion"] as const).flatMap((field): readonly FieldError[] =>
    sent[field] === wanted[field]
      ? []
      : [{ type: "FieldValueInvalid", field, badValue: sent[field], detail: `must be ${wanted[field]}` }],
  );
  const slash = sent.apiVersion.indexOf("/");
  return invalid({ group: slash < 0 ? "" : sent.apiVersion.slice(0, slash), kind: sent.kind }, name, errors);
}
