import type { KubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { asJson } from "../../apis/object.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import { hasMember, objectAt, objectIn } from "../kinds/json-parts.ts";
import { notImplemented } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Kinds that are kept and shown, and that nothing acts on. */
const idle: ReadonlySet<string> = new Set(["persistentvolumeclaims", "persistentvolumes"]);

/** Parts of a job that its controller does not follow, with what does the same. */
const policies: Readonly<Record<string, string>> = {
  podFailurePolicy: "leave it out; backoffLimit decides when the job fails",
  successPolicy: "leave it out; completions decide when the job succeeds",
  backoffLimitPerIndex: "leave it out; backoffLimit counts for all indexes",
};

/** Nothing is accepted and ignored: what this server does not do is refused, or told with a warning. */
export function tellUnsupported(
  { kind, operation, subresource, call }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (object === undefined || subresource !== "") return done(undefined);
  if (operation === "CREATE" && idle.has(kind.table))
    call.warnings.add(`embedded server: no controller acts on ${kind.type.kind}`);
  const spec = objectIn(asJson(object), "spec");
  if (kind.table === "statefulsets.apps" && operation === "CREATE" && hasMember(spec, "volumeClaimTemplates"))
    call.warnings.add("embedded server: no controller acts on PersistentVolumeClaim");
  const job =
    kind.table === "jobs.batch" ? spec : kind.table === "cronjobs.batch" ? objectAt(spec, "jobTemplate", "spec") : {};
  const refused = Object.keys(policies).find((key) => hasMember(job, key));
  return refused === undefined ? done(undefined) : notImplemented(`${refused} of a Job`, policies[refused] ?? "");
}
