import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { createApiServer } from "../server.ts";
import { askServer, configMap } from "../testing/server.ts";
import { openStorage, withStorageFile } from "./testing/storage-file.ts";

const cms = "/api/v1/namespaces/default/configmaps";

const aside = (directory: string): string => `${directory}-aside`;
const accidents: readonly {
  readonly what: string;
  readonly words: RegExp;
  readonly happens: (file: string, directory: string) => void;
  /** How to restore the files without a restart, where possible. */
  readonly undone?: (file: string, directory: string) => void;
}[] = [
  {
    what: "the directory is removed",
    words: /data\/cluster\.db" was removed/,
    happens: (_, directory) => rmSync(directory, { recursive: true }),
  },
  {
    what: "the directory is moved",
    words: /data\/cluster\.db" was removed/,
    happens: (_, directory) => renameSync(directory, aside(directory)),
    undone: (_, directory) => renameSync(aside(directory), directory),
  },
  {
    what: "the directory is replaced by a link to a copy",
    words: /cluster\.db" was replaced by another file/,
    happens: (_, directory) => {
      cpSync(directory, `${directory}-copy`, { recursive: true });
      renameSync(directory, aside(directory));
      symlinkSync(`${directory}-copy`, directory);
    },
    undone: (_, directory) => {
      rmSync(directory);
      renameSync(aside(directory), directory);
    },
  },
  {
    what: "the file is removed",
    words: /cluster\.db" was removed/,
    happens: (file) => rmSync(file),
  },
  {
    what: "the file is replaced by a copy",
    words: /cluster\.db" was replaced by another file/,
    happens: (file) => {
      cpSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  },
  { what: "the file is emptied", words: /cluster\.db" was cut off/, happens: (file) => truncateSync(file) },
  {
    what: "the file is overwritten with other bytes",
    words: /cluster\.db" was overwritten by another program/,
    happens: (file) => writeFileSync(file, "no database ".repeat(10_000), { flag: "r+" }),
  },
  {
    what: "the file is overwritten with the database of another cluster",
    words: /cluster\.db" was overwritten by another program/,
    happens(file, directory) {
      cpSync(file, aside(directory));
      const other = new DatabaseSync(`${file}.other`);
      other.exec("CREATE TABLE object (json BLOB); INSERT INTO object VALUES (randomblob(1000000))");
      other.close();
      writeFileSync(file, readFileSync(`${file}.other`), { flag: "r+" });
    },
    undone: (file, directory) => writeFileSync(file, readFileSync(aside(directory)), { flag: "r+" }),
  },
  { what: "the log is removed", words: /cluster\.db-wal" was removed/, happens: (file) => rmSync(`${file}-wal`) },
  { what: "the log is emptied", words: /cluster\.db-wal" was cut off/, happens: (file) => truncateSync(`${file}-wal`) },
  {
    what: "the log is replaced by a copy",
    words: /cluster\.db-wal" was replaced by another file/,
    happens: (file) => {
      cpSync(`${file}-wal`, `${file}.copy`);
      renameSync(`${file}.copy`, `${file}-wal`);
    },
  },
];

for (const { what, words, happens, undone } of accidents)
  test(`when ${what} while a server runs, no write is acknowledged, and readiness fails`, () =>
    withStorageFile(async (file) => {
      const storage = await openStorage(file);
      const server = await createApiServer({
        clock: new VirtualClock(),
        entropy: new SeededEntropy(7),
        storage,
        controllers: false,
      });
      const ask = (path: string): ReturnType<typeof askServer> => askServer(server, { path });
      const make = (name: string): ReturnType<typeof askServer> =>
        askServer(server, { method: "POST", path: cms, body: configMap(name, {}, "default") });
      assert.equal((await make("before")).code, 201);
      assert.equal((await ask("/readyz")).code, 200);
      happens(file, dirname(file));
      const refused = await make("after");
      assert.equal(refused.code, 500);
      assert.match(refused.message, words);
      const ready = await ask("/readyz/etcd");
      assert.equal(ready.code, 500);
      assert.match(ready.text, words);
      assert.equal((await ask("/readyz")).code, 500);
      assert.equal((await ask("/livez")).code, 200);
      if (!what.includes("emptied")) {
        assert.equal((await ask(`${cms}/before`)).code, 200, "reads are still served");
        assert.equal((await ask(`${cms}/after`)).code, 404, "what was refused is nowhere to be seen");
      }
      if (undone !== undefined) {
        undone(file, dirname(file));
        assert.equal((await make("after")).code, 201);
        assert.equal((await ask("/readyz")).code, 200);
      }
      await server.stop();
      if (undone === undefined) return;
      const again = await openStorage(file);
      assert.ok(again.get("configmaps", "default/before"));
      assert.ok(again.get("configmaps", "default/after"));
      await again.close();
    }));

const note = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "a" },
});

test("a server whose log was removed writes everything acknowledged into the file when it stops", () =>
  withStorageFile(async (file) => {
    const store = await openStorage(file);
    for (const name of ["x", "y"]) store.put("configmaps", `a/${name}`, note(name));
    await store.durable();
    rmSync(`${file}-wal`);
    store.put("configmaps", "a/z", note("z"));
    await assert.rejects(store.durable(), /cluster\.db-wal" was removed: stop purser/);
    await store.close();
    const again = await openStorage(file);
    const found = again.list("configmaps");
    assert.deepEqual(found.ok && found.value.map(({ metadata }) => metadata.name), ["x", "y"]);
    await again.close();
  }));

test("a server that stops does not touch the log of another cluster at its path", () =>
  withStorageFile(async (file) => {
    const first = await openStorage(file);
    first.put("configmaps", "a/first", note("first"));
    await first.durable();
    renameSync(dirname(file), aside(dirname(file)));
    mkdirSync(dirname(file));
    const second = await openStorage(file);
    second.put("configmaps", "a/second", note("second"));
    await second.durable();
    await first.close();
    assert.ok(existsSync(`${file}-wal`));
    second.put("configmaps", "a/third", note("third"));
    await second.durable();
    await second.close();
    const again = await openStorage(file);
    const found = again.list("configmaps");
    assert.deepEqual(found.ok && found.value.map(({ metadata }) => metadata.name), ["second", "third"]);
    await again.close();
  }));

test("what the server itself moves from the log into the file is no accident", () =>
  withStorageFile(async (file) => {
    const storage = await openStorage(file);
    const before = readFileSync(file);
    const data = { text: "x".repeat(900_000) };
    for (let index = 0; index < 20; index++)
      storage.put("configmaps", `a/c${index}`, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `c${index}`, namespace: "a" },
        data,
      } as KubeObject);
    await storage.durable();
    assert.ok(readFileSync(file).length > before.length, "nothing was moved");
    assert.equal(storage.detached(), undefined);
    await storage.close();
    const again = await openStorage(file);
    assert.equal(again.detached(), undefined);
    await again.close();
  }));
