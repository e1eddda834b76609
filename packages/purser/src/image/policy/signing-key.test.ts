import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Result } from "@purser/kubernetes/result";
import { type KeyProblem, readSigningKey } from "./signing-key.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-signing-key-"))));
after(() => rmSync(directory, { recursive: true, force: true }));

async function read(content: string, passphrase?: string): Promise<Result<KeyObject, KeyProblem>> {
  const file = join(directory, "key.pem");
  writeFileSync(file, content);
  const result = await readSigningKey(file, () => Promise.resolve(passphrase));
  if (result.ok) return result;
  const { cause, remedy } = result.problem;
  return { ok: false, problem: { cause: cause.replace(file, "FILE"), remedy } };
}

// Written by package `encrypted` of go-securesystemslib 0.11.1, which cosign uses, in each of its three strengths.
const cosignKeys = [
  {
    given: "scrypt with N = 2^16, the form of cosign 2 and 3",
    passphrase: "correct horse",
    publicKey:
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE4RYJ6sGAa5msiVebFACoAlrWXfmWj6o4tIubusVLn4JZQK7betJFnVzK4KJ3jj/arxaaa2cxpV2T941HiILYFw==",
    key: `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----
eyJrZGYiOnsibmFtZSI6InNjcnlwdCIsInBhcmFtcyI6eyJOIjo2NTUzNiwiciI6
OCwicCI6MX0sInNhbHQiOiI1MVN6T0tOUmNyTExsN0ZkU3VSME5nTzEvOWw1c0Nx
Y2VXVkxGdUVTUS9zPSJ9LCJjaXBoZXIiOnsibmFtZSI6Im5hY2wvc2VjcmV0Ym94
Iiwibm9uY2UiOiI1YkNqbTF1V3RYMnNaQXU4b1o4dXRiZW1UUjl0ZUl3cyJ9LCJj
aXBoZXJ0ZXh0IjoicTZ2dWVPcXBOaDNzYUVVb0MyZXFqaTZXYnMrOENHcnk2K0x6
MWJDSVEzTzA4WHl4dVdqalpHYmVTcDA2aFN1anh1RUlBcEdFaGlaV0FIblFZVFpE
NXBEL1FPMWZHOUdFOTNBZVlnQTN0dHV4ajY2ckdxY3prYklRRGZudTl2S2dKNGFY
RFU4UWpMY2x6bUMvZjNYT1ZGclBLREh4TTdacEZ4dWhPUUk1dEhwTW50SEJFL1VT
ZE03cTdqcnhnZzdHdENQYXpnaTFCMWZXTlE9PSJ9
-----END ENCRYPTED SIGSTORE PRIVATE KEY-----`,
  },
  {
    given: "scrypt with N = 2^15, the form of cosign 1, and a passphrase that is not ASCII",
    passphrase: "pässwort €",
    publicKey:
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEBGy1lD7KbP65wirZTbUiqkHKucieqUs4js41biOyNwY+a1JdnuNxapHTjiLUW8GkThdW5zeYaDoCGOMMb03X2w==",
    key: `-----BEGIN ENCRYPTED COSIGN PRIVATE KEY-----
eyJrZGYiOnsibmFtZSI6InNjcnlwdCIsInBhcmFtcyI6eyJOIjozMjc2OCwiciI6
OCwicCI6MX0sInNhbHQiOiIxbVNPcEE2ZWxUMFhwU1dFbkZhejlQYWRIT0N0OTR3
MHp3cWNIeFVKa2ZNPSJ9LCJjaXBoZXIiOnsibmFtZSI6Im5hY2wvc2VjcmV0Ym94
Iiwibm9uY2UiOiJpRGtYYTNxYkpWSGVhZHJRdnI3UjB5TGVWU1NlekFxTCJ9LCJj
aXBoZXJ0ZXh0IjoicXExQVZ1YXZ5aVh6UEtjaG9XR1ZaTThHTkRNSlNqUW1zd2Fa
ZGkrS256V3g1aCtCcEFPTERFUmRhSmlMalIwZms1ZGNpMklPTEFqN1hoNDZIZDVF
cjRaYTJlN2hCK2lQdy9EK0J3cmhINFNDSUJ1dlcrRUIyT0JSNm1Eb1RseVBuMlh1
VXVFdExHdW9FdEJPYXdlQ21URVFqUEpXenIvZHFtYnNMMDZIMS9FOHRQQzNCQ0dH
T1AvREdiZi9FdEgzRnFqMy92bm9MVEUvM2c9PSJ9
-----END ENCRYPTED COSIGN PRIVATE KEY-----`,
  },
  {
    given: "scrypt with N = 2^17 and an empty passphrase",
    passphrase: "",
    publicKey:
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvXh/qv7pOgbJIUl2N9VFZZ15da1uTH9adcLNYXrxzXNztbfmYsVX9xYFIViT4uM44360F9ecsOIlTzo2da8g5Q==",
    key: `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----
eyJrZGYiOnsibmFtZSI6InNjcnlwdCIsInBhcmFtcyI6eyJOIjoxMzEwNzIsInIi
OjgsInAiOjF9LCJzYWx0IjoiaVhrN2JqdHpqbWV0anlPd3o2SXkxYkpyTHNkM1JI
Q3ByWjR2TjFxUHVsZz0ifSwiY2lwaGVyIjp7Im5hbWUiOiJuYWNsL3NlY3JldGJv
eCIsIm5vbmNlIjoiYWZwTzhCRndoczBvckQzSHdiQUJUY1ZrTC90alBxaHgifSwi
Y2lwaGVydGV4dCI6IlFzOGxmUkNUVWVmU1Q1NFVEdTk4c05DRGtzRXNWOEs4Wmla
MmpxcVNJdFRTOW9ob3hVMmZxR08wWi9ZMzc0YVRKL3MwdlpYWGVKb2NmL0g5dzEz
bW5KcnBBV1pXOFd1UGcyOXZWZUo4SXczU3U5Wm9iZnpFTG9hVGRZVUhGcmw5OXUz
SzFDQlNuUTM2S3IzT1JQZmt4T2ZCTkRweWZwZDVmK3M1dXA4dE56NW1Pb3oxeVlr
TGRYWmhFV1BWSXpoYWg4UWlxOXN4d3pnOTFnPT0ifQ==
-----END ENCRYPTED SIGSTORE PRIVATE KEY-----`,
  },
] as const;

