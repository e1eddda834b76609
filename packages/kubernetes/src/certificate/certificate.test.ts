import { test } from "node:test";
import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { SeededEntropy } from "../entropy.ts";
import { issueAuthority, issueClient, issueServing } from "./certificate.ts";
import { parseCertificate, readCertificate } from "./read-certificate.ts";
import {
  authorityHash,
  issueServiceCertificate,
  rotationCause,
  serviceCertificateValidityMs,
  serviceHosts,
  type RotationCause,
} from "./service-certificate.ts";

const now = Date.UTC(2026, 0, 1, 12, 0, 0, 700);
const dayMs = 86_400_000;
const issuing = { now, validityMs: 10 * dayMs, entropy: new SeededEntropy(1) };

test("an authority can sign certificates and has its serial number in its name", async () => {
  const authority = await issueAuthority({
    ...issuing,
    commonName: (serial) => `ca-${serial}`,
    organization: "Red Hat, Inc.",
  });
  const facts = readCertificate(authority.certificatePem);
  assert.ok(facts.ok);
  assert.equal(facts.value.commonName, `ca-${facts.value.serial}`);
  assert.deepEqual(facts.value.organizations, ["Red Hat, Inc."]);
  assert.equal(facts.value.isAuthority, true);
  assert.equal(facts.value.notBefore, Date.UTC(2026, 0, 1, 12));
  assert.equal(facts.value.notAfter, Date.UTC(2026, 0, 11, 12));
});

test("equal seeds generate equal serial numbers", async () => {
  const serials = [1, 1].map(async (seed) => {
    const authority = await issueAuthority({ ...issuing, entropy: new SeededEntropy(seed), commonName: "ca" });
    const facts = readCertificate(authority.certificatePem);
    assert.ok(facts.ok);
    return facts.value.serial;
  });
  const [first, second] = await Promise.all(serials);
  assert.equal(first, second);
});

test("keys have the PEM type that OLM stores and match their certificates", async () => {
  const authority = await issueAuthority({ ...issuing, commonName: "ca" });
  const serving = await issueServing({ ...issuing, authority, hosts: ["a.b"] });
  for (const { certificatePem, privateKeyPem } of [authority, serving]) {
    assert.match(privateKeyPem, /^-----BEGIN EC PRIVATE KEY-----\n/);
    assert.match(certificatePem, /^-----BEGIN CERTIFICATE-----\n[^]*-----END CERTIFICATE-----\n$/);
    const parsed = parseCertificate(certificatePem);
    assert.ok(parsed.ok);
    assert.ok(parsed.value.checkPrivateKey(createPrivateKey(privateKeyPem)));
    assert.equal(createPublicKey(privateKeyPem).asymmetricKeyDetails?.namedCurve, "prime256v1");
  }
});

test("a TLS server and a client with certificates of one authority accept each other", async () => {
  const wall = { ...issuing, now: Date.now() };
  const authority = await issueAuthority({ ...wall, commonName: "ca" });
  const serving = await issueServing({ ...wall, authority, hosts: ["localhost", "127.0.0.1", "::1"] });
  const client = await issueClient({ ...wall, authority, commonName: "ann", organizations: ["system:masters", "b"] });
  const server = createServer(
    {
      cert: serving.certificatePem,
      key: serving.privateKeyPem,
      ca: authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (incoming, answer) => {
      const { subject } = (incoming.socket as TLSSocket).getPeerCertificate();
      answer.end(JSON.stringify(subject));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const text = await new Promise<string>((resolve, reject) => {
      request(
        {
          host: "127.0.0.1",
          port: (server.address() as AddressInfo).port,
          ca: authority.certificatePem,
          cert: client.certificatePem,
          key: client.privateKeyPem,
        },
        (answer) => {
          let body = "";
          answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
          answer.on("end", () => resolve(body));
        },
      )
        .on("error", reject)
        .end();
    });
    assert.deepEqual(JSON.parse(text), { O: ["system:masters", "b"], CN: "ann" });
  } finally {
    server.close();
  }
});

test("a service certificate has the parameters of OLM v0", async () => {
  const hosts = serviceHosts("etcd-service", "ops");
  const issued = await issueServiceCertificate({ hosts, now, entropy: new SeededEntropy(2) });
  const serving = readCertificate(issued.certificatePem);
  const authority = readCertificate(issued.authorityPem);
  assert.ok(serving.ok && authority.ok);
  assert.deepEqual(serving.value.hosts, [
    "etcd-service.ops",
    "etcd-service.ops.svc",
    "etcd-service.ops.svc.cluster.local",
  ]);
  assert.equal(serving.value.commonName, "etcd-service.ops");
  assert.equal(authority.value.commonName, `olm-selfsigned-${authority.value.serial}`);
  assert.equal(serving.value.notAfter - serving.value.notBefore, serviceCertificateValidityMs);
  assert.equal(issued.authorityHash, authorityHash(Buffer.from(issued.authorityPem)));
  assert.equal(issued.rotateAt, serving.value.notAfter - dayMs);
});

const good = await issueServiceCertificate({ hosts: ["a.b", "a.b.svc"], now, entropy: new SeededEntropy(3) });
const foreign = await issueServiceCertificate({ hosts: ["a.b"], now, entropy: new SeededEntropy(4) });
const pair = { authorityPem: good.authorityPem, certificatePem: good.certificatePem, hosts: ["a.b", "a.b.svc"], now };
const end = good.rotateAt + dayMs;
const cases: readonly {
  readonly given: string;
  readonly change: Partial<Parameters<typeof rotationCause>[0]>;
  readonly cause: RotationCause["kind"] | undefined;
}[] = [
  { given: "a fresh pair", change: {}, cause: undefined },
  { given: "a pair exactly one day before its end", change: { now: end - dayMs }, cause: undefined },
  { given: "a pair less than a day before its end", change: { now: end - dayMs + 1 }, cause: "endsSoon" },
  { given: "a pair past its end", change: { now: end + 1 }, cause: "expired" },
  { given: "a pair from the future", change: { now: now - dayMs }, cause: "notYetValid" },
  { given: "no authority", change: { authorityPem: undefined }, cause: "missing" },
  { given: "no serving certificate", change: { certificatePem: undefined }, cause: "missing" },
  { given: "an authority that is no PEM", change: { authorityPem: "hello" }, cause: "unreadable" },
  { given: "a serving certificate that is empty", change: { certificatePem: "" }, cause: "unreadable" },
  { given: "another authority", change: { authorityPem: foreign.authorityPem }, cause: "notSignedByAuthority" },
  { given: "a host it does not name", change: { hosts: ["a.b", "c.d"] }, cause: "hostMissing" },
];
for (const { given, change, cause } of cases) {
  test(`rotationCause() is ${cause ?? "absent"} for ${given}`, () => {
    assert.equal(rotationCause({ ...pair, ...change })?.kind, cause);
  });
}
