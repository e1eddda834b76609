import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Machinery } from "../machinery.ts";
import { forbidden } from "../request/refusal.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Priority: at most one PriorityClass is the global default. */
export function onlyDefaultPriority(
  { storage }: Machinery,
  { kind, operation, name }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (kind.table !== "priorityclasses.scheduling.k8s.io" || object === undefined) return done(undefined);
  if ((operation !== "CREATE" && operation !== "UPDATE") || asJson(object)["globalDefault"] !== true)
    return done(undefined);
  const listed = storage.list(kind.table);
  const other = (listed.ok ? listed.value : []).find(
    (held) => asJson(held)["globalDefault"] === true && (operation === "CREATE" || held.metadata.name !== name),
  );
  if (other === undefined) return done(undefined);
  const message = `PriorityClass ${other.metadata.name ?? ""} is already marked as default. Only one default can exist`;
  return forbidden(kind.type, name, message);
}
