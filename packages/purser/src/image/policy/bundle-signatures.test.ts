import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { failed, type Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "../image-problem.ts";
import type { ImageSource } from "../image-source.ts";
import { certificatesIn } from "./certificate-chain.ts";
import { keyFingerprint } from "./found-signature.ts";
import { logId } from "./log-entry.ts";
import { issue } from "./testing/code-signing.ts";
import { bundled, type BundleOptions, type MadeSignature, signed, sourceWith } from "./testing/signed-image.ts";
import type { TiledLog } from "./testing/tiled-log.ts";
import { timestampOf } from "./testing/timestamp-response.ts";
import { createImageVerifier, type Verdict } from "./verify-image.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-bundles-"))));
after(() => rmSync(directory, { recursive: true, force: true }));

const reference = "quay.io/acme/catalog:v1";
const digest = digestOf("the image");
const at = 1_700_000_000;
const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const [own, other, log, otherLog] = [pair(), pair(), pair(), pair()];
const pemOf = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
const data = (text: string): string => Buffer.from(text).toString("base64");
const anyName = { signedIdentity: { type: "matchDigest" } };
const ownKey = { keyData: data(pemOf(own.publicKey)) };
const logKey = { rekorPublicKeyData: data(pemOf(log.publicKey)) };
const root = issue({ name: "root", authority: true, from: at - 1e6, to: at + 1e6 });
const jane = { name: "jane", email: "jane@example.com", oidcIssuer: "https://accounts.example.com" };
const leaf = issue({ ...jane, issuer: root, from: at - 60, to: at + 540 });
const [leafBytes = Buffer.alloc(0)] = certificatesIn(leaf.pem);
const fulcio = {
  fulcio: { caData: data(root.pem), oidcIssuer: jane.oidcIssuer, subjectEmail: jane.email },
  ...logKey,
};

interface World {
  readonly policy?: object;
  readonly bundles: readonly Uint8Array[];
  readonly by?: "api" | "tag";
  readonly simple?: readonly MadeSignature[];
  readonly name?: string;
  readonly source?: (made: ImageSource) => ImageSource;
}

async function verify({ policy = { ...ownKey, ...anyName }, ...world }: World): Promise<Result<Verdict, ImageProblem>> {
  const file = join(directory, "policy.json");
  writeFileSync(file, JSON.stringify({ default: [{ type: "sigstoreSigned", ...policy }] }));
  const name = world.name ?? reference;
  const made = sourceWith(name, digest, world.simple ?? [], { bundles: world.bundles, by: world.by ?? "api" });
  const source = world.source?.(made) ?? made;
  const request = { reference: name, policy: [] };
  return createImageVerifier({ policyFiles: [file] })({ request, digest, source }, new AbortController().signal);
}

const logged = (signer = pemOf(own.publicKey), changes: object = {}): NonNullable<BundleOptions["logged"]> => ({
  log,
  at,
  signer,
  ...changes,
});
const certified = (options: BundleOptions = {}): Uint8Array =>
  bundled(digest, leaf.privateKey, { certificate: leafBytes, logged: logged(leaf.pem), ...options });
/** Signed by a certificate, with an entry of Rekor 2 alone. */
const certifiedInTiles = (options: BundleOptions = {}): Uint8Array =>
  bundled(digest, leaf.privateKey, { certificate: leafBytes, tiled: { log: rekor, signer: leaf.pem }, ...options });
const timestamping = "1.3.6.1.5.5.7.3.8";
const authority = issue({ name: "clock", usage: timestamping, issuer: root, from: at - 1e5, to: at + 1e5 });
const otherAuthority = issue({ name: "clock", usage: timestamping, issuer: root, from: at - 1e5, to: at + 1e5 });
/** A keyless signature with an entry of Rekor 2 and these timestamps, for a policy that names the authority of timestamps. */
const stamped = (made: NonNullable<BundleOptions["timestamps"]>, policy: object = {}): World => ({
  policy: { ...fulcio, ...rekorKey, timestampAuthorityData: data(authority.pem + root.pem), ...anyName, ...policy },
  bundles: [certifiedInTiles({ timestamps: made })],
});
const timestamp = (of: Uint8Array, changes: Partial<Parameters<typeof timestampOf>[1]> = {}): Uint8Array =>
  timestampOf(of, { authority, issuer: root, at, ...changes });

