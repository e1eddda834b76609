import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigMap } from "../apis/core.ts";
import type { ResourceType } from "../apis/resource-type.ts";
import { configMaps, events } from "../apis/resources.ts";
import type { Clock } from "../clock.ts";
import { type Entropy, SeededEntropy } from "../entropy.ts";
import type { KubeClient, WatchOptions } from "./client.ts";
import { listAndWatch } from "./list-and-watch.ts";
import { ApiRefusedError, refusalOf } from "./refusal.ts";
import type { WatchEvent } from "./transport.ts";

const bookmark: WatchEvent = {
  type: "BOOKMARK",
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: "8" } },
};

/** Each watch brings its events, then breaks, or ends, after so many ms; the feed ends with the last one. */
async function followed(
  watches: readonly (readonly [events: readonly WatchEvent[], lastsMs: number, end?: "ends"])[],
  type: ResourceType = configMaps,
): Promise<{ readonly feed: readonly string[]; readonly isPatient: readonly boolean[] }> {
  const ending = new AbortController();
  const isPatient: boolean[] = [];
  let now = 0;
  const client = {
    page: () => Promise.resolve({ items: [], resourceVersion: "7" }),
    async *watch(_type: unknown, _scope: unknown, { idleTimeoutMs, timeoutSeconds = 0 }: WatchOptions) {
      const [events, lastsMs, end] = watches[isPatient.length] ?? [[], 0];
      isPatient.push(idleTimeoutMs !== undefined && idleTimeoutMs > timeoutSeconds * 1000);
      yield* events;
      now += lastsMs;
      if (isPatient.length === watches.length) ending.abort();
      await Promise.resolve();
      if (end === undefined) throw new Error("no byte came");
    },
  } as unknown as KubeClient;
  const clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() } as Clock;
  const options = { clock, entropy: new SeededEntropy(1) };
  const feed: string[] = [];
  for await (const event of listAndWatch(client, type, {}, options, ending.signal))
    feed.push(event.kind === "interrupted" && String(event.error).includes("ended") ? "ended at once" : event.kind);
  return { feed, isPatient };
}

test("a server without bookmarks is no fault: its silent watch goes on from the same version, and is waited for longer", async () => {
  const { feed, isPatient } = await followed([
    [[], 150_000],
    [[], 400_000],
    [[], 1],
  ]);
  assert.deepEqual(feed, ["page", "listed", "interrupted"], "one that breaks after its longer time is a fault");
  assert.deepEqual(isPatient, [false, true, true]);
});

test("a watch that breaks soon, or after a bookmark, is a fault, and bookmarks shorten the wait again", async () => {
  const { feed, isPatient } = await followed([
    [[], 100_000],
    [[bookmark], 150_000],
    [[], 150_000],
    [[bookmark], 150_000],
    [[], 1],
  ]);
  assert.deepEqual(feed, ["page", "listed", "interrupted", "progress", "interrupted", "progress", "interrupted"]);
  assert.deepEqual(isPatient, [false, false, false, true, false]);
});

test("silence after a change is no fault either", async () => {
  const change: WatchEvent = { ...bookmark, type: "MODIFIED" };
  const { feed, isPatient } = await followed([
    [[change], 150_000],
    [[], 1],
  ]);
  assert.deepEqual(feed, ["page", "listed", "stored"]);
  assert.deepEqual(isPatient, [false, true]);
});

test("only a watch that ends within a second and without an event is a fault", async () => {
  const { feed } = await followed([
    [[], 999, "ends"],
    [[], 1000, "ends"],
    [[{ ...bookmark, type: "ADDED" }], 0, "ends"],
    [[bookmark], 0, "ends"],
    [[], 0, "ends"],
    [[{ ...bookmark, type: "DELETED" }], 0, "ends"],
  ]);
  assert.deepEqual(feed, ["page", "listed", "ended at once", "stored", "progress", "ended at once", "removed"]);
});

test("events, for which kube-apiserver sends no bookmarks, are waited for longer from the first watch on", async () => {
  const eventsOfGroup = { ...events, group: "events.k8s.io" };
  for (const type of [events, eventsOfGroup]) assert.deepEqual((await followed([[[], 1]], type)).isPatient, [true]);
});

const refused = (code: number, reason: string): ApiRefusedError =>
  new ApiRefusedError(refusalOf({ code, reason, message: reason }));
const gone = refused(410, "Expired");
const absent = refused(404, "NotFound");
const forbidden = refused(403, "Forbidden");
const down = new Error("down");
const held = (name: string): ConfigMap => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const modified = (name: string, resourceVersion?: string): WatchEvent => ({
  type: "MODIFIED",
  object: { ...held(name), metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) } },
});

