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

/** A self-signed certificate authority. `commonName` is told the serial number in lower-case hex. */
export declare function issueAuthority(
  options: Issuing & { readonly commonName: string | ((serial: string) => string); readonly organization?: string },
): Promise<KeyPair>;

/** A serving certificate for DNS names and IP addresses. The common name is the first host unless given. */
export declare function issueServing(
  options: Issuing & {
    readonly authority: KeyPair;
    readonly hosts: readonly string[];
    readonly commonName?: string;
    readonly organization?: string;
  },
): Promise<KeyPair>;

/** A client certificate: Kubernetes reads the user from the common name and groups from the organizations. */
export declare function issueClient(
  options: Issuing & {
    readonly authority: KeyPair;
    readonly commonName: string;
    readonly organizations: readonly string[];
  },
): Promise<KeyPair>;
