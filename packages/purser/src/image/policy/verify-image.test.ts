import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { after, before, test } from "node:test";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import fc from "fast-check";
import type { ImageProblem } from "../image-problem.ts";
import type { ImageSource } from "../image-source.ts";
import { certificatesIn } from "./certificate-chain.ts";
import { keyFingerprint, signatureAnnotations } from "./found-signature.ts";
import { policyFiles } from "./policy-file.ts";
import { issue } from "./testing/code-signing.ts";
import { type MadeSignature, signed, sourceWith } from "./testing/signed-image.ts";
import { createImageVerifier, type SignatureQuestion, type Verdict } from "./verify-image.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-policy-"))));
after(() => rmSync(directory, { recursive: true, force: true }));

const reference = "quay.io/acme/catalog:v1";
const digest = digestOf("the image");
const claim = { digest, reference };
const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const pemOf = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
const data = (text: string): string => Buffer.from(text).toString("base64");
const [own, other, log, otherLog] = [pair(), pair(), pair(), pair()];

let policies = 0;
function policyFile(content: object | string): string {
  const file = join(directory, `policy${++policies}.json`);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}
/** A policy with these requirements for the repository and `reject` for all others. */
const forImage = (...requirements: readonly object[]): string =>
  policyFile({ default: [{ type: "reject" }], transports: { docker: { "quay.io/acme": requirements } } });
const keyed = (members: object = {}): object => ({
  type: "sigstoreSigned",
  keyData: data(pemOf(own.publicKey)),
  ...members,
});

interface Asked {
  readonly reference?: string;
  readonly digest?: Digest;
  readonly scopes?: readonly string[];
}
function verify(
  file: string,
  signatures: readonly MadeSignature[],
  asked: Asked = {},
): Promise<Result<Verdict, ImageProblem>> {
  const name = asked.reference ?? reference;
  const wanted = asked.digest ?? digest;
  const source = sourceWith(name, wanted, signatures);
  const verifyImage = createImageVerifier({ policyFiles: [file] });
  const request = { reference: name, policy: asked.scopes ?? [] };
  return verifyImage({ request, digest: wanted, source }, new AbortController().signal);
}
const unsigned = (): SignatureQuestion => ({
  request: { reference, policy: [] },
  digest,
  source: sourceWith(reference, digest, []),
});
async function refusal(file: string, signatures: readonly MadeSignature[], asked?: Asked): Promise<ImageProblem> {
  const verdict = await verify(file, signatures, asked);
  assert.ok(!verdict.ok, "accepted");
  return verdict.problem;
}

test("an image signed by the policy's key is accepted, and the verdict names file, scope and key", async () => {
  const file = forImage(keyed());
  assert.deepEqual(await verify(file, [signed(claim, other.privateKey), signed(claim, own.privateKey)]), {
    ok: true,
    value: {
      policy: file,
      scope: "docker: quay.io/acme",
      signer: { kind: "key", fingerprint: keyFingerprint(own.publicKey) },
    },
  });
});

const tampered = (): MadeSignature => {
  const made = signed(claim, own.privateKey);
  const text = new TextDecoder().decode(made.payload).replace(digest, digestOf("another image"));
  return { ...made, payload: new TextEncoder().encode(text) };
};
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });

