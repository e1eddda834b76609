import type { StepsProblem } from "../../../bundle/install-plan-steps.ts";
import type { BundleSummary } from "../../../catalog/catalog-index.ts";
import type { CauseCode, Explanation, Remedy } from "../../../explanation/explanation.ts";
import { shellWord, summaryOf } from "../../../explanation/summary.ts";
import type { KnownContent } from "./known-content.ts";

/** Why an InstallPlan cannot be made. */
export interface InstallRefusal {
  /** With OLM a bundle that the catalog itself carries fails the resolution, one in an image its unpacking. */
  readonly stage: "resolution" | "unpacking";
  /** The bundle as it is can never be installed: OLM does not retry. */
  readonly fatal: boolean;
  /** The message of the condition: OLM's text when OLM has one. */
  readonly message: string;
  readonly explanation: Explanation;
  /** OLM's text of the error that occurred while deriving steps; undefined for other failures. */
  readonly problem?: StepsProblem;
}

/** The bundle's image is unavailable, or the signature policy does not accept it. */
export function unavailableBundle(
  bundle: BundleSummary,
  { message, isRejected }: Extract<KnownContent, { readonly kind: "unavailable" }>,
): InstallRefusal {
  return unpacking(isRejected === true ? "SignatureRejected" : "BundleUnavailable", bundle, { fatal: false, message });
}

/** The bundle's content makes no steps. */
export function invalidBundle(
  bundle: BundleSummary,
  problem: { readonly fatal: boolean; readonly message: string },
): InstallRefusal {
  return unpacking("BundleInvalid", bundle, problem);
}

/** Which bundle is wanted instead is the user's choice. */
const otherVersions = ({ package: packageName }: BundleSummary): Remedy => ({
  summary: "See which other versions the catalogs have",
  command: `purser show ${shellWord(packageName)} --versions`,
});

function unpacking(
  code: CauseCode,
  bundle: BundleSummary,
  { fatal, message }: { readonly fatal: boolean; readonly message: string },
): InstallRefusal {
  const { name } = bundle;
  return {
    stage: "unpacking",
    fatal,
    message: `Bundle unpacking failed - ${code}: ${name}: ${message}`,
    explanation: {
      code,
      summary: summaryOf(`${name} cannot be installed: ${message}`),
      facts: { bundle: name, problem: message },
      derivation: [{ relation: "fact", subject: `bundle ${name}`, text: message }],
      remedies: [otherVersions(bundle)],
    },
  };
}

/** A bundle that the catalog itself carries makes no steps: OLM's resolution fails. */
export function unresolvableBundle(bundle: BundleSummary, namespace: string, problem: StepsProblem): InstallRefusal {
  const { name } = bundle;
  const upstream = `failed to turn bundle into steps: ${problem.message}`;
  return {
    stage: "resolution",
    fatal: false,
    message: upstream,
    explanation: {
      code: "BundleInvalid",
      summary: summaryOf(`${name} cannot be installed in namespace ${namespace}: ${problem.message}`),
      facts: { namespace, bundle: name, problem: problem.message },
      derivation: [{ relation: "fact", subject: `bundle ${name}`, text: problem.message, upstream }],
      remedies: [otherVersions(bundle)],
    },
    problem,
  };
}
