import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { yamlOf } from "./generated-yaml.ts";

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** The operations of JSON Patch that turn one value into the other; lists are replaced whole. */
function patchBetween(before: JsonObject, after: JsonObject, path = ""): readonly JsonObject[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key): readonly JsonObject[] => {
    const [old, wanted, place] = [before[key], after[key], `${path}/${escaped(key)}`];
    if (wanted === undefined) return [{ op: "remove", path: place }];
    if (old === undefined) return [{ op: "add", path: place, value: wanted }];
    if (isObject(old) && isObject(wanted)) return patchBetween(old, wanted, place);
    return deepEqual(old, wanted) ? [] : [{ op: "replace", path: place, value: wanted }];
  });
}

/** Group, kind, namespace and name of an object. */
export function identityOf({ apiVersion, kind, metadata: { namespace = "", name = "" } }: KubeObject): string {
  return [apiVersion.replace(/\/?v[^/]*$/, ""), kind, namespace, name].join(" ");
}

function targetOf({ apiVersion, kind, metadata: { namespace, name = "" } }: KubeObject): JsonObject {
  const [version = "", group] = apiVersion.split("/").reverse();
  return {
    ...(group === undefined ? {} : { group }),
    version,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** How an overlay differs from its base: what it adds, and its patches in the form of `kustomization.yaml`. */
export interface Overlay {
  readonly added: readonly KubeObject[];
  readonly patches: readonly JsonObject[];
}

/** The overlay that makes `wanted` of `base`. */
export function overlayOf(base: readonly KubeObject[], wanted: readonly KubeObject[]): Overlay {
  const byIdentity = new Map(wanted.map((object) => [identityOf(object), object]));
  const known = new Set(base.map(identityOf));
  const patches = base.flatMap((object): readonly JsonObject[] => {
    const other = byIdentity.get(identityOf(object));
    if (other === undefined) {
      const { apiVersion, kind, metadata } = object;
      const { namespace, name = "" } = metadata;
      const key = namespace === undefined ? { name } : { name, namespace };
      return [{ patch: yamlOf({ $patch: "delete", apiVersion, kind, metadata: key }) }];
    }
    const operations = patchBetween(object as unknown as JsonObject, other as unknown as JsonObject);
    return operations.length === 0 ? [] : [{ target: targetOf(object), patch: yamlOf(operations) }];
  });
  return { added: wanted.filter((object) => !known.has(identityOf(object))), patches };
}