const cases: readonly (readonly [
  name: string,
  policy: () => string,
  signatures: () => readonly MadeSignature[],
  why: RegExp | undefined,
])[] = [
  ["no signature", () => forImage(keyed()), () => [], /: it has no signature$/],
  [
    "a signature by another key",
    () => forImage(keyed()),
    () => [signed(claim, other.privateKey)],
    /: an unnamed key: no key of the policy has signed it$/,
  ],
  ["a tampered payload", () => forImage(keyed()), () => [tampered()], /no key of the policy has signed it$/],
  [
    "a signature for another digest",
    () => forImage(keyed()),
    () => [signed({ ...claim, digest: digestOf("x") }, own.privateKey)],
    /: it is for sha256:/,
  ],
  [
    "a signature for another tag",
    () => forImage(keyed()),
    () => [signed({ ...claim, reference: "quay.io/acme/catalog:v2" }, own.privateKey)],
    /: it is for quay\.io\/acme\/catalog:v2, not for quay\.io\/acme\/catalog:v1$/,
  ],
  [
    "a signature without a tag",
    () => forImage(keyed()),
    () => [signed({ ...claim, reference: "quay.io/acme/catalog" }, own.privateKey)],
    /without a tag, as cosign signs; accept that with signedIdentity \{"type": "matchRepository"\}$/,
  ],
  [
    "a signature without a tag under matchRepository",
    () => forImage(keyed({ signedIdentity: { type: "matchRepository" } })),
    () => [signed({ ...claim, reference: "quay.io/acme/catalog" }, own.privateKey)],
    undefined,
  ],
  [
    "one of two keys",
    () => forImage({ type: "sigstoreSigned", keyDatas: [data(pemOf(other.publicKey)), data(pemOf(own.publicKey))] }),
    () => [signed(claim, own.privateKey)],
    undefined,
  ],
  [
    "an RSA key",
    () => forImage({ type: "sigstoreSigned", keyData: data(pemOf(rsa.publicKey)) }),
    () => [signed(claim, rsa.privateKey)],
    undefined,
  ],
  [
    "two requirements and one signer",
    () => forImage(keyed(), keyed({ keyData: data(pemOf(other.publicKey)) })),
    () => [signed(claim, own.privateKey)],
    /no key of the policy has signed it$/,
  ],
  [
    "two requirements and both signers",
    () => forImage(keyed(), keyed({ keyData: data(pemOf(other.publicKey)) })),
    () => [signed(claim, own.privateKey), signed(claim, other.privateKey)],
    undefined,
  ],
  [
    "accept and reject together",
    () => forImage({ type: "insecureAcceptAnything" }, { type: "reject" }),
    () => [],
    /: the policy rejects it$/,
  ],
  [
    "a GPG requirement",
    () => forImage({ type: "signedBy", keyType: "GPGKeys", keyPath: "/k" }),
    () => [],
    /: requirement signedBy is not supported$/,
  ],
  ["insecureAcceptAnything", () => forImage({ type: "insecureAcceptAnything" }), () => [], undefined],
  [
    "a missing signature annotation",
    () => forImage(keyed()),
    () => [{ ...signed(claim, own.privateKey), annotations: {} }],
    /annotation dev\.cosignproject\.cosign\/signature is missing$/,
  ],
  [
    "a log key and no entry",
    () => forImage(keyed({ rekorPublicKeyData: data(pemOf(log.publicKey)) })),
    () => [signed(claim, own.privateKey)],
    /holds no entry of a transparency log$/,
  ],
  [
    "a log key and its entry",
    () => forImage(keyed({ rekorPublicKeyData: data(pemOf(log.publicKey)) })),
    () => [signed(claim, own.privateKey, { log, at: 1_700_000_000, signer: pemOf(own.publicKey) })],
    undefined,
  ],
  [
    "an entry of another log",
    () => forImage(keyed({ rekorPublicKeyData: data(pemOf(log.publicKey)) })),
    () => [signed(claim, own.privateKey, { log: otherLog, at: 1_700_000_000, signer: pemOf(own.publicKey) })],
    /inclusion promise could not be verified$/,
  ],
  [
    "an entry about another key",
    () => forImage(keyed({ rekorPublicKeyData: data(pemOf(log.publicKey)) })),
    () => [signed(claim, own.privateKey, { log, at: 1_700_000_000, signer: pemOf(other.publicKey) })],
    /key sha256:[0-9a-f]{16}: the log entry is for another key$/,
  ],
  [
    "an entry of another signature",
    () => forImage(keyed({ rekorPublicKeyData: data(pemOf(log.publicKey)) })),
    () => {
      const logged = signed(claim, own.privateKey, { log, at: 1_700_000_000, signer: pemOf(own.publicKey) });
      const entry = logged.annotations[signatureAnnotations.logEntry] ?? "";
      return [signed(claim, own.privateKey, undefined, { [signatureAnnotations.logEntry]: entry })];
    },
    /signature mismatch$/,
  ],
];
for (const [name, policy, signatures, why] of cases)
  test(`${name}: ${why === undefined ? "accepted" : "refused"}`, async () => {
    const file = policy();
    const verdict = await verify(file, signatures());
    if (why === undefined) return assert.deepEqual(verdict.ok, true, verdict.ok ? "" : verdict.problem.cause);
    assert.ok(!verdict.ok, "accepted");
    assert.equal(verdict.problem.kind, "signature");
    assert.ok(
      verdict.problem.cause.startsWith(
        `signature policy ${file} (docker: quay.io/acme) does not accept ${reference}: `,
      ),
    );
    assert.match(verdict.problem.cause, why);
  });