for (const by of ["api", "tag"] as const)
  test(`an image that cosign 3 signed with a key is accepted, found by the ${by === "api" ? "referrers API" : "tag that stands in for it"}`, async () => {
    const verdict = await verify({ bundles: [bundled(digest, own.privateKey)], by });
    assert.ok(verdict.ok, verdict.ok ? "" : verdict.problem.cause);
    assert.deepEqual(verdict.value.signer, { kind: "key", fingerprint: keyFingerprint(own.publicKey) });
  });

test("a keyless bundle is accepted, and the verdict names its subject", async () => {
  const verdict = await verify({ policy: { ...fulcio, ...anyName }, bundles: [certified()] });
  assert.ok(verdict.ok, verdict.ok ? "" : verdict.problem.cause);
  assert.deepEqual(verdict.value.signer, {
    kind: "certificate",
    subject: "email:jane@example.com",
    oidcIssuer: jane.oidcIssuer,
  });
});

test("a bundle counts beside signatures of cosign 2 that are of no use, and they beside it", async () => {
  const claim = { digest, reference };
  const foreign = signed(claim, other.privateKey);
  assert.ok((await verify({ simple: [foreign], bundles: [bundled(digest, own.privateKey)] })).ok);
  const good = signed(claim, own.privateKey);
  assert.ok((await verify({ simple: [good], bundles: [bundled(digest, other.privateKey)] })).ok);
});

