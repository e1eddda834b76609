import { InvariantError } from "../invariant.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Result } from "../result.ts";
import type { CertificateNeed, CertificateProvider } from "./certificate-need.ts";
import type { BundleProblem, RegistryBundle } from "./registry-bundle.ts";

export interface RenderOptions {
  readonly installNamespace: string;
  /** `spec.config.inline`; a string is its raw text. Absent: no configuration was given. */
  readonly config?: JsonValue;
  readonly certificateProvider: CertificateProvider;
  /** Upstream's feature gates; all on when absent. */
  readonly off?: readonly ("webhooks" | "singleOwnNamespace" | "deploymentConfig")[];
}

export interface RenderedBundle {
  readonly objects: readonly JsonObject[];
  readonly certificates: readonly CertificateNeed[];
}

/** What a ClusterExtension puts on the cluster, in upstream's order. Deterministic. */
export function renderExtension(
  bundle: RegistryBundle,
  options: RenderOptions,
): Result<RenderedBundle, readonly BundleProblem[]> {
  throw new InvariantError(`not written yet: ${bundle.packageName} ${options.installNamespace}`);
}
