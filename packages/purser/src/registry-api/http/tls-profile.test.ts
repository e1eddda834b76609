import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { before, test, type TestContext } from "node:test";
import { connect, type ConnectionOptions } from "node:tls";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { tlsProfile, type TlsProfileFlags } from "./tls-profile.ts";
import { renewableServer, type ServerCertificates } from "./tls-server.ts";

let certificates: ServerCertificates;

before(async () => {
  const issuing = { now: Date.now() - 60_000, validityMs: 3_600_000, entropy: systemEntropy };
  const authority = await issueAuthority({ ...issuing, commonName: "catalogs" });
  const serving = await issueServing({ ...issuing, authority, hosts: ["127.0.0.1"] });
  certificates = { certificate: serving.certificatePem, key: serving.privateKeyPem };
});

/** What a client gets that offers this: version, cipher and group, or "refused". */
async function handshake(
  context: TestContext,
  flags: TlsProfileFlags | undefined,
  client: ConnectionOptions,
): Promise<string> {
  const profile = tlsProfile(flags ?? {});
  assert.ok(profile.ok, JSON.stringify(profile));
  const settings = flags === undefined ? {} : { settings: profile.value };
  const { server } = renewableServer({ handshakeTimeout: 5000 }, { ...certificates, ...settings }, () => undefined);
  context.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...client });
    socket.on("error", () => resolve("refused"));
    socket.on("secureConnect", () => {
      const group = socket.getEphemeralKeyInfo();
      const name = group !== null && "name" in group ? String(group.name) : "";
      resolve(`${socket.getProtocol()} ${socket.getCipher().standardName} ${name}`.trim());
      socket.destroy();
    });
  });
}

const only = (version: "TLSv1.1" | "TLSv1.2" | "TLSv1.3"): ConnectionOptions => ({
  minVersion: version,
  maxVersion: version,
});
const old = { ...only("TLSv1.1"), ciphers: "DEFAULT@SECLEVEL=0" };
const withCipher = (ciphers: string): ConnectionOptions => ({ ...only("TLSv1.2"), ciphers });
const gcm128 = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
const custom = { profile: "custom" } as const;

const handshakes: readonly (readonly [
  name: string,
  flags: TlsProfileFlags | undefined,
  client: ConnectionOptions,
  got: RegExp,
])[] = [
  ["no flag: TLS 1.2", undefined, only("TLSv1.2"), /^TLSv1\.2 TLS_ECDHE_/],
  ["no flag: TLS 1.1", undefined, old, /^refused$/],
  [
    "no flag: a cipher with CBC",
    undefined,
    withCipher("ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256"),
    /^refused$/,
  ],
  ["no flag: a group beyond Mozilla's", undefined, { ecdhCurve: "secp521r1" }, /^refused$/],
  ["modern: TLS 1.2", { profile: "modern" }, only("TLSv1.2"), /^refused$/],
  ["Modern: TLS 1.3", { profile: "Modern" }, only("TLSv1.3"), /^TLSv1\.3 /],
  ["old: TLS 1.1", { profile: "old" }, old, /^TLSv1\.1 /],
  ["old: TLS 1.3", { profile: "old" }, {}, /^TLSv1\.3 /],
  ["custom version 1.3: TLS 1.2", { ...custom, version: "TLSv1.3" }, only("TLSv1.2"), /^refused$/],
  ["custom version 1.1: TLS 1.1", { ...custom, version: "TLSv1.1" }, old, /^TLSv1\.1 /],
  ["custom without a version: TLS 1.1", custom, old, /^refused$/],
  [
    "a custom cipher: the same",
    { ...custom, ciphers: gcm128 },
    withCipher("ECDHE-ECDSA-AES128-GCM-SHA256"),
    /^TLSv1\.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 /,
  ],
  [
    "a custom cipher: another",
    { ...custom, ciphers: gcm128 },
    withCipher("ECDHE-ECDSA-AES256-GCM-SHA384"),
    /^refused$/,
  ],
  ["a custom cipher: TLS 1.3", { ...custom, ciphers: gcm128 }, only("TLSv1.3"), /^TLSv1\.3 /],
  [
    "a custom cipher of TLS 1.3: TLS 1.2",
    { ...custom, ciphers: "TLS_AES_128_GCM_SHA256" },
    only("TLSv1.2"),
    /^refused$/,
  ],
  [
    "a custom curve: the same",
    { ...custom, curves: "secp384r1" },
    { ...only("TLSv1.2"), ecdhCurve: "prime256v1:secp384r1" },
    / secp384r1$/,
  ],
  ["a custom curve: another", { ...custom, curves: "secp384r1" }, { ecdhCurve: "prime256v1" }, /^refused$/],
  [
    "secp256r1: prime256v1",
    { ...custom, curves: "secp256r1" },
    { ...only("TLSv1.2"), ecdhCurve: "prime256v1" },
    / prime256v1$/,
  ],
];
for (const [name, flags, client, got] of handshakes)
  test(`${name}: ${got.source}`, async (context) => assert.match(await handshake(context, flags, client), got));

const refused: readonly (readonly [flags: TlsProfileFlags, problem: string])[] = [
  [{ profile: "newest" }, 'unknown TLS profile: "newest"'],
  [{ profile: "toString" }, 'unknown TLS profile: "toString"'],
  [{ ciphers: `${gcm128},TLS_X` }, 'unknown cipher "TLS_X"'],
  [{ ciphers: "TLS_RSA_WITH_RC4_128_SHA" }, 'unknown cipher "TLS_RSA_WITH_RC4_128_SHA"'],
  [{ curves: "P-256" }, 'unknown curve "P-256"'],
  [{ version: "TLSv1" }, 'unknown TLS version: "TLSv1"'],
];
for (const [flags, problem] of refused)
  test(`${JSON.stringify(flags)} is refused`, () => {
    const profile = tlsProfile(flags);
    assert.equal(profile.ok ? "" : profile.problem, problem);
  });

test("a custom curve that this Node does not have is an error, one of a profile is left out", () => {
  const settings = { minVersion: "TLSv1.2", curves: ["prime256v1", "noCurve"] } as const;
  const serve = (skipsUnknownCurves: boolean) =>
    renewableServer(
      { handshakeTimeout: 1 },
      { ...certificates, settings: { ...settings, skipsUnknownCurves } },
      () => undefined,
    );
  assert.throws(() => serve(false), /curve|group/i);
  serve(true);
});