const replaced = (from: string, to: string) => ({
  tampered: (bytes: Buffer) => Buffer.from(bytes.toString().replace(from, to)),
});
const cases: readonly (readonly [given: string, world: () => World, why: RegExp | undefined])[] = [
  [
    "a bundle by another key",
    () => ({ bundles: [bundled(digest, other.privateKey)] }),
    /: an unnamed key: no key of the policy has signed it$/,
  ],
  [
    "a bundle of another image",
    () => ({ bundles: [bundled(digestOf("x"), own.privateKey)] }),
    new RegExp(`: it is for ${digestOf("x")}$`),
  ],
  [
    "a statement that was changed after it was signed",
    () => ({
      bundles: [bundled(digestOf("x"), own.privateKey, replaced(digestOf("x").slice(7), digest.slice(7)))],
    }),
    /no key of the policy has signed it$/,
  ],
  [
    "a policy that asks for the name of the image",
    () => ({ policy: ownKey, bundles: [bundled(digest, own.privateKey)] }),
    /: it names no image, only the digest, as cosign 3 signs; accept that with signedIdentity \{"type": "matchDigest"\}$/,
  ],
  [
    "a policy that asks for the repository of the image",
    () => ({
      policy: { ...ownKey, signedIdentity: { type: "matchRepository" } },
      bundles: [bundled(digest, own.privateKey)],
    }),
    /: it names no image, only the digest/,
  ],
  [
    "a policy that asks for an exact repository",
    () => ({
      policy: { ...ownKey, signedIdentity: { type: "exactRepository", dockerRepository: "quay.io/acme/catalog" } },
      bundles: [bundled(digest, own.privateKey)],
    }),
    /: it names no image, only the digest/,
  ],
  [
    "an attestation of another predicate",
    () => ({ bundles: [bundled(digest, own.privateKey, { predicateType: "https://slsa.dev/provenance/v1" })] }),
    /: it has no signature$/,
  ],
  [
    "a statement that is none of in-toto",
    () => ({ bundles: [bundled(digest, own.privateKey, { statement: (text) => text.replace("in-toto.io", "x.io") })] }),
    /: a bundle: its statement is not an in-toto statement$/,
  ],
  [
    "a statement with a member given twice",
    () => ({
      bundles: [bundled(digest, own.privateKey, { statement: (text) => text.replace("{", `{"subject":[],`) })],
    }),
    /: a bundle: its statement is not a JSON object$/,
  ],
  [
    "a statement about nothing",
    () => ({
      bundles: [bundled(digest, own.privateKey, { statement: (text) => text.replace('"sha256"', '"sha512"') })],
    }),
    /: a bundle: its statement does not name its subjects by their sha256 digests$/,
  ],
  ["something else", () => ({ bundles: [Buffer.from("<html>")] }), /: a bundle: its bundle is not a Sigstore bundle$/],
  [
    "more than 256 KiB",
    () => ({ bundles: [bundled(digest, own.privateKey, { statement: (text) => text + " ".repeat(200_000) })] }),
    /: it has no signature$/,
  ],
  [
    "an entry of the log that the policy asks for",
    () => ({
      policy: { ...ownKey, ...logKey, ...anyName },
      bundles: [bundled(digest, own.privateKey, { logged: logged() })],
    }),
    undefined,
  ],
  [
    "no entry of a log where the policy asks for one",
    () => ({ policy: { ...ownKey, ...logKey, ...anyName }, bundles: [bundled(digest, own.privateKey)] }),
    /: its bundle holds no entry of a transparency log that can be verified$/,
  ],
  [
    "an entry whose time the log has not signed",
    () => ({
      policy: { ...ownKey, ...logKey, ...anyName },
      bundles: [bundled(digest, own.privateKey, { logged: logged(), entry: { inclusionPromise: undefined } })],
    }),
    /: its bundle holds no entry of a transparency log that can be verified$/,
  ],
  [
    "an entry without a time",
    () => ({
      policy: { ...ownKey, ...logKey, ...anyName },
      bundles: [bundled(digest, own.privateKey, { logged: logged(), entry: { integratedTime: "0" } })],
    }),
    /: its bundle holds no entry of a transparency log that can be verified$/,
  ],
  [
    "two signatures in one bundle",
    () => {
      const made = JSON.parse(new TextDecoder().decode(bundled(digest, own.privateKey))) as {
        dsseEnvelope: { signatures: object[] };
      };
      made.dsseEnvelope.signatures.push(...made.dsseEnvelope.signatures);
      return { bundles: [Buffer.from(JSON.stringify(made))] };
    },
    /: a bundle: its bundle is not a Sigstore bundle$/,
  ],
  [
    "an entry of another log",
    () => ({
      policy: { ...ownKey, ...logKey, ...anyName },
      bundles: [bundled(digest, own.privateKey, { logged: logged(undefined, { log: otherLog }) })],
    }),
    /inclusion promise could not be verified$/,
  ],
  [
    "an entry about another key",
    () => ({
      policy: { ...ownKey, ...logKey, ...anyName },
      bundles: [bundled(digest, own.privateKey, { logged: logged(pemOf(other.publicKey)) })],
    }),
    /: the log entry is for another key$/,
  ],
  [
    "an entry about another statement",
    () => {
      const foreign = JSON.parse(
        new TextDecoder().decode(bundled(digestOf("x"), own.privateKey, { logged: logged() })),
      ) as { verificationMaterial: { tlogEntries: [object] } };
      const [entry] = foreign.verificationMaterial.tlogEntries;
      return {
        policy: { ...ownKey, ...logKey, ...anyName },
        bundles: [bundled(digest, own.privateKey, { logged: logged(), entry })],
      };
    },
    /tlog entry signature mismatch$/,
  ],
  [
    "a keyless bundle for a policy of keys",
    () => ({ bundles: [certified()] }),
    /: certificate of email:jane@example\.com: no key of the policy has signed it$/,
  ],
  [
    "a bundle by a key for a keyless policy",
    () => ({ policy: { ...fulcio, ...anyName }, bundles: [bundled(digest, own.privateKey, { logged: logged() })] }),
    /: its bundle holds no certificate$/,
  ],
  [
    "an entry about another certificate",
    () => {
      const foreign = issue({ ...jane, issuer: root, from: at - 60, to: at + 540 });
      return { policy: { ...fulcio, ...anyName }, bundles: [certified({ logged: logged(foreign.pem) })] };
    },
    /: the log entry is for another certificate$/,
  ],
  [
    "a certificate that was not yet valid when the log recorded it",
    () => ({
      policy: { ...fulcio, ...anyName },
      bundles: [certified({ logged: logged(leaf.pem, { at: at - 3600 }) })],
    }),
    /its certificate was not valid at /,
  ],
  [
    "a layout, whose images have no repository, under matchDigest",
    () => ({ name: "oci:/srv/layout:v1", bundles: [bundled(digest, own.privateKey)] }),
    undefined,
  ],
];

