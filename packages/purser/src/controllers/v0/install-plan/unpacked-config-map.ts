import { gunzipSync } from "node:zlib";
import type { ConfigMap } from "@purser/kubernetes/apis/core";
import { configMaps } from "@purser/kubernetes/apis/resources";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { encodingAnnotation, objectsOfTexts, type UnpackedBundle } from "../../../bundle/unpack-bundle.ts";
import type { UnpackedReference } from "../../../resolver/v0/install-plan/bundle-reference.ts";

/** Of all manifests of one ConfigMap, unpacked: OLM stores at most 1 MiB packed. */
const unpackedLimit = 64 * 2 ** 20;

const remedy = "delete the InstallPlan to plan again";

/**
 * The bundle that OLM unpacked into a ConfigMap. The problem begins as OLM's does and ends with a way out.
 *
 * @param namespaces that may have catalogs for the plan, the global one last. Only ConfigMaps there are read, and only those that the
 *   CatalogSource of the reference owns: who may write the status of an InstallPlan must not read ConfigMaps by it. undefined: every one
 */
export async function readUnpackedConfigMap(
  reference: UnpackedReference,
  reader: Pick<ObjectReader, "get">,
  namespaces: readonly string[] | undefined,
): Promise<Result<Pick<UnpackedBundle, "objects" | "csv">, string>> {
  const { namespace, name, catalogSource } = reference;
  const problem = (stage: "finding" | "loading", why: string) =>
    failed(`error ${stage} unpacked bundle configmap for ref ${namespace}/${name}: ${why}; ${remedy}`);
  if (namespaces?.includes(namespace) === false)
    return problem("finding", `catalogs for this InstallPlan are in namespaces ${namespaces.join(" and ")} only`);
  const stored = await reader.get(configMaps, { namespace, name });
  if (stored === undefined) return problem("finding", `configmaps "${name}" not found`);
  if (namespaces !== undefined && !isOwned(stored, reference))
    return problem("finding", `CatalogSource ${catalogSource.namespace}/${catalogSource.name} does not own it`);
  const texts = textsOf(stored);
  return texts.ok ? done(objectsOfTexts(texts.value)) : problem("loading", texts.problem);
}

function isOwned({ metadata }: ConfigMap, { namespace, catalogSource }: UnpackedReference): boolean {
  const owners = metadata.ownerReferences ?? [];
  const isOwner = owners.some(({ kind, name }) => kind === "CatalogSource" && name === catalogSource.name);
  return isOwner && namespace === catalogSource.namespace;
}

/** Manifests by key. Packed values are base64 within the base64 of `binaryData`. */
function textsOf({ metadata, data = {}, binaryData = {} }: ConfigMap): Result<ReadonlyMap<string, string>, string> {
  const isPacked = Object.entries(encodingAnnotation).every(([key, value]) => metadata.annotations?.[key] === value);
  if (!isPacked) return done(new Map(Object.entries(data)));
  const texts = new Map<string, string>();
  let left = unpackedLimit;
  for (const [key, value] of Object.entries(binaryData)) {
    try {
      const packed = Buffer.from(Buffer.from(value, "base64").toString("latin1"), "base64");
      const bytes = gunzipSync(packed, { maxOutputLength: left });
      left -= bytes.length;
      texts.set(key, bytes.toString("utf8"));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return failed(
        error instanceof RangeError
          ? `its manifests are larger than ${unpackedLimit} bytes`
          : `key ${key} is not gzip in base64: ${why}`,
      );
    }
  }
  return done(texts);
}
