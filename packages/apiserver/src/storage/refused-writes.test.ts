import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { ApiServer } from "../server.ts";
import { expireEvents } from "../event-expiry.ts";
import { createApiServer } from "../server.ts";
import { askServer, configMap } from "../testing/server.ts";
import type { Journal, JournalRow } from "./journal.ts";
import { WriteRefused } from "./journal.ts";
import { ObjectStore } from "./object-store.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";
import type { Storage } from "./storage.ts";

const object = (name: string, text = ""): KubeObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "a" }, data: { text } }) as KubeObject;

/** A disk that can be switched to refuse writes. */
class FickleJournal implements Journal {
  isFull = false;
  readonly revisions: number[] = [];
  readonly #texts = new Map<string, string>();

  write(rows: readonly JournalRow[], revision: number): void {
    if (this.isFull) throw new WriteRefused("database or disk is full", true);
    this.revisions.push(revision);
    for (const { table, key, text } of rows)
      if (text === undefined) this.#texts.delete(`${table} ${key}`);
      else this.#texts.set(`${table} ${key}`, text);
  }

  read(table: string, key: string): string | undefined {
    return this.#texts.get(`${table} ${key}`);
  }

  readRange(): ReadonlyMap<string, string> {
    return new Map();
  }

  gather(): Promise<void> {
    return Promise.resolve();
  }

  detached(): undefined {
    return undefined;
  }

  close(): void {
    this.isFull = true;
  }
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? "";

const full = { name: "WriteRefused" };

test("changes that the disk refuses are reverted: reads, histories and feeds do not show them", async () => {
  const journal = new FickleJournal();
  const store = new ObjectStore({ revision: 0, rows: [] }, journal);
  const published: string[] = [];
  const takenBack: string[] = [];
  store.takenBack((table, key) => takenBack.push(`${table} ${key}`));
  store.feed("configmaps", 0, ({ key, revision }) => published.push(`${key} ${revision}`));
  store.put("configmaps", "a/kept", object("kept", "1"));
  await store.durable();
  journal.isFull = true;
  store.put("configmaps", "a/new", object("new"));
  store.put("configmaps", "a/kept", object("kept", "2"));
  store.put("configmaps", "a/kept", object("kept", "3"));
  store.remove("configmaps", "a/kept");
  await assert.rejects(store.durable(), full);
  assert.equal(store.get("configmaps", "a/new"), undefined);
  assert.equal((store.get("configmaps", "a/kept") as { data?: { text?: string } }).data?.text, "1");
  assert.deepEqual([store.revision(), store.published(), store.count("configmaps")], [1, 1, 1]);
  assert.deepEqual(takenBack.toSorted(), [
    "configmaps a/kept",
    "configmaps a/kept",
    "configmaps a/kept",
    "configmaps a/new",
  ]);
  await store.durable();
  journal.isFull = false;
  const again = store.put("configmaps", "a/new", object("new"));
  await store.durable();
  assert.ok(Number(again.metadata.resourceVersion) > 5, "no revision is given twice");
  assert.deepEqual(published, ["a/kept 1", `a/new ${again.metadata.resourceVersion}`]);
  assert.equal(journal.revisions.at(-1), Number(again.metadata.resourceVersion));
  const since: string[] = [];
  store.feed("configmaps", 0, ({ key }) => since.push(key));
  assert.deepEqual(since, ["a/kept", "a/new"]);
});

test("a list of a revision before the refusal returns the state at that time", async () => {
  const journal = new FickleJournal();
  const store = new ObjectStore({ revision: 0, rows: [] }, journal);
  store.put("configmaps", "a/x", object("x"));
  await store.durable();
  journal.isFull = true;
  store.put("configmaps", "a/y", object("y"));
  await assert.rejects(store.durable(), full);
  journal.isFull = false;
  store.put("configmaps", "a/z", object("z"));
  await store.durable();
  const then = store.list("configmaps", { at: 1 });
  assert.deepEqual(then.ok ? then.value.map(({ metadata }) => metadata.name) : then.problem, ["x"]);
});

test("any other error of a journal ends the store", async () => {
  const journal = new FickleJournal();
  journal.write = () => {
    throw new Error("database disk image is malformed");
  };
  const store = new ObjectStore({ revision: 0, rows: [] }, journal);
  store.put("configmaps", "a/x", object("x"));
  await assert.rejects(store.durable(), /malformed/);
  assert.throws(() => store.put("configmaps", "a/y", object("y")), /malformed/);
});

async function serverOn(storage: Storage): Promise<ApiServer> {
  return createApiServer({ clock: new VirtualClock(), entropy: new SeededEntropy(7), storage, controllers: false });
}

const cms = "/api/v1/namespaces/default/configmaps";

/** Creates objects until one is refused; returns the acknowledged names and the refusal. */
async function fill(
  server: ApiServer,
  prefix: string,
): Promise<{ readonly names: readonly string[]; readonly message: string; readonly code: number }> {
  const names: string[] = [];
  for (let number = 0; number < 2000; number++) {
    const name = `${prefix}-${number}`;
    const body = configMap(name, { data: { text: "x".repeat(20_000) } }, "default");
    const answer = await askServer(server, { method: "POST", path: cms, body });
    if (answer.code !== 201) return { names, message: answer.message, code: answer.code };
    names.push(name);
  }
  throw new Error("the disk never filled up");
}

async function answersWhileFull(server: ApiServer, names: readonly string[]): Promise<void> {
  const [first = ""] = names;
  const reads = await Promise.all([
    askServer(server, { path: cms }),
    askServer(server, { path: `${cms}/${first}` }),
    askServer(server, { method: "POST", path: cms, body: configMap("too-much", {}, "default") }),
    askServer(server, { path: cms }),
    askServer(server, { path: "/readyz" }),
  ]);
  assert.deepEqual(
    reads.map(({ code }) => code).filter((code) => code !== 200),
    [500],
  );
  const listed = reads[0].object["items"];
  const found = Array.isArray(listed) ? listed.map((item) => nameOf(item as KubeObject)) : [];
  assert.deepEqual(
    found.toSorted(),
    [...names, "kube-root-ca.crt"].toSorted(),
    "what was refused is nowhere to be seen",
  );
}

test("a server on a full disk serves reads, refuses writes with etcd's error text, and accepts writes when there is space again", async () => {
  const journal = new FickleJournal();
  const server = await serverOn(new ObjectStore({ revision: 0, rows: [] }, journal));
  const make = (name: string): Promise<{ readonly code: number; readonly message: string }> =>
    askServer(server, { method: "POST", path: cms, body: configMap(name, {}, "default") });
  assert.equal((await make("first")).code, 201);
  journal.isFull = true;
  const refused = await make("second");
  assert.equal(refused.code, 500);
  assert.match(refused.message, /^etcdserver: mvcc: database space exceeded: changes are not kept; free space/);
  await answersWhileFull(server, ["first"]);
  journal.isFull = false;
  assert.equal((await make("second")).code, 201);
  await server.stop();
});

test("a definition that the disk refuses is not served", async () => {
  const journal = new FickleJournal();
  const server = await serverOn(new ObjectStore({ revision: 0, rows: [] }, journal));
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
  const define = (): Promise<{ readonly code: number }> =>
    askServer(server, {
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      body: definition,
    });
  const widgets = async (): Promise<number> =>
    (await askServer(server, { path: "/apis/example.com/v1/namespaces/default/widgets" })).code;
  journal.isFull = true;
  assert.equal((await define()).code, 500);
  assert.equal(await widgets(), 404);
  journal.isFull = false;
  assert.equal((await define()).code, 201);
  assert.equal(await widgets(), 200);
  await server.stop();
});

/** A disk of 4 MiB; undefined without permission to create one. */
function smallDisk(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), "purser-full-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", directory], { stdio: "ignore" });
    return directory;
  } catch {
    rmSync(directory, { recursive: true });
    return undefined;
  }
}

