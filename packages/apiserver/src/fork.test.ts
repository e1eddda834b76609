import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { readBody } from "@purser/kubernetes/kube/api-body";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { createApiServer } from "./server.ts";
import type { ApiServer } from "./server.ts";
import { memoryStorage } from "./storage/object-store.ts";
import { openSqliteStorage } from "./storage/sqlite-storage.ts";
import type { Storage } from "./storage/storage.ts";

const path = "/api/v1/namespaces/default/configmaps";

async function ask(
  server: ApiServer,
  method: "GET" | "POST" | "DELETE",
  at: string,
  body?: JsonObject,
): Promise<JsonObject> {
  const transport: Transport = server.transport();
  const answer = await transport(
    { method, path: at, ...(body === undefined ? {} : { body: { kind: "object", value: body } }) },
    AbortSignal.timeout(300_000),
  );
  const { json } = await readBody(answer.body);
  return isJsonObject(json) ? json : {};
}

function configMap(name: string): JsonObject {
  return { kind: "ConfigMap", apiVersion: "v1", metadata: { name } };
}

function of(object: JsonObject, key: string): string {
  const metadata = member(object, "metadata");
  const value = isJsonObject(metadata) ? member(metadata, key) : undefined;
  return typeof value === "string" ? value : "";
}

async function names(server: ApiServer): Promise<readonly string[]> {
  const { items } = await ask(server, "GET", path);
  return Array.isArray(items) ? items.filter(isJsonObject).map((item) => of(item, "name")) : [];
}

async function started(storage: Storage, seed = 7): Promise<ApiServer> {
  return createApiServer({ clock: new VirtualClock(), entropy: new SeededEntropy(seed), storage, controllers: false });
}

test("a fork begins with its parent's objects, and neither sees later changes of the other", async () => {
  const parent = await started(memoryStorage());
  const before = await ask(parent, "POST", path, configMap("kept"));
  const fork = await parent.fork();
  await ask(parent, "POST", path, configMap("parents"));
  const made = await ask(fork, "POST", path, configMap("forks"));
  await ask(fork, "DELETE", `${path}/kept`);
  assert.deepEqual(
    (await names(parent)).filter((name) => !name.startsWith("kube")),
    ["kept", "parents"],
  );
  assert.deepEqual(
    (await names(fork)).filter((name) => !name.startsWith("kube")),
    ["forks"],
  );
  assert.ok(Number(of(made, "resourceVersion")) > Number(of(before, "resourceVersion")));
  await fork.stop();
  assert.equal(of(await ask(parent, "GET", `${path}/kept`), "uid"), of(before, "uid"));
  await parent.stop();
});

test("a fork has an identity, a clock and uids of its own", async () => {
  const parent = await started(memoryStorage());
  const clock = new VirtualClock(Date.parse("2030-01-01T00:00:00Z"));
  const forks = await Promise.all([1, 1, 2].map((seed) => parent.fork({ clock, entropy: new SeededEntropy(seed) })));
  const made = await Promise.all(forks.map((fork) => ask(fork, "POST", path, configMap("x"))));
  const [one, same, other] = made.map((object) => of(object, "uid"));
  assert.equal(one, same);
  assert.notEqual(one, other);
  assert.equal(of(made[0] ?? {}, "creationTimestamp"), "2030-01-01T00:00:00Z");
  const url = "https://127.0.0.1:1";
  const [first = ""] = forks.map((fork) => fork.adminKubeconfig(url));
  assert.notEqual(first, parent.adminKubeconfig(url));
  await Promise.all([parent, ...forks].map((server) => server.stop()));
});

test("a fork of a server on disk lives longer than its parent", async () => {
  const directory = mkdtempSync(join(tmpdir(), "fork-"));
  const storage = await openSqliteStorage(join(directory, "data.db"));
  assert.ok(storage.ok);
  const parent = await started(storage.value);
  await ask(parent, "POST", path, configMap("kept"));
  await storage.value.durable();
  const fork = await parent.fork();
  await parent.stop();
  assert.ok((await names(fork)).includes("kept"));
  await fork.stop();
  rmSync(directory, { recursive: true });
});

test("servers of one process share nothing", async () => {
  const [one, two] = await Promise.all([started(memoryStorage(), 1), started(memoryStorage(), 2)]);
  await ask(one, "POST", path, configMap("ones"));
  assert.ok(!(await names(two)).includes("ones"));
  const [first, second] = await Promise.all([one, two].map((server) => server.listen({ host: "127.0.0.1", port: 0 })));
  assert.notEqual(first?.port, second?.port);
  await Promise.all([one.stop(), two.stop()]);
});
