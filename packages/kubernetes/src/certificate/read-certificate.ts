import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { done, failed, type Result } from "../result.ts";

export interface CertificateFacts {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DNS names and IP addresses of the subject alternative name. */
  readonly hosts: readonly string[];
  readonly issuer: string;
  readonly serial: string;
  /** Wall time in ms. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly isAuthority: boolean;
  /** Lower-case hex SHA-256 of the DER. */
  readonly fingerprint: string;
}

export interface CertificateProblem {
  readonly kind: "unreadable";
  readonly message: string;
}

/** Parses the first certificate of a PEM text and returns its facts. */
export function readCertificate(pem: string | Uint8Array): Result<CertificateFacts, CertificateProblem> {
  const parsed = parseCertificate(pem);
  return parsed.ok ? done(factsOf(parsed.value)) : parsed;
}

/** Parses the first certificate of a PEM text. */
export function parseCertificate(pem: string | Uint8Array): Result<X509Certificate, CertificateProblem> {
  try {
    return done(new X509Certificate(pem));
  } catch (error) {
    return failed({ kind: "unreadable", message: error instanceof Error ? error.message : String(error) });
  }
}

/** Subject, names, issuer and validity of a certificate. A missing common name is the empty text. */
export function factsOf(certificate: X509Certificate): CertificateFacts {
  // Node returns undefined for an empty subject, contrary to its types.
  const subject = namesIn((certificate.subject as string | undefined) ?? "");
  return {
    commonName: subject.filter(([type]) => type === "CN").map(([, value]) => value)[0] ?? "",
    organizations: subject.filter(([type]) => type === "O").map(([, value]) => value),
    hosts: hostsIn(certificate.subjectAltName ?? ""),
    issuer: certificate.issuer,
    serial: certificate.serialNumber.toLowerCase(),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    isAuthority: certificate.ca,
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}

/** Node prints one `type=value` per line and escapes characters that RFC 4514 reserves. */
function namesIn(subject: string): readonly (readonly [string, string])[] {
  return subject.split("\n").map((line) => {
    const at = line.indexOf("=");
    return [line.slice(0, at), line.slice(at + 1).replaceAll(/\\(.)/g, "$1")] as const;
  });
}

function hostsIn(alternatives: string): readonly string[] {
  return alternatives.split(", ").flatMap((entry) => {
    const [, kind, value = ""] = /^(DNS|IP Address):(.*)$/.exec(entry) ?? [];
    if (kind === "DNS") return [value];
    return kind === "IP Address" && isIP(value) !== 0 ? [value] : [];
  });
}
