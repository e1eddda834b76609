/** How an attempt to execute an install strategy ended; messages are upstream's texts. */
export type InstallOutcome =
  /** `certificates`: set when one was issued, in epoch milliseconds. */
  | {
      readonly kind: "installed";
      readonly certificates?: { readonly lastUpdated: number; readonly rotateAt: number };
    }
  /** Deployments may not be written (403): not tried again before rights have changed. */
  | { readonly kind: "forbidden"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string }
  /** The account that the OperatorGroup names cannot be used; nothing was written. */
  | { readonly kind: "noAccount"; readonly message: string };
