import { createPrivateKey, type X509Certificate } from "node:crypto";
import type { Secret } from "@purser/kubernetes/apis/core";
import type { KeyPair } from "@purser/kubernetes/certificate/certificate";
import { factsOf, parseCertificate } from "@purser/kubernetes/certificate/read-certificate";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ServingCertificate } from "../package-api/serving-certificate.ts";

const dayMs = 86_400_000;
/** A serving certificate is replaced this long before it expires. */
export const renewBeforeMs = 10 * dayMs;
/** An authority has to outlive the certificates that it issues. */
const authorityBeforeMs = 60 * dayMs;

/** The certificate of a Secret of the type `kubernetes.io/tls`; the problem says why it cannot be served. */
export function certificateIn(secret: Secret | undefined): Result<ServingCertificate, string> {
  if (secret === undefined) return failed("the Secret does not exist");
  const [certificatePem, privateKeyPem] = [textOf(secret, "tls.crt"), textOf(secret, "tls.key")];
  const missing = certificatePem === "" ? "tls.crt" : privateKeyPem === "" ? "tls.key" : undefined;
  if (missing !== undefined) return failed(`the Secret has no ${missing}`);
  const certificate = parseCertificate(certificatePem);
  if (!certificate.ok) return failed(`its tls.crt is not a certificate: ${certificate.problem.message}`);
  if (!fits(certificate.value, privateKeyPem)) return failed("its tls.key does not belong to its tls.crt");
  const authorityPem = textOf(secret, "ca.crt");
  return done({ certificatePem, privateKeyPem, ...(authorityPem === "" ? {} : { authorityPem }) });
}

/** What is done about a Secret whose certificates Purser issues itself. */
export type OwnStep =
  | { readonly kind: "keep"; readonly certificate: ServingCertificate }
  /** A new certificate of the authority that the Secret holds: clients go on trusting it. */
  | { readonly kind: "renew"; readonly authority: KeyPair; readonly why: string }
  /** An authority and a certificate. */
  | { readonly kind: "begin"; readonly why: string };

/** Keeps a certificate that is valid for these DNS names for some time, and otherwise says what replaces it. */
export function ownStep(secret: Secret | undefined, hosts: readonly string[], now: number): OwnStep {
  const authority = secret === undefined ? undefined : soundAuthority(secret, now);
  const held = certificateIn(secret);
  const why = held.ok ? outdated(held.value, authority, hosts, now) : held.problem;
  if (held.ok && why === undefined) return { kind: "keep", certificate: held.value };
  return authority === undefined ? { kind: "begin", why: why ?? "" } : { kind: "renew", authority, why: why ?? "" };
}

function outdated(
  { certificatePem }: ServingCertificate,
  authority: KeyPair | undefined,
  hosts: readonly string[],
  now: number,
): string | undefined {
  if (authority === undefined) return "the authority in the Secret is missing, not valid or expires soon";
  const [serving, issuer] = [parseCertificate(certificatePem), parseCertificate(authority.certificatePem)];
  if (!serving.ok || !issuer.ok) return "a certificate in the Secret cannot be read";
  if (!serving.value.checkIssued(issuer.value) || !serving.value.verify(issuer.value.publicKey))
    return "the certificate was not issued by the authority in the Secret";
  const missing = hosts.find((host) => serving.value.checkHost(host, { subject: "never" }) === undefined);
  if (missing !== undefined) return `the certificate is not for ${missing}`;
  const { notBefore, notAfter } = factsOf(serving.value);
  if (now < notBefore) return "the certificate is not valid yet";
  return now > notAfter - renewBeforeMs ? "the certificate expires soon" : undefined;
}

/** The authority of the Secret with its key, if it can go on issuing. */
function soundAuthority(secret: Secret, now: number): KeyPair | undefined {
  const [certificatePem, privateKeyPem] = [textOf(secret, "ca.crt"), textOf(secret, "ca.key")];
  const certificate = parseCertificate(certificatePem);
  if (!certificate.ok || !certificate.value.ca || !fits(certificate.value, privateKeyPem)) return undefined;
  const { notBefore, notAfter } = factsOf(certificate.value);
  return now < notBefore || now > notAfter - authorityBeforeMs ? undefined : { certificatePem, privateKeyPem };
}

function fits(certificate: X509Certificate, privateKeyPem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(privateKeyPem));
  } catch {
    return false;
  }
}

function textOf({ data }: Secret, name: string): string {
  return Buffer.from(data?.[name] ?? "", "base64").toString("utf8");
}
