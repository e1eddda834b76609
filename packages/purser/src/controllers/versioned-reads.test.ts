import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { Reduction } from "@purser/kubernetes/kube/informer-cache";
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
    const reads = memory.during(reader, {
      versionOf: () => version,
      versionsIn: () => version,
      reduced: () => undefined,
    });
    await reads.get(serviceAccounts, key);
    await reads.list(serviceAccounts, { namespace: "ns" });
    seen.push(requests / 2);
  }
  return seen;
}

test("an answer is kept while its version is the same, and asked for again for another one", async () => {
  assert.deepEqual(await requestsAfter(["1", "1", "2", "2", "absent", "absent", "1"]), [1, 1, 2, 2, 3, 3, 4]);
});

test("an object that informers do not show yet is not kept: it would come back when it is deleted", async () => {
  const memory = new VersionedReads();
  const made = { ...account, metadata: { ...account.metadata, uid: "u" } };
  const answers: unknown[] = [];
  const pass = async (version: string, versions: string, live: readonly KubeObject[]): Promise<void> => {
    const reader = {
      get: () => Promise.resolve(live[0]),
      list: () => Promise.resolve(live),
    } as unknown as ObjectReader;
    const reads = memory.during(reader, {
      versionOf: () => version,
      versionsIn: () => versions,
      reduced: () => undefined,
    });
    const found = await reads.get(serviceAccounts, key);
    answers.push([found, await reads.list(serviceAccounts, { namespace: "ns" })]);
  };
  await pass("absent", "other 1", [made]);
  await pass("absent", "other 1", []);
  assert.deepEqual(answers, [
    [made, [made]],
    [undefined, []],
  ]);
});

test("without a version every read is a request, and what was kept before is not trusted", async () => {
  assert.deepEqual(await requestsAfter([undefined, undefined, "1", undefined, "1"]), [1, 2, 3, 4, 5]);
});

test("what the cache holds is read from it and asks for no watch", async () => {
  assert.deepEqual(await requestsAfter(["held", "held"]), [1, 2]);
  const reader = { get: () => Promise.resolve(account), list: () => Promise.resolve([]) } as unknown as ObjectReader;
  const watched = async (version: string | undefined): Promise<readonly string[]> => {
    const reads = new VersionedReads().during(reader, {
      versionOf: () => version,
      versionsIn: () => version,
      reduced: () => undefined,
    });
    await reads.get(serviceAccounts, key);
    return reads.toWatch.map(({ plural }) => plural);
  };
  assert.deepEqual(await watched("held"), []);
  assert.deepEqual(await watched(undefined), ["serviceaccounts"]);
  assert.deepEqual(await watched("absent"), ["serviceaccounts"]);
});

const withoutLabels: Reduction = {
  name: "no labels",
  reduce: ({ metadata: { labels: _labels, ...metadata }, ...object }) => ({ ...object, metadata }),
};

test("a kept object is reduced", async () => {
  const memory = new VersionedReads(withoutLabels);
  const reader = { get: () => Promise.resolve(account) } as unknown as ObjectReader;
  const reads = memory.during(reader, { versionOf: () => "1", versionsIn: () => "1", reduced: () => undefined });
  assert.deepEqual((await reads.get(serviceAccounts, key))?.metadata, key);
});

test("what an informer shows reduced is not asked for, also where another informer knows its version, and asks for no watch", async () => {
  const shown = withoutLabels.reduce(account);
  const reader = { get: () => Promise.reject(new Error("asked")) } as unknown as ObjectReader;
  const reads = new VersionedReads(withoutLabels).during(reader, {
    versionOf: () => "2",
    versionsIn: () => "2",
    reduced: (_type, asked, { name }) => (asked.name === key.name && name === withoutLabels.name ? shown : undefined),
  });
  assert.equal(await reads.get(serviceAccounts, key), shown);
  assert.deepEqual(reads.toWatch, []);
  await assert.rejects(reads.get(serviceAccounts, { ...key, name: "b" }), /asked/);
});
