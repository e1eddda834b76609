import { createHash, createPrivateKey, generateKeyPair, type KeyObject, sign, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { parseIp } from "../cel/functions/ip-address.ts";
import type { Entropy } from "../entropy.ts";
import {
  bitString,
  boolean,
  type Der,
  elementsOf,
  objectIdentifier,
  octetString,
  positiveInteger,
  sequence,
  setOf,
  tagged,
  time,
  utf8String,
} from "./der.ts";

/** PEM texts: `CERTIFICATE` and `EC PRIVATE KEY` (ECDSA P-256). */
export interface KeyPair {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export interface Issuing {
  /** Wall time in ms (rounded to whole seconds) at which validity starts. */
  readonly now: number;
  readonly validityMs: number;
  /** Source of serial numbers; keys and signatures use the machine's randomness. */
  readonly entropy: Entropy;
}

/** A self-signed certificate authority. A function as `commonName` receives the serial number in lower-case hex. */
export async function issueAuthority(
  options: Issuing & { readonly commonName: string | ((serial: string) => string); readonly organization?: string },
): Promise<KeyPair> {
  const { commonName, organization, entropy } = options;
  const serial = serialOf(entropy);
  const keys = await newKeys();
  const hex = Buffer.from(serial).toString("hex");
  const name = nameOf(typeof commonName === "string" ? commonName : commonName(hex), organization);
  const extensions = [
    extension("2.5.29.19", sequence(boolean(true)), "critical"),
    extension("2.5.29.15", bitString(Uint8Array.of(0x06), 1), "critical"),
    extension("2.5.29.14", octetString(keyIdentifier(keys.publicKey))),
  ];
  return issued({ ...options, serial, subject: name, issuer: name, keys, signingKey: keys.privateKey, extensions });
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
    name: nameOf(options.commonName ?? hosts[0] ?? "", organization),
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
    name: nameOf(options.commonName, ...options.organizations),
    usage: "clientAuth",
    hosts: [],
  });
}

interface Leaf {
  readonly name: Der;
  readonly usage: "serverAuth" | "clientAuth";
  readonly hosts: readonly string[];
}

const usages = { serverAuth: "1.3.6.1.5.5.7.3.1", clientAuth: "1.3.6.1.5.5.7.3.2" } as const;

async function issueLeaf(options: Issuing & { readonly authority: KeyPair }, leaf: Leaf): Promise<KeyPair> {
  const authority = new X509Certificate(options.authority.certificatePem);
  const keys = await newKeys();
  const extensions = [
    extension("2.5.29.19", sequence(), "critical"),
    extension("2.5.29.15", bitString(Uint8Array.of(0x80), 7), "critical"),
    extension("2.5.29.37", sequence(objectIdentifier(usages[leaf.usage]))),
    extension("2.5.29.35", sequence(tagged(0x80, keyIdentifier(authority.publicKey)))),
    ...(leaf.hosts.length === 0 ? [] : [extension("2.5.29.17", sequence(...leaf.hosts.map(alternativeName)))]),
  ];
  return issued({
    ...options,
    serial: serialOf(options.entropy),
    subject: leaf.name,
    issuer: subjectOf(authority),
    keys,
    signingKey: createPrivateKey(options.authority.privateKeyPem),
    extensions,
  });
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Certificate extends Issuing {
  readonly serial: Uint8Array;
  readonly subject: Der;
  readonly issuer: Der;
  readonly keys: Keys;
  readonly signingKey: KeyObject;
  readonly extensions: readonly Der[];
}

const ecdsaWithSha256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
const rsaWithSha256 = sequence(objectIdentifier("1.2.840.113549.1.1.11"), tagged(0x05, new Uint8Array()));
const version3 = tagged(0xa0, positiveInteger(Uint8Array.of(2)));

/** RFC 5280, section 4.1. */
function issued(certificate: Certificate): KeyPair {
  const { now, validityMs, keys } = certificate;
  const from = Math.floor(now / 1000) * 1000;
  // Authorities created here have elliptic keys; a given one may have an RSA key.
  const algorithm = certificate.signingKey.asymmetricKeyType === "rsa" ? rsaWithSha256 : ecdsaWithSha256;
  const signed = sequence(
    version3,
    positiveInteger(certificate.serial),
    algorithm,
    certificate.issuer,
    sequence(time(new Date(from)), time(new Date(from + validityMs))),
    certificate.subject,
    publicKeyInfo(keys.publicKey),
    tagged(0xa3, sequence(...certificate.extensions)),
  );
  const signature = sign("sha256", signed, { key: certificate.signingKey, dsaEncoding: "der" });
  const whole = sequence(signed, algorithm, bitString(signature));
  const lines =
    Buffer.from(whole)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return {
    certificatePem: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    privateKeyPem: keys.privateKey.export({ type: "sec1", format: "pem" }).toString(),
  };
}

function newKeys(): Promise<Keys> {
  return promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
}

function extension(identifier: string, value: Der, critical?: "critical"): Der {
  return sequence(objectIdentifier(identifier), ...(critical === undefined ? [] : [boolean(true)]), octetString(value));
}

function publicKeyInfo(key: KeyObject): Uint8Array {
  return key.export({ type: "spki", format: "der" });
}

/** SHA-1 of the public key's bits: RFC 5280, section 4.2.1.2, method 1. */
function keyIdentifier(key: KeyObject): Uint8Array {
  const [info] = elementsOf(publicKeyInfo(key));
  const bits = elementsOf(info?.content ?? new Uint8Array())[1]?.content ?? new Uint8Array();
  return createHash("sha1").update(bits.subarray(1)).digest();
}

/** The encoded subject: certificates it signs must have the same bytes as issuer. */
function subjectOf(certificate: X509Certificate): Der {
  const [whole] = elementsOf(certificate.raw);
  const [signed] = elementsOf(whole?.content ?? new Uint8Array());
  const members = elementsOf(signed?.content ?? new Uint8Array()).filter(({ tag }) => tag !== 0xa0);
  const subject = members[4];
  if (subject === undefined) throw new Error("a certificate has a subject");
  return subject.whole;
}

/** An IP address as bytes, anything else as a DNS name. */
function alternativeName(host: string): Der {
  const ip = parseIp(host, "strict");
  return ip === undefined ? tagged(0x82, Buffer.from(host, "latin1")) : tagged(0x87, Uint8Array.from(ip.bytes));
}

function nameOf(commonName: string, ...organizations: readonly (string | undefined)[]): Der {
  const attribute = (identifier: string, text: string): Der =>
    setOf(sequence(objectIdentifier(identifier), utf8String(text)));
  const named = organizations.filter((organization) => organization !== undefined);
  return sequence(...named.map((text) => attribute("2.5.4.10", text)), attribute("2.5.4.3", commonName));
}

/** 128 random bits, positive and without leading zero. */
function serialOf(entropy: Entropy): Uint8Array {
  const bytes = Uint8Array.from(entropy.bytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
