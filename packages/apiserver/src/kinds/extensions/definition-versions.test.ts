import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { customResourceDefinitionKind } from "./extension-kinds.ts";

/** A definition of so many versions, each of which counts reads of its parts. */
function counted(count: number): { readonly definition: JsonObject; readonly reads: () => number } {
  let reads = 0;
  const versions = Array.from({ length: count }, (_, index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: index === 0,
    get schema() {
      reads++;
      return { openAPIV3Schema: { type: "object", properties: { a: { type: "string" } } } };
    },
    get additionalPrinterColumns() {
      reads++;
      return [{ name: "c", type: "string", jsonPath: ".a" }];
    },
  }));
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "as.g.io" },
    spec: {
      group: "g.io",
      scope: "Namespaced",
      names: { plural: "as", singular: "a", kind: "A", listKind: "AList" },
      conversion: { strategy: "None" },
      versions,
    },
    status: { storedVersions: ["v1"] },
  };
  return { definition, reads: () => reads };
}

/** How often parts were read. */
function readsOf(count: number): number {
  const { definition, reads } = counted(count);
  assert.deepEqual(customResourceDefinitionKind.validate?.(definition, {} as never, undefined, undefined as never), []);
  return reads();
}

test("the versions of a definition are compared once, not once for each of them", () => {
  const [few, many] = [readsOf(100), readsOf(400)];
  assert.ok(many < 4.5 * few, `${few} and ${many}`);
});

test("a repeated name is refused for each repetition, with the text of all versions written once", () => {
  const { definition } = counted(3);
  const spec = definition["spec"] as JsonObject;
  const [first] = spec["versions"] as readonly JsonObject[];
  const versions = [{ ...first }, { ...first, storage: false }, { ...first, storage: false }];
  const errors = customResourceDefinitionKind.validate?.(
    { ...definition, spec: { ...spec, versions } as JsonObject },
    {} as never,
    undefined,
    undefined as never,
  );
  const unique = errors?.filter(({ detail }) => detail === "must contain unique version names") ?? [];
  assert.equal(unique.length, 2);
  assert.equal(unique[0]?.badText, unique[1]?.badText);
  assert.equal(unique[0]?.badText?.match(/"Name":"v1"/g)?.length, 3);
});
