import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
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
import { issue } from "./testing/code-signing.ts";
import { bundled, type BundleOptions, type MadeSignature, signed, sourceWith } from "./testing/signed-image.ts";
import { createImageVerifier, type Verdict } from "./verify-image.ts";

let folder = "";
before(() => (folder = mkdtempSync(join(tmpdir(), "purser-bundles-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

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
  const file = join(folder, "policy.json");
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
    /: a bundle: its statement is not one of in-toto$/,
  ],
  [
    "a statement with a member given twice",
    () => ({
      bundles: [bundled(digest, own.privateKey, { statement: (text) => text.replace("{", `{"subject":[],`) })],
    }),
    /: a bundle: its statement is not one JSON object$/,
  ],
  [
    "a statement about nothing",
    () => ({
      bundles: [bundled(digest, own.privateKey, { statement: (text) => text.replace('"sha256"', '"sha512"') })],
    }),
    /: a bundle: its statement does not name its subjects by their sha256 digests$/,
  ],
  ["something else", () => ({ bundles: [Buffer.from("<html>")] }), /: a bundle: its bundle is not one of Sigstore$/],
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
    /: its bundle holds no entry of a transparency log whose time the log has signed$/,
  ],
  [
    "an entry whose time the log has not signed",
    () => ({
      policy: { ...ownKey, ...logKey, ...anyName },
      bundles: [bundled(digest, own.privateKey, { logged: logged(), entry: { inclusionPromise: undefined } })],
    }),
    /: its bundle holds no entry of a transparency log whose time the log has signed$/,
  ],
  [
    "an entry without a time",
    () => ({
      policy: { ...ownKey, ...logKey, ...anyName },
      bundles: [bundled(digest, own.privateKey, { logged: logged(), entry: { integratedTime: "0" } })],
    }),
    /: its bundle holds no entry of a transparency log whose time the log has signed$/,
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
    /: a bundle: its bundle is not one of Sigstore$/,
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
    /: the entry of the log is about another key$/,
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
    /: the entry of the log is about another certificate$/,
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
for (const [given, world, why] of cases)
  test(`${given}: ${why === undefined ? "accepted" : "refused"}`, async () => {
    const verdict = await verify(world());
    if (why === undefined) return assert.ok(verdict.ok, verdict.ok ? "" : verdict.problem.cause);
    assert.ok(!verdict.ok, "accepted");
    assert.equal(verdict.problem.kind, "signature");
    assert.match(verdict.problem.cause, why);
  });

test("referrers that cannot be read now are a problem of the network, not of the policy", async () => {
  const unreachable: ImageProblem = { kind: "unreachable", reference, cause: "no answer", remedy: "wait" };
  const source = (made: ImageSource): ImageSource => ({
    ...made,
    sibling: () => ({ ...made, referrers: () => Promise.resolve(failed(unreachable)) }),
  });
  assert.deepEqual(await verify({ bundles: [], source }), failed(unreachable));
});
