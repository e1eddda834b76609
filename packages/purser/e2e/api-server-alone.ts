/**
 * The embedded API server with its built-in controllers and nothing that knows operators, until it is stopped: to see what
 * other lifecycle managers make of it.
 *   node e2e/api-server-alone.ts PORT KUBECONFIG   (KUBECONFIG: the file to write)
 */
import { writeFileSync } from "node:fs";
import { createApiServer } from "@purser/apiserver/server";
import { memoryStorage } from "@purser/apiserver/storage/object-store";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";

const [port, kubeconfig] = process.argv.slice(2);
if (port === undefined || kubeconfig === undefined) {
  console.error("usage: node e2e/api-server-alone.ts PORT KUBECONFIG");
  process.exit(2);
}
const server = await createApiServer({ clock: systemClock, entropy: systemEntropy, storage: memoryStorage() });
const { url } = await server.listen({ host: "127.0.0.1", port: Number(port) });
writeFileSync(kubeconfig, await server.adminKubeconfig(url), { mode: 0o600 });
console.log(`Ready: ${url}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.stop());
