import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ManagedFieldsEntry } from "@purser/kubernetes/apis/object";
import { managersOfParent, managersOfScale } from "./scale-managers.ts";

const time = "2026-01-01T00:00:00Z";
const replicas = { "f:spec": { "f:replicas": {} } };
const more = { "f:spec": { "f:paused": {}, "f:replicas": {} } };
const paths = new Map<string, readonly string[] | undefined>([
  ["apps/v1", ["spec", "replicas"]],
  ["apps/v1beta1", undefined],
]);

function entry(manager: string, rest: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  const common = { manager, operation: "Update", apiVersion: "apps/v1", time, fieldsType: "FieldsV1" } as const;
  return { ...common, fieldsV1: more, ...rest };
}

const scaled = (manager: string, operation: "Apply" | "Update"): ManagedFieldsEntry => ({
  ...entry(manager, { operation, apiVersion: "autoscaling/v1", fieldsV1: replicas }),
});

describe("the owners that a Scale shows", () => {
  test("are those of the replicas alone, in the version of the Scale", () => {
    const shown = managersOfScale([entry("m1"), entry("m2", { fieldsV1: { "f:data": {} } })], paths);
    assert.deepEqual(shown, [scaled("m1", "Update")]);
  });

  test("are not those of a version without a scale", () => {
    assert.deepEqual(managersOfScale([entry("m1", { apiVersion: "apps/v1beta1" })], paths), []);
  });
});

describe("the owners of an object after its Scale was written", () => {
  const after = (
    before: readonly ManagedFieldsEntry[],
    scale: readonly ManagedFieldsEntry[],
  ): readonly (readonly unknown[])[] =>
    managersOfParent(before, scale, paths, "apps/v1").map((held) => [
      held.manager,
      held.operation,
      held.apiVersion,
      held.fieldsV1,
    ]);

  test("an applier that keeps the replicas keeps its entry as it is", () => {
    const before = [entry("m1", { operation: "Apply" })];
    assert.deepEqual(after(before, [scaled("m1", "Apply")]), [["m1", "Apply", "apps/v1", more]]);
  });

  test("an updater that keeps the replicas has them in an entry of their own", () => {
    // Nothing orders two entries of one name.
    const texts = after([entry("m1")], [scaled("m1", "Update")]).map((held) => JSON.stringify(held));
    assert.deepEqual(texts.toSorted(), [
      JSON.stringify(["m1", "Update", "apps/v1", { "f:spec": { "f:paused": {} } }]),
      JSON.stringify(["m1", "Update", "apps/v1", replicas]),
    ]);
  });

  test("who lost the replicas loses them here too, and an entry of nothing else goes", () => {
    const before = [entry("m1"), entry("m2", { fieldsV1: replicas })];
    assert.deepEqual(after(before, [scaled("m3", "Update")]), [
      ["m3", "Update", "apps/v1", replicas],
      ["m1", "Update", "apps/v1", { "f:spec": { "f:paused": {} } }],
    ]);
  });

  test("entries of a version that is no more are dropped, those without a scale are kept", () => {
    const before = [entry("m1", { apiVersion: "apps/v0" }), entry("m2", { apiVersion: "apps/v1beta1" })];
    assert.deepEqual(after(before, []), [["m2", "Update", "apps/v1beta1", more]]);
  });
});