for (const { given, passphrase, publicKey, key } of cosignKeys)
  test(`a key of cosign is decrypted: ${given}`, async () => {
    const found = await read(`A comment.\n${key}\n`, passphrase);
    assert.ok(found.ok);
    const spki = createPublicKey(found.value).export({ type: "spki", format: "der" });
    assert.equal(spki.toString("base64"), publicKey);
  });

const [cosignKey] = cosignKeys;
/** The JSON of the first key, changed. */
function changed(change: (box: Record<string, Record<string, unknown>>) => unknown): string {
  const base64 = cosignKey.key.replaceAll(/-----[^-]+-----|\s/g, "");
  const box = JSON.parse(Buffer.from(base64, "base64").toString()) as Record<string, Record<string, unknown>>;
  const text = Buffer.from(JSON.stringify(change(box))).toString("base64");
  return `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n${text}\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n`;
}
const unreadable = "the key FILE is encrypted in a form that cannot be read";
const wrong = "the key FILE cannot be decrypted with the given passphrase";
const flipped = (value: unknown): string => {
  const bytes = Buffer.from(String(value), "base64");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString("base64");
};
const faulty: readonly (readonly [given: string, key: string, cause: string])[] = [
  ["no JSON object", changed(() => []), unreadable],
  [
    "no JSON",
    "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nYWJj\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n",
    unreadable,
  ],
  [
    "no base64",
    "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nYWJ\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n",
    unreadable,
  ],
  ["no end", "-----BEGIN ENCRYPTED COSIGN PRIVATE KEY-----\nYWJj\n", unreadable],
  ["another end", `${cosignKey.key.replace("END ENCRYPTED SIGSTORE", "END ENCRYPTED COSIGN")}`, unreadable],
  ["another key derivation", changed((box) => ({ ...box, kdf: { ...box["kdf"], name: "argon2" } })), unreadable],
  ["another cipher", changed((box) => ({ ...box, cipher: { ...box["cipher"], name: "aes" } })), unreadable],
  [
    "a cost that exhausts memory",
    changed((box) => ({ ...box, kdf: { ...box["kdf"], params: { N: 2 ** 24, r: 8, p: 1 } } })),
    unreadable,
  ],
  [
    "a block size that exhausts memory",
    changed((box) => ({ ...box, kdf: { ...box["kdf"], params: { N: 65_536, r: 4096, p: 1 } } })),
    unreadable,
  ],
  [
    "a parallelism that takes for ever",
    changed((box) => ({ ...box, kdf: { ...box["kdf"], params: { N: 65_536, r: 8, p: 1000 } } })),
    unreadable,
  ],
  ["no salt", changed((box) => ({ ...box, kdf: { ...box["kdf"], salt: 1 } })), unreadable],
  ["a nonce of another size", changed((box) => ({ ...box, cipher: { ...box["cipher"], nonce: "AAAA" } })), unreadable],
  ["no ciphertext", changed(({ kdf, cipher }) => ({ kdf, cipher })), unreadable],
  ["a ciphertext shorter than its authenticator", changed((box) => ({ ...box, ciphertext: "AAAA" })), wrong],
  ["another salt", changed((box) => ({ ...box, kdf: { ...box["kdf"], salt: flipped(box["kdf"]?.["salt"]) } })), wrong],
  [
    "another nonce",
    changed((box) => ({ ...box, cipher: { ...box["cipher"], nonce: flipped(box["cipher"]?.["nonce"]) } })),
    wrong,
  ],
  ["a changed ciphertext", changed((box) => ({ ...box, ciphertext: flipped(box["ciphertext"]) })), wrong],
  ["more than 64 KiB", `${cosignKey.key}${" ".repeat(65_536)}`, unreadable],
];
for (const [given, key, cause] of faulty)
  test(`a key of cosign with ${given} is refused`, async () => {
    const remedy =
      cause === wrong
        ? "set COSIGN_PASSWORD to its passphrase; if it is, the file is damaged"
        : "make a key with: cosign generate-key-pair";
    assert.deepEqual(await read(key, cosignKey.passphrase), { ok: false, problem: { cause, remedy } });
  });

