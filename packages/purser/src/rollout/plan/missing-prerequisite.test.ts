import assert from "node:assert/strict";
import { test } from "node:test";
import { awaitedTypes, explainMissing, missingNamespace, type MissingPrerequisite } from "./missing-prerequisite.ts";

const space = (name: string): MissingPrerequisite => ({ kind: "namespace", name });
const api: MissingPrerequisite = { kind: "api", apiVersion: "db.example.com/v1", served: "Database" };

test("only a 404 that names a namespace is a missing namespace", () => {
  const status = (kind: string, name?: string) => ({
    code: 404,
    details: { kind, ...(name === undefined ? {} : { name }) },
  });
  assert.deepEqual(missingNamespace({ kind: "notFound", status: status("namespaces", "a") } as never), space("a"));
  assert.equal(missingNamespace({ kind: "notFound", status: status("namespaces") } as never), undefined);
  assert.equal(missingNamespace({ kind: "notFound", status: status("secrets", "a") } as never), undefined);
  assert.equal(missingNamespace({ kind: "forbidden", status: status("namespaces", "a") } as never), undefined);
});

test("new namespaces and definitions are awaited only where one of them is missing", () => {
  const plurals = (...missing: readonly MissingPrerequisite[]) => awaitedTypes(missing).map(({ plural }) => plural);
  assert.deepEqual(plurals(), []);
  assert.deepEqual(plurals(space("a")), ["namespaces"]);
  assert.deepEqual(plurals(api), ["customresourcedefinitions"]);
  assert.deepEqual(plurals(api, space("a")), ["namespaces", "customresourcedefinitions"]);
});

test("what is missing is named once, the first kind of it in the sentence, with a remedy for each", () => {
  const shown = (...missing: readonly MissingPrerequisite[]): readonly unknown[] => {
    const { code, summary, remedies } = explainMissing(missing) ?? {};
    return [code, summary, remedies?.map(({ command, summary: words }) => command ?? words)];
  };
  assert.equal(explainMissing([]), undefined);
  assert.deepEqual(shown(space("a"), space("a")), [
    "RolloutFailed",
    'Namespace "a" does not exist',
    ["kubectl create namespace a"],
  ]);
  assert.deepEqual(shown(space("a"), api, space("b")), [
    "RolloutFailed",
    'Namespace "a" and Namespace "b" do not exist',
    ["kubectl create namespace a", "kubectl create namespace b"],
  ]);
  assert.deepEqual(shown(api, space("a")), [
    "ClusterIncompatible",
    "The cluster does not serve kind Database of db.example.com/v1",
    ["purser search Database"],
  ]);
});
