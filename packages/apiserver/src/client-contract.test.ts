import assert from "node:assert/strict";
import { createApiServer } from "./server.ts";
import { memoryStorage } from "./storage/object-store.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { anonymousAccess, httpTransport } from "@purser/kubernetes/kube/http-transport";
import { tokenIdentities, userIdentities } from "@purser/kubernetes/kube/access/identities";
import { parseKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { serverContract } from "@purser/kubernetes/testing/server-contract";

const ports = { clock: systemClock, entropy: systemEntropy };

serverContract("the embedded API server in process", async () => {
  const server = await createApiServer({ ...ports, storage: memoryStorage() });
  return {
    transport: server.transport(),
    identities: (client) => userIdentities({ client, asUser: (user) => server.transport(user) }),
    stop: () => server.stop(),
  };
});

serverContract("the embedded API server over TLS", async () => {
  const server = await createApiServer({ ...ports, storage: memoryStorage() });
  const { url } = await server.listen({ host: "127.0.0.1", port: 0 });
  const access = parseKubeconfig(server.adminKubeconfig(url), { directory: "/" });
  assert.ok(access.ok);
  const transports = [httpTransport(access.value)];
  const [transport] = transports;
  assert.ok(transport);
  return {
    transport,
    identities: (client) =>
      tokenIdentities({
        client,
        clock: systemClock,
        withToken(token) {
          const acting = httpTransport({ ...anonymousAccess(access.value), bearer: { kind: "provider", token } });
          transports.push(acting);
          return acting;
        },
      }),
    async stop() {
      for (const open of transports) open.close();
      await server.stop();
    },
  };
});
