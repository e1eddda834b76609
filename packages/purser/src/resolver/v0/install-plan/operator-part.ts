import type { Digest } from "@purser/kubernetes/digest";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { asDecoder, readTyped } from "../../../bundle/api-types/read-typed.ts";
import { type BundleStep, stepsOf, stepsOnce, type StepsProblem } from "../../../bundle/install-plan-steps.ts";
import { reservedClaims, reservedClaimsProblem, reservedCrds } from "../../../bundle/reserved-claims.ts";
import type { UnpackedBundle } from "../../../bundle/unpack-bundle.ts";
import type { CatalogIndex } from "../../../catalog/catalog-index.ts";
import type { ResolvedOperator } from "../outcome.ts";
import type { ImageAcceptance } from "../../../catalog/image-acceptance.ts";
import { derivedOnce } from "../../../derived-once.ts";
import { propertiesText } from "../properties.ts";
import { type KnownContent, type WantedContent } from "./known-content.ts";
import { carriedBundle } from "./carried-bundle.ts";
import { type InstallRefusal, invalidBundle, unavailableBundle, unresolvableBundle } from "./install-refusal.ts";

/** What one chosen operator gives an InstallPlan. */
export type OperatorPart =
  /** From the catalog itself. */
  | { readonly kind: "carried"; readonly steps: readonly BundleStep[] }
  /** From the bundle image of that digest. */
  | {
      readonly kind: "unpacked";
      readonly steps: readonly BundleStep[];
      readonly digest: Digest;
      readonly accepted?: ImageAcceptance;
    }
  | { readonly kind: "needs"; readonly request: WantedContent }
  /** Its content was requested and is not available yet. */
  | { readonly kind: "pending" }
  | { readonly kind: "refused"; readonly refusal: InstallRefusal };

export interface OperatorSurroundings {
  /** Where the operator is installed. */
  readonly namespace: string;
  /** Of the catalog that lists the bundle; undefined when it cannot be read now. */
  readonly index: CatalogIndex | undefined;
  /** Content of the bundle's image; undefined when it was not requested. */
  readonly content: KnownContent | undefined;
  /** Bundles that bring APIs of the lifecycle manager. */
  readonly reservedGroups: "accepted" | "refused";
}

type BundleObjects = Pick<UnpackedBundle, "objects" | "csv">;

/** The steps of an operator, the content that is needed first, or why there are none. */
export function operatorPart(operator: ResolvedOperator, surroundings: OperatorSurroundings): OperatorPart {
  const { bundle, catalog, replaces = "" } = operator;
  if (bundle.image === "") return carriedPart(operator, surroundings);
  const { content, namespace } = surroundings;
  const install = { namespace, replaces, catalog, properties: operator.propertiesText };
  const refused = (refusal: InstallRefusal): OperatorPart => ({ kind: "refused", refusal });
  switch (content?.kind) {
    case undefined:
      return { kind: "needs", request: { bundle, catalog, reading: "objects", install } };
    case "pending":
      return { kind: "pending" };
    case "unavailable":
      return refused(unavailableBundle(bundle, content));
    case "unreadable":
      return refused(invalidBundle(bundle, { fatal: false, message: content.message }));
    case "present": {
      const claimed = reservedProblem(content.bundle, surroundings);
      if (claimed !== undefined) return refused(invalidBundle(bundle, { fatal: true, message: claimed }));
      const steps = stepsOnce(content.bundle, install);
      const { diagnosis, digest, accepted, written } = content;
      if (steps.ok)
        return {
          kind: "unpacked",
          steps: written?.of === steps.value ? written.steps : steps.value,
          digest,
          ...(accepted === undefined ? {} : { accepted }),
        };
      if (diagnosis === undefined)
        return { kind: "needs", request: { bundle, catalog, reading: "diagnosis", install } };
      const { fatal, message } = steps.problem;
      const shown = diagnosis === "" ? message : `${message} (${diagnosis})`;
      return refused({ ...invalidBundle(bundle, { fatal, message: shown }), problem: steps.problem });
    }
  }
}

function carriedPart(
  { bundle, catalog, replaces = "" }: ResolvedOperator,
  surroundings: OperatorSurroundings,
): OperatorPart {
  const { index, namespace } = surroundings;
  if (index === undefined) return { kind: "pending" };
  const carried = carriedBundle(index, bundle);
  const unresolvable = (problem: StepsProblem): OperatorPart => ({
    kind: "refused",
    refusal: unresolvableBundle(bundle, namespace, problem),
  });
  if (!carried.ok) return unresolvable({ stage: "steps", fatal: false, message: carried.problem });
  const claimed = reservedProblem(carried.value, surroundings);
  if (claimed !== undefined)
    return { kind: "refused", refusal: invalidBundle(bundle, { fatal: true, message: claimed }) };
  // OLM uses the bundle as the registry returned it, with each requirement listed once.
  const properties = propertiesText(bundle.properties);
  const steps = stepsOf(carried.value, { namespace, replaces, catalog, properties });
  if (!steps.ok) return unresolvable(steps.problem);
  return { kind: "carried", steps: steps.value.map((step) => ({ ...step, resolving: bundle.name })) };
}

/** Bundles that the API server would refuse or that would break this manager: no plan is created. */
function reservedProblem(
  bundle: BundleObjects,
  { reservedGroups }: Pick<OperatorSurroundings, "reservedGroups">,
): string | undefined {
  return reservedGroups === "accepted" ? undefined : claimsOnce(bundle, undefined);
}

/** Every pass asks it of the same bundles again. */
export const claimsOnce = derivedOnce(claimsProblem, () => "");

function claimsProblem({ csv, objects }: BundleObjects): string | undefined {
  const typed = csv === undefined ? undefined : readTyped("csv.ClusterServiceVersion", csv, asDecoder);
  const claims = typed?.ok === true ? reservedClaims(typed.value as unknown as ClusterServiceVersion) : [];
  return reservedClaimsProblem([...claims, ...reservedCrds(objects)]);
}
