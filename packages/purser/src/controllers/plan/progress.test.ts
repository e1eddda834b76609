import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { annotate, label, replaceStatus, setFinalizers } from "./metadata-patch.ts";
import { ownFinalizers } from "./own-finalizers.ts";
import { csvProgress, installPlanProgress, readinessProgress } from "./progress.ts";

const withStatus = (status: object | undefined) => ({ metadata: { generation: 3 }, status }) as never;

test("a ClusterServiceVersion is done, failed or on its way by its phase", () => {
  const of = (phase: string | undefined) =>
    csvProgress(withStatus(phase === undefined ? undefined : { phase, message: "m" }));
  for (const state of ["Succeeded", "Replacing", "Deleting"]) assert.deepEqual(of(state), { kind: "done", state });
  for (const state of ["", "Unknown", "Pending", "InstallReady", "Installing"])
    assert.deepEqual(of(state), { kind: "working", state });
  assert.deepEqual(of("Failed"), { kind: "failed", state: "Failed", message: "m" });
  assert.deepEqual(csvProgress(withStatus({ phase: "Failed" })), { kind: "failed", state: "Failed", message: "" });
  assert.deepEqual(of(undefined), { kind: "working", state: "" });
});

test("an InstallPlan is done, failed or on its way by its phase", () => {
  const of = (phase: string | undefined) =>
    installPlanProgress(withStatus(phase === undefined ? undefined : { phase, message: "m" }));
  assert.deepEqual(of("Complete"), { kind: "done", state: "Complete" });
  for (const state of ["", "Planning", "RequiresApproval", "Installing"])
    assert.deepEqual(of(state), { kind: "working", state });
  assert.deepEqual(of("Failed"), { kind: "failed", state: "Failed", message: "m" });
  assert.deepEqual(installPlanProgress(withStatus({ phase: "Failed" })), {
    kind: "failed",
    state: "Failed",
    message: "",
  });
  assert.deepEqual(of(undefined), { kind: "working", state: "" });
});

test("an extension is done when it is ready for its generation, failed when it stalls, else on its way", () => {
  const condition = (type: string, status: string, observedGeneration?: number) => ({
    type,
    status,
    reason: `${type}Reason`,
    message: "m",
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  });
  const of = (...conditions: readonly object[]) => readinessProgress(withStatus({ conditions }));
  const ready = condition("Ready", "True", 3);
  assert.deepEqual(
    [
      of(ready),
      of(condition("Ready", "False")),
      of(condition("Ready", "True", 2)),
      of(ready, condition("Reconciling", "True")),
      of(ready, condition("Reconciling", "False")),
      of(ready, condition("Stalled", "True"), condition("Reconciling", "True")),
      of(ready, condition("Stalled", "True")),
      of(ready, condition("Stalled", "False")),
      of(),
      readinessProgress(withStatus(undefined)),
    ],
    [
      { kind: "done", state: "ReadyReason" },
      { kind: "done", state: "ReadyReason" },
      { kind: "working", state: "" },
      { kind: "working", state: "ReconcilingReason" },
      { kind: "done", state: "ReadyReason" },
      { kind: "working", state: "ReconcilingReason" },
      { kind: "failed", state: "StalledReason", message: "m" },
      { kind: "done", state: "ReadyReason" },
      { kind: "working", state: "" },
      { kind: "working", state: "" },
    ],
  );
});

const type = configMaps;
const object = (metadata: object) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "ns", name: "c", ...metadata },
});
const read = { uid: "u", resourceVersion: "7" };
const patchOf = (metadata: object) => ({
  verb: "patch",
  type,
  key: { namespace: "ns", name: "c" },
  patchType: "merge",
  patch: { metadata },
});

test("annotations and finalizers are written for the object that was read, labels for any version of it", () => {
  assert.deepEqual(annotate(type, object(read), { a: null }), patchOf({ annotations: { a: null }, ...read }));
  assert.deepEqual(annotate(type, object({}), { a: "1" }), patchOf({ annotations: { a: "1" } }));
  assert.deepEqual(setFinalizers(type, object(read), ["f"]), patchOf({ finalizers: ["f"], ...read }));
  assert.deepEqual(label(type, object(read), { a: "1" }), patchOf({ labels: { a: "1" }, uid: "u" }));
  assert.deepEqual(label(type, object({}), { a: "1" }, "me"), {
    ...patchOf({ labels: { a: "1" } }),
    fieldManager: "me",
  });
  assert.deepEqual(replaceStatus(type, object(read), { phase: "x" }), {
    verb: "replace",
    type,
    object: { ...object(read), status: { phase: "x" } },
    subresource: "status",
  });
});

test("own finalizers are set while they are needed and the object is not deleted, and removed otherwise; others stay", () => {
  const own = ["own/a", "own/b"];
  const finalizersAfter = (finalizers: readonly string[] | undefined, isNeeded: boolean, isDeleted = false) => {
    const metadata = {
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(isDeleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    };
    const write = ownFinalizers(type, object(metadata), own, isNeeded);
    return write?.verb === "patch"
      ? (write.patch as { readonly metadata: { readonly finalizers: unknown } }).metadata.finalizers
      : undefined;
  };
  assert.deepEqual(
    [
      finalizersAfter(undefined, true),
      finalizersAfter(["x", "own/b"], true),
      finalizersAfter(["own/b", "x", "own/a"], true),
      finalizersAfter(["x", "own/b"], true, true),
      finalizersAfter(["x", "own/a"], false),
      finalizersAfter(["x"], false),
      finalizersAfter(undefined, false),
      finalizersAfter(undefined, true, true),
    ],
    [own, ["x", "own/b", "own/a"], undefined, ["x"], ["x"], undefined, undefined, undefined],
  );
});
