import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { encodeFields, setOf } from "@purser/kubernetes/object/apply/field-set";
import { capUpdaters, type Manager } from "@purser/kubernetes/object/apply/managers";
import { validateNoNewFinalizers } from "@purser/kubernetes/object/metadata-rules";
import { compileSchema } from "@purser/kubernetes/object/schema/structural-schema";
import { validateValue } from "@purser/kubernetes/object/schema/validate";
import { pods } from "@purser/kubernetes/apis/resources";
import { invalid as fieldInvalid } from "@purser/kubernetes/object/field-error";
import { allSteps, Strides } from "@purser/kubernetes/steps";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Call } from "../call.ts";
import { decodeInSteps } from "../kinds/decoding/decode.ts";
import { cronJobKind, jobKind } from "../kinds/jobs/job-kinds.ts";
import { podKind } from "../kinds/pods/pod-kind.ts";
import { daemonSetKind, deploymentKind, replicaSetKind, statefulSetKind } from "../kinds/workloads/workload-kinds.ts";
import { type BuiltInKind, validation, type WriteContext } from "../kinds/built-in-kind.ts";
import { invalid } from "../request/refusal.ts";
import type { WriteOptions } from "../request/query.ts";
import { strictFault } from "./decode.ts";
import { metadataErrors, withoutDuplicateOwners } from "./metadata-validation.ts";
import { pausesOf } from "@purser/kubernetes/testing/counted-steps";

/** A list that counts how often its items are read. */
function counted<Item>(items: readonly Item[]): { readonly list: readonly Item[]; readonly reads: () => number } {
  let reads = 0;
  const list = new Proxy(items, {
    get(target, key, receiver): unknown {
      if (typeof key === "string" && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, reads: () => reads };
}

const texts = (count: number): readonly string[] => Array.from({ length: count }, (_, number) => `a.b/${number}`);

test("each finalizer of an object that is being deleted is looked at a few times, however many there are", () => {
  const old = counted(texts(3000));
  assert.deepEqual(validateNoNewFinalizers(texts(3000), old.list, "metadata.finalizers"), []);
  assert.ok(old.reads() <= 3 * 3000, `${old.reads()} reads`);
});

test("each owner is looked at a few times, however many have the same uid", () => {
  let reads = 0;
  const ownerReferences = Array.from({ length: 3000 }, (_, number) => ({
    apiVersion: "v1",
    kind: "Pod",
    name: `pod-${number % 2000}`,
    get uid() {
      reads++;
      return "same";
    },
  }));
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ownerReferences } };
  const { object: kept } = withoutDuplicateOwners(object, "");
  assert.equal(kept.metadata.ownerReferences?.length, 2000);
  assert.ok(reads <= 5 * 3000, `${reads} reads`);
});

test("each text of a list is looked up in its enum at once", () => {
  const allowed = counted(texts(3000));
  const compiled = compileSchema({
    type: "object",
    properties: { list: { type: "array", items: { type: "string", enum: allowed.list as JsonValue } } },
  });
  assert.ok(compiled.ok);
  const before = allowed.reads();
  assert.deepEqual(validateValue({ list: texts(3000).toReversed() }, compiled.value), []);
  assert.ok(allowed.reads() - before <= 3 * 3000, `${allowed.reads() - before} reads`);
});

test("the fields of thousands of updaters are folded without copying them for each", () => {
  const managers = new Map<string, Manager>();
  for (let number = 0; number < 2000; number++)
    managers.set(`id-${number}`, {
      name: `m-${number}`,
      operation: "Update",
      apiVersion: "v1",
      subresource: "",
      time: `2026-01-01T00:00:${String(number % 60).padStart(2, "0")}Z`,
      fields: setOf([["f:data", `f:k${number}`]]),
    });
  let sets = 0;
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { set } = Map.prototype;
  Map.prototype.set = function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
    sets++;
    return set.call(this, key, value) as Map<unknown, unknown>;
  };
  let capped: ReadonlyMap<string, Manager>;
  try {
    capped = capUpdaters(managers);
  } finally {
    Map.prototype.set = set;
  }
  assert.equal(capped.size, 10);
  const folded = [...capped.values()].find(({ name }) => name === "ancient-changes");
  assert.ok(folded !== undefined);
  const fields = allSteps(encodeFields(folded.fields, new Strides()))["f:data"];
  assert.equal(Object.keys(fields as object).length, 1991);
  assert.ok(sets < 2000 * 40, `${sets} entries were copied`);
});

