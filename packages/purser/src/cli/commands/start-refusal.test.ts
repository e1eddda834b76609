import assert from "node:assert/strict";
import { test } from "node:test";
import type { EmbeddedProblem } from "../../engine/embedded.ts";
import { startRefusal } from "./start-refusal.ts";

const address = "127.0.0.1:80";
const storage = (kind: "locked" | "damaged" | "lost" | "unknownFormat" | "unreadable"): EmbeddedProblem => ({
  kind: "storage",
  problem: { kind, file: "/data/cluster.db", message: "line 1 \n  line 2" },
});
const elsewhere = "purser up --data DIR               starts on another directory";

const rows: readonly (readonly [problem: EmbeddedProblem, what: string, ...ways: readonly string[]])[] = [
  [
    { kind: "portTaken", address: "127.0.0.1", port: 7443 },
    "Cannot listen on 127.0.0.1:7443: the port is taken",
    "purser up                  takes a free port when 7443 is taken",
    "purser up --port N         another one",
  ],
  [
    { kind: "portRefused", address: "127.0.0.1", port: 80, message: "permission denied" },
    "Cannot listen on 127.0.0.1:80: permission denied",
    "purser up --port N         another one; those below 1024 need privileges",
  ],
  [
    { kind: "addressRefused", address: "127.0.0.1", message: "no such address" },
    "Cannot listen on 127.0.0.1: no such address",
    "make this address available, and start again",
  ],
  [
    { kind: "metricsAddress", address, message: "permission denied" },
    "Cannot serve metrics on 127.0.0.1:80: permission denied",
    "--metrics-address HOST:PORT   serves them at another address",
  ],
  [
    { kind: "packageAddress", address, message: "permission denied" },
    "Cannot serve PackageManifests on 127.0.0.1:80: permission denied",
    "--package-api-address HOST:PORT   serves them at another address",
    "--no-package-api                  does not serve them",
  ],
  [
    { kind: "catalogAddress", address, message: "permission denied" },
    "Cannot serve catalogs on 127.0.0.1:80: permission denied",
    "--catalog-address HOST:PORT   serves them elsewhere",
    "--catalog-address none        serves them nowhere",
  ],
  [
    storage("locked"),
    'Another process uses the data directory "/data"',
    "purser status                      talks to the cluster that runs there",
    "purser up --data DIR               starts a second one elsewhere",
    "purser up --ephemeral              starts one in memory",
  ],
  [
    storage("damaged"),
    'The data file "/data/cluster.db" is damaged: line 1 line 2. It was left as it is',
    elsewhere,
    "purser up --fresh                  forgets the damaged state",
  ],
  [
    storage("lost"),
    'The cluster in "/data" is incomplete: "/data/cluster.db": line 1 line 2. Nothing was changed',
    "put the missing file back, and start again",
    elsewhere,
    "purser up --fresh                  forgets the cluster and starts a new one",
  ],
  [
    storage("unknownFormat"),
    'The data file "/data/cluster.db" was written by a later version of purser: line 1 line 2',
    "use that version, or purser up --data DIR",
  ],
  [storage("unreadable"), 'Cannot use the data file "/data/cluster.db": line 1 line 2', elsewhere],
];

for (const [problem, what, ...ways] of rows)
  test(`purser up does not start: ${what}`, () => assert.deepEqual(startRefusal(problem, "/data"), { what, ways }));
