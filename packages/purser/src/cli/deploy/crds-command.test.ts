import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type RunningApiServer, startApiServer } from "@purser/apiserver";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { runPurser } from "../testing/run-purser.ts";

let directory: string;
let server: RunningApiServer;
let client: KubeClient;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "purser-crds-"));
  const started = await startApiServer();
  assert.ok(started.ok);
  server = started.value;
  client = createClient(server.server.transport());
  writeFileSync(join(directory, "kubeconfig"), server.kubeconfig);
});
after(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

const apply = (...args: readonly string[]): ReturnType<typeof runPurser> =>
  runPurser(["crds", "apply", "--kubeconfig", join(directory, "kubeconfig"), ...args], { env: {} });

test("purser crds apply makes the definitions of the named family and waits until they are served", async () => {
  const { text } = await apply("--apis", "v1");
  assert.equal(text.trim(), "5 CustomResourceDefinitions are served");
  const found = await client.list(customResourceDefinitions);
  assert.deepEqual(
    found
      .map(
        ({ spec, status }) => `${spec.group} ${status?.conditions?.find(({ type }) => type === "Established")?.status}`,
      )
      .toSorted(),
    [...Array<string>(3).fill("olm.operatorframework.io True"), ...Array<string>(2).fill("purser.dev True")],
  );
});

test("a definition of an older version gets what it lacks", async () => {
  const name = "subscriptions.operators.coreos.com";
  await apply();
  const patch = { spec: { names: { shortNames: ["other"] } } };
  const changed = await client.write(
    { verb: "patch", type: customResourceDefinitions, key: { name }, patchType: "merge", patch },
    new AbortController().signal,
  );
  assert.ok(changed.ok);
  const { text, data } = await apply();
  assert.equal(text.trim(), "13 CustomResourceDefinitions are served");
  assert.equal((data as readonly string[]).length, 13);
  assert.deepEqual((await client.get(customResourceDefinitions, { name }))?.spec.names.shortNames, ["sub", "subs"]);
});

test("--crd-set changes between the sets of OLM v1, and keeps what is stored", async () => {
  const generators = async (...args: readonly string[]): Promise<readonly unknown[]> => {
    const { text } = await apply("--apis", "v1", ...args);
    assert.equal(text.trim(), "5 CustomResourceDefinitions are served");
    const found = await client.list(customResourceDefinitions);
    return found
      .filter(({ spec }) => spec.group === "olm.operatorframework.io")
      .map(({ metadata }) => metadata.annotations?.["olm.operatorframework.io/generator"]);
  };
  const uid = async (): Promise<unknown> =>
    (await client.get(customResourceDefinitions, { name: "clusterextensions.olm.operatorframework.io" }))?.metadata.uid;
  assert.deepEqual(await generators(), ["experimental", "experimental", "experimental"]);
  const before = await uid();
  // ClusterObjectSets hold what is installed: there is no other set of them.
  assert.deepEqual(await generators("--crd-set", "standard"), ["standard", "standard", "experimental"]);
  assert.deepEqual(await generators("--crd-set", "experimental"), ["experimental", "experimental", "experimental"]);
  assert.equal(await uid(), before);
});
