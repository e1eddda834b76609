import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { schemaPaths } from "../../../review/schema-paths.ts";

/** A CustomResourceDefinition of a cluster beside the one that this program comes with. */
export type DefinitionState =
  | { readonly kind: "same" }
  | { readonly kind: "absent" }
  | { readonly kind: "notServed"; readonly why?: string }
  /** Fields and versions as {@link shownPaths} reads them. */
  | { readonly kind: "older"; readonly lacks: ReadonlySet<string> }
  | { readonly kind: "newer"; readonly has: ReadonlySet<string> };

/** Compares versions and fields: texts and validations may differ. */
export function definitionState(
  wanted: CustomResourceDefinition,
  live: CustomResourceDefinition | undefined,
): DefinitionState {
  if (live === undefined) return { kind: "absent" };
  const established = findCondition(live.status?.conditions, "Established");
  if (established?.status !== "True") {
    const names = findCondition(live.status?.conditions, "NamesAccepted");
    const why = names?.status === "False" ? (names.message ?? names.reason) : undefined;
    return { kind: "notServed", ...(why === undefined ? {} : { why }) };
  }
  const [ours, theirs] = [pathsOf(wanted), pathsOf(live)];
  const lacks = ours.difference(theirs);
  if (lacks.size > 0) return { kind: "older", lacks };
  const has = theirs.difference(ours);
  return has.size > 0 ? { kind: "newer", has } : { kind: "same" };
}

/** Fields of all versions, as `v1: ^.spec.x`. */
function pathsOf({ spec }: CustomResourceDefinition): ReadonlySet<string> {
  return new Set(
    spec.versions.flatMap(({ name, schema }) => [
      name,
      ...[...schemaPaths(schema?.openAPIV3Schema ?? {}).keys()].map((path) => `${name}: ${path}`),
    ]),
  );
}

/** The first of them in the order of a schema, and how many there are besides. */
export function shownPaths(paths: ReadonlySet<string>): string {
  const [first = ""] = paths;
  const text = first.includes(": ^.") ? `field ${first.split(": ^.")[1] ?? ""}` : `version ${first}`;
  return paths.size === 1 ? text : `${text} and ${paths.size - 1} more`;
}
