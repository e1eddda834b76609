import assert from "node:assert/strict";
import { test } from "node:test";
import { builtinKinds, builtinTypes } from "./builtin-types.gen.ts";
import { builtinType, mergeSchemaOf } from "./builtin-merge-schemas.ts";
import type { MergeSchema } from "./merge-schema.ts";
import { skeletonOf } from "./typed-fields.ts";

test("every kind of the table has a schema whose types all exist", () => {
  const seen = new Set<MergeSchema>();
  const visit = (schema: MergeSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema.kind === "list") visit(schema.items());
    if (schema.kind !== "map") return;
    for (const field of schema.fields.values()) visit(field.schema());
    if (schema.values !== undefined) visit(schema.values());
  };
  for (const line of builtinKinds.trim().split("\n")) {
    const [apiVersion = "", kind = ""] = line.split(" ");
    const [version = "", group = ""] = apiVersion.split("/").toReversed();
    const schema = mergeSchemaOf({ group, version, kind });
    assert.ok(schema !== undefined, line);
    visit(schema);
  }
  assert.ok(seen.size > 400);
});

test("every line of the type table can be read", () => {
  for (const line of builtinTypes.trim().split("\n")) {
    assert.ok((builtinType(line.split(" ")[0]?.replace("!", "") ?? "")?.fields.length ?? 0) > 0, line);
  }
});

test("an unknown kind has no schema", () => {
  assert.equal(mergeSchemaOf({ group: "ex.io", version: "v1", kind: "Foo" }), undefined);
});

test("an empty object already holds required structs and, as null, required lists", () => {
  const skeleton = (kind: string, group: string, version: string) => {
    const schema = mergeSchemaOf({ group, version, kind });
    assert.ok(schema !== undefined);
    return skeletonOf(schema);
  };
  assert.deepEqual(skeleton("LimitRange", "", "v1"), { metadata: {}, spec: { limits: null } });
  assert.deepEqual(skeleton("Role", "rbac.authorization.k8s.io", "v1"), { metadata: {} });
});
