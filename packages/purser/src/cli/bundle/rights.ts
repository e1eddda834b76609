import type { JsonObject } from "@purser/kubernetes/json";
import { goJsonIndented, writeYaml } from "@purser/kubernetes/text/documents";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { installerManifests, type Tier, tiers } from "../../bundle/installer-manifests.ts";
import { boundedRights, type InstallerRights, installerRights } from "../../bundle/installer-rights.ts";
import { readBundle } from "../../bundle/read-bundle.ts";
import { missingRules } from "../../rollout/plan/missing-rules.ts";
import { type Invocation, type Outcome, type ReportedOutcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { LocalContent } from "../image/local-content.ts";
import { invalidFrom, readLocalBundle } from "./bundle-reference.ts";

/**
 * Prints the manifests of the account that installs the bundle; what its tier does not allow goes to stderr.
 * @throws UsageError without a namespace
 */
export function bundleRights(invocation: Invocation, content: LocalContent): Outcome {
  const { reference } = content;
  const namespace = textOption(invocation, "namespace");
  if (namespace === undefined)
    throw new UsageError(
      "--namespace says where the operator runs",
      `purser bundle rights ${reference} --namespace NS`,
    );
  const files = readLocalBundle(content);
  if (!files.ok) return { explanation: files.problem };
  const bundle = readBundle(files.value);
  if (!bundle.ok) return { explanation: invalidFrom(reference, bundle.problem) };
  const tier: Tier = tiers.find((known) => known === textOption(invocation, "tier")) ?? "least-privilege";
  const csv = bundle.value.csv as unknown as ClusterServiceVersion;
  const held = [...bundle.value.crds, ...bundle.value.others].map(({ object }) => object);
  return rightsOutcome(invocation, installerRights({ csv, objects: held }, namespace), tier, namespace);
}

/** The manifests of the account (`--account`, else `installer`) with the rights of a tier; what the tier lacks goes to stderr. */
export function rightsOutcome(
  invocation: Invocation,
  rights: InstallerRights,
  tier: Tier,
  namespace: string,
): ReportedOutcome {
  const account = { namespace, name: textOption(invocation, "account") ?? "installer" };
  const objects = installerManifests(account, tier, rights);
  if (tier === "namespace-bounded") {
    const missing = missingRules(account, rights, boundedRights(namespace));
    if (missing !== undefined) invocation.terminal.err(`this account cannot install the bundle: ${missing}`);
  }
  const list: JsonObject = { apiVersion: "v1", kind: "List", items: objects };
  const verbatim =
    textOption(invocation, "output") === "json"
      ? `${goJsonIndented(list, "  ", false)}\n`
      : objects.map((object) => `---\n${writeYaml(object)}`).join("");
  return { exitCode: exitCodes.done, verbatim };
}
