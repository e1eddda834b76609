import type { Place } from "@purser/kubernetes/place";
import type { Result } from "@purser/kubernetes/result";
import type { CatalogBlob } from "../model.ts";

/** Kinds of templates, sorted, as arguments of `opm alpha render-template`. */
export const templateKinds = ["basic", "semver", "substitutes"] as const;
export type TemplateKind = (typeof templateKinds)[number];

export const templateSchemas: Readonly<Record<TemplateKind, string>> = {
  basic: "olm.template.basic",
  semver: "olm.semver",
  substitutes: "olm.template.substitutes",
};

/** Why a template cannot be expanded. */
export interface TemplateProblem {
  readonly kind:
    /** The text is neither YAML nor JSON, or has values of the wrong kind. */
    | "unreadable"
    | "unknownSchema"
    /** The template has content that is not allowed. */
    | "refused"
    /** A bundle reference gave no bundle, or one that does not fit. */
    | "reference"
    /** The expanded template is no valid catalog. */
    | "invalidCatalog";
  /** Upstream's text without the command's own prefix. */
  readonly message: string;
  readonly place: Place;
}

/**
 * The blobs of a bundle reference, not yet migrated; the problem is a text. Called once for every time
 * that upstream would render the reference.
 */
export type RenderReference = (reference: string) => Result<readonly CatalogBlob[], string>;

/** An expanded template. */
export interface ExpandedTemplate {
  readonly blobs: readonly CatalogBlob[];
  /** The blobs among them that came from references: these are migrated and put in order when they are written. */
  readonly rendered: ReadonlySet<CatalogBlob>;
}

export interface TemplateText {
  /** Named in places. */
  readonly file?: string;
  readonly text: string;
}

export type Expansion = Result<ExpandedTemplate, TemplateProblem>;
