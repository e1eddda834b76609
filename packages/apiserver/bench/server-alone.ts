// The embedded API server with its built-in controllers and nothing else, behind the launcher: `purser.js up DATA-FOLDER`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApiServer } from "../src/server.ts";
import { openSqliteStorage } from "../src/storage/sqlite-storage.ts";
import { collectAfterStart, giveBackIdleMemory, keepHeapSmall } from "@purser/kubernetes/system/idle-memory";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";

keepHeapSmall();
const folder = process.argv[3] ?? "";
mkdirSync(folder, { recursive: true });
const storage = await openSqliteStorage(join(folder, "cluster.db"));
if (!storage.ok) throw new Error(storage.problem.message);
const server = await createApiServer({ clock: systemClock, entropy: systemEntropy, storage: storage.value });
const listener = await server.listen({ host: "127.0.0.1", port: 0 });
const kubeconfig = join(folder, "kubeconfig");
writeFileSync(kubeconfig, await server.adminKubeconfig(listener.url));
const stopping = new AbortController();
process.on("SIGTERM", () => {
  stopping.abort();
  void server.stop().then(() => process.exit(0));
});
console.log(`Ready  ${listener.url}\nkubeconfig  ${kubeconfig}`);
collectAfterStart();
await giveBackIdleMemory(systemClock, stopping.signal, () => server.forgetOld());
