import type { Secret } from "@purser/kubernetes/apis/core";
import { parseCertificate } from "@purser/kubernetes/certificate/read-certificate";
import { readPair } from "@purser/kubernetes/certificate/service-certificate";
import type { StoredCertificate } from "./plan/strategy/strategy-world.ts";

/** Objects are immutable: the same Secret, read again in every pass, is parsed once. */
const parsed = new WeakMap<Secret, StoredCertificate>();

/** What a Secret holds for serving these DNS names. */
export function storedCertificate(secret: Secret, hosts: readonly string[]): StoredCertificate {
  const known = parsed.get(secret);
  if (known !== undefined) return known;
  const { data = {} } = secret;
  const stored = { authorityPem: fromBase64(data["olmCAKey"]), certificatePem: fromBase64(data["tls.crt"]) };
  const unreadable = unreadableCertificate(data["tls.crt"]);
  const pair = readPair(stored, hosts);
  const read: StoredCertificate = {
    ...(unreadable === undefined ? {} : { unreadable }),
    ...(pair.kind === "faulty" ? {} : { valid: { from: pair.validFrom, rotateAt: pair.rotateAt } }),
  };
  parsed.set(secret, read);
  return read;
}

/** Why base64 of PEM is no certificate, in the words of OLM's `PEMToCert`; undefined when it is one. */
export function unreadableCertificate(base64: string | undefined): string | undefined {
  const pem = fromBase64(base64) ?? "";
  if (!/-----BEGIN [^-]+-----[^-]*-----END [^-]+-----/.test(pem)) return "cert PEM empty";
  return parseCertificate(pem).ok ? undefined : "x509: malformed certificate";
}

/** The text that a member of a Secret's data stands for; undefined when it is missing. */
export function fromBase64(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
}
