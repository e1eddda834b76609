import { stepsOf } from "../../../src/bundle/install-plan-steps.ts";
import { asUnstructured } from "../../../src/bundle/unstructured.ts";
import { unpackBundle } from "../../../src/bundle/unpack-bundle.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { readYaml } from "@purser/kubernetes/text/documents";
import { compareExactly, compareLoosely } from "../../compare.ts";
import type { Compare, Suite } from "../../suite.ts";
import { absent, answer } from "../../suite.ts";
import { bundleAt, contentHash, filesOf, listAt, objectAt, sha256, textAt } from "../bundle-directory.ts";

interface Unpacked {
  readonly objects: readonly JsonObject[];
  readonly csv?: JsonObject;
}

/** Our steps as the file shows them; `fixed` is the number of steps before the derived RBAC. */
function steps(bundle: Unpacked, input: JsonObject, properties: string): JsonObject {
  const catalog = objectAt(input, "catalog");
  const made = stepsOf(bundle, {
    namespace: textAt(input, "namespace"),
    replaces: textAt(input, "replaces"),
    catalog: { name: textAt(catalog, "name"), namespace: textAt(catalog, "namespace") },
    properties,
  });
  if (!made.ok) return { error: made.problem.message, stage: made.problem.stage };
  const derived = new Set(["ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"]);
  // Derived RBAC is written without a kind, objects of the bundle with one.
  const isDerived = (manifest: string, kind: string) =>
    derived.has(kind) && !manifest.includes('"kind":"' + kind + '"');
  const fixed = made.value.filter(({ resource }) => !isDerived(resource.manifest, resource.kind)).length;
  return {
    fixed,
    steps: made.value.map(({ resolving, resource, status }) => ({
      resolving,
      kind: resource.kind,
      name: resource.name,
      group: resource.group,
      version: resource.version,
      status,
      manifest: sha256(resource.manifest),
      object: contentHash(JSON.parse(resource.manifest) as JsonValue),
    })),
  };
}

/** A bundle whose objects stand in the catalog itself. */
function fromCatalog(input: JsonObject): JsonObject {
  const blob = listAt(input, "fbc").find(
    (entry) =>
      isJsonObject(entry) &&
      textAt(entry, "schema") === "olm.bundle" &&
      textAt(entry, "name") === textAt(input, "bundle"),
  );
  const properties = isJsonObject(blob) ? listAt(blob, "properties").filter(isJsonObject) : [];
  const objects = properties
    .filter((property) => textAt(property, "type") === "olm.bundle.object")
    .flatMap((property) => {
      const text = Buffer.from(textAt(objectAt(property, "value"), "data"), "base64").toString("utf8");
      const read = readYaml(text);
      return read.ok && isJsonObject(read.value) ? [asUnstructured(read.value)] : [];
    });
  const csv = objects.findLast((object) => textAt(object, "kind") === "ClusterServiceVersion");
  const kept = properties.filter((property) => textAt(property, "type") !== "olm.bundle.object");
  const lookup = JSON.stringify({ properties: kept });
  return steps({ objects, ...(csv === undefined ? {} : { csv }) }, input, lookup);
}

const compareSteps: Compare = (golden, value) => {
  const sorted = (whole: JsonValue): JsonValue => {
    if (!isJsonObject(whole)) return whole;
    const fixed = Number(member(golden.expect, "fixed") ?? 0);
    const all = listAt(whole, "steps");
    const rbac = all.slice(fixed).toSorted((a, b) => (JSON.stringify(keyed(a)) < JSON.stringify(keyed(b)) ? -1 : 1));
    return member(whole, "steps") === undefined ? whole : { ...whole, steps: [...all.slice(0, fixed), ...rbac] };
  };
  const keyed = (step: JsonValue): JsonValue =>
    isJsonObject(step) ? [textAt(step, "kind"), textAt(step, "name"), textAt(step, "manifest")] : step;
  const expect = sorted(golden.expect);
  return compareExactly()(isJsonObject(expect) ? { ...golden, expect } : golden, sorted(value));
};

export const suite: Suite = {
  name: "v0-bundle-unpack-and-steps",
  compare: compareLoosely(compareSteps, ["error"]),
  run({ input }, { data }) {
    if (member(input, "fbc") !== undefined) return answer(fromCatalog(input));
    const dir = textAt(input, "dir");
    const files = dir === "" ? filesOf(objectAt(input, "files")) : bundleAt(data, dir);
    if (files === undefined) return absent(`bundle ${dir}`);
    const unpacked = unpackBundle(files);
    if (!unpacked.ok) {
      const { message, stage } = unpacked.problem;
      return answer({ error: message.replace(/^(open|read) /, "$1 $$ROOT/"), stage });
    }
    const { keys, annotations } = unpacked.value;
    return answer({ keys, annotations, ...steps(unpacked.value, input, textAt(input, "properties")) });
  },
};
