import { RFC3161Timestamp, X509Certificate } from "@sigstore/core";
import type { TrustMaterial } from "@sigstore/verify";
import { X509Certificate as NodeCertificate } from "node:crypto";

/** The certificates of one timestamp authority: its own, which signs the timestamps, then those above it up to the root. */
export type TimestampAuthority = readonly Buffer[];

const timeStamping = "1.3.6.1.5.5.7.3.8";

/** Why certificates are not those of a timestamp authority, as a sentence without a subject; undefined when they are. */
export function authorityMismatch([own, ...above]: TimestampAuthority): string | undefined {
  try {
    if (own === undefined) return "holds no PEM certificate";
    for (const certificate of above) X509Certificate.parse(Buffer.from(certificate));
    // Node's name for the extended key usage.
    const usage = (new NodeCertificate(own).keyUsage as readonly string[] | undefined) ?? [];
    return usage.includes(timeStamping)
      ? undefined
      : "does not begin with a certificate for timestamps: that of the authority comes first, then those above it";
  } catch (error) {
    return `holds a certificate that cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The authorities in the form in which Sigstore's verifier looks for the one that made a timestamp (RFC 3161). */
export const timestampAuthorities = (
  authorities: readonly TimestampAuthority[],
): TrustMaterial["timestampAuthorities"] =>
  authorities.map((chain) => ({
    certChain: chain.map((der) => X509Certificate.parse(Buffer.from(der))),
    // Each certificate of the chain must have been valid at the time of the timestamp.
    validFor: { start: new Date(0), end: new Date(8.64e15) },
  }));

/** The time in a timestamp, whoever made it; undefined when it cannot be read. */
export function timeIn(timestamp: Uint8Array): Date | undefined {
  try {
    const time = RFC3161Timestamp.parse(Buffer.from(timestamp)).signingTime;
    return Number.isNaN(time.getTime()) ? undefined : time;
  } catch {
    return undefined;
  }
}
