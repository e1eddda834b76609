import { setTimeout as pause } from "node:timers/promises";
import { clusterExtensions } from "../../src/apis/olm-resources.ts";
import { create, createTenant, type Drill, eventuallyReady, mustRun, subscribe } from "./drill.ts";

const where = "drill-restart";
const extensions = ["op-0004", "op-0005", "op-0006"];

/** kube-apiserver is killed while operators are being installed, and once more at rest; all goes on without a new process. */
export const restartedApiServer: Drill = {
  name: "drill: kube-apiserver is killed while operators are installed, and at rest",
  namespaces: [where],
  extensions,
  async run({ client, server, start }) {
    await server.start();
    const purser = await start(server.kubeconfig);
    await createTenant(client, where);
    const subscribed = ["op-0000", "op-0001", "op-0002", "op-0003"];
    for (const name of subscribed) await subscribe(client, where, name);
    for (const name of extensions)
      await create(client, clusterExtensions, {
        apiVersion: "olm.operatorframework.io/v1",
        kind: "ClusterExtension",
        metadata: { name },
        spec: { namespace: where, source: { sourceType: "Catalog", catalog: { packageName: name } } },
      });
    await pause(300);
    await server.kill();
    await pause(3000);
    await server.start();
    await eventuallyReady(client, [...subscribed, ...extensions]);
    await server.kill();
    await pause(1000);
    await server.start();
    // Its watches and its Lease are back.
    await subscribe(client, where, "op-0007");
    await eventuallyReady(client, ["op-0007"]);
    mustRun(purser);
  },
};
