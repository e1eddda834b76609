import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asKubeObject } from "@purser/kubernetes/apis/object";
import { invariant } from "@purser/kubernetes/invariant";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { memoryStorage } from "../storage/object-store.ts";
import type { Storage } from "../storage/storage.ts";
import { asDefinition, hasCondition } from "./definition-status.ts";
import { definitionFinalizer } from "./definition-status.ts";
import { Definitions, definitionTable } from "./definitions.ts";

interface Names {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly listKind: string;
}

function definition({ plural, ...names }: Names, group: string, more: object = {}): KubeObject {
  const object = asKubeObject({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, finalizers: [definitionFinalizer], ...more },
    spec: {
      group,
      scope: "Cluster",
      names: { plural, ...names },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  invariant(object !== undefined, "it is an object");
  return object;
}

const word = fc.constantFrom("a", "b", "c", "d");
const operation = fc.record({
  kind: fc.constantFrom("write", "write", "write", "delete"),
  group: fc.constantFrom("x.io", "y.io"),
  names: fc.record({
    plural: word,
    singular: word,
    shortNames: fc.array(fc.constantFrom("a", "s", "t"), { maxLength: 2 }),
    kind: fc.constantFrom("A", "B", "C"),
    listKind: fc.constantFrom("AList", "BList"),
  }),
});

type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

function write(storage: Storage, { kind, group, names }: Operation): string {
  const key = `${names.plural}.${group}`;
  const live = storage.get(definitionTable, key);
  const status = live === undefined ? {} : { status: asDefinition(live).status };
  const more = kind === "delete" ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  if (kind === "write" || live !== undefined)
    storage.put(definitionTable, key, { ...definition(names, group, more), ...status } as KubeObject);
  return key;
}

const served = (definitions: Definitions): readonly string[] =>
  [...definitions.registry().kinds()].map(({ table, type }) => `${table} ${type.kind}`).toSorted();

test("after any sequence of writes no two definitions of a group share an accepted name, and no update is pending", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 25 }), (operations) => {
      const storage = memoryStorage();
      const clock = new VirtualClock();
      const definitions = new Definitions(storage, clock, []);
      for (const each of operations) {
        definitions.changed(write(storage, each));
        const found = storage.list(definitionTable);
        assert.ok(found.ok);
        const held = found.value.flatMap((object) => {
          const { spec, status } = asDefinition(object);
          const names = status?.acceptedNames;
          const own = [names?.plural, names?.singular, ...(names?.shortNames ?? [])];
          return [...new Set([...own.map((name) => `resource ${name}`), `kind ${names?.kind}`])]
            .filter((name) => !/ (undefined|)$/.test(name))
            .map((name) => `${spec.group} ${name}`);
        });
        assert.deepEqual(held.toSorted(), [...new Set(held)].toSorted());
        const revision = storage.revision();
        const anew = new Definitions(storage, clock, []);
        assert.equal(storage.revision(), revision, "a fresh look finds nothing to write");
        assert.deepEqual(served(definitions), served(anew));
        assert.equal(
          served(definitions).length,
          found.value.filter((object) => hasCondition(asDefinition(object), "Established")).length,
        );
      }
    }),
  );
});
