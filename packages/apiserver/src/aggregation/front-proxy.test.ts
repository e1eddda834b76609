import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { readBody } from "@purser/kubernetes/kube/api-body";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { createApiServer } from "../server.ts";

const dayMs = 86_400_000;

test("the body of a DELETE reaches an aggregated server whole, whether its length is known or not", async (context) => {
  const issuing = { now: Date.now() - dayMs, validityMs: 2 * dayMs, entropy: new SeededEntropy(1) };
  const authority = await issueAuthority({ ...issuing, commonName: "authority" });
  const serving = await issueServing({ ...issuing, authority, hosts: ["localhost"] });
  const received: string[] = [];
  const aggregated = createServer(
    { cert: serving.certificatePem, key: serving.privateKeyPem },
    (incoming, response) => {
      let text = "";
      incoming.on("data", (piece: Buffer) => (text += piece.toString("utf8")));
      incoming.on("end", () => {
        if (incoming.method === "DELETE") received.push(text);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    },
  );
  await new Promise<void>((resolve) => aggregated.listen(0, "127.0.0.1", resolve));
  context.after(() => aggregated.close());
  const { port } = aggregated.address() as AddressInfo;
  const server = await createApiServer();
  context.after(() => server.stop());
  const transport = server.transport();
  const never = new AbortController().signal;
  const create = async (path: string, value: JsonObject): Promise<void> => {
    const made = await transport({ method: "POST", path, body: { kind: "object", value } }, never);
    assert.equal(made.status, 201);
  };
  await create("/api/v1/namespaces/default/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "aggregated" },
    spec: { type: "ExternalName", externalName: "127.0.0.1", ports: [{ port }] },
  });
  const service = { namespace: "default", name: "aggregated", port };
  const spec = { group: "g.io", version: "v1", groupPriorityMinimum: 1, versionPriority: 1, service };
  await create("/apis/apiregistration.k8s.io/v1/apiservices", {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.g.io" },
    spec: { ...spec, insecureSkipTLSVerify: true },
  });
  for (;;) {
    const found = await transport({ method: "GET", path: "/apis/g.io/v1" }, never);
    await readBody(found.body);
    if (found.status === 200) break;
    await systemClock.sleep(20, never);
  }
  const path = "/apis/g.io/v1/foos/a";
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"kind":');
    yield await Promise.resolve(Buffer.from('"DeleteOptions"}'));
  };
  for (const body of [
    { kind: "stream", chunks: chunks() },
    { kind: "object", value: { kind: "DeleteOptions" } },
  ] as const) {
    const headers = { "content-type": "application/json" };
    assert.equal((await transport({ method: "DELETE", path, headers, body }, never)).status, 200);
  }
  assert.deepEqual(received, ['{"kind":"DeleteOptions"}', '{"kind":"DeleteOptions"}']);
});
