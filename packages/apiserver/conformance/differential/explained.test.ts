import assert from "node:assert/strict";
import { test } from "node:test";
import { explanationOf } from "./explained.ts";
import type { NormalForm } from "./normal-form.ts";
import type { Operation } from "./operation.ts";

const past = { emptied: false };
const form = (code: number, body: NormalForm["body"] = {}): NormalForm => ({ code, warnings: [], body });
const operation = (change: object): Operation =>
  ({ subject: { kind: "ConfigMap" }, method: "PATCH", contentType: "", body: "", ...change }) as unknown as Operation;

test("a connection that kube-apiserver closes explains a refusal of ours, and neither success nor a fault", () => {
  const patch = operation({ contentType: "application/strategic-merge-patch+json" });
  const isExplained = (code: number): boolean => explanationOf(patch, form(0), form(code), past) !== undefined;
  assert.deepEqual([400, 422, 200, 500, 0].map(isExplained), [true, true, false, false, false]);
});

test("a conflict with a controller of the real cluster explains a write of ours that succeeded, and nothing else", () => {
  const write = operation({ subject: { kind: "Job", controlled: true }, body: '{"a":"{{rv}}"}' });
  const conflict = form(409, { message: "the object has been modified; please apply your changes" });
  const isExplained = (code: number): boolean => explanationOf(write, conflict, form(code), past) !== undefined;
  assert.deepEqual([200, 201, 422, 500].map(isExplained), [true, true, false, false]);
});

test("a garbage collector that is late explains a deletion of ours that succeeded, and no refusal", () => {
  const removal = operation({ subject: { kind: "Foo", custom: true }, method: "DELETE" });
  const late = form(200, { metadata: { finalizers: ["orphan"] } });
  const isExplained = (code: number): boolean => explanationOf(removal, late, form(code), past) !== undefined;
  assert.deepEqual([200, 404, 403, 500].map(isExplained), [true, true, false, false]);
});
