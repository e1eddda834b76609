import { createHash, type X509Certificate } from "node:crypto";
import type { Entropy } from "../entropy.ts";
import { issueAuthority, issueServing } from "./certificate.ts";
import { factsOf, parseCertificate } from "./read-certificate.ts";

const dayMs = 86_400_000;
/** Certificates are valid for two years and replaced a day before they expire, as in OLM v0. */
export const serviceCertificateValidityMs = 730 * dayMs;
export const rotateBeforeEndMs = dayMs;
const organization = "Red Hat, Inc.";

/** The serving certificate of an operator's webhook or API service. PEM texts. */
export interface ServiceCertificate {
  readonly authorityPem: string;
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** Lower-case hex SHA-256 of the authority's PEM bytes: the annotation `olmcahash`. */
  readonly authorityHash: string;
  /** Wall time in ms from which it should be rotated. */
  readonly rotateAt: number;
}

/** DNS names of a Service within the cluster. */
export function serviceHosts(service: string, namespace: string): readonly string[] {
  return [`${service}.${namespace}`, `${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
}

/**
 * Creates an authority and a serving certificate signed by it, with the parameters of OLM v0. The authority's key is
 * discarded: a rotation creates a new authority.
 */
export async function issueServiceCertificate(options: {
  readonly hosts: readonly string[];
  readonly now: number;
  readonly entropy: Entropy;
}): Promise<ServiceCertificate> {
  const issuing = { now: options.now, validityMs: serviceCertificateValidityMs, entropy: options.entropy };
  const authority = await issueAuthority({
    ...issuing,
    commonName: (serial) => `olm-selfsigned-${serial}`,
    organization,
  });
  const serving = await issueServing({ ...issuing, authority, hosts: options.hosts, organization });
  return {
    authorityPem: authority.certificatePem,
    certificatePem: serving.certificatePem,
    privateKeyPem: serving.privateKeyPem,
    authorityHash: authorityHash(authority.certificatePem),
    rotateAt: Math.floor(options.now / 1000) * 1000 + serviceCertificateValidityMs - rotateBeforeEndMs,
  };
}

/** SHA-256 of the PEM text in hexadecimal digits, as OLM v0 writes it into the annotation `olmcahash`. */
export function authorityHash(authorityPem: string | Uint8Array): string {
  return createHash("sha256").update(authorityPem).digest("hex");
}

/** Why a stored certificate must be replaced. */
export type RotationCause =
  | { readonly kind: "missing"; readonly part: "authority" | "serving" }
  | { readonly kind: "unreadable"; readonly part: "authority" | "serving"; readonly message: string }
  | {
      readonly kind: "notYetValid" | "expired" | "endsSoon";
      readonly part: "authority" | "serving";
      readonly at: number;
    }
  | { readonly kind: "notSignedByAuthority" }
  | { readonly kind: "hostMissing"; readonly host: string };

/** A stored authority and serving certificate; PEM texts, undefined when they are missing. */
export interface StoredPair {
  readonly authorityPem: string | Uint8Array | undefined;
  readonly certificatePem: string | Uint8Array | undefined;
}

/** What of a stored pair does not depend on the time. */
export type PairReading =
  | { readonly kind: "faulty"; readonly cause: RotationCause }
  /** Wall time in ms: valid from `validFrom`, and to be replaced after `rotateAt`. */
  | { readonly kind: "sound"; readonly validFrom: number; readonly rotateAt: number };

/**
 * Reads a pair that has to serve these DNS names: faulty when it must be replaced at any time. As in OLM v0's
 * `shouldRotateCerts`, neither the private key nor the `olmcahash` annotation is checked.
 */
export function readPair({ authorityPem, certificatePem }: StoredPair, hosts: readonly string[]): PairReading {
  const read = parsePair({ authorityPem, certificatePem }, hosts);
  if (read.kind === "faulty") return read;
  const [authority, serving] = [factsOf(read.authority), factsOf(read.serving)];
  return {
    kind: "sound",
    validFrom: Math.max(authority.notBefore, serving.notBefore),
    rotateAt: Math.min(authority.notAfter, serving.notAfter) - rotateBeforeEndMs,
  };
}

/** The first reason to replace the pair now (wall time in ms); undefined when it is valid. */
export function rotationCause(
  options: StoredPair & { readonly hosts: readonly string[]; readonly now: number },
): RotationCause | undefined {
  const read = parsePair(options, options.hosts);
  if (read.kind === "faulty") return read.cause;
  return outdatedAt(read.authority, "authority", options.now) ?? outdatedAt(read.serving, "serving", options.now);
}

/** Whether the pair must be replaced. */
export function needsRotation(options: Parameters<typeof rotationCause>[0]): boolean {
  return rotationCause(options) !== undefined;
}

type ParsedPair =
  | { readonly kind: "faulty"; readonly cause: RotationCause }
  | { readonly kind: "sound"; readonly authority: X509Certificate; readonly serving: X509Certificate };

function parsePair({ authorityPem, certificatePem }: StoredPair, hosts: readonly string[]): ParsedPair {
  const faulty = (cause: RotationCause): ParsedPair => ({ kind: "faulty", cause });
  if (authorityPem === undefined) return faulty({ kind: "missing", part: "authority" });
  if (certificatePem === undefined) return faulty({ kind: "missing", part: "serving" });
  const authority = parseCertificate(authorityPem);
  if (!authority.ok) return faulty({ ...authority.problem, part: "authority" });
  const serving = parseCertificate(certificatePem);
  if (!serving.ok) return faulty({ ...serving.problem, part: "serving" });
  if (!serving.value.checkIssued(authority.value) || !serving.value.verify(authority.value.publicKey))
    return faulty({ kind: "notSignedByAuthority" });
  const host = hosts.find((name) => serving.value.checkHost(name, { subject: "never" }) === undefined);
  if (host !== undefined) return faulty({ kind: "hostMissing", host });
  return { kind: "sound", authority: authority.value, serving: serving.value };
}

function outdatedAt(
  certificate: X509Certificate,
  part: "authority" | "serving",
  now: number,
): RotationCause | undefined {
  const { notBefore, notAfter } = factsOf(certificate);
  if (now < notBefore) return { kind: "notYetValid", part, at: notBefore };
  if (now > notAfter) return { kind: "expired", part, at: notAfter };
  if (now > notAfter - rotateBeforeEndMs) return { kind: "endsSoon", part, at: notAfter };
  return undefined;
}
