import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { noSteps } from "@purser/kubernetes/steps";
import type { Body } from "../request/body.ts";
import { revisionProblem, writeOptions } from "../request/query.ts";
import { badRequest, conflict, unexplained } from "../request/refusal.ts";
import { create, inNamespace } from "./create.ts";
import { decodeBody } from "./decode.ts";
import { withoutDuplicateOwners } from "./metadata-validation.ts";
import { checkRevision, modify } from "./modify.ts";
import { registryKey } from "./registry-key.ts";
import { storageKey } from "./read.ts";
import type { ObjectRequest, ResourceRequest } from "./resource-request.ts";

/** POST to a collection. */
export async function post(request: ResourceRequest, body: Body): Promise<Result<KubeObject, ApiStatus>> {
  const { kind, namespace, call } = request;
  const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
  if (!options.ok) return options;
  await call.work.nextStep();
  const decoded = await call.work.through(decodeBody(request, body, options.value));
  if (!decoded.ok) return decoded;
  const object = inNamespace(kind, decoded.value, namespace);
  if (!object.ok) return object;
  return create(request, { object: object.value, options: options.value, by: "create" });
}

/** A custom resource of another kind is refused by validation, which its revision comes before. */
function revisionFirst(
  request: ObjectRequest,
  { value }: Body,
  refusal: Result<never, ApiStatus>,
): Result<never, ApiStatus> {
  const { kind, namespace, name } = request;
  const { storage } = request.machinery;
  if (refusal.ok || kind.custom === undefined || refusal.problem.reason !== "Invalid") return refusal;
  const live = storage.get(kind.table, storageKey(kind, namespace, name));
  const metadata = isJsonObject(value) ? member(value, "metadata") : undefined;
  const sentName = isJsonObject(metadata) ? member(metadata, "name") : undefined;
  if ((sentName ?? "") === "")
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  const sent = isJsonObject(metadata) ? member(metadata, "resourceVersion") : undefined;
  if (live === undefined) return refusal;
  const revision = checkRevision(
    request,
    { metadata: typeof sent === "string" ? { resourceVersion: sent } : {} },
    live,
  );
  return revision.ok ? refusal : revision;
}

/** PUT to an object or to one of its subresources. */
export async function put(
  request: ObjectRequest,
  body: Body,
): Promise<Result<{ readonly object: KubeObject; readonly created: boolean }, ApiStatus>> {
  const { kind, call, namespace, name, endpoint } = request;
  const options = writeOptions(call.query, call.headers["user-agent"], "UpdateOptions");
  if (!options.ok) return options;
  await call.work.nextStep();
  const decoded = await call.work.through(decodeBody(request, body, options.value));
  if (!decoded.ok) return revisionFirst(request, body, decoded);
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
  return modify(request, {
    options: options.value,
    ownershipDone: false,
    ...(uid === undefined ? {} : { expectedUid: uid }),
    next: () => noSteps(done(object)),
    ...(kind.createsOnPut && (endpoint === "main" || endpoint === "status")
      ? {
          missing: async () => {
            if ((uid ?? "") !== "")
              return conflict(
                kind.type,
                name,
                `StorageError: invalid object, Code: 4, Key: ${registryKey(request, options.value.dryRun)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid ?? ""}, UID in object meta: `,
              );
            const { resourceVersion: revision = "" } = object.metadata;
            const problem = revision === "" ? undefined : revisionProblem(revision);
            if (problem !== undefined) return unexplained(problem);
            return create(request, { object, options: options.value, by: "put" }, endpoint);
          },
        }
      : {}),
  });
}
