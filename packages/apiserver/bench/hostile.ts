import { connect, type TLSSocket } from "node:tls";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { credentialSource } from "@purser/kubernetes/testing/access-credentials";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { memoryOf } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";
import { buildServerAlone, startServerAlone } from "./alone.ts";
import { rawClient, type RawClient } from "./raw-client.ts";

const maps = "/api/v1/namespaces/hostile/configmaps";
const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

const numbered = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const configMap = (name: string, metadata: object = {}, data: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

const applied = (client: RawClient, manager: string): Promise<unknown> =>
  client.ask(
    "PATCH",
    `${maps}/applied?fieldManager=${manager}&force=true`,
    configMap("applied", {}, Object.fromEntries(numbered(150_000, (i) => [`k${i}`, manager]))),
    "application/apply-patch+yaml",
  );

/** A request that the server has to refuse. */
const refused = (request: Promise<unknown>): Promise<unknown> => request.catch(() => undefined);

/** One request each, with its preparation. */
const inputs: Readonly<Record<string, (client: RawClient) => Promise<unknown>>> = {
  "a ConfigMap with 100,000 labels": (client) =>
    client.send(
      "POST",
      maps,
      configMap("labels", { labels: Object.fromEntries(numbered(100_000, (i) => [`k${i}`, "x"])) }),
    ),
  "a PUT of 100,000 other labels": (client) =>
    client.send(
      "PUT",
      `${maps}/labels`,
      configMap("labels", { labels: Object.fromEntries(numbered(100_000, (i) => [`k${i}`, "y"])) }),
    ),
  "a body with 300,000 members of one name": (client) => {
    const members = numbered(300_000, () => '"a":"b"').join(",");
    const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{${members}}}`;
    return client.send("POST", maps, text);
  },
  "an apply of 150,000 keys": (client) => applied(client, "one"),
  "an apply of 150,000 keys by another manager": (client) => applied(client, "two"),
  "a merge patch of 45,000 labels": async (client) => {
    const labels = (value: string) => Object.fromEntries(numbered(45_000, (i) => [`k${i}`, value]));
    await client.send("POST", maps, configMap("patched", { labels: labels("a") }));
    await client.ask("PATCH", `${maps}/patched`, { metadata: { labels: labels("b") } }, "application/merge-patch+json");
  },
  "a body of 900,000 open brackets": (client) => refused(client.send("POST", maps, "[".repeat(900_000))),
  "a ConfigMap with 10,000 entries of managed fields": (client) => {
    const managedFields = numbered(10_000, (i) => ({
      manager: `m${i}`,
      operation: "Update",
      apiVersion: "v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { [`f:k${i}`]: {} } },
    }));
    return client.send("POST", maps, configMap("managed", { managedFields }));
  },
  "a Deployment with 20,000 variables and 3 replicas": (client) => {
    const labels = { app: "variables" };
    const env = numbered(20_000, (i) => ({ name: `ENV_${i}`, value: "x" }));
    return client.send("POST", "/apis/apps/v1/namespaces/hostile/deployments", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "variables" },
      spec: {
        replicas: 3,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i", env }] } },
      },
    });
  },
  "10,000 operations of a JSON patch": (client) =>
    client.ask(
      "PATCH",
      `${maps}/applied`,
      numbered(10_000, (i) => ({ op: "replace", path: `/data/k${i}`, value: "z" })),
      "application/json-patch+json",
    ),
  "20,000 owners with one uid": (client) =>
    client.send(
      "POST",
      maps,
      configMap("owners", {
        ownerReferences: numbered(20_000, (i) => ({ apiVersion: "v1", kind: "Pod", name: `p${i}`, uid: "u" })),
      }),
    ),
  "a list with a selector of 5,000 requirements": (client) =>
    client.send("GET", `${maps}?labelSelector=${numbered(5000, (i) => `!k${i}`).join(",")}`),
  "a role that aggregates 2,000 others": (client) =>
    client.send("POST", roles, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "whole" },
      aggregationRule: { clusterRoleSelectors: numbered(2000, (i) => ({ matchLabels: { [`part-${i}`]: "true" } })) },
    }),
};

/**
 * The effect of large input on other clients, and the memory used after clients that do not read and after deletions.
 */
export async function hostileFigures(scratch: string, repeats: number): Promise<readonly Figure[]> {
  const file = await buildServerAlone(scratch);
  const all = new Map<string, number[]>(Object.keys(inputs).map((name) => [name, []]));
  const unread: number[] = [];
  const left: number[] = [];
  for (let run = 0; run < repeats; run++) {
    const server = await startServerAlone(file, join(scratch, `hostile-${run}`));
    const residentMB = (): number => memoryOf(server.pid)?.residentMB ?? Number.NaN;
    const client = await rawClient(server.kubeconfig, 8);
    await client.send("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "hostile" },
    });
    const start = residentMB();
    for (let i = 0; i < 2240; i++) {
      await client.send("POST", maps, configMap(`gone-${i}`, {}, { text: "x".repeat(1000) }));
      await client.send("DELETE", `${maps}/gone-${i}`);
    }
    await sleep(30_000);
    left.push(residentMB() - start);
    for (let i = 0; i < 2000; i++)
      await client.send("POST", roles, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: `part-${i}`, labels: { [`part-${i}`]: "true" } },
        rules: [{ apiGroups: [`group-${i}.example.org`], resources: ["*"], verbs: ["get"] }],
      });
    for (const [name, input] of Object.entries(inputs)) all.get(name)?.push(await longestOfOthers(client, input));
    for (const name of ["applied", "twice"]) await client.send("DELETE", `${maps}/${name}`);
    unread.push(await highestWithStuckWatchers(server.kubeconfig, client, residentMB));
    client.close();
    await server.stop();
  }
  return [
    ...[...all].map(([name, runs]): Figure => ({
      name: `longest \`/readyz\` of others during ${name}`,
      unit: "ms",
      runs,
      goal: 100,
    })),
    { name: "resident memory with 1,000 watches that read nothing and 30 objects of 500 KB", unit: "MB", runs: unread },
    {
      name: "resident memory more than before, 30 s after 2,240 objects were made and deleted",
      unit: "MB",
      runs: left,
    },
  ];
}

/** The longest of the requests that are sent every 5 ms until the input is handled, and some time after. */
async function longestOfOthers(client: RawClient, input: (client: RawClient) => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const handled = input(client).then(async () => {
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

async function highestWithStuckWatchers(
  kubeconfig: string,
  client: RawClient,
  residentMB: () => number,
): Promise<number> {
  const loaded = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!loaded.ok) throw new Error(`cannot use ${kubeconfig}`);
  const { tls } = await credentialSource(loaded.value, {}, undefined).current();
  const { hostname, port } = new URL(loaded.value.server);
  const sockets = await Promise.all(
    numbered(
      1000,
      () =>
        new Promise<TLSSocket>((opened) => {
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
          socket.on("error", () => undefined);
        }),
    ),
  );
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
