import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Invocation } from "./command.ts";
import { clusterExtensions } from "../apis/olm-resources.ts";
import { waitForInstallation } from "./wait-for.ts";

const extension = {
  metadata: { name: "op", generation: 1 },
  spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "op" } } },
};

/** How a wait for `ext/op` ends when it exists in these looks, the last of which repeats. */
async function wait(until: "ready" | "deleted", looks: readonly boolean[], timeout = "1m"): Promise<string> {
  let look = 0;
  const client = {
    list: (type: unknown) => {
      if (type !== clusterExtensions) return Promise.resolve([]);
      return Promise.resolve(looks[Math.min(look++, looks.length - 1)] === true ? [extension] : []);
    },
  } as unknown as KubeClient;
  const invocation = {
    arguments: [],
    options: { timeout, quiet: true },
    terminal: { err: () => undefined },
    signal: new AbortController().signal,
  } as unknown as Invocation;
  return (await waitForInstallation(invocation, client, "ext/op", until)).kind;
}

test("an installation that is deleted while its readiness is awaited ends the wait", async () =>
  assert.equal(await wait("ready", [false, true, false], "20s"), "deleted"));

test("an installation that has not been seen yet is awaited until the time is over", async () =>
  assert.equal(await wait("ready", [false], "1ms"), "timeout"));

test("the end of an installation that does not exist need not be awaited", async () =>
  assert.equal(await wait("deleted", [false]), "deleted"));

test("the end of an installation that stays is awaited until the time is over", async () =>
  assert.equal(await wait("deleted", [true], "1ms"), "timeout"));
