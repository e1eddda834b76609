import type { Place } from "@purser/kubernetes/place";
import type { Precedence } from "./bundle-order.ts";

/** A bundle of the package, or a name that its channels use for one. */
export interface GraphBundle {
  readonly name: string;
  /** A missing bundle is named by an entry and not in the catalog; its version is read out of its name. */
  readonly kind: "bundle" | "missing";
  /** As written; undefined when there is none that can be read. */
  readonly version: string | undefined;
  readonly release?: string | undefined;
  readonly deprecation?: string | undefined;
  readonly place?: Place | undefined;
  /** Undefined when its version cannot be read. */
  readonly precedence: Precedence | undefined;
}
