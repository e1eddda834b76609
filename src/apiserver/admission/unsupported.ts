import type { KubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
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
  return done(undefined);
}