const minute = 60;
const at = 1_700_000_000;
const long = { from: at - 1e6, to: at + 1e6 };
const root = issue({ name: "root", authority: true, ...long });
const intermediate = issue({ name: "intermediate", issuer: root, authority: 0, ...long });
const oldRoot = issue({ name: "old", authority: true, from: 1, to: at - 1 });
const foreignRoot = issue({ name: "root", authority: true, ...long });
const jane = {
  name: "jane",
  email: "jane@example.com",
  oidcIssuer: "https://accounts.example.com",
  from: at - minute,
  to: at + 9 * minute,
};
const leafOf = (changes: object = {}) => issue({ ...jane, issuer: root, ...changes });

const keyless = (changes: object = {}): string =>
  forImage({
    type: "sigstoreSigned",
    fulcio: { caData: data(root.pem), oidcIssuer: jane.oidcIssuer, subjectEmail: jane.email, ...changes },
    rekorPublicKeyData: data(pemOf(log.publicKey)),
  });
const certified = (leaf: ReturnType<typeof leafOf>, time = at, chain = "", made = claim): MadeSignature =>
  signed(
    made,
    leaf.privateKey,
    { log, at: time, signer: leaf.pem },
    {
      [signatureAnnotations.certificate]: leaf.pem,
      ...(chain === "" ? {} : { [signatureAnnotations.chain]: chain }),
    },
  );

test("a keyless signature is accepted, years after its certificate expired, and the verdict names its subject", async () => {
  const verdict = await verify(keyless(), [certified(leafOf())]);
  assert.ok(verdict.ok, verdict.ok ? "" : verdict.problem.cause);
  assert.deepEqual(verdict.value.signer, {
    kind: "certificate",
    subject: "email:jane@example.com",
    oidcIssuer: jane.oidcIssuer,
  });
});

const keylessCases: readonly (readonly [
  name: string,
  policy: () => string,
  signature: () => MadeSignature,
  why: RegExp | undefined,
])[] = [
  [
    "an intermediate beside the signature",
    keyless,
    () => certified(leafOf({ issuer: intermediate }), at, intermediate.pem + root.pem),
    undefined,
  ],
  [
    "an intermediate without a root beside",
    keyless,
    () => certified(leafOf({ issuer: intermediate }), at, intermediate.pem),
    undefined,
  ],
  [
    "an intermediate as the policy's authority",
    () => keyless({ caData: data(intermediate.pem) }),
    () => certified(leafOf({ issuer: intermediate })),
    undefined,
  ],
  [
    "a missing intermediate",
    keyless,
    () => certified(leafOf({ issuer: intermediate })),
    /not issued by an authority of the policy/,
  ],
  [
    "a root that only the signature brings",
    keyless,
    () => certified(leafOf({ issuer: foreignRoot }), at, foreignRoot.pem),
    /not issued by an authority of the policy/,
  ],
  [
    "a leaf as an intermediate",
    keyless,
    () => {
      const between = leafOf();
      return certified(leafOf({ issuer: between }), at, between.pem);
    },
    /not issued by an authority of the policy/,
  ],
  [
    "more authorities than the path length allows",
    keyless,
    () => {
      const below = issue({ name: "below", issuer: intermediate, authority: true, ...long });
      return certified(leafOf({ issuer: below }), at, below.pem + intermediate.pem);
    },
    /not issued by an authority of the policy/,
  ],
  ["a self-signed certificate", keyless, () => certified(issue(jane)), /not issued by an authority of the policy/],
  [
    "an authority that had expired",
    () => keyless({ caData: data(oldRoot.pem) }),
    () => certified(leafOf({ issuer: oldRoot })),
    /not issued by an authority of the policy that was valid then$/,
  ],
  [
    "a log time after the certificate",
    keyless,
    () => certified(leafOf(), at + 10 * minute),
    /was not valid at 2023-11-14T22:23:20\.000Z, when the signature was recorded$/,
  ],
  ["a log time before the certificate", keyless, () => certified(leafOf(), at - 2 * minute), /was not valid at /],
  [
    "another e-mail address",
    keyless,
    () => certified(leafOf({ email: "joe@example.com" })),
    /certificate of email:joe@example\.com: its certificate is not for jane@example\.com$/,
  ],
  [
    "another OIDC issuer",
    keyless,
    () => certified(leafOf({ oidcIssuer: "https://other.example.com" })),
    /names the OIDC issuer "https:\/\/other\.example\.com"$/,
  ],
  ["no OIDC issuer", keyless, () => certified(leafOf({ oidcIssuer: undefined })), /names the OIDC issuer ""$/],
  [
    "a certificate for servers",
    keyless,
    () => certified(leafOf({ usage: "1.3.6.1.5.5.7.3.1" })),
    /is not for signing code$/,
  ],
  [
    "another digest",
    keyless,
    () => certified(leafOf(), at, "", { ...claim, digest: digestOf("x") }),
    /it is for sha256:/,
  ],
  [
    "a tampered payload",
    keyless,
    () => ({ ...certified(leafOf()), payload: tampered().payload }),
    /digest mismatch$|verification failed$/,
  ],
  [
    "an entry about another certificate",
    keyless,
    () => {
      const [leaf, another] = [leafOf(), leafOf()];
      return signed(
        claim,
        leaf.privateKey,
        { log, at, signer: another.pem },
        { [signatureAnnotations.certificate]: leaf.pem },
      );
    },
    /the log entry is for another certificate$/,
  ],
  [
    "no certificate",
    keyless,
    () => signed(claim, own.privateKey, { log, at, signer: pemOf(own.publicKey) }),
    /does not hold one certificate$/,
  ],
  [
    "a certificate and no entry",
    keyless,
    () => {
      const leaf = leafOf();
      return signed(claim, leaf.privateKey, undefined, { [signatureAnnotations.certificate]: leaf.pem });
    },
    /holds no entry of a transparency log$/,
  ],
  [
    "a changed log time",
    keyless,
    () => {
      const made = certified(leafOf(), at + 10 * minute);
      const entry = made.annotations[signatureAnnotations.logEntry] ?? "";
      const changed = entry.replace(String(at + 10 * minute), String(at));
      return { ...made, annotations: { ...made.annotations, [signatureAnnotations.logEntry]: changed } };
    },
    /inclusion promise could not be verified$/,
  ],
];
for (const [name, policy, signature, why] of keylessCases)
  test(`keyless, ${name}: ${why === undefined ? "accepted" : "refused"}`, async () => {
    const verdict = await verify(policy(), [signature()]);
    if (why === undefined) return assert.ok(verdict.ok, verdict.ok ? "" : verdict.problem.cause);
    assert.ok(!verdict.ok, "accepted");
    assert.match(verdict.problem.cause, why);
  });

