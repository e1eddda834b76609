import { createServer } from "node:https";
import { validatingWebhookConfigurations } from "@purser/kubernetes/apis/resources";
import { issueServiceCertificate } from "@purser/kubernetes/certificate/service-certificate";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { clusterServiceVersions, installPlans, subscriptions } from "../../src/apis/olm-resources.ts";
import { freePort } from "../../src/image/testing/free-port.ts";
import { eventually } from "../eventually.ts";
import { patient } from "../surroundings.ts";
import { create, createTenant, type Drill, eventuallyReady, mustRun, subscribe } from "./drill.ts";

const [held, free] = ["drill-held", "drill-free"];
const webhook = "drill.purser.dev";

/** Accepts connections and requests, and never answers. */
async function startHangingServer(): Promise<{
  readonly port: number;
  readonly authority: string;
  asked(): number;
  stop(): Promise<void>;
}> {
  const { certificatePem, privateKeyPem, authorityPem } = await issueServiceCertificate({
    hosts: ["127.0.0.1", "localhost"],
    now: systemClock.now(),
    entropy: systemEntropy,
  });
  let asked = 0;
  const server = createServer({ cert: certificatePem, key: privateKeyPem }, () => void asked++);
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    port,
    authority: authorityPem,
    asked: () => asked,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A webhook of somebody else hangs over the Deployments of one namespace; the others do not wait, and the status names it. */
export const hangingWebhook: Drill = {
  name: "drill: a webhook that never answers holds up its namespace alone, and is named",
  namespaces: [held, free],
  async run({ client, server, start }) {
    await server.start();
    const purser = await start(server.kubeconfig);
    const hanging = await startHangingServer();
    try {
      await create(client, validatingWebhookConfigurations, {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: webhook },
        webhooks: [
          {
            name: webhook,
            clientConfig: { url: `https://127.0.0.1:${hanging.port}/`, caBundle: btoa(hanging.authority) },
            rules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] }],
            namespaceSelector: { matchLabels: { drill: held } },
            failurePolicy: "Fail",
            timeoutSeconds: 3,
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
          },
        ],
      });
      await createTenant(client, held);
      await createTenant(client, free);
      // An API server that has not seen the webhook yet would let the first Deployment pass.
      await systemClock.sleep(1500, patient);
      await subscribe(client, held, "op-0000");
      await eventually("the webhook is asked", () => Promise.resolve(hanging.asked() > 0 ? undefined : "not yet"));
      await subscribe(client, free, "op-0001");
      await eventuallyReady(client, ["op-0001"]);
      await eventually("a status names the webhook", async () => {
        const shown = JSON.stringify([
          await client.list(clusterServiceVersions, { namespace: held }),
          await client.list(installPlans, { namespace: held }),
          await client.list(subscriptions, { namespace: held }),
        ]);
        return shown.includes(webhook) ? undefined : shown.slice(0, 3000);
      });
    } finally {
      writtenUnlessDeleted(
        await client.write({ verb: "delete", type: validatingWebhookConfigurations, key: { name: webhook } }, patient),
      );
      await hanging.stop();
    }
    await eventuallyReady(client, ["op-0000"]);
    mustRun(purser);
  },
};
