import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { openSqliteStorage } from "./sqlite-storage.ts";
import { textsTogether } from "./version.ts";
import { openStorage, withStorageFile } from "./testing/storage-file.ts";

const object = (name: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "a" },
    data: { text: "x".repeat(2000) },
  }) as KubeObject;

test("a reopened store has every object with its revision, and continues above the last assigned one", () =>
  withStorageFile(async (file) => {
    const first = await openStorage(file);
    first.put("configmaps", "a/x", object("x"));
    first.put("configmaps", "a/y", object("y"));
    first.remove("configmaps", "a/y");
    await first.durable();
    await first.close();
    const second = await openStorage(file);
    assert.equal(second.get("configmaps", "a/x")?.metadata.resourceVersion, "1");
    assert.equal(second.get("configmaps", "a/y"), undefined);
    assert.equal(second.put("configmaps", "a/z", object("z")).metadata.resourceVersion, "4");
    await second.close();
  }));

test("a store locked by another process is refused as locked", () =>
  withStorageFile(async (file) => {
    const holder = await openStorage(file);
    const script = `import { openSqliteStorage } from ${JSON.stringify(new URL("./sqlite-storage.ts", import.meta.url).href)};
      const opened = await openSqliteStorage(process.argv[1]); console.log(opened.ok ? "opened" : opened.problem.kind);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, file]);
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await once(child, "close");
    assert.equal(said.trim(), "locked");
    await holder.close();
  }));

test("a damaged file is refused as damaged and not changed", async (t) => {
  const damages: Readonly<Record<string, (file: string) => void>> = {
    "no database at all": (file) => writeFileSync(file, "this is not a database, it is a diary ".repeat(100)),
    "cut short": (file) => truncateSync(file, 5000),
    "a page overwritten": (file) => {
      const bytes = readFileSync(file);
      bytes.fill(0xa5, 4096, 12_288);
      writeFileSync(file, bytes);
    },
  };
  for (const [name, damage] of Object.entries(damages))
    await t.test(name, () =>
      withStorageFile(async (file) => {
        const store = await openStorage(file);
        for (let i = 0; i < 50; i++) store.put("configmaps", `a/${i}`, object(String(i)));
        await store.close();
        damage(file);
        const before = readFileSync(file);
        const opened = await openSqliteStorage(file);
        assert.equal(opened.ok, false);
        if (!opened.ok) assert.equal(opened.problem.kind, "damaged", opened.problem.message);
        assert.ok(before.equals(readFileSync(file)));
      }),
    );
});

for (const [message, sql] of [
  ["it is a SQLite database of another program", "PRAGMA user_version = 0"],
  ['its table "object" is missing', "DROP TABLE object"],
  ['its table "revision" is missing', "DROP TABLE revision"],
  ["its revision is missing", "DELETE FROM revision"],
  ["all its objects are missing", "DELETE FROM object"],
] as const)
  test(`a file is refused, and no new cluster begins in it, when ${message}`, () =>
    withStorageFile(async (file) => {
      const store = await openStorage(file);
      store.put("configmaps", "a/x", object("x"));
      await store.close();
      const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
      const before = readFileSync(file);
      const opened = await openSqliteStorage(file);
      assert.deepEqual(opened.ok ? "" : opened.problem, { kind: "damaged", file, message });
      assert.ok(before.equals(readFileSync(file)));
    }));

test("a file of a newer format is refused as such", () =>
  withStorageFile(async (file) => {
    await (await openStorage(file)).close();
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const opened = await openSqliteStorage(file);
    assert.equal(opened.ok ? "" : opened.problem.kind, "unknownFormat");
  }));

test("acknowledged changes survive SIGKILL", () =>
  withStorageFile(async (file) => {
    const script = `import { openSqliteStorage } from ${JSON.stringify(new URL("./sqlite-storage.ts", import.meta.url).href)};
      const { value: store } = await openSqliteStorage(process.argv[1]);
      for (let i = 0; ; i++) {
        store.put("configmaps", "a/" + i, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: String(i) } });
        await store.durable();
        process.stdout.write(i + "\\n");
        if (i % 50 === 0) await new Promise(setImmediate);
      }`;
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, file]);
      let said = "";
      child.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.length > 500 * (round + 1)) child.kill("SIGKILL");
      });
      await once(child, "close");
      const acknowledged = said.split("\n").slice(0, -1);
      assert.ok(acknowledged.length > 10);
      const store = await openStorage(file);
      for (const name of acknowledged) assert.ok(store.get("configmaps", `a/${name}`), `${name} is missing`);
      await store.close();
    }
  }));

test("a torn tail of the write-ahead log loses only unacknowledged changes", () =>
  withStorageFile(async (file) => {
    const store = await openStorage(file);
    store.put("configmaps", "a/x", object("x"));
    await store.durable();
    appendFileSync(`${file}-wal`, "torn");
    await store.close();
    const again = await openStorage(file);
    assert.ok(again.get("configmaps", "a/x"));
    await again.close();
  }));

test("a file of format 1 is migrated with all its objects and its revision", () =>
  withStorageFile(async (file) => {
    await (await openStorage(file)).close();
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const database = new DatabaseSync(file);
    database.exec(`DROP TABLE object; CREATE TABLE object (
      kind TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
      UPDATE revision SET last = 41; PRAGMA user_version = 1`);
    database.prepare("INSERT INTO object VALUES ('configmaps', 'a/x', ?)").run(JSON.stringify(object("x")));
    database.close();
    for (const next of ["42", "43"]) {
      const store = await openStorage(file);
      assert.equal(store.get("configmaps", "a/x")?.metadata.name, "x");
      assert.equal(store.put("configmaps", "a/y", object("y")).metadata.resourceVersion, next);
      await store.close();
    }
  }));

test("texts read together equal those read one by one, also for former states, deleted objects and unusual keys", () =>
  withStorageFile(async (file) => {
    const first = await openStorage(file);
    const names = ["b0", "b", "b-1", "ä", "\u{1f600}", "\uff5e", ...Array.from({ length: 40 }, (_, i) => `n${i}`)];
    for (const name of names) first.put("configmaps", `a/${name}`, object(name));
    for (const name of names) first.put("configmaps", `a0/${name}`, object(name));
    await first.durable();
    await first.close();
    const store = await openStorage(file);
    const namesOf = (texts: readonly string[]): readonly unknown[] =>
      texts.map((text) => (JSON.parse(text) as KubeObject).metadata.name);
    const scanned = store.scan("configmaps", { namespace: "a" });
    assert.ok(scanned.ok);
    store.put("configmaps", "a/b", object("other"));
    store.remove("configmaps", "a/n7");
    await store.durable();
    assert.deepEqual(namesOf(textsTogether(scanned.value)), names.toSorted());
    const picked = scanned.value.filter((_, index) => index % 10 === 0);
    assert.deepEqual(
      textsTogether(picked),
      picked.map(({ text }) => text),
    );
    const now = store.scan("configmaps", { namespace: "a", after: "a/b" });
    assert.ok(now.ok);
    assert.deepEqual(
      namesOf(textsTogether(now.value)),
      names.toSorted().filter((name) => name > "b" && name !== "n7"),
    );
    await store.close();
  }));