/** Answers in turn: a page, a list of events after which the watch lasts long enough, or an error. The feed ends with the last. */
async function played(
  answers: readonly (
    | Error
    | { readonly items: string; readonly at: string; readonly next?: string }
    | readonly WatchEvent[]
  )[],
  more: { readonly metadataOnly?: boolean; readonly pageSize?: number; readonly hope?: () => Promise<void> } = {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  const ending = new AbortController();
  let now = 0;
  let turn = 0;
  const next = <Kind>(): Kind => {
    const answer = answers[turn++];
    if (turn === answers.length) ending.abort();
    if (answer instanceof Error) throw answer;
    return answer as Kind;
  };
  const client = {
    async page(_type: unknown, scope: unknown, options: object) {
      lines.push(`page ${JSON.stringify([scope, options])}`);
      await Promise.resolve();
      const { items, at, next: continueToken } = next<{ items: string; at: string; next?: string }>();
      const paging = continueToken === undefined ? {} : { continueToken };
      return { items: items.split(" ").map(held), resourceVersion: at, ...paging };
    },
    async *watch(_type: unknown, scope: unknown, { timeoutSeconds = 0, ...options }: WatchOptions) {
      lines.push(`watch ${JSON.stringify([scope, options])} ${timeoutSeconds >= 300 && timeoutSeconds < 600}`);
      await Promise.resolve();
      yield* next<readonly WatchEvent[]>();
      now += 1000;
    },
  } as unknown as KubeClient;
  const sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    lines.push(`waits ${ms}`);
    return more.hope === undefined
      ? Promise.resolve()
      : new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(down)));
  };
  const clock = { now: () => now, monotonic: () => now, sleep } as Clock;
  const options = { clock, entropy: { fraction: () => 0.625 } as Entropy, ...more };
  for await (const event of listAndWatch(client, configMaps, { namespace: "ns" }, options, ending.signal))
    lines.push(
      [
        event.kind,
        ...("items" in event ? [event.items.map(({ metadata }) => metadata.name).join(",")] : []),
        ...("object" in event ? [event.object.metadata.name] : []),
        ...("resourceVersion" in event ? [event.resourceVersion] : []),
        ...("error" in event ? [String(event.error), event.retryMs] : []),
      ].join(" "),
    );
  return lines;
}

const whole = '[{"namespace":"ns"},{"metadataOnly":false,"limit":500}]';
const unpaged = '[{"namespace":"ns"},{"metadataOnly":false}]';
const watchOf = (version: string): string =>
  `watch [{"namespace":"ns"},{"resourceVersion":"${version}","allowBookmarks":true,"metadataOnly":false}] true`;
const listed = { items: "a", at: "7" };

test("pages are asked for with the token of the one before, and the watch begins at the version of the last", async () => {
  assert.deepEqual(
    await played(
      [{ items: "a b", at: "6", next: "more" }, { items: "c", at: "7" }, [modified("d", "8"), modified("e")], []],
      {
        metadataOnly: true,
        pageSize: 2,
      },
    ),
    [
      'page [{"namespace":"ns"},{"metadataOnly":true,"limit":2}]',
      "page a,b",
      'page [{"namespace":"ns"},{"metadataOnly":true,"limit":2,"continueToken":"more"}]',
      "page c",
      "listed 7",
      'watch [{"namespace":"ns"},{"resourceVersion":"7","allowBookmarks":true,"metadataOnly":true}] true',
      "stored d",
      "stored e",
      'watch [{"namespace":"ns"},{"resourceVersion":"8","allowBookmarks":true,"metadataOnly":true}] true',
    ],
  );
});

test("a version that expired is listed anew at once, later ones with a wait, and whole where a page expired", async () => {
  assert.deepEqual(
    await played([
      listed,
      gone,
      { items: "a", at: "8", next: "more" },
      gone,
      listed,
      gone,
      listed,
      [modified("b")],
      gone,
      listed,
      [],
    ]),
    [
      `page ${whole}`,
      "page a",
      "listed 7",
      watchOf("7"),
      "restarted",
      `page ${whole}`,
      "page a",
      `page ${whole.replace("500", '500,"continueToken":"more"')}`,
      "restarted",
      "interrupted ApiRefusedError: Expired 900",
      "waits 900",
      `page ${unpaged}`,
      "page a",
      "listed 7",
      watchOf("7"),
      "restarted",
      "interrupted ApiRefusedError: Expired 1800",
      "waits 1800",
      `page ${whole}`,
      "page a",
      "listed 7",
      watchOf("7"),
      "stored b",
      watchOf("7"),
      "restarted",
      `page ${whole}`,
      "page a",
      "listed 7",
      watchOf("7"),
    ],
  );
});

test("a type that is not served, a list that fails and a watch that is forbidden are listed again, a watch that fails goes on", async () => {
  assert.deepEqual(await played([absent, down, listed, down, forbidden, listed, absent, listed, []]), [
    `page ${whole}`,
    "unserved",
    "waits 900",
    `page ${whole}`,
    "restarted",
    "interrupted Error: down 1800",
    "waits 1800",
    `page ${whole}`,
    "page a",
    "listed 7",
    watchOf("7"),
    "interrupted Error: down 3600",
    "waits 3600",
    watchOf("7"),
    "restarted",
    "interrupted ApiRefusedError: Forbidden 7200",
    "waits 7200",
    `page ${whole}`,
    "page a",
    "listed 7",
    watchOf("7"),
    "unserved",
    "waits 14400",
    `page ${whole}`,
    "page a",
    "listed 7",
    watchOf("7"),
  ]);
});

test("a wait grows up to half a minute, ends early when there is hope, and begins small after a watch that lasted", async () => {
  const failures = [down, down, down, down, down, down, down];
  const waits = async (answers: Parameters<typeof played>[0], hope?: () => Promise<void>): Promise<readonly string[]> =>
    (await played(answers, hope === undefined ? {} : { hope })).filter((line) => line.startsWith("waits"));
  assert.deepEqual(await waits([listed, ...failures, [], down, []]), [
    "waits 900",
    "waits 1800",
    "waits 3600",
    "waits 7200",
    "waits 14400",
    "waits 28800",
    "waits 33750",
    "waits 900",
  ]);
  assert.deepEqual(await waits([listed, down, down, []], () => Promise.resolve()), ["waits 900", "waits 1800"]);
});