test("a refusal does not repeat a large value without end", () => {
  const value = texts(10_000) as JsonValue;
  const errors = Array.from({ length: 1000 }, (_, number) => fieldInvalid(`spec.list[${number}]`, value, "wrong"));
  const refusal = invalid({ group: "", kind: "ConfigMap" }, "a", errors);
  assert.ok(!refusal.ok);
  assert.ok(refusal.problem.message.length <= 2 * 1024 * 1024, `${refusal.problem.message.length} characters`);
  assert.ok((refusal.problem.details?.causes ?? []).length > 0);
});

const many = (count: number, value: JsonValue): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`key-${number}`, value]));

test("a wide map, a long list and unknown members are decoded with pauses, and keys are sorted", () => {
  const metadata = { name: "a", labels: many(20_000, "x"), finalizers: texts(20_000) as JsonValue };
  assert.ok(pausesOf(decodeInSteps("ObjectMeta", metadata)) >= 12);
  assert.ok(pausesOf(decodeInSteps("ObjectMeta", many(20_000, "x"))) >= 4);
  const keys = Array.from({ length: 20_000 }, (_, number) => `k${(number * 7919) % 20_000}`);
  const labels = Object.fromEntries(keys.map((key) => [key, "x"]));
  const read = allSteps(decodeInSteps("ObjectMeta", { labels })).value["labels"];
  assert.deepEqual(Object.keys(read as JsonObject), keys.toSorted());
});

test("labels, annotations, owners and finalizers are checked with pauses", () => {
  const kind = { type: pods, custom: undefined, validateName: () => [] } as unknown as ServedKind;
  const owner = { apiVersion: "v1", kind: "Pod", uid: "u" };
  const ownerReferences = texts(20_000).map((name) => ({ ...owner, name }));
  for (const metadata of [
    { labels: many(20_000, "x") as Record<string, string> },
    { annotations: many(20_000, "") as Record<string, string> },
    { finalizers: texts(20_000) },
    { ownerReferences },
  ]) {
    const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "b", ...metadata } };
    assert.ok(pausesOf(metadataErrors(kind, object)) >= 4, Object.keys(metadata).join());
  }
});

test("of thousands of unknown fields so many become warnings as a client is shown", () => {
  const warned = (count: number, finding: (number: number) => string): ReadonlySet<string> => {
    const call = { warnings: new Set<string>() } as unknown as Call;
    const findings = Array.from({ length: count }, (_, number) => finding(number));
    assert.equal(strictFault(call, { fieldValidation: "Warn" } as WriteOptions, findings), undefined);
    return call.warnings;
  };
  const short = warned(150_000, (number) => `unknown field "spec.u${number}"`);
  assert.ok(short.size > 150 && short.size < 300, `${short.size} warnings`);
  // As many as when each is cut to what a header has of it.
  assert.equal(warned(1000, (number) => `${number}${"x".repeat(5000)}`).size, 17);
  assert.equal(warned(100, (number) => `unknown field "u${number}"`).size, 100);
});

const ofTemplate = (template: JsonObject): JsonObject => ({ spec: { template } });
const withContainers: readonly (readonly [BuiltInKind, (template: JsonObject) => JsonObject])[] = [
  [podKind, (template) => template],
  [cronJobKind, (template) => ({ spec: { jobTemplate: ofTemplate(template) } })],
  ...[deploymentKind, replicaSetKind, statefulSetKind, daemonSetKind, jobKind].map(
    (kind) => [kind, ofTemplate] as const,
  ),
];

for (const [kind, objectOf] of withContainers)
  test(`the containers of a ${kind.type.kind} are checked with pauses`, () => {
    for (const list of ["containers", "initContainers"]) {
      const containers = Array.from({ length: 2000 }, (_, number) => ({ name: `c${number}`, image: "i" }));
      const context = {} as WriteContext;
      const steps = validation(kind, objectOf({ spec: { [list]: containers } }), context);
      const pauses = pausesOf(steps);
      assert.ok(pauses >= 2000 / 128, `${pauses} pauses in ${list}`);
    }
  });
