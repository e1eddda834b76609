/** How the signature policy accepted an image. */
export interface ImageAcceptance {
  /** File of the policy. */
  readonly policy: string;
  /** The scope whose requirements applied: `docker: quay.io/acme`. */
  readonly scope: string;
  /** Who has signed, verified; absent where the policy asks for no signature. */
  readonly signer?: string;
}

/** The signer and the policy that decided, as the end of a sentence about the image. */
export function acceptanceText({ policy, scope, signer }: ImageAcceptance): string {
  const decided = `by signature policy ${policy} (${scope})`;
  return signer === undefined ? `accepted without a signature ${decided}` : `signed by ${signer}, accepted ${decided}`;
}
