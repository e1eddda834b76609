import type { KubeObject } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { JsonObject } from "../../json.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import { hasMember, objectIn, objectsIn } from "../kinds/json-parts.ts";
import { notImplemented } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Kinds that are kept and shown, and that nothing acts on. */
const idle: ReadonlySet<string> = new Set(["cronjobs.batch", "persistentvolumeclaims", "persistentvolumes"]);

/** Nothing is accepted and ignored: what this server does not do is refused, or told with a warning. */
export function tellUnsupported(
  { kind, operation, subresource, call }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (object === undefined || subresource !== "") return done(undefined);
  if (operation === "CREATE" && idle.has(kind.table))
    call.warnings.add(`embedded server: no controller acts on ${kind.type.kind}`);
  const spec = objectIn(asJson(object), "spec");
  if (kind.table === "resourcequotas" && (hasMember(spec, "scopes") || hasMember(spec, "scopeSelector")))
    return notImplemented("a scope of a ResourceQuota", "leave out spec.scopes and spec.scopeSelector");
  if (kind.table === "limitranges" && objectsIn(spec, "limits").some(hasRatio))
    return notImplemented("a ratio of a LimitRange", "leave out maxLimitRequestRatio");
  return done(undefined);
}

function hasRatio(limit: JsonObject): boolean {
  return Object.keys(objectIn(limit, "maxLimitRequestRatio")).length > 0;
}
