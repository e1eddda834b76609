import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigMap } from "@purser/kubernetes/apis/core";
import { done, failed } from "@purser/kubernetes/result";
import { olmConfigMap } from "./testing/olm-config-map.ts";
import { readUnpackedConfigMap } from "./unpacked-config-map.ts";

const reference = {
  namespace: "olm",
  name: "abc123",
  catalogSource: { namespace: "olm", name: "cat" },
  replaces: "",
  properties: "",
};
const read = async (
  stored: ConfigMap | undefined,
  namespaces: readonly string[] | undefined = ["ns", "olm"],
  ref = reference,
) => plain(await readUnpackedConfigMap(ref, { get: () => Promise.resolve(stored as never) }, namespaces));
/** Objects that were read have no prototype. */
const plain = (result: unknown): unknown => JSON.parse(JSON.stringify(result));
const problem = (stage: string, why: string) =>
  failed(`error ${stage} unpacked bundle configmap for ref olm/abc123: ${why}; delete the InstallPlan to plan again`);

const csv = { apiVersion: "operators.coreos.com/v1alpha1", kind: "ClusterServiceVersion", metadata: { name: "a.v1" } };
const later = { ...csv, metadata: { name: "z.v1" } };
const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s" } };
const files = {
  "z.json": JSON.stringify(later),
  "b-csv.json": JSON.stringify(csv),
  "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n",
  "list.yaml": "- a\n",
  "broken.yaml": "a: [",
  "text.txt": "plain",
  "kindless.yaml": "a: b\n",
};

test("objects come in the order of keys, packed or not, without what is none; the last CSV counts", async () => {
  const expected = done({ objects: [service, csv, later], csv: later });
  assert.deepEqual(await read(olmConfigMap(files)), expected);
  const { binaryData: _, ...rest } = olmConfigMap({});
  const inData = { ...rest, metadata: { ...rest.metadata, annotations: {} }, data: files };
  assert.deepEqual(await read(inData), expected);
});

test("a packed ConfigMap without content has no objects", async () => {
  const { binaryData: _, ...rest } = olmConfigMap({});
  assert.deepEqual(await read({ ...rest, data: files }), done({ objects: [] }));
});

test("a ConfigMap that does not exist is named with a way out", async () => {
  assert.deepEqual(await read(undefined), problem("finding", 'configmaps "abc123" not found'));
});

test("a ConfigMap that the CatalogSource does not own is refused", async () => {
  const refused = (catalog: string) => problem("finding", `CatalogSource ${catalog} does not own it`);
  const stored = olmConfigMap(files);
  const ownedBy = (owner: object): ConfigMap => ({
    ...stored,
    metadata: { ...stored.metadata, ownerReferences: [{ apiVersion: "v1", kind: "", name: "", uid: "1", ...owner }] },
  });
  const { ownerReferences: _, ...metadata } = stored.metadata;
  assert.deepEqual(await read({ ...stored, metadata }), refused("olm/cat"));
  assert.deepEqual(await read(ownedBy({ kind: "CatalogSource", name: "other" })), refused("olm/cat"));
  assert.deepEqual(await read(ownedBy({ kind: "ConfigMap", name: "cat" })), refused("olm/cat"));
  const elsewhere = { ...reference, catalogSource: { namespace: "ns", name: "cat" } };
  assert.deepEqual(await read(stored, ["ns", "olm"], elsewhere), refused("ns/cat"));
});

test("with --compat=tenant-grants a ConfigMap of any namespace and owner is read", async () => {
  const stored = olmConfigMap({ "a.json": JSON.stringify(service) });
  const { ownerReferences: _, ...metadata } = stored.metadata;
  const ref = { ...reference, namespace: "theirs" };
  assert.deepEqual(
    plain(
      await readUnpackedConfigMap(ref, { get: () => Promise.resolve({ ...stored, metadata } as never) }, undefined),
    ),
    done({ objects: [service] }),
  );
});

test("without --compat=tenant-grants a ConfigMap of another namespace is not looked at", async () => {
  assert.deepEqual(
    await read(olmConfigMap(files), ["ns", "marketplace"]),
    problem("finding", "catalogs for this InstallPlan are in namespaces ns and marketplace only"),
  );
});

test("content that is not packed as announced, or too large unpacked, is refused", async () => {
  const stored = { ...olmConfigMap({}), binaryData: { "a.json": Buffer.from("{}").toString("base64") } };
  const refused = (await read(stored)) as { readonly problem: string };
  assert.match(
    refused.problem,
    /^error loading unpacked bundle configmap for ref olm\/abc123: key a.json is not gzip in base64: /,
  );
  const half = Buffer.alloc(33 * 2 ** 20, " ");
  assert.deepEqual(
    await read(olmConfigMap({ "a.json": half, "b.json": half })),
    problem("loading", "its manifests are larger than 67108864 bytes"),
  );
});
