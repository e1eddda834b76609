import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { ConfigMap } from "@purser/kubernetes/apis/core";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { runLongOpm } from "../run-opm.ts";

const directory = mkdtempSync(join(tmpdir(), "opm-extract-"));
const bundle = `${join(directory, "bundle")}/`;
const kubeconfig = join(directory, "kubeconfig");
const { signal } = new AbortController();
let server: ApiServer;
let client: KubeClient;

const csv = "kind: ClusterServiceVersion\nmetadata: {name: kiln.v1.0.0}\n";
const annotations = `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: kiln
  operators.operatorframework.io.bundle.channels.v1: 4.2
  other: left out
`;

before(async () => {
  mkdirSync(join(bundle, "manifests"), { recursive: true });
  mkdirSync(join(bundle, "metadata"));
  writeFileSync(join(bundle, "manifests", "kiln csv.yaml"), csv);
  writeFileSync(join(bundle, "metadata", "annotations.yaml"), annotations);
  writeFileSync(join(bundle, "metadata", "dependencies.yaml"), "dependencies: []\n");
  server = await createApiServer();
  const { url } = await server.listen({ host: "127.0.0.1", port: 0 });
  writeFileSync(kubeconfig, server.adminKubeconfig(url));
  client = createClient(server.transport());
});
after(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** A ConfigMap with leftovers of an earlier run. */
async function emptyConfigMap(name: string): Promise<void> {
  const metadata = { name, namespace: "default", annotations: { old: "x" } };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { old: "x" } };
  assert.ok((await client.write({ verb: "create", type: configMaps, object }, signal)).ok);
}

async function extract(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<{ readonly exit: number; readonly stderr: string }> {
  let said = "";
  const err = (text: string): void => void (said += text);
  const world = { clock: systemClock, signal, argv: ["opm"], env, out: () => {}, err };
  const given = ["alpha", "bundle", "extract", "-n", "default", "-k", kubeconfig, "-m", bundle, ...args];
  const { exit, stderr } = await runLongOpm(given, world);
  const plain = (said + stderr).replaceAll(/time="[^"]*" /g, "").replace(/Usage:[\s\S]*/, "USAGE");
  return { exit, stderr: plain.replaceAll(directory, "DIRECTORY") };
}

const stored = async (name: string): Promise<ConfigMap | undefined> =>
  client.get(configMaps, { namespace: "default", name });

test("extract replaces data and annotations of the ConfigMap with the bundle's files and six labels", async () => {
  await emptyConfigMap("plain");
  const { exit, stderr } = await extract({ CONTAINER_IMAGE: "example.com/kiln:1" }, "-c", "plain");
  assert.equal(exit, 0, stderr);
  assert.equal(
    stderr,
    [
      'level=info msg="Loading kube client config from path \\"DIRECTORY/kubeconfig\\""',
      'level=info msg="Reading file" file="DIRECTORY/bundle/manifests/kiln csv.yaml"',
      'level=info msg="translated filename for configmap compatibility" file.Name="kiln csv.yaml" validConfigMapKey=kiln-csv.yaml',
      'level=info msg="Reading file" file=DIRECTORY/bundle/metadata/annotations.yaml',
      'level=info msg="Reading file" file=DIRECTORY/bundle/metadata/dependencies.yaml',
      "",
    ].join("\n"),
  );
  const found = await stored("plain");
  assert.deepEqual(found?.data, { "kiln-csv.yaml": csv, "dependencies.yaml": "dependencies: []\n" });
  assert.deepEqual(found.metadata.annotations, {
    "olm.sourceImage": "example.com/kiln:1",
    "operators.operatorframework.io.bundle.channel.default.v1": "",
    "operators.operatorframework.io.bundle.channels.v1": "4.2",
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
    "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
    "operators.operatorframework.io.bundle.package.v1": "kiln",
  });
});

test("extract with gzip stores base64 of gzip as binary data and says so in an annotation", async () => {
  await emptyConfigMap("packed");
  assert.equal((await extract({ KUBECONFIG: kubeconfig }, "-k", "none", "-zc", "packed")).exit, 0);
  const found = await stored("packed");
  assert.equal(found?.data, undefined);
  assert.equal(found?.metadata.annotations?.["olm.contentEncoding"], "gzip+base64");
  const packed = Buffer.from(found.binaryData?.["kiln-csv.yaml"] ?? "", "base64").toString();
  assert.equal(gunzipSync(Buffer.from(packed, "base64")).toString(), csv);
});

test("extract takes files of exactly as many bytes as allowed", async () => {
  await emptyConfigMap("full");
  const dependencies = "dependencies: []\n";
  const bytes = String(csv.length + dependencies.length);
  const { exit, stderr } = await extract({ KUBECONFIG: kubeconfig }, "-k", "none", "-c", "full", "-l", bytes);
  assert.deepEqual([exit, Object.values((await stored("full"))?.data ?? {}).sort()], [0, [dependencies, csv]], stderr);
});

const refusals: readonly (readonly [what: string, args: readonly string[], problem: RegExp])[] = [
  [
    "a ConfigMap that does not exist",
    ["-c", "none"],
    /^Error: error loading manifests from directory: configmaps "none" not found$/m,
  ],
  ["no name", [], /^Error: error loading manifests from directory: resource name may not be empty$/m],
  [
    "more bytes than allowed",
    ["-c", "kept", "-l", "0x10"],
    /^level=error msg="Bundle files exceeded 16 bytes limit" file=.*\nError: error loading manifests from directory: bundle files exceeded 16 bytes limit$/m,
  ],
  [
    "a directory without manifests",
    ["-c", "kept", "-m", "/nonexistent/"],
    /msg="read dir failed: open \/nonexistent\/manifests\/: no such file or directory"\nError: .*: open \/nonexistent\/manifests\/: no such file or directory$/m,
  ],
];
for (const [what, args, problem] of refusals)
  test(`extract refuses ${what} and leaves the ConfigMap as it is`, async () => {
    if ((await stored("kept")) === undefined) await emptyConfigMap("kept");
    const { exit, stderr } = await extract({}, ...args);
    assert.equal(exit, 1);
    assert.match(stderr, problem);
    assert.deepEqual((await stored("kept"))?.data, { old: "x" });
  });

test("extract refuses a directory between the files", async () => {
  mkdirSync(join(directory, "nested/manifests/deep"), { recursive: true });
  const { exit, stderr } = await extract({}, "-c", "plain", "-m", `${directory}/nested/`);
  assert.equal(exit, 1);
  assert.match(stderr, /msg="read failed: read .*deep: is a directory" file=.*deep\nError: .*: is a directory$/m);
});
