import { connect, type TLSSocket } from "node:tls";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { credentialSource } from "@purser/kubernetes/testing/access-credentials";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { type Cluster, memoryOf } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";
import { buildServerAlone, startServerAlone } from "./alone.ts";
import { type HostileInput, hostileInputs, maps } from "./hostile-inputs.ts";
import { configMap, numbered } from "./hostile-objects.ts";
import { rawClient, type RawClient } from "./raw-client.ts";

/**
 * The effect of large input on other clients, and the memory used after clients that do not read and after deletions.
 */
export async function hostileFigures(scratch: string, repeats: number): Promise<readonly Figure[]> {
  const file = await buildServerAlone(scratch);
  const turns = new Map<string, number[]>(hostileInputs.map(({ name }) => [name, []]));
  const waits: number[] = [];
  const unread: number[] = [];
  const left: number[] = [];
  for (let run = 0; run < repeats; run++) {
    for (const inputs of inputsByServer())
      await onServer(file, join(scratch, "hostile"), async ({ client, server }) => {
        for (const input of inputs) {
          const { turnMs, waitMs } = await measured(server, client, input);
          turns.get(input.name)?.push(turnMs);
          waits.push(waitMs);
        }
      });
    await onServer(file, join(scratch, "hostile"), async ({ client, residentMB }) => {
      const start = residentMB();
      for (let i = 0; i < 2240; i++) {
        await client.send("POST", maps, configMap(`gone-${i}`, {}, { text: "x".repeat(1000) }));
        await client.send("DELETE", `${maps}/gone-${i}`);
      }
      await sleep(30_000);
      left.push(residentMB() - start);
    });
    await onServer(file, join(scratch, "hostile"), async ({ client, server, residentMB }) => {
      unread.push(await highestWithStuckWatchers(server.kubeconfig, client, residentMB));
    });
  }
  return [
    ...[...turns].map(([name, runs]): Figure => ({
      name: `longest turn, in processor time: ${name}`,
      unit: "ms",
      runs,
      goal: 100,
    })),
    { name: "longest `/readyz` of others during each of these", unit: "ms", runs: waits },
    { name: "resident memory with 3,000 watches that read nothing and 30 objects of 500 KB", unit: "MB", runs: unread },
    {
      name: "resident memory more than before, 30 s after 2,240 objects were made and deleted",
      unit: "MB",
      runs: left,
    },
  ];
}

/** The inputs, those that follow one another together. */
function inputsByServer(): readonly (readonly HostileInput[])[] {
  const groups: HostileInput[][] = [];
  for (const input of hostileInputs)
    if (input.follows === true) groups.at(-1)?.push(input);
    else groups.push([input]);
  return groups;
}

interface OnServer {
  readonly server: Cluster;
  readonly client: RawClient;
  readonly residentMB: () => number;
}

/** Runs a measurement on a new server, with an empty store in `directory`. */
async function onServer(file: string, directory: string, measure: (on: OnServer) => Promise<void>): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const server = await startServerAlone(file, directory, true);
  const client = await rawClient(server.kubeconfig, 8);
  await client.send("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "hostile" },
  });
  await measure({ server, client, residentMB: () => memoryOf(server.pid)?.residentMB ?? Number.NaN });
  client.close();
  await server.stop();
}

/** The longest turn of the server and the longest wait of others, in milliseconds. */
async function measured(
  server: Cluster,
  client: RawClient,
  input: HostileInput,
): Promise<{ readonly turnMs: number; readonly waitMs: number }> {
  await input.prepare?.(client);
  await server.ask("start");
  const waitMs = await longestOfOthers(client, input);
  return { turnMs: Number(await server.ask("stop")), waitMs };
}

/** The longest of the requests that are sent every 5 ms until the input is handled, and some time after. */
async function longestOfOthers(client: RawClient, input: HostileInput): Promise<number> {
  let isOver = false;
  let longest = 0;
  const handled = input.send(client).then(async () => {
    await sleep(1000);
    isOver = true;
  });
  while (!isOver) {
    const start = performance.now();
    await client.send("GET", "/readyz");
    longest = Math.max(longest, performance.now() - start);
    await sleep(5);
  }
  await handled;
  return longest;
}

/** The highest resident memory while 3,000 watches are open whose clients read nothing. */
async function highestWithStuckWatchers(
  kubeconfig: string,
  client: RawClient,
  residentMB: () => number,
): Promise<number> {
  const loaded = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!loaded.ok) throw new Error(`cannot use ${kubeconfig}`);
  const { tls } = await credentialSource(loaded.value, {}, undefined).current();
  const { hostname, port } = new URL(loaded.value.server);
  const open = (): Promise<TLSSocket> =>
    new Promise((opened, refused) => {
      const socket: TLSSocket = connect(
        {
          host: hostname,
          port: Number(port),
          rejectUnauthorized: false,
          ...(tls.certificatePem === undefined ? {} : { cert: tls.certificatePem }),
          ...(tls.keyPem === undefined ? {} : { key: tls.keyPem }),
        },
        () => {
          socket.pause();
          socket.write(
            `GET ${maps}?watch=1&resourceVersion=0&fieldSelector=metadata.name!%3Dlabels HTTP/1.1\r\nHost: x\r\n\r\n`,
          );
          opened(socket);
        },
      );
      socket.on("error", refused);
    });
  // Some at a time: the server ends handshakes that take long.
  const sockets: TLSSocket[] = [];
  while (sockets.length < 3000) sockets.push(...(await Promise.all(numbered(50, open))));
  let highest = 0;
  for (let i = 0; i < 30; i++) {
    await client.send("POST", maps, configMap(`large-${i}`, {}, { text: "x".repeat(500_000) }));
    highest = Math.max(highest, residentMB());
  }
  for (let i = 0; i < 20; i++) {
    await sleep(250);
    highest = Math.max(highest, residentMB());
  }
  for (const socket of sockets) socket.destroy();
  return highest;
}
