import { createPrivateKey, type webcrypto } from "node:crypto";
import { isIP } from "node:net";
import type * as x509 from "@peculiar/x509";
import type { Entropy } from "../entropy.ts";

/** PEM texts: `CERTIFICATE` and `EC PRIVATE KEY` (ECDSA P-256). */
export interface KeyPair {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export interface Issuing {
  /** Wall time in ms: the certificate is valid from here (whole seconds). */
  readonly now: number;
  readonly validityMs: number;
  /** Serial numbers come from here; keys and signatures never do, they are the machine's. */
  readonly entropy: Entropy;
}

/** A self-signed certificate authority. A function as `commonName` is told the serial number in lower-case hex. */
export async function issueAuthority(
  options: Issuing & { readonly commonName: string | ((serial: string) => string); readonly organization?: string },
): Promise<KeyPair> {
  const { commonName, organization, entropy } = options;
  const library = await load();
  const serialNumber = serialOf(entropy);
  const keys = await newKeys();
  const name = subject(typeof commonName === "string" ? commonName : commonName(serialNumber), organization);
  const certificate = await library.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    name,
    ...validity(options),
    keys,
    signingAlgorithm,
    extensions: [
      new library.BasicConstraintsExtension(true, undefined, true),
      new library.KeyUsagesExtension(library.KeyUsageFlags.keyCertSign | library.KeyUsageFlags.cRLSign, true),
      await library.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return asPem(certificate, keys);
}

/** A serving certificate for DNS names and IP addresses. The common name is the first host unless given. */
export function issueServing(
  options: Issuing & {
    readonly authority: KeyPair;
    readonly hosts: readonly string[];
    readonly commonName?: string;
    readonly organization?: string;
  },
): Promise<KeyPair> {
  const { hosts, organization } = options;
  return issueLeaf(options, {
    name: subject(options.commonName ?? hosts[0] ?? "", organization),
    usage: "serverAuth",
    hosts,
  });
}

/** A client certificate: Kubernetes reads the user from the common name and groups from the organizations. */
export function issueClient(
  options: Issuing & {
    readonly authority: KeyPair;
    readonly commonName: string;
    readonly organizations: readonly string[];
  },
): Promise<KeyPair> {
  return issueLeaf(options, {
    name: subject(options.commonName, ...options.organizations),
    usage: "clientAuth",
    hosts: [],
  });
}

interface Leaf {
  readonly name: x509.JsonName;
  readonly usage: "serverAuth" | "clientAuth";
  readonly hosts: readonly string[];
}

async function issueLeaf(options: Issuing & { readonly authority: KeyPair }, leaf: Leaf): Promise<KeyPair> {
  const library = await load();
  const issuer = new library.X509Certificate(options.authority.certificatePem);
  const keys = await newKeys();
  const alternatives = leaf.hosts.map((value) => ({
    type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const),
    value,
  }));
  const certificate = await library.X509CertificateGenerator.create({
    serialNumber: serialOf(options.entropy),
    subject: leaf.name,
    issuer: issuer.subjectName,
    ...validity(options),
    publicKey: keys.publicKey,
    signingKey: await importKey(options.authority.privateKeyPem),
    signingAlgorithm,
    extensions: [
      new library.BasicConstraintsExtension(false, undefined, true),
      new library.KeyUsagesExtension(library.KeyUsageFlags.digitalSignature, true),
      new library.ExtendedKeyUsageExtension([library.ExtendedKeyUsage[leaf.usage]]),
      await library.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(alternatives.length === 0 ? [] : [new library.SubjectAlternativeNameExtension(alternatives)]),
    ],
  });
  return asPem(certificate, keys);
}

const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256" } as const;
const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" } as const;

/** Loaded when a certificate is issued, which most starts never do. */
async function load(): Promise<typeof x509> {
  // The library's dependency injection needs this polyfill before its first line runs.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"]);
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return crypto.subtle.importKey("pkcs8", new Uint8Array(der), keyAlgorithm, false, ["sign"]);
}

async function asPem(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<KeyPair> {
  const der = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return {
    certificatePem: `${certificate.toString("pem").trimEnd()}\n`,
    privateKeyPem: key.export({ type: "sec1", format: "pem" }).toString(),
  };
}

function subject(commonName: string, ...organizations: readonly (string | undefined)[]): x509.JsonName {
  const named = organizations.filter((organization) => organization !== undefined);
  return [...named.map((organization) => ({ O: [organization] })), { CN: [commonName] }];
}

/** 128 random bits, positive and without leading zero, as lower-case hex. */
function serialOf(entropy: Entropy): string {
  const bytes = Array.from(entropy.bytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function validity({ now, validityMs }: Issuing): { readonly notBefore: Date; readonly notAfter: Date } {
  const from = Math.floor(now / 1000) * 1000;
  return { notBefore: new Date(from), notAfter: new Date(from + validityMs) };
}
