import { type Condition, withCondition } from "@purser/kubernetes/apis/condition";
import { parseImageReference } from "../../../../image-reference.ts";
import { parseVersion, type Version } from "@purser/kubernetes/version";

/** Annotation of a CatalogSource: the image reference with variables, from which `spec.image` is made. */
export const imageTemplateAnnotation = "olm.catalogImageTemplate";

/** What an image template came to. */
export type TemplateOutcome =
  /** There is no template. */
  | { readonly kind: "none" }
  | { readonly kind: "resolved"; readonly image: string }
  /** `partial`: the text with what could be replaced; `message`: OLM's text for the condition. */
  | { readonly kind: "unresolved"; readonly partial: string; readonly message: string };

/**
 * Replaces the variables of an image template as OLM v0 does: a variable without a value becomes `missing`, unknown text in
 * braces stays and makes the reference invalid.
 * @param kubeVersion the API server's `gitVersion`; undefined while it is unknown
 */
export function resolveTemplate(template: string | undefined, kubeVersion: string | undefined): TemplateOutcome {
  if (template === undefined || template === "") return { kind: "none" };
  const version = parseVersion(kubeVersion?.replace(/^v/, "") ?? "");
  const { major, minor, patch }: Partial<Version> = version.ok ? version.value : {};
  const values = { kube_major_version: major, kube_minor_version: minor, kube_patch_version: patch };
  const missing: string[] = [];
  let partial = template;
  for (const [name, value] of Object.entries(values)) {
    const variable = `{${name}}`;
    if (!template.includes(variable)) continue;
    if (value === undefined) missing.push(`"${variable}"`);
    partial = partial.replaceAll(variable, value === undefined ? "missing" : String(value));
  }
  const isReference = parseImageReference(partial).ok;
  if (missing.length === 0 && isReference) return { kind: "resolved", image: partial };
  const causes = [
    ...(missing.length === 0 ? [] : [`variable(s) ${missing.join(", ")} could not be resolved`]),
    ...(isReference ? [] : ["one or more template(s) has improper syntax"]),
  ];
  return {
    kind: "unresolved",
    partial,
    message: `cannot construct catalog image reference, because ${causes.join(" and ")}`,
  };
}

const conditionTypes: ReadonlySet<string> = new Set(["TemplatesHaveResolved", "ResolvedImage"]);

/** The conditions with those of the template's outcome; without them when there is no template. */
export function withTemplate(
  conditions: readonly Condition[] | undefined,
  outcome: TemplateOutcome,
  time: string,
): readonly Condition[] | undefined {
  if (outcome.kind === "none")
    return conditions?.some(({ type }) => conditionTypes.has(type)) === true
      ? conditions.filter(({ type }) => !conditionTypes.has(type))
      : conditions;
  const state =
    outcome.kind === "resolved"
      ? ({ status: "True", reason: "AllTemplatesResolved" } as const)
      : ({ status: "False", reason: "UnableToResolve" } as const);
  const resolved = outcome.kind === "resolved";
  const message = resolved ? "catalog image reference was successfully resolved" : outcome.message;
  const image = resolved ? outcome.image : outcome.partial;
  return withCondition(
    withCondition(conditions, { type: "TemplatesHaveResolved", ...state, message }, time),
    { type: "ResolvedImage", ...state, message: image },
    time,
  );
}
