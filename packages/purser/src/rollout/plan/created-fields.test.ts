import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ManagedFieldsEntry } from "@purser/kubernetes/apis/object";
import { asApplied, isCreatedOnly } from "./created-fields.ts";

const manager = "us";
const entry = (
  operation: "Apply" | "Update",
  fieldsV1: NonNullable<ManagedFieldsEntry["fieldsV1"]>,
  change: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({ manager, operation, apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1, ...change });
const object = (...managedFields: readonly ManagedFieldsEntry[]): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", managedFields },
});
const data = (...names: readonly string[]) => ({
  "f:data": Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
});

test("what was created becomes applied, what others own and what was written to the status stays", () => {
  const theirs = entry("Update", data("b"), { manager: "them" });
  const status = entry("Update", { "f:status": {} }, { subresource: "status" });
  assert.deepEqual(asApplied(object(theirs, entry("Update", data("a")), status), manager), [
    theirs,
    status,
    entry("Apply", data("a")),
  ]);
});

test("what was created is added to what is applied already, below the same parents", () => {
  assert.deepEqual(asApplied(object(entry("Apply", data("a")), entry("Update", data("b"))), manager), [
    entry("Apply", data("a", "b")),
  ]);
});

test("an object that was only applied, or that others made, has nothing to change", () => {
  assert.equal(asApplied(object(entry("Apply", data("a"))), manager), undefined);
  assert.equal(asApplied(object(entry("Update", data("a"), { manager: "them" })), manager), undefined);
});

test("an object is only created while nothing of it was applied by the same field manager", () => {
  const created = entry("Update", data("a"));
  assert.equal(isCreatedOnly(object(created), manager), true);
  assert.equal(isCreatedOnly(object(created, entry("Apply", data("a"))), manager), false);
  assert.equal(isCreatedOnly(object(created, entry("Apply", data("a"), { manager: "them" })), manager), true);
  assert.equal(isCreatedOnly(object(entry("Update", {}, { subresource: "status" })), manager), false);
  assert.equal(isCreatedOnly(object(entry("Update", data("a"), { manager: "them" })), manager), false);
});
