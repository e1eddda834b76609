import assert from "node:assert/strict";
import { test } from "node:test";
import type { Secret } from "@purser/kubernetes/apis/core";
import { deployedRelease, extensionOfRelease, recordedLabels, releaseSelector } from "./helm-release.ts";

const index = (version: number, status: string, type = "operatorframework.io/index.v1"): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  type,
  metadata: { name: `v${version}`, labels: { version: String(version), status } },
});

const histories: readonly (readonly [what: string, readonly Secret[], found: string | undefined])[] = [
  ["no release", [], undefined],
  ["a newest one that is deployed", [index(9, "superseded"), index(10, "deployed")], "v10"],
  ["a newest one that failed, over a deployed one", [index(2, "deployed"), index(3, "failed")], "v2"],
  ["two deployed ones, ordered by number", [index(10, "deployed"), index(9, "deployed")], "v10"],
  ["none that is deployed", [index(1, "failed"), index(2, "pending-install")], undefined],
  ["a Secret of Helm itself", [index(1, "deployed", "helm.sh/release.v1")], undefined],
];
for (const [what, held, found] of histories)
  test(`of ${what}, ${found ?? "nothing"} is taken over`, () =>
    assert.equal(deployedRelease(held.toReversed())?.metadata.name, found));

test("a release records the bundle in its own labels, beside which its storage has others", () => {
  const own = { "olm.operatorframework.io/bundle-name": "a.v1", colour: "blue" };
  const storage = {
    createdAt: "1",
    key: "k",
    modifiedAt: "2",
    name: "a",
    owner: "o",
    status: "s",
    type: "t",
    version: "1",
  };
  assert.deepEqual(recordedLabels({ name: "a", labels: { ...storage, ...own, size: 1 } }), own);
  assert.deepEqual(recordedLabels({ name: "a", labels: null }), {});
  assert.deepEqual(recordedLabels({ name: "a" }), {});
});

test("a Secret belongs to the extension that its label names, or to that of the release of which it is a chunk", () => {
  const extension = (labels: Readonly<Record<string, string>>) =>
    extensionOfRelease({ apiVersion: "v1", kind: "Secret", metadata: { name: "one", labels } });
  assert.equal(extension({ name: "a", key: "sh.helm.release.v1.a.v2" }), "a");
  assert.equal(extension({ type: "chunk", key: "sh.helm.release.v1.a.v2-b.v10" }), "a.v2-b");
  assert.equal(extension({ type: "chunk", key: "other" }), undefined);
  assert.equal(extension({}), undefined);
  assert.equal(releaseSelector("a"), "owner=operator-controller,type=index,name=a");
});
