import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { forbidden, notFound } from "../request/refusal.ts";
import type { Storage } from "../storage/storage.ts";
import type { AdmissionRequest } from "./admission.ts";

const immortal: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/** NamespaceLifecycle: no creates in missing or terminating namespaces, no deletion of system namespaces. */
export function namespaceLifecycle(
  storage: Storage,
  { kind, operation, namespace, name }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (kind.table === "namespaces" && operation === "DELETE" && immortal.has(name))
    return forbidden(namespaces, name, "this namespace may not be deleted");
  if (operation !== "CREATE" || namespace === undefined || !kind.stored) return done(undefined);
  const found: KubeObject | undefined = storage.get("namespaces", namespace);
  if (found === undefined) return notFound(namespaces, namespace);
  if (found.metadata.deletionTimestamp === undefined) return done(undefined);
  return forbidden(
    kind.type,
    name === "" ? (object?.metadata.generateName ?? "") : name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}
