/** How an attempt to execute an install strategy ended; messages are upstream's texts. */
export type InstallOutcome =
  /** `certificates`: set when one was issued, in epoch milliseconds. */
  | {
      readonly kind: "installed";
      readonly certificates?: { readonly lastUpdated: number; readonly rotateAt: number };
    }
  /** Deployments must not be written (403): retried only after a change of permissions. */
  | { readonly kind: "forbidden"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string }
  /** The account that the OperatorGroup names cannot be used; nothing was written. */
  | { readonly kind: "noAccount"; readonly message: string };
