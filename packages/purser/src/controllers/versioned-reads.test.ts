import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { VersionedReads } from "./versioned-reads.ts";

const key = { namespace: "ns", name: "a" };
const account: KubeObject = { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...key, labels: { a: "b" } } };

/** Reads of passes, each of which sees one of the versions; returns the number of requests after each. */
async function requestsAfter(
  versions: readonly (string | undefined)[],
  memory = new VersionedReads(),
): Promise<readonly number[]> {
  let requests = 0;
  const answer = <Answer>(value: Answer): Promise<Answer> => {
    requests++;
    return Promise.resolve(value);
  };
  const reader = { get: () => answer(account), list: () => answer([account]) } as unknown as ObjectReader;
  const seen: number[] = [];
  for (const version of versions) {
    const reads = memory.during(reader, { versionOf: () => version, versionsIn: () => version });
    await reads.get(serviceAccounts, key);
    await reads.list(serviceAccounts, { namespace: "ns" });
    seen.push(requests / 2);
  }
  return seen;
}

test("an answer is kept while its version is the same, and asked for again for another one", async () => {
  assert.deepEqual(await requestsAfter(["1", "1", "2", "2", "absent", "absent", "1"]), [1, 1, 2, 2, 3, 3, 4]);
});

test("without a version every read is a request, and what was kept before is not trusted", async () => {
  assert.deepEqual(await requestsAfter([undefined, undefined, "1", undefined, "1"]), [1, 2, 3, 4, 5]);
});

test("what the cache holds is read from it and asks for no watch", async () => {
  assert.deepEqual(await requestsAfter(["held", "held"]), [1, 2]);
  const reader = { get: () => Promise.resolve(account), list: () => Promise.resolve([]) } as unknown as ObjectReader;
  const watched = async (version: string | undefined): Promise<readonly string[]> => {
    const reads = new VersionedReads().during(reader, { versionOf: () => version, versionsIn: () => version });
    await reads.get(serviceAccounts, key);
    return reads.toWatch.map(({ plural }) => plural);
  };
  assert.deepEqual(await watched("held"), []);
  assert.deepEqual(await watched(undefined), ["serviceaccounts"]);
  assert.deepEqual(await watched("absent"), ["serviceaccounts"]);
});

test("a kept object is reduced", async () => {
  const memory = new VersionedReads(({ metadata: { labels: _labels, ...metadata }, ...object }) => ({
    ...object,
    metadata,
  }));
  const reader = { get: () => Promise.resolve(account) } as unknown as ObjectReader;
  const reads = memory.during(reader, { versionOf: () => "1", versionsIn: () => "1" });
  assert.deepEqual((await reads.get(serviceAccounts, key))?.metadata, key);
});
