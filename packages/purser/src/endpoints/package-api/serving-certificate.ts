import type { Entropy } from "@purser/kubernetes/entropy";
import { issueAuthority, issueServing, type KeyPair } from "@purser/kubernetes/certificate/certificate";

/** PEM texts. */
export interface ServingCertificate {
  /** Whom clients have to trust; absent where its issuer publishes that elsewhere. */
  readonly authorityPem?: string;
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** A serving certificate that is renewed. */
export interface RenewedCertificate {
  current(): ServingCertificate;
  /** Each later certificate, until the signal aborts. */
  changes(signal: AbortSignal): AsyncIterable<ServingCertificate>;
}

const dayMs = 86_400_000;
/** The authority lives as long as the process: its key is nowhere else. */
const authorityMs = 3650 * dayMs;
const servingMs = 30 * dayMs;
/** A new serving certificate is issued this long before the old one expires. */
const renewBeforeMs = 10 * dayMs;
/** For clocks that differ. */
const slackMs = 3_600_000;

/** After this time a serving certificate is to be replaced. */
export const renewAfterMs = servingMs - renewBeforeMs;

/** An authority of this process, for serving certificates of its package API alone. */
export function packageAuthority(now: number, entropy: Entropy): Promise<KeyPair> {
  const commonName = (serial: string): string => `purser-package-api-${serial}`;
  return issueAuthority({ now: now - slackMs, validityMs: authorityMs, entropy, commonName });
}

/** A serving certificate for the names by which the API server knows the Service. */
export async function servingCertificate(
  authority: KeyPair,
  hosts: readonly string[],
  now: number,
  entropy: Entropy,
): Promise<Required<ServingCertificate>> {
  const issued = await issueServing({ now: now - slackMs, validityMs: servingMs, entropy, authority, hosts });
  return { authorityPem: authority.certificatePem, ...issued };
}
