import { nameOf } from "../directory/first-object.ts";
import { annotationNameIssues } from "./annotation-names.ts";
import { validateBundle } from "./bundle.ts";
import type { Sizes } from "./bundle-size.ts";
import { type IndexFile, validateCommunity } from "./community.ts";
import { validateCrd } from "./crd.ts";
import { validateCsv } from "./csv.ts";
import { validateGoodPractices } from "./good-practices.ts";
import { resultOf, type ValidatorResult } from "./issue.ts";
import { annotationsOf, type LoadedBundle } from "./loaded-bundle.ts";
import { operatorGroupsOf, validateObjects } from "./objects.ts";
import { validateCapabilities, validateCategories, validateOperatorHub, validateOperatorHubV2 } from "./operatorhub.ts";
import { validateRemovedApis } from "./removed-apis.ts";

/** The validators of upstream's library by name; the first three always run. */
export const validatorNames = [
  "csv",
  "crd",
  "bundle",
  "operatorhub",
  "operatorhubv2",
  "standard-capabilities",
  "standard-categories",
  "object",
  "operatorgroup",
  "community",
  "alpha-deprecated-apis",
  "good-practices",
] as const;
export type ValidatorName = (typeof validatorNames)[number];

export const defaultValidators: readonly ValidatorName[] = ["csv", "crd", "bundle"];

/** Options of the validators. */
export interface ValidatorOptions {
  readonly sizes: Sizes;
  readonly indexFile: IndexFile;
  /** Kubernetes version to check removed APIs against; "" for the bundle's own. */
  readonly kubernetes?: string;
  /** Replaces the standard categories. */
  readonly categories?: readonly string[];
}

type Validator = (bundle: LoadedBundle, options: ValidatorOptions) => readonly ValidatorResult[];

const validators: Readonly<Record<ValidatorName, Validator>> = {
  csv: ({ csv, csvManifest }) => [validateCsv(csv, (pointer) => csvManifest.locate(pointer))],
  crd: ({ crds }) =>
    [...crds.filter(({ version }) => version === "v1"), ...crds.filter(({ version }) => version !== "v1")].map(
      validateCrd,
    ),
  bundle: (bundle, { sizes }) => [validateBundle(bundle, sizes)],
  operatorhub: validateOperatorHub,
  operatorhubv2: (bundle, options) => [validateOperatorHubV2(bundle, options)],
  "standard-capabilities": (bundle) => [validateCapabilities(bundle)],
  "standard-categories": (bundle, options) => [validateCategories(bundle, options)],
  object: validateObjects,
  operatorgroup: (bundle) =>
    operatorGroupsOf(bundle).map(({ object, locate }) =>
      resultOf(nameOf(object), annotationNameIssues(annotationsOf(object), nameOf(object), locate)),
    ),
  community: (bundle, { indexFile }) => [validateCommunity(bundle, indexFile)],
  "alpha-deprecated-apis": (bundle, options) => [validateRemovedApis(bundle, options)],
  "good-practices": (bundle) => [validateGoodPractices(bundle)],
};

/** The results of one validator. */
export function runValidator(
  name: ValidatorName,
  bundle: LoadedBundle,
  options: ValidatorOptions,
): readonly ValidatorResult[] {
  return validators[name](bundle, options);
}