test("the scope of a catalog is asked before that of the registry", async () => {
  const file = policyFile({
    default: [{ type: "reject" }],
    transports: {
      docker: { "quay.io": [{ type: "insecureAcceptAnything" }] },
      purser: { "catalog/acme": [keyed()] },
    },
  });
  assert.equal((await verify(file, [])).ok, true);
  const { cause } = await refusal(file, [], { scopes: ["catalog/acme"] });
  assert.match(cause, /\(purser: catalog\/acme\) does not accept .*: it has no signature$/);
});

test("a signature may be for any tag when the image is named by digest", async () => {
  const file = forImage(keyed());
  const asked = { reference: `quay.io/acme/catalog@${digest}` };
  assert.equal((await verify(file, [signed(claim, own.privateKey)], asked)).ok, true);
});

test("signatures that cannot be read now are a problem of the network, not of the policy", async () => {
  const source = sourceWith(reference, digest, [signed(claim, own.privateKey)]);
  const unreachable: ImageProblem = { kind: "unreachable", reference, cause: "no answer", remedy: "wait" };
  const failing = { ...source, resolve: () => Promise.resolve(failed(unreachable)) };
  const question = { request: { reference, policy: [] }, digest, source: { ...source, sibling: () => failing } };
  const verifyImage = createImageVerifier({ policyFiles: [forImage(keyed())] });
  assert.deepEqual(await verifyImage(question, new AbortController().signal), failed(unreachable));
});

test("a payload of more than 64 KiB is not read", async () => {
  const long = { digest, reference: `quay.io/acme/catalog:${"v".repeat(65_536)}` };
  const { cause } = await refusal(forImage(keyed()), [signed(long, own.privateKey)]);
  assert.match(cause, /: it has no signature$/);
});

for (const text of ["{", "[]", '{"layers": 5}'])
  test(`a manifest of signatures with the content ${text} is reported as broken`, async () => {
    const bytes = new TextEncoder().encode(text);
    const source = sourceWith(reference, digest, [signed(claim, own.privateKey)]);
    const beside: ImageSource = {
      ...source,
      resolve: () => Promise.resolve(done(digestOf(bytes))),
      manifest: () => Promise.resolve(done({ digest: digestOf(bytes), mediaType: "", bytes })),
    };
    const question = { request: { reference, policy: [] }, digest, source: { ...source, sibling: () => beside } };
    const verdict = await createImageVerifier({ policyFiles: [forImage(keyed())] })(
      question,
      new AbortController().signal,
    );
    assert.ok(!verdict.ok);
    assert.equal(verdict.problem.kind, "invalid");
    assert.match(verdict.problem.cause, /^the signatures at .* cannot be read: /);
  });