test("a data file on a full disk keeps everything acknowledged, and is written again when there is space", async (t) => {
  const directory = smallDisk();
  if (directory === undefined) {
    t.skip("not here: mounting a small disk takes root");
    return;
  }
  try {
    const [ballast, reserve] = [join(directory, "ballast"), join(directory, "reserve")];
    writeFileSync(ballast, Buffer.alloc(2 * 1024 * 1024));
    writeFileSync(reserve, Buffer.alloc(256 * 1024));
    mkdirSync(join(directory, "data"));
    const open = async (): Promise<Storage> => {
      const opened = await openSqliteStorage(join(directory, "data", "cluster.db"));
      assert.ok(opened.ok, opened.ok ? "" : opened.problem.message);
      return opened.value;
    };
    const server = await serverOn(await open());
    const { names, code, message } = await fill(server, "a");
    assert.equal(code, 500, message);
    assert.match(message, /^etcdserver: mvcc: database space exceeded/);
    assert.ok(names.length > 3);
    await answersWhileFull(server, names);
    rmSync(ballast);
    const more = await fill(server, "b");
    assert.ok(more.names.length > 3, "there was room again");
    const all = [...names, ...more.names].toSorted();
    await server.stop();
    const refused = await openSqliteStorage(join(directory, "data", "cluster.db"));
    assert.match(refused.ok ? "opened" : refused.problem.message, /is there room on the disk\?$/);
    rmSync(reserve);
    const store = await open();
    const found = store.list("configmaps", { namespace: "default" });
    assert.deepEqual(
      found.ok ? found.value.map(({ metadata }) => metadata.name ?? "").filter((name) => /^[ab]-/.test(name)) : [],
      all,
    );
    await store.close();
  } finally {
    execFileSync("umount", ["-l", directory]);
    rmSync(directory, { recursive: true });
  }
});

test("an expired event whose deletion the disk refused is deleted an hour later without further writes", async () => {
  const journal = new FickleJournal();
  const store = new ObjectStore({ revision: 0, rows: [] }, journal);
  const clock = new VirtualClock();
  const stop = new AbortController();
  expireEvents(store, clock, stop.signal);
  store.put("events", "a/one", { ...object("one"), kind: "Event" } as KubeObject);
  await store.durable();
  const anHourLater = async (): Promise<void> => {
    clock.advance(60 * 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    await store.durable().catch(() => undefined);
  };
  journal.isFull = true;
  await anHourLater();
  journal.isFull = false;
  assert.notEqual(store.get("events", "a/one"), undefined);
  await anHourLater();
  assert.equal(store.get("events", "a/one"), undefined);
  stop.abort();
});
