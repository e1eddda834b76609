import type { Digest } from "@purser/kubernetes/digest";

/** Something that images hold, by the reference a catalog or a catalog object names. */
export type ContentKey =
  | { readonly kind: "catalog"; readonly reference: string }
  | {
      readonly kind: "bundle";
      readonly reference: string;
      /** Lets a folder of bundle directories stand in for the registry. */
      readonly packageName: string;
      readonly version: string;
    };

/** Where the content of a reference stands. A reconciler asks, never waits; a change wakes it. */
export type ContentState =
  | { readonly kind: "absent" }
  | { readonly kind: "pulling"; readonly since: number }
  | {
      readonly kind: "failed";
      readonly cause: string;
      readonly remedy?: string;
      /** Epoch milliseconds; undefined when only a change of input can help. */
      readonly nextRetry?: number;
      /** Content that is still good from before the failure. */
      readonly lastGood?: Digest;
    }
  | { readonly kind: "present"; readonly digest: Digest };