/** What an annotation says: text around a certificate and the layout of JSON do not count. */
function meaning(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const certificates = certificatesIn(text);
    return certificates.length > 0 ? certificates : text;
  }
}

test("no change of an annotation makes the check throw or accept", async () => {
  const file = keyless();
  const made = certified(leafOf({ issuer: intermediate }), at, intermediate.pem + root.pem);
  const names = Object.keys(made.annotations);
  const changed = fc.oneof(
    fc.string(),
    fc.json(),
    fc.tuple(fc.nat(), fc.nat(80), fc.string({ maxLength: 3 })).map((edit) => edit),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), changed, async (name, change) => {
      const before = made.annotations[name] ?? "";
      const [from, length, text] = typeof change === "string" ? [0, before.length, change] : change;
      const start = from % before.length;
      const next = before.slice(0, start) + text + before.slice(start + length);
      const verdict = await verify(file, [{ ...made, annotations: { ...made.annotations, [name]: next } }]);
      const isHarmless = name === signatureAnnotations.chain || isDeepStrictEqual(meaning(next), meaning(before));
      assert.ok(!verdict.ok || isHarmless, `${name}: ${next}`);
      assert.ok(verdict.ok || verdict.problem.kind === "signature");
    }),
    { numRuns: 300 },
  );
});

const broken: readonly (readonly [name: string, make: () => string, cause: RegExp])[] = [
  ["not JSON", () => policyFile("{"), /^the signature policy .* is not valid: .* \(line 1\)$/],
  ["an unknown member", () => policyFile({ default: [{ type: "reject" }], x: 1 }), / is not valid: \/x is unknown$/],
  [
    "a directory",
    () => {
      const path = join(directory, "directory.json");
      mkdirSync(path);
      return path;
    },
    / cannot be read: EISDIR/,
  ],
  [
    "a key file that does not exist",
    () => forImage({ type: "sigstoreSigned", keyPath: join(directory, "none.pub") }),
    / cannot be applied: .*none\.pub cannot be read: ENOENT/,
  ],
  [
    "a private key in place of a public one",
    () =>
      forImage({
        type: "sigstoreSigned",
        keyData: data(own.privateKey.export({ type: "sec1", format: "pem" }).toString()),
      }),
    / cannot be applied: the key in the policy is not a PEM public key$/,
  ],
  ["authorities without a certificate", () => keyless({ caData: data("hello") }), / holds no PEM certificate$/],
];
for (const [name, make, cause] of broken)
  test(`a broken policy refuses every image: ${name}`, async () => {
    const problem = await refusal(make(), [signed(claim, own.privateKey)]);
    assert.equal(problem.kind, "configuration");
    assert.match(problem.cause, cause);
  });

test("without a policy file every image is accepted, and that is reported once", async () => {
  const reported: (readonly string[])[] = [];
  const files = [join(directory, "none.json"), join(directory, "nowhere", "policy.json")];
  const verifyImage = createImageVerifier({
    policyFiles: files,
    onMissingPolicy: (names) => void reported.push(names),
  });
  const { signal } = new AbortController();
  for (const _ of [1, 2]) assert.deepEqual(await verifyImage(unsigned(), signal), { ok: true, value: {} });
  assert.deepEqual(reported, [files]);
});

test("the first policy file that exists counts, also when it is broken; the user's comes first", async () => {
  assert.deepEqual(policyFiles({ HOME: "/home/jane" }), [
    "/home/jane/.config/containers/policy.json",
    "/etc/containers/policy.json",
  ]);
  assert.deepEqual(policyFiles({}), ["/etc/containers/policy.json"]);
  const accepting = policyFile({ default: [{ type: "insecureAcceptAnything" }] });
  const verifyImage = createImageVerifier({ policyFiles: [policyFile("{"), accepting] });
  const verdict = await verifyImage(unsigned(), new AbortController().signal);
  assert.equal(verdict.ok, false);
});

test("a policy is read anew for each image", async () => {
  const file = policyFile({ default: [{ type: "reject" }] });
  const verifyImage = createImageVerifier({ policyFiles: [file] });
  const ask = () => verifyImage(unsigned(), new AbortController().signal);
  assert.equal((await ask()).ok, false);
  writeFileSync(file, JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] }));
  chmodSync(file, 0o400);
  assert.equal((await ask()).ok, true);
});
