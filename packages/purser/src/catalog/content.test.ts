import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bundleKey,
  type ContentState,
  isLocalStandIn,
  localCatalogReference,
  problemOf,
  problemText,
  sourceKey,
  sourceOfImage,
} from "./content.ts";

const digest = `sha256:${"a".repeat(64)}`;

test("an image reference below local.purser.dev stands for a directory of this process, with the content that its digest names", () => {
  const reference = localCatalogReference("acme");
  assert.equal(reference, "local.purser.dev/catalogs/acme:latest");
  const rows: readonly (readonly [reference: string, source: object, isStandIn: boolean])[] = [
    [reference, { kind: "directory", name: "acme" }, true],
    ["local.purser.dev/catalogs/acme", { kind: "directory", name: "acme" }, true],
    [`${reference}@${digest}`, { kind: "directory", name: "acme", digest }, true],
    [`local.purser.dev/catalogs/acme@${digest}`, { kind: "directory", name: "acme", digest }, true],
    ["local.purser.dev/catalogs/acme:v1", { kind: "image", reference: "local.purser.dev/catalogs/acme:v1" }, true],
    ["local.purser.dev/catalogs/a/b", { kind: "image", reference: "local.purser.dev/catalogs/a/b" }, true],
    [`${reference}@sha256:aa`, { kind: "image", reference: `${reference}@sha256:aa` }, true],
    ["local.purser.development/x", { kind: "image", reference: "local.purser.development/x" }, false],
    ["quay.io/acme:latest", { kind: "image", reference: "quay.io/acme:latest" }, false],
  ];
  for (const [text, source, isStandIn] of rows)
    assert.deepEqual([sourceOfImage(text), isLocalStandIn(text)], [source, isStandIn], text);
});

test("requests for one source have one key", () => {
  const keys = [
    sourceKey({ kind: "directory", name: "acme" }),
    sourceKey({ kind: "directory", name: "acme", digest } as never),
    sourceKey({ kind: "image", reference: "quay.io/a:1" }),
    sourceKey({ kind: "image", reference: "quay.io/a:1", directory: "/d" } as never),
    sourceKey({ kind: "address", address: "a:50051" } as never),
    sourceKey({ kind: "configMap", namespace: "ns", name: "cm" } as never),
    bundleKey({ reference: "quay.io/b:1", packageName: "kiln", version: "1.0.0", credentials: [], policy: [] }),
  ];
  assert.deepEqual(keys, [
    "directory acme",
    "directory acme",
    "image quay.io/a:1",
    "image quay.io/a:1 /d",
    "address a:50051",
    "configMap ns/cm",
    "kiln 1.0.0 quay.io/b:1",
  ]);
});

test("a problem is one of failing or refused content, as two sentences unless the remedy is a command", () => {
  const problem = { cause: "it fails", remedy: "wait" };
  const states = [
    { kind: "pending", since: 0 },
    { kind: "ready", digest },
    { kind: "failing", ...problem },
    { kind: "refused", ...problem },
  ] as unknown as readonly ContentState[];
  assert.deepEqual(
    states.map((state) => problemOf(state)?.cause),
    [undefined, undefined, "it fails", "it fails"],
  );
  const rows = [
    ["it fails", "wait for it", "it fails. Wait for it"],
    ["it fails!", "wait", "it fails! Wait"],
    ["does it?", "wait", "does it? Wait"],
    ["it fails.", "purser doctor", "it fails. purser doctor"],
    ["it fails", "kubectl get pods", "it fails. kubectl get pods"],
    ["it fails", "cosign sign", "it fails. cosign sign"],
    ["it fails", "purserly", "it fails. Purserly"],
  ] as const;
  for (const [cause, remedy, text] of rows) assert.equal(problemText({ cause, remedy }), text);
});