const [rekor, otherRekor] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const rekorKey = { rekorPublicKeyData: data(pemOf(rekor.publicKey)) };
const tiled = (changes: Partial<TiledLog> = {}, options: BundleOptions = {}): World => ({
  policy: { ...ownKey, ...rekorKey, ...anyName },
  bundles: [
    bundled(digest, own.privateKey, { tiled: { log: rekor, signer: pemOf(own.publicKey), ...changes }, ...options }),
  ],
});
/** The entry of a statement, made anew with these changes. */
const entryOf = (world: World): Readonly<Record<string, unknown>> => {
  const [bundle] = world.bundles;
  const made = JSON.parse(new TextDecoder().decode(bundle)) as {
    verificationMaterial: { tlogEntries: [Readonly<Record<string, unknown>>] };
  };
  return made.verificationMaterial.tlogEntries[0];
};
const proofOf = (world: World, changes: object): BundleOptions => ({
  entry: { inclusionProof: { ...(entryOf(world)["inclusionProof"] as object), ...changes } },
});
const unverifiable = /: an unnamed key: its bundle holds no entry of a transparency log that can be verified$/;
const tiledCases: typeof cases = [
  ["a DSSE entry", () => tiled(), undefined],
  ["an entry of the digest alone", () => tiled({ kind: "hashedrekord" }), undefined],
  ["the first entry of a log", () => tiled({ index: 0, size: 1 }), undefined],
  ["the last entry of a log", () => tiled({ index: 10, size: 11 }), undefined],
  [
    "an entry of a log with an ECDSA key",
    () => ({ ...tiled({ log }), policy: { ...ownKey, ...logKey, ...anyName } }),
    undefined,
  ],
  [
    "an entry of one of several logs of the policy",
    () => ({
      ...tiled(),
      policy: {
        ...ownKey,
        ...anyName,
        rekorPublicKeyDatas: [log, otherRekor, rekor].map(({ publicKey }) => data(pemOf(publicKey))),
      },
    }),
    undefined,
  ],
  ["an entry of another log", () => tiled({ log: otherRekor }), /: invalid checkpoint signature$/],
  [
    "a checkpoint signed for a log of another name",
    () => tiled({ keyName: "other.example.com" }),
    /invalid checkpoint signature$/,
  ],
  [
    "a checkpoint whose size was changed",
    () => tiled({ signed: (text) => text.replace("\n11\n", "\n12\n") }),
    /invalid checkpoint signature$/,
  ],
  [
    "a checkpoint of another tree",
    () => tiled({ note: (text) => text.replace(/\n[^\n]+\n$/, `\n${Buffer.alloc(32).toString("base64")}\n`) }),
    /calculated root hash does not match inclusion proof$/,
  ],
  [
    "a proof of another place",
    () => tiled({}, proofOf(tiled(), { logIndex: "4" })),
    /calculated root hash does not match/,
  ],
  ["a proof beyond the log", () => tiled({}, proofOf(tiled(), { logIndex: "11" })), /invalid index: 11$/],
  ["a proof that is too short", () => tiled({}, proofOf(tiled(), { hashes: [] })), /invalid hash count$/],
  [
    "an entry about another key",
    () => tiled({ signer: pemOf(other.publicKey) }),
    /: the log entry is for another key$/,
  ],
  [
    "an entry about another payload",
    () => tiled({ body: (text) => text.replace(/"digest":"[^"]{4}/, '"digest":"AAAA') }),
    /DSSE payload hash mismatch$/,
  ],
  [
    "an entry about the digest of another payload",
    () => tiled({ kind: "hashedrekord", body: (text) => text.replace(/"digest":"[^"]{4}/, '"digest":"AAAA') }),
    /digest mismatch$/,
  ],
  [
    "an entry about another signature",
    () => tiled({ body: (text) => text.replace(/"content":"[^"]{8}/, '"content":"AAAAAAAA') }),
    /signature mismatch$/,
  ],
  [
    "an entry of another version than it says",
    () => tiled({ body: (text) => text.replace('"0.0.2"', '"0.0.1"') }),
    /kind\/version mismatch/,
  ],
  ["an entry with two signatures", () => tiled({ body: (text) => text.replace("]}", ",{}]}") }), unverifiable],
  ["an entry without a checkpoint", () => tiled({ signed: () => "" }), unverifiable],
  ["a checkpoint without a size", () => tiled({ signed: (text) => text.replace("\n11\n", "\nmany\n") }), unverifiable],
  [
    "a size of a million digits",
    () => tiled({ signed: (text) => text.replace("\n11\n", `\n${"9".repeat(100_000)}\n`) }),
    unverifiable,
  ],
  ["a place of a million digits", () => tiled({}, proofOf(tiled(), { logIndex: "9".repeat(100_000) })), unverifiable],
  [
    "an entry that names neither key nor certificate",
    () => tiled({ body: (text) => text.replace("publicKey", "key") }),
    unverifiable,
  ],
  [
    "a time that nobody has signed in an entry of Rekor 2",
    () => tiled({}, { entry: { integratedTime: String(at) } }),
    undefined,
  ],
  [
    "a time in an entry of Rekor 2 for a keyless signature",
    () => ({
      policy: { ...fulcio, ...rekorKey, ...anyName },
      bundles: [certifiedInTiles({ entry: { integratedTime: String(at) } })],
    }),
    /: its log entry is of Rekor 2, which does not sign a time, and the policy names no timestampAuthorityPath: the certificate cannot be checked$/,
  ],
  ["a keyless signature with an entry of Rekor 2 and a timestamp", () => stamped((of) => [timestamp(of)]), undefined],
  [
    "a timestamp of the second authority of the policy",
    () =>
      stamped((of) => [timestamp(of)], {
        timestampAuthorityData: undefined,
        timestampAuthorityDatas: [otherAuthority, authority].map(({ pem }) => data(pem + root.pem)),
      }),
    undefined,
  ],
  [
    "a timestamp of the policy's authority behind one of another",
    () => stamped((of) => [timestamp(of, { authority: otherAuthority }), timestamp(of)]),
    undefined,
  ],
  [
    "a timestamp of another authority",
    () => stamped((of) => [timestamp(of, { authority: otherAuthority })]),
    /: timestamp could not be verified$/,
  ],
  [
    "a timestamp that another key has signed in the name of the authority",
    () => stamped((of) => [timestamp(of, { authority: { ...otherAuthority, serial: authority.serial } })]),
    /: timestamp could not be verified$/,
  ],
  [
    "a timestamp of another signature",
    () => stamped(() => [timestamp(Buffer.from("another"))]),
    /: timestamp could not be verified$/,
  ],
  [
    "a timestamp from before the certificate was valid",
    () => stamped((of) => [timestamp(of, { at: at - 61 })]),
    /: its certificate was not valid at 2023-11-14T22:12:19\.000Z, when the signature was recorded$/,
  ],
  [
    "a timestamp from after the certificate was valid",
    () => stamped((of) => [timestamp(of, { at: at + 541 })]),
    /: its certificate was not valid at 2023-11-14T22:22:21\.000Z, when the signature was recorded$/,
  ],
  [
    "a timestamp from a time when the authority's certificate was not valid",
    () => stamped((of) => [timestamp(of, { at: at - 100_001 })]),
    /: timestamp could not be verified$/,
  ],
  ["a timestamp that is none", () => stamped(() => [Buffer.from("now")]), /: its timestamp cannot be read$/],
  [
    "no timestamp where the log signs no time",
    () => stamped(() => []),
    /: its log entry is of Rekor 2, which does not sign a time, and its bundle holds no timestamp$/,
  ],
  [
    "a timestamp without an entry of a log",
    () => ({
      ...stamped(() => []),
      bundles: [bundled(digest, leaf.privateKey, { certificate: leafBytes, timestamps: (of) => [timestamp(of)] })],
    }),
    /: its bundle holds no entry of a transparency log that can be verified$/,
  ],
  [
    "a certificate for signing code as that of a timestamp authority",
    () => stamped((of) => [timestamp(of)], { timestampAuthorityData: data(leaf.pem + root.pem) }),
    /the text in the policy does not begin with a certificate for timestamps/,
  ],
  [
    "the root as the first certificate of a timestamp authority",
    () => stamped((of) => [timestamp(of)], { timestampAuthorityData: data(root.pem + authority.pem) }),
    /the text in the policy does not begin with a certificate for timestamps: that of the authority comes first, then those above it$/,
  ],
  [
    "an entry of Rekor 2 beside one with a signed time for a keyless signature",
    () => ({
      policy: { ...fulcio, ...anyName },
      bundles: [certified({ tiled: { log: rekor, signer: leaf.pem } })],
    }),
    undefined,
  ],
  [
    "an RSA key as that of a log",
    () => ({
      ...tiled(),
      policy: {
        ...ownKey,
        ...anyName,
        rekorPublicKeyData: data(pemOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey)),
      },
    }),
    /the key in the policy is a key of type rsa; EC and Ed25519 keys are supported here$/,
  ],
];
for (const [given, world, why] of [...cases, ...tiledCases])
  test(`${given}: ${why === undefined ? "accepted" : "refused"}`, async () => {
    const verdict = await verify(world());
    if (why === undefined) return assert.ok(verdict.ok, verdict.ok ? "" : verdict.problem.cause);
    assert.ok(!verdict.ok, "accepted");
    assert.match(verdict.problem.cause, why);
    assert.equal(verdict.problem.kind, /cannot be applied/.test(verdict.problem.cause) ? "configuration" : "signature");
  });

test("the id of the public log of Rekor 2 is the one that Sigstore publishes", () => {
  const key = "MCowBQYDK2VwAyEAt8rlp1knGwjfbcXAYPYAkn0XiLz1x8O4t0YkEhie244=";
  const publicKey = createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
  const id = logId(publicKey, "log2025-1.rekor.sigstore.dev").toString("base64");
  assert.equal(id, "zxGZFVvd0FEmjR8WrFwMdcAJ9vtaY/QXf44Y1wUeP6A=");
});

test("referrers that cannot be read now are a problem of the network, not of the policy", async () => {
  const unreachable: ImageProblem = { kind: "unreachable", reference, cause: "no answer", remedy: "wait" };
  const source = (made: ImageSource): ImageSource => ({
    ...made,
    sibling: () => ({ ...made, referrers: () => Promise.resolve(failed(unreachable)) }),
  });
  assert.deepEqual(await verify({ bundles: [], source }), failed(unreachable));
});
