import { test } from "node:test";
import { systemClock } from "../system/system-clock.ts";
import { anonymousAccess, httpTransport } from "./http-transport.ts";
import { tokenIdentities } from "./access/identities.ts";
import { describeKubeconfigProblem, loadKubeconfig } from "./access/kubeconfig.ts";
import { serverContract } from "./testing/server-contract.ts";

// The cluster that tests may write to must be named explicitly: it is never the current context.
const path = process.env["PURSER_TEST_KUBECONFIG"];
if (path === undefined) {
  test("a real kube-apiserver: client, informers and managers work", {
    skip: "not here: PURSER_TEST_KUBECONFIG names no kubeconfig",
  });
} else {
  serverContract("a real kube-apiserver", async () => {
    const access = loadKubeconfig({ path, env: process.env });
    if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
    const transport = httpTransport(access.value, { clock: systemClock });
    const transports = [transport];
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
      },
    };
  });
}
