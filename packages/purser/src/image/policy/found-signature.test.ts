import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { isJsonObject } from "@purser/kubernetes/json";
import { claimedBy, keyFingerprint, logEntryOf, signatureAnnotations } from "./found-signature.ts";
import { signatureLayers, signatureTag } from "./find-signatures.ts";
import { signatureImage } from "./sign-image.ts";
import { payloadMediaType } from "./simple-signing.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const logId = "c".repeat(64);

/** The annotation of a log entry with members replaced; undefined removes one. */
function entry(payload: object = {}, record: object = {}, spec: object = {}, signed: unknown = base64("set")): object {
  const body = {
    kind: "hashedrekord",
    apiVersion: "0.0.1",
    spec: {
      signature: { publicKey: { content: base64("key") } },
      data: { hash: { algorithm: "sha256" } },
      ...spec,
    },
    ...record,
  };
  return {
    SignedEntryTimestamp: signed,
    Payload: { body: base64(JSON.stringify(body)), integratedTime: 5, logIndex: 0, logID: logId, ...payload },
  };
}

const entryOf = (value: object): object | undefined =>
  logEntryOf({ payload: Buffer.of(), annotations: { [signatureAnnotations.logEntry]: JSON.stringify(value) } });

test("a log entry is read with its times, its log and its signer", () => {
  const found = entryOf(entry());
  assert.deepEqual(found, {
    signedTimestamp: Buffer.from("set"),
    body: Buffer.from((entry() as { Payload: { body: string } }).Payload.body, "base64"),
    integratedTime: 5,
    logIndex: 0,
    logId,
    signer: "key",
  });
});

const noEntry: readonly (readonly [title: string, value: object])[] = [
  ["without a signed timestamp", entry({}, {}, {}, null)],
  ["with a timestamp that is not base64", entry({}, {}, {}, "?")],
  ["without a body", entry({ body: undefined })],
  ["without the log", entry({ logID: undefined })],
  ["with a log in capitals", entry({ logID: "C".repeat(64) })],
  ["with a longer log", entry({ logID: `${logId}c` })],
  ["without a time", entry({ integratedTime: undefined })],
  ["with a time that is a text", entry({ integratedTime: "5" })],
  ["with the time 0", entry({ integratedTime: 0 })],
  ["with a time that is no integer", entry({ integratedTime: 1.5 })],
  ["without an index", entry({ logIndex: undefined })],
  ["with a negative index", entry({ logIndex: -1 })],
  ["with an index that is no integer", entry({ logIndex: 0.5 })],
  ["of another kind", entry({}, { kind: "intoto" })],
  ["of another version", entry({}, { apiVersion: "0.0.2" })],
  ["without a signer", entry({}, {}, { signature: {} })],
  ["of another digest", entry({}, {}, { data: { hash: { algorithm: "sha512" } } })],
  ["without a payload", { SignedEntryTimestamp: base64("set") }],
];
for (const [title, value] of noEntry)
  test(`a log entry ${title} is none`, () => assert.equal(entryOf(value), undefined));

test("who claims to have signed is the key that a log has noted, else nobody by name", () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  assert.equal(claimedBy(undefined, pem), `key sha256:${keyFingerprint(publicKey).slice(0, 16)}`);
  assert.equal(claimedBy("no certificate", "no key"), "an unnamed key");
  assert.equal(claimedBy(undefined, undefined), "an unnamed key");
});

const digest = `sha256:${"a".repeat(64)}` as const;
const manifest = (value: unknown): { bytes: Uint8Array; mediaType: string; digest: typeof digest } => ({
  bytes: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  digest,
});

test("of the layers of a manifest those are signatures that have cosign's type, a digest and a size", () => {
  const layer = { mediaType: payloadMediaType, digest, size: 0 };
  const layers = [
    layer,
    { ...layer, size: 7, annotations: { a: "b", c: 1 } },
    { ...layer, annotations: ["a"] },
    { ...layer, mediaType: "text/plain" },
    { ...layer, digest: "sha256:a" },
    { ...layer, digest: 1 },
    { ...layer, size: -1 },
    { ...layer, size: 0.5 },
    { ...layer, size: "1" },
    1,
  ];
  assert.deepEqual(signatureLayers(manifest({ layers })), {
    ok: true,
    value: [
      { digest, size: 0, annotations: {} },
      { digest, size: 7, annotations: { a: "b" } },
      { digest, size: 0, annotations: {} },
    ],
  });
  for (const other of ["{", [], {}, { layers: {} }])
    assert.deepEqual(signatureLayers(manifest(other)), { ok: false, problem: "it is not an image manifest" });
  assert.equal(signatureTag(digest), `sha256-${"a".repeat(64)}.sig`);
});

test("a key signs a claim once; another key adds its signature to those that exist", () => {
  const [one, other] = [1, 2].map(() => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
  assert.ok(one && other);
  const claim = { reference: "r.io/a", digest };
  const signed = (key: typeof one, existing?: Parameters<typeof signatureImage>[2]) => {
    const image = signatureImage(key, claim, existing);
    return image.ok ? image.value : assert.fail(image.problem);
  };
  const first = signed(one);
  assert.ok(first);
  const held = manifest(Buffer.from(first.manifest.bytes).toString());
  assert.equal(signed(one, held), undefined);
  const both = signed(other, held);
  assert.ok(both);
  const layers = signatureLayers(manifest(Buffer.from(both.manifest.bytes).toString()));
  const before = signatureLayers(held);
  assert.ok(layers.ok && before.ok && layers.value.length === 2);
  assert.deepEqual(layers.value[0], before.value[0]);
  assert.notDeepEqual(layers.value[1], before.value[0]);
  const config: unknown = JSON.parse(Buffer.from(both.blobs[0]?.bytes ?? "").toString());
  assert.ok(isJsonObject(config));
  assert.deepEqual(config, {
    architecture: "",
    os: "",
    config: {},
    rootfs: { type: "layers", diff_ids: layers.value.map((layer) => layer.digest) },
  });
  assert.deepEqual(signatureImage(one, claim, manifest("{")), { ok: false, problem: "it is not an image manifest" });
});
