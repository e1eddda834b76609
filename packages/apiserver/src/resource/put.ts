import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { noSteps } from "@purser/kubernetes/steps";
import type { WriteEndpoint } from "../kinds/built-in-kind.ts";
import type { Call } from "../call.ts";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Body } from "../request/body.ts";
import { revisionProblem, writeOptions } from "../request/query.ts";
import { badRequest, conflict, unexplained } from "../request/refusal.ts";
import { create, inNamespace } from "./create.ts";
import { decodeBody } from "./decode.ts";
import { withoutDuplicateOwners } from "./metadata-validation.ts";
import { checkRevision, modify } from "./modify.ts";
import { registryKey } from "./registry-key.ts";
import { storageKey } from "./read.ts";

/** POST to a collection. */
export async function post(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  namespace: string | undefined,
  body: Body,
): Promise<Result<KubeObject, ApiStatus>> {
  const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
  if (!options.ok) return options;
  await call.work.nextStep();
  const decoded = await call.work.through(decodeBody(machinery, kind, call, body, options.value));
  if (!decoded.ok) return decoded;
  const object = inNamespace(kind, decoded.value, namespace);
  if (!object.ok) return object;
  return create(machinery, call, { kind, namespace, object: object.value, options: options.value, by: "create" });
}

/** A custom resource of another kind is refused by validation, which its revision comes before. */
function revisionFirst(
  { storage }: Machinery,
  target: { readonly kind: ServedKind; readonly namespace: string | undefined; readonly name: string },
  { value }: Body,
  refusal: Result<never, ApiStatus>,
): Result<never, ApiStatus> {
  const { kind, namespace, name } = target;
  if (refusal.ok || kind.custom === undefined || refusal.problem.reason !== "Invalid") return refusal;
  const live = storage.get(kind.table, storageKey(kind, namespace, name));
  const metadata = isJsonObject(value) ? member(value, "metadata") : undefined;
  const sentName = isJsonObject(metadata) ? member(metadata, "name") : undefined;
  if ((sentName ?? "") === "")
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  const sent = isJsonObject(metadata) ? member(metadata, "resourceVersion") : undefined;
  if (live === undefined) return refusal;
  const revision = checkRevision(target, { metadata: typeof sent === "string" ? { resourceVersion: sent } : {} }, live);
  return revision.ok ? refusal : revision;
}

/** PUT to an object or to one of its subresources. */
export async function put(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: { readonly namespace: string | undefined; readonly name: string; readonly endpoint: WriteEndpoint },
  body: Body,
): Promise<Result<{ readonly object: KubeObject; readonly created: boolean }, ApiStatus>> {
  const { namespace, name, endpoint } = target;
  const options = writeOptions(call.query, call.headers["user-agent"], "UpdateOptions");
  if (!options.ok) return options;
  await call.work.nextStep();
  const decoded = await call.work.through(decodeBody(machinery, kind, call, body, options.value));
  if (!decoded.ok) return revisionFirst(machinery, { kind, namespace, name }, body, decoded);
  const agreed = inNamespace(kind, decoded.value, namespace);
  if (!agreed.ok) return agreed;
  const { object, warning } = withoutDuplicateOwners(agreed.value, "");
  if (warning !== undefined) call.warnings.add(warning);
  const sentName = object.metadata.name ?? "";
  if (sentName === "")
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (sentName !== name)
    return badRequest(`the name of the object (${sentName}) does not match the name on the URL (${name})`);
  const { uid } = object.metadata;
  return modify(machinery, call, {
    kind,
    namespace,
    name,
    endpoint,
    options: options.value,
    ownershipDone: false,
    put: true,
    ...(uid === undefined ? {} : { expectedUid: uid }),
    next: () => noSteps(done(object)),
    ...(kind.createsOnPut && (endpoint === "main" || endpoint === "status")
      ? {
          missing: async () => {
            if ((uid ?? "") !== "")
              return conflict(
                kind.type,
                name,
                `StorageError: invalid object, Code: 4, Key: ${registryKey({ kind, namespace, name }, options.value.dryRun)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid ?? ""}, UID in object meta: `,
              );
            const { resourceVersion: revision = "" } = object.metadata;
            const problem = revision === "" ? undefined : revisionProblem(revision);
            if (problem !== undefined) return unexplained(problem);
            return create(machinery, call, { kind, namespace, object, options: options.value, endpoint, by: "put" });
          },
        }
      : {}),
  });
}
