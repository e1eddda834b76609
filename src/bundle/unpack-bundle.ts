import { InvariantError } from "../invariant.ts";
import type { JsonObject } from "../json.ts";
import type { Result } from "../result.ts";
import type { BundleFiles } from "./bundle-files.ts";
import type { BundleProperty } from "./registry-bundle.ts";

/** A bundle as OLM v0 unpacks it: the first document of each manifest file that decodes to a Kubernetes object. */
export interface UnpackedBundle {
  readonly annotations: Readonly<Record<string, string>>;
  /** Keys of the bundle ConfigMap that upstream would fill, in order. */
  readonly keys: readonly string[];
  /** All objects in key order, the CSV among them. */
  readonly objects: readonly JsonObject[];
  readonly csv?: JsonObject;
  readonly properties: readonly BundleProperty[];
}

export interface UnpackProblem {
  readonly stage: "extract" | "load";
  /** Upstream's text. */
  readonly message: string;
}

export function unpackBundle(files: BundleFiles): Result<UnpackedBundle, UnpackProblem> {
  throw new InvariantError(`not written yet: ${files.digest}`);
}