test("a wrong passphrase and a missing one are refused for keys of cosign and of OpenSSL", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pkcs8 = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "right" } as const;
  const sec1 = { ...pkcs8, type: "sec1" } as const;
  for (const key of [cosignKey.key, privateKey.export(pkcs8).toString(), privateKey.export(sec1).toString()]) {
    assert.deepEqual(await read(key, "another"), {
      ok: false,
      problem: { cause: wrong, remedy: "set COSIGN_PASSWORD to its passphrase; if it is, the file is damaged" },
    });
    assert.deepEqual(await read(key), {
      ok: false,
      problem: {
        cause: "the key FILE is encrypted, and no passphrase was given",
        remedy: "set COSIGN_PASSWORD to its passphrase, or run the command on a terminal, where it asks",
      },
    });
  }
  for (const options of [pkcs8, sec1]) {
    const found = await read(privateKey.export(options).toString(), "right");
    assert.ok(found.ok && found.value.equals(privateKey));
  }
});

test("nobody is asked for the passphrase of a key that is not encrypted", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const file = join(directory, "plain.pem");
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
  const found = await readSigningKey(file, () => assert.fail("asked"));
  assert.ok(found.ok && found.value.equals(privateKey));
});

test("an encrypted key of another type is refused", async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const key = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString();
  assert.deepEqual(await read(key, "x"), {
    ok: false,
    problem: {
      cause: "the key FILE is not an ECDSA key on the curve P-256",
      remedy: "make a key with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem",
    },
  });
});
