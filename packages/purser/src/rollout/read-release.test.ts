import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import { secrets } from "@purser/kubernetes/apis/resources";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { ensureNamespace } from "../engine/catalog-objects.ts";
import { readRelease } from "./read-release.ts";

const { signal } = new AbortController();
const namespace = "olmv1-system";
let server: ApiServer;
let client: KubeClient;
before(async () => {
  server = await createApiServer({ controllers: false });
  client = createClient(server.transport());
  await ensureNamespace(client, namespace, signal);
});
after(() => server.stop());

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString("base64");

/** The Secrets of a deployed release; `extra` are the names of further chunks, which are not made. */
async function held(name: string, chunk: Buffer | undefined, extra: string): Promise<string> {
  const object = {
    apiVersion: "v1",
    kind: "Secret",
    type: "operatorframework.io/index.v1",
    metadata: {
      name: `r-${name}`,
      namespace,
      labels: { owner: "operator-controller", type: "index", name, status: "deployed", version: "1" },
    },
    data: { extraChunks: base64(extra), ...(chunk === undefined ? {} : { chunk: base64(chunk) }) },
  } as const;
  assert.ok((await client.write({ verb: "create", type: secrets, object }, signal)).ok);
  const read = await readRelease(name, namespace, client);
  return read.ok ? JSON.stringify(read.value) : read.problem;
}

const zipped = (value: unknown): Buffer => gzipSync(JSON.stringify(value));

const rows: readonly (readonly [name: string, chunk: Buffer | undefined, extra: string, found: string | RegExp])[] = [
  [
    "whole",
    zipped({ manifest: "---\n# Source: a\na: 1\n---\n---\nb: 2\n" }),
    "[]",
    '{"objects":[{"a":1},{"b":2}],"labels":{}}',
  ],
  ["labelled", zipped({ labels: { owner: "x", "a/b": "c" } }), "[]", '{"objects":[],"labels":{"a/b":"c"}}'],
  ["empty", zipped({}), "[]", '{"objects":[],"labels":{}}'],
  ["no-list", zipped({}), "{", 'index secret "r-no-list" missing chunks data'],
  ["no-chunk", undefined, "[]", 'chunk 1 secret "r-no-chunk" missing chunk data'],
  ["lost", zipped({}), '["gone"]', 'chunk 2 secret "gone" missing chunk data'],
  [
    "large",
    zipped({}),
    JSON.stringify(Array.from({ length: 11 }, (_, i) => `c${i}`)),
    'release too large: "r-large" consists of 12 chunks, which exceeds the maximum of 11',
  ],
  ["cut", zipped({ manifest: "a: 1" }).subarray(0, 20), "[]", /^failed to decode release "r-cut": /],
  ["plain", gzipSync("[1]"), "[]", 'failed to decode release "r-plain": not an object'],
  ["tabs", zipped({ manifest: "a:\n\t- 1" }), "[]", /^failed to decode release "r-tabs": /],
];
for (const [name, chunk, extra, found] of rows)
  test(`a release of OLM v1 is read or named with its fault: ${name}`, async () => {
    const text = await held(name, chunk, extra);
    if (typeof found === "string") assert.equal(text, found);
    else assert.match(text, found);
  });

test("an extension without a release has none", async () => {
  assert.deepEqual(await readRelease("stranger", namespace, client), { ok: true, value: undefined });
});
