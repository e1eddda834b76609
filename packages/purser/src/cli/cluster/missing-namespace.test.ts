import assert from "node:assert/strict";
import { test } from "node:test";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { ApiRefusedError } from "@purser/kubernetes/kube/refusal";
import { missingNamespaceOf } from "./missing-namespace.ts";

const extension = (more: object = {}): ClusterExtension => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "x", ...more },
  spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "x" } } },
});
const answering = (get: () => Promise<unknown>): KubeClient => ({ get }) as unknown as KubeClient;
const none = answering(() => Promise.resolve(undefined));

test("an extension without its namespace has remedies: create the namespace or delete the extension", async () => {
  const told = await missingNamespaceOf(none, extension());
  assert.deepEqual(
    told?.remedies.map(({ command }) => command),
    ["kubectl create namespace ns", "purser uninstall ext/x --mode everything"],
  );
  const leaving = await missingNamespaceOf(none, extension({ deletionTimestamp: "2026-01-01T00:00:00Z" }));
  assert.deepEqual(
    leaving?.remedies.map(({ command }) => command),
    ["purser uninstall ext/x --mode everything"],
  );
});

test("a namespace that never was is not reported as deleted, and one whose extension was installed is", async () => {
  const install = { bundle: { name: "x.v1", version: "1.0.0" } };
  const rows = [extension(), { ...extension(), status: { install } }];
  const found = await Promise.all(rows.map((one) => missingNamespaceOf(none, one)));
  assert.deepEqual(
    found.map((one) => [one?.text, one?.remedies[0]?.summary]),
    [
      [
        "Namespace ns, which the extension is to be installed into, does not exist.",
        "Create the namespace; the extension is then installed",
      ],
      [
        "Namespace ns, which the extension is installed into, does not exist; its objects were deleted with it.",
        "Create the namespace again; the extension's objects are then created again",
      ],
    ],
  );
});

test("a namespace that exists or that the user may not read is not reported as missing", async () => {
  assert.equal(
    await missingNamespaceOf(
      answering(() => Promise.resolve({})),
      extension(),
    ),
    undefined,
  );
  const refused = new ApiRefusedError({ kind: "forbidden", status: statusOf("Forbidden", "no") });
  assert.equal(
    await missingNamespaceOf(
      answering(() => Promise.reject(refused)),
      extension(),
    ),
    undefined,
  );
});
