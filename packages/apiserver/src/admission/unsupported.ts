import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { asJson } from "@purser/kubernetes/apis/object";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { JsonObject } from "@purser/kubernetes/json";
import { knownResults, parseOutcome, resultAnnotation } from "../controllers/pods/pod-outcome.ts";
import { hasMember, objectAt, objectIn, textIn } from "../kinds/decoding/json-parts.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Kinds that are stored but have no controller here. */
const idle: ReadonlySet<string> = new Set(["persistentvolumeclaims", "persistentvolumes"]);

/** The `sim/result` annotations of an object and of its pod templates. */
function resultsIn(object: JsonObject): readonly string[] {
  const spec = objectIn(object, "spec");
  return [object, objectAt(spec, "template"), objectAt(spec, "jobTemplate", "spec", "template")]
    .map((held) => objectAt(held, "metadata", "annotations"))
    .filter((annotations) => hasMember(annotations, resultAnnotation))
    .map((annotations) => textIn(annotations, resultAnnotation));
}

/** Adds warnings about what this server does not support, so that nothing is accepted and silently ignored. */
export function warnOfUnsupported(
  { kind, operation, subresource, call }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (object === undefined || subresource !== "") return done(undefined);
  if (operation === "CREATE" && idle.has(kind.table))
    call.warnings.add(`embedded server: no controller acts on ${kind.type.kind}`);
  const spec = objectIn(asJson(object), "spec");
  for (const result of resultsIn(asJson(object)))
    if (parseOutcome(result) === undefined)
      call.warnings.add(
        `embedded server: ${resultAnnotation} ${JSON.stringify(result)} is ignored; it is one of ${knownResults}`,
      );
  if (kind.table === "statefulsets.apps" && operation === "CREATE" && hasMember(spec, "volumeClaimTemplates"))
    call.warnings.add("embedded server: no controller acts on PersistentVolumeClaim");
  return done(undefined);
}
