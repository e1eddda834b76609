// What commands print about objects that no controller changes, whole: testing/still-screens.txt. PURSER_SCREENS=write writes that file anew.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type RunningApiServer, startApiServer } from "@purser/apiserver";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { events, namespaces } from "@purser/kubernetes/apis/resources";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { readDocuments } from "@purser/kubernetes/text/documents";
import { ownTypes, subscriptions } from "../apis/olm-resources.ts";
import { applyCrds } from "../engine/own-manifests.ts";
import { runPurser } from "./testing/run-purser.ts";
import { assertScreens, screensOf, settledText } from "./testing/screens.ts";

const never = new AbortController().signal;
const directory = mkdtempSync(join(tmpdir(), "purser-still-"));
const env = { KUBECONFIG: join(directory, "kubeconfig"), PURSER_CACHE_DIR: join(directory, "cache"), HOME: directory };
const types: readonly ResourceType[] = [...ownTypes, events, namespaces];
let server: RunningApiServer;
let client: KubeClient;

before(async () => {
  const started = await startApiServer({ port: 0, controllers: false });
  assert.ok(started.ok);
  server = started.value;
  writeFileSync(env.KUBECONFIG, server.kubeconfig);
  client = createClient(server.server.transport());
  await applyCrds(client, { clock: systemClock, log: () => undefined, signal: never }, ["v0", "v1"]);
  const read = readDocuments(readFileSync(join(import.meta.dirname, "testing/still-objects.yaml"), "utf8"));
  assert.ok(read.ok);
  for (const { value } of read.value) {
    const object = value as unknown as KubeObject & { readonly status?: object };
    const type = types.find(({ kind }) => kind === object.kind) ?? assert.fail(object.kind);
    const { name = "", namespace } = object.metadata;
    written(await client.write({ verb: "create", type, object }, never));
    if (object.status === undefined) continue;
    const key = namespace === undefined ? { name } : { namespace, name };
    const patch = { status: object.status } as never;
    written(await client.write({ verb: "patch", type, key, patchType: "merge", patch, subresource: "status" }, never));
  }
});
after(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

const lines: readonly string[] = [
  "list -A",
  "list -A --sort-by since",
  "list -n data -l team=a",
  "list -A --state Failed -o name",
  "list -A --fields reference,state,labels -o yaml",
  "list -A -l team=z",
  "list -n olm",
  "status sub/data/failed",
  "status sub/data/failed -o name",
  "status sub/data/fresh",
  "status csv/data/alone.v2.0.0",
  "status ext/blocked",
  "status ext/degraded -o yaml",
  "status ext/degraded",
  "approve",
  "approve sub/data/failed",
  "history sub/data/failed",
  "history ext/degraded",
  "rollback ext/degraded --yes",
  "diff ext/degraded 1",
  "source list",
  "source list -o name",
  "source list --sort-by state",
  "source show olm/broken",
  "source show olm/stale",
  "source show data/own",
  "source show cc/off",
  "source show cc/failing -o yaml",
  "source diff olm/broken",
  "source refresh data/own",
  "source set olm/broken --poll soon",
  "source set data/own --image registry.example/other:1 --dry-run",
  "source set olm/broken --image registry.example/broken@sha256:00 --poll 5 --dry-run",
  "source set olm/broken --priority 1 --label tier- --poll 5 --dry-run -o yaml",
  "source set cc/off --available --dry-run",
  "source set cc/off --priority 2 --yes --no-wait",
  "source remove olm/broken < n",
  "source remove -l tier=own < n",
  "source remove -l tier=none --yes",
  "source add own registry.example/own:1 --as-clustercatalog --unavailable --poll 10m --priority 4 --dry-run -o yaml",
  "source add own registry.example/own:1 --as-clustercatalog --poll soon",
  "source add own registry.example/own:1 -n nowhere --yes",
  "source add own registry.example/own:1 -n data --priority 4 --poll 10m --dry-run -o yaml",
  "policy list",
  "policy show first",
  "policy effective sub/data/failed",
  "policy effective ext/degraded",
  "hold sub/data/failed --dry-run",
  "hold csv/data/alone.v2.0.0",
  "hold sub/data/failed --until 2026-02-31",
  "hold sub/data/failed --until 2001-01-01",
  "hold sub/data/failed --until tomorrow",
  "hold sub/data/failed --version v1.2.0",
  "hold sub/data/failed --version 1",
  "events -A",
  "events -A --sort-by seen -o yaml",
  "events -n data -o name",
  "events sub/data/failed",
  "events ext/degraded",
  "events ext/blocked",
  "events -A --since 1h",
  "events -A --since soon",
  "tenancy data",
  "tenancy",
  "instances",
  "permissions sub/data/failed",
  "permissions ext/degraded",
  "permissions ask get pods/log",
  "explain sub/data/failed",
  "explain ext/blocked",
  "explain csv/data/alone.v2.0.0",
  "plan ext/degraded",
  "upgrade -A --dry-run",
  "upgrade sub/data/failed --dry-run",
  "upgrade sub/data/fresh --dry-run",
  "upgrade ext/degraded --channel slow --dry-run",
  "adopt csv/data/alone.v2.0.0 --yes",
  "uninstall csv/data/alone.v2.0.0 --dry-run",
  "uninstall ext/blocked --mode unused --dry-run",
  "doctor --apis v1",
  "search kiln",
  "show kiln",
];

test("commands print what testing/still-screens.txt holds", async () => {
  const screens: string[] = [];
  for (const line of lines) {
    const [typed = "", answer] = line.split(" < ");
    const purser = (args: readonly string[]) => runPurser(args, { env, ...(answer === undefined ? {} : { answer }) });
    const known = (text: string): string =>
      settledText(text)
        .replaceAll(directory, "DIR")
        .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT");
    screens.push(...(await screensOf([typed.split(" ")], purser, known)));
  }
  assertScreens(join(import.meta.dirname, "testing/still-screens.txt"), screens);
});

/** Runs a command with --watch, does `change` after so many prints, and answers with them and the next one. */
async function watched(line: string, prints: number, change: () => Promise<unknown>): Promise<readonly string[]> {
  const stop = new AbortController();
  const printed: string[] = [];
  const onShow = (text: string): void => void printed.push(settledText(text));
  const ran = runPurser(line.split(" "), { env, signal: stop.signal, onShow });
  const reached = async (count: number): Promise<void> => {
    for (let tries = 0; tries < 3000 && printed.length < count; tries++) await systemClock.sleep(20, never);
  };
  await reached(prints);
  await change();
  await reached(prints + 1);
  stop.abort(new Error("interrupted"));
  await assert.rejects(ran, /interrupted/);
  return printed.flatMap((text) => text.trimEnd().split("\n"));
}

const merge = async <Type extends KubeObject>(type: ResourceType<Type>, name: string, patch: object): Promise<void> => {
  const key = { namespace: "data", name };
  written(await client.write({ verb: "patch", type, key, patchType: "merge", patch: patch as JsonObject }, never));
};
const headings = "NAMESPACE  NAME  API  VERSION  NEXT  STATE  SINCE  WHY";

test("list --watch prints all installations, then those that changed", async () => {
  const change = () => merge(subscriptions, "fresh", { metadata: { labels: { team: "c" } } });
  assert.deepEqual(await watched("list -n data --state Blocked --watch", 1, change), [
    headings,
    "data  fresh  v0  -  -  Blocked  AGE  no operators found in package fresh",
    headings,
    "data  fresh  v0  -  -  Blocked  AGE  no operators found in package fresh",
  ]);
});

test("list --watch -o json prints one document for each installation", async () => {
  const change = () => merge(subscriptions, "fresh", { metadata: { labels: { team: "d" } } });
  const documents = (await watched("list -n data --state Blocked --watch -o json", 1, change)).map(
    (text) => JSON.parse(text) as { readonly reference: string; readonly labels: object },
  );
  assert.deepEqual(
    documents.map(({ reference, labels }) => [reference, labels]),
    [
      ["sub/data/fresh", { team: "c" }],
      ["sub/data/fresh", { team: "d" }],
    ],
  );
});

test("status --watch prints the time above each look but the first", async () => {
  const change = () => merge(subscriptions, "fresh", { metadata: { labels: { team: "e" } } });
  const lines = await watched("status sub/data/fresh --watch", 1, change);
  assert.deepEqual(lines.filter((line) => /^\S*\d\d:\d\d:\d\d/.test(line)).length, 1, lines.join("\n"));
  assert.doesNotMatch(lines[0] ?? "", /^\d\d:/);
});

test("events --watch prints all events, then those that are new, without the headings", async () => {
  const change = () => merge(events, "old", { count: 4, message: "once more" });
  assert.deepEqual(await watched("events sub/data/failed --watch", 1, change), [
    "SEEN  TYPE  REASON  NAMESPACE  OBJECT  MESSAGE",
    "AGE  Warning  Refused  data  sub/failed  first line second",
    "AGE  Normal  Seen  data  csv/kiln.v1.0.0  again",
    "AGE  Warning  Refused  data  sub/failed  once more",
  ]);
});

test("events --watch -o yaml prints one document for each event", async () => {
  const change = () => merge(events, "old", { count: 5 });
  const lines = await watched("events sub/data/failed --watch -o yaml", 2, change);
  assert.deepEqual(
    lines.filter((line) => /^(---|count|type)/.test(line)),
    ["---", "count: 4", "type: Warning", "---", "count: 9", "type: Normal", "---", "count: 5", "type: Warning"],
  );
});
