import type { InstallMode, InstallModeType } from "../../../../apis/v0/cluster-service-version.ts";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";

/** The value of `olm.targetNamespaces` as a set; the empty text means every namespace. */
export function parseTargetNamespaces(annotation: string): readonly string[] {
  return annotation.split(",");
}

/**
 * Whether an operator in `own` may watch `targets` (`[""]` for every namespace).
 * The problem is upstream's text; a mode that the CSV does not list is unsupported.
 */
export function supportsTargets(
  modes: readonly InstallMode[],
  own: string,
  targets: readonly string[],
): Result<undefined, string> {
  const supports = (type: InstallModeType): boolean => modes.some((mode) => mode.type === type && mode.supported);
  const zero = "operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces";
  const unsupported = (type: InstallModeType, watch: string): Result<never, string> =>
    failed(`${type} InstallModeType not supported, cannot configure to watch ${watch}`);
  const [only] = targets;
  if (only === undefined) return failed(zero);
  if (targets.length > 1) {
    if (!supports("MultiNamespace")) return unsupported("MultiNamespace", `${targets.length} namespaces`);
    for (const target of targets) {
      if (target === own && !supports("OwnNamespace")) return unsupported("OwnNamespace", "own namespace");
      if (target === "")
        return failed(
          "operatorgroup has invalid selected namespaces, NamespaceAll found when |selected namespaces| > 1",
        );
    }
    return done(undefined);
  }
  if (only === "") return supports("AllNamespaces") ? done(undefined) : unsupported("AllNamespaces", "all namespaces");
  if (only === own) return supports("OwnNamespace") ? done(undefined) : unsupported("OwnNamespace", "own namespace");
  return supports("SingleNamespace") ? done(undefined) : unsupported("SingleNamespace", "one namespace");
}

/** Types that occur twice make the list unusable; the text is upstream's. */
export function duplicateModes(modes: readonly InstallMode[]): string | undefined {
  if (new Set(modes.map((mode) => mode.type)).size === modes.length) return undefined;
  const shown = modes.map((mode) => `{${mode.type} ${mode.supported}}`).join(" ");
  return `InstallMode list contains duplicates, cannot make set: [${shown}]`;
}
