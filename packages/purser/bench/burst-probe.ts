// A thread that reads a namespace repeatedly, and answers a message with the longest latency in milliseconds.
import { parentPort, workerData } from "node:worker_threads";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";

const access = loadKubeconfig({ path: workerData as string, env: {} });
if (!access.ok) throw new Error(`no kubeconfig: ${String(workerData)}`);
const transport = httpTransport(access.value);
const client = createClient(transport, { userAgent: "bench-probe" });
const read = async (): Promise<number> => {
  const asked = performance.now();
  await client.get(namespaces, { name: "default" });
  return performance.now() - asked;
};

// The first ones pay for connections and for code that runs for the first time.
for (let i = 0; i < 30; i++) await read();
let isOver = false;
parentPort?.once("message", () => (isOver = true));
parentPort?.postMessage("ready");
let longest = 0;
while (!isOver) {
  longest = Math.max(longest, await read());
  await new Promise((done) => setTimeout(done, 2));
}
parentPort?.postMessage(longest);
transport.close();
