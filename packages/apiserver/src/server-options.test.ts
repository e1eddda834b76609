import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { createApiServer } from "./server.ts";
import { memoryStorage } from "./storage/object-store.ts";
import { testServer } from "./testing/server.ts";

suite("options of the server", () => {
  for (const [option, value, message] of [
    ["oidc", {}, 'embedded server: the option "oidc" is not supported (use client certificates or tokens)'],
    ["audit", {}, /"audit" is not supported/],
    ["encryption", {}, /"encryption" is not supported/],
    ["kms", {}, /"kms" is not supported/],
    ["webhookAuthentication", {}, /"webhookAuthentication" is not supported/],
    ["webhookAuthorization", {}, /"webhookAuthorization" is not supported/],
    ["nodeAuthorizer", true, /"nodeAuthorizer" is not supported/],
    ["certificateSigning", {}, /"certificateSigning" is not supported/],
    ["nope", 1, 'embedded server: the option "nope" is not supported'],
    ["podSecurity", "refuse", 'embedded server: podSecurity is "enforce" or "off", not "refuse"'],
  ] as const)
    test(`${option}: ${JSON.stringify(value)} is refused at the start`, async () => {
      const options = {
        clock: new VirtualClock(),
        storage: memoryStorage(),
        entropy: new SeededEntropy(1),
        [option]: value,
      };
      await assert.rejects(() => createApiServer(options), { message });
    });

  test("without Pod Security its labels mean nothing, wrong ones included", async () => {
    const server = await testServer({ podSecurity: "off" });
    const labels = { "pod-security.kubernetes.io/enforce": "restrictd" };
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n", labels } };
    assert.equal((await server.ask({ method: "POST", path: "/api/v1/namespaces", body })).code, 201);
    await server.server.stop();
  });
});
