import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { supportedModes } from "./install-modes.ts";

/** The empty name stands for all namespaces. */
export const allNamespaces = "";

/**
 * The namespaces that an extension watches, checked against the bundle's install modes; upstream's text when they do not fit.
 * @param requested none or empty: the default, which only bundles for all namespaces have
 */
export function targetNamespacesOf(
  csv: ClusterServiceVersion,
  installNamespace: string,
  requested: readonly string[] | undefined,
): Result<readonly string[], string> {
  const modes = supportedModes(csv);
  const fallback = modes.includes("AllNamespaces") ? [allNamespaces] : [];
  const targets = requested === undefined || requested.length === 0 ? fallback : requested;
  const why = misfit(targets, installNamespace, modes);
  if (why === undefined) return done(targets);
  const prefix = `invalid option(s): invalid target namespaces [${targets.join(" ")}]:`;
  return failed(
    targets.length === 0 ? `${prefix} ${why}` : `${prefix} supported install modes [${modes.join(" ")}] ${why}`,
  );
}

function misfit(targets: readonly string[], installNamespace: string, modes: readonly string[]): string | undefined {
  const [only] = targets;
  if (only === undefined) {
    return modes.includes("MultiNamespace")
      ? "at least one target namespace must be specified"
      : "exactly one target namespace must be specified";
  }
  if (targets.length === 1) {
    if (only === allNamespaces) {
      return modes.includes("AllNamespaces") ? undefined : "do not support targeting all namespaces";
    }
    if (only === installNamespace) {
      return modes.includes("OwnNamespace") ? undefined : "do not support targeting own namespace";
    }
    return modes.includes("SingleNamespace") ? undefined : `do not support target namespaces [${only}]`;
  }
  if (targets.includes(installNamespace) && !modes.includes("OwnNamespace"))
    return "do not support targeting own namespace";
  return !modes.includes("MultiNamespace") || targets.includes(allNamespaces)
    ? `do not support target namespaces [${targets.join(" ")}]`
    : undefined;
}
