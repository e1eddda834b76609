import { X509Certificate as NodeCertificate } from "node:crypto";
import { X509Certificate } from "@sigstore/core";

const issuerExtension = "1.3.6.1.4.1.57264.1.8";
const oldIssuerExtension = "1.3.6.1.4.1.57264.1.1";
const codeSigning = "1.3.6.1.5.5.7.3.3";
const longestChain = 8;

/** Whom a policy accepts, from its files. */
export interface CertificateRule {
  readonly authorities: readonly Buffer[];
  readonly oidcIssuer: string;
  readonly subjectEmail: string;
}

/** The DER of each certificate in a PEM text; empty when there is none. */
export function certificatesIn(pem: string): readonly Buffer[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g);
  return [...blocks].map(([, base64 = ""]) => Buffer.from(base64, "base64"));
}

/** Both readings of one certificate: Node's checks signatures over the bytes as they are, the other knows all extensions. */
interface Certificate {
  readonly node: NodeCertificate;
  readonly parsed: X509Certificate;
}

const readCertificate = (der: Buffer): Certificate => ({
  node: new NodeCertificate(der),
  parsed: X509Certificate.parse(Buffer.from(der)),
});

/**
 * Why a certificate of a signature is not accepted; undefined when it is. Checked at `time`, which a transparency log or a timestamp authority has signed:
 * certificates of Fulcio live for ten minutes. As in containers/image, no certificate timestamp of a CT log is asked for.
 * @param intermediates certificates that come with the signature: they are used only where an accepted one has signed them
 */
export function certificateMismatch(
  leaf: Buffer,
  intermediates: readonly Buffer[],
  rule: CertificateRule,
  time: Date,
): string | undefined {
  try {
    const certificate = readCertificate(leaf);
    if (!isValidAt(certificate, time))
      return `its certificate was not valid at ${time.toISOString()}, when the signature was recorded`;
    const between = intermediates.slice(0, longestChain).map(readCertificate);
    if (!reaches(certificate, rule.authorities.map(readCertificate), between, time, 0))
      return "its certificate was not issued by an authority of the policy that was valid then";
    // Node's name for the extended key usage.
    if (!((certificate.node.keyUsage as readonly string[] | undefined) ?? []).includes(codeSigning))
      return "its certificate is not for signing code";
    const issuer = oidcIssuerOf(certificate.parsed);
    if (issuer !== rule.oidcIssuer) return `its certificate names the OIDC issuer ${JSON.stringify(issuer ?? "")}`;
    if (certificate.node.checkEmail(rule.subjectEmail, { subject: "never" }) === undefined)
      return `its certificate is not for ${rule.subjectEmail}`;
    return undefined;
  } catch (error) {
    return `its certificate cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const isValidAt = ({ node }: Certificate, time: Date): boolean =>
  node.validFromDate <= time && time <= node.validToDate;

/** Whether a way from `certificate` leads to a trusted one, each valid at `time` and issued by the next. */
function reaches(
  { node }: Certificate,
  roots: readonly Certificate[],
  between: readonly Certificate[],
  time: Date,
  depth: number,
): boolean {
  return [...roots, ...between].some((issuer) => {
    // The number of authorities between the issuer and the end of the chain.
    const longest = issuer.parsed.extBasicConstraints?.pathLenConstraint ?? BigInt(longestChain);
    if (!issuer.node.ca || !issuer.parsed.isCA || longest < BigInt(depth) || !isValidAt(issuer, time)) return false;
    if (!node.checkIssued(issuer.node) || !node.verify(issuer.node.publicKey)) return false;
    const others = between.filter((other) => other !== issuer);
    return roots.includes(issuer) || reaches(issuer, roots, others, time, depth + 1);
  });
}

/** What Fulcio recorded; undefined when there is nothing, or when its two extensions differ. */
function oidcIssuerOf(certificate: X509Certificate): string | undefined {
  const written = certificate.extension(issuerExtension)?.valueObj.subs[0]?.value.toString("utf8");
  const old = certificate.extension(oldIssuerExtension)?.value.toString("utf8");
  return written !== undefined && old !== undefined && written !== old ? undefined : (written ?? old);
}
