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

test("a garbage collector that is late explains an object that is deleted here or kept by other finalizers, and nothing else", () => {
  const removal = operation({ subject: { kind: "Foo", custom: true }, method: "DELETE" });
  const kept = (finalizers: readonly string[] | undefined, labels: object = {}): NormalForm["body"] =>
    ({
      kind: "Foo",
      metadata: { ...(finalizers === undefined ? {} : { finalizers }), labels, name: "a" },
    }) as NormalForm["body"];
  const isExplained = (late: NormalForm, ours: NormalForm): boolean =>
    explanationOf(removal, late, ours, past) !== undefined;
  for (const added of ["orphan", "foregroundDeletion"]) {
    const alone = form(200, kept([added]));
    const deleted = form(200, { kind: "Status", status: "Success" });
    const rows: readonly (readonly [NormalForm, NormalForm, boolean])[] = [
      [alone, form(404), true],
      [alone, deleted, true],
      [alone, form(200, kept(undefined)), true],
      [form(200, kept(["a", added])), form(200, kept(["a"])), true],
      [form(200, kept([added, "a"])), form(200, kept(["a"])), true],
      [form(200, kept(["a", added])), form(200, kept([])), false],
      [alone, form(200, kept(undefined, { b: "c" })), false],
      [form(409, kept([added])), form(404), false],
      [form(200, kept(["a"])), form(404), false],
      [alone, form(403), false],
      [alone, form(500), false],
    ];
    assert.deepEqual(
      rows.map(([late, ours]) => isExplained(late, ours)),
      rows.map(([, , wanted]) => wanted),
    );
  }
});
