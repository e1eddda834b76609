/**
 * The embedded API server with its built-in controllers and nothing that knows operators, until it is stopped: to see what
 * other lifecycle managers make of it.
 *   node e2e/api-server-alone.ts PORT KUBECONFIG   (KUBECONFIG: the file to write)
 */
import { writeFileSync } from "node:fs";
import { createApiServer } from "../src/apiserver/server.ts";
import { memoryStorage } from "../src/apiserver/storage/object-store.ts";
import { systemClock } from "../src/engine/system-clock.ts";
import { systemEntropy } from "../src/engine/system-entropy.ts";

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
