import { asKubeObject, type KubeObject } from "@purser/kubernetes/apis/object";
import {
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { invariant } from "@purser/kubernetes/invariant";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { installerManifests, type Tier, tiers } from "../../bundle/installer-manifests.ts";
import { boundedRights, type InstallerRights, installerRights, mergedRights } from "../../bundle/installer-rights.ts";
import { bundleRequest } from "../../controllers/v0/catalog-source/plan/catalog-request.ts";
import { invalid, unread } from "../../engine/review/review-bundle.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { shellWord, summaryOf } from "../../explanation/summary.ts";
import { missingRules } from "../../rollout/plan/missing-rules.ts";
import { type Invocation, type OptionSpec, textOption } from "../command.ts";
import type { PackageRequest } from "../cluster/requested-objects.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import type { ToReview } from "../review/decided-changes.ts";

/** How much the account may do that installs the operator. */
export const tierOption: OptionSpec = {
  flags: "--tier TIER",
  summary:
    "v0: rights of the account that a new operator group installs with (default cluster-admin: no account of its own)",
  choices: [...tiers],
};

/** The account that an OperatorGroup names. */
export const accountName = "installer";

/** The tier that needs an account; undefined when the installation has Purser's own rights. */
export function askedTier(invocation: Invocation): Exclude<Tier, "cluster-admin"> | undefined {
  const tier = tiers.find((known) => known === textOption(invocation, "tier"));
  return tier === "cluster-admin" ? undefined : tier;
}

/** An object to create. */
export interface ToCreate {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

const types: readonly ResourceType[] = [serviceAccounts, roles, roleBindings, clusterRoles, clusterRoleBindings];

/**
 * The account with its roles for the bundles of a new installation. A tier that does not suffice for them is refused, because the
 * installation would be.
 */
export async function installerAccount(
  { bundles }: Pick<OpenedWorld, "bundles">,
  chosen: readonly ToReview[],
  tier: Exclude<Tier, "cluster-admin">,
  { namespace, packageName, version }: PackageRequest,
): Promise<Result<readonly ToCreate[], Explanation>> {
  const needed: InstallerRights[] = [];
  for (const { bundle, source } of chosen) {
    if (bundles === undefined) return failed(unread(bundle.name, "bundles are not read"));
    const read = await bundles.read(bundleRequest(bundle, source));
    if (!read.ok) return failed(unread(bundle.name, read.problem));
    const registry = await read.value.objects.registry();
    if (!registry.ok)
      return failed(invalid(bundle.name, registry.problem.map((one) => one.message).join("; "), bundle.package));
    const { csv, crds, others } = registry.value;
    const objects = [...crds, ...others].map(({ object }) => object);
    needed.push(installerRights({ csv: csv as unknown as ClusterServiceVersion, objects }, namespace));
  }
  const rights = mergedRights(needed);
  const account = { namespace, name: accountName };
  if (tier === "namespace-bounded") {
    const missing = missingRules(account, rights, boundedRights(namespace));
    if (missing !== undefined)
      return failed(insufficient(missing, chosen, version === undefined ? packageName : `${packageName}@${version}`));
  }
  return done(
    installerManifests(account, tier, rights).map((manifest) => {
      const object = asKubeObject(manifest);
      const type = types.find(({ kind }) => kind === manifest["kind"]);
      invariant(object !== undefined && type !== undefined, "an account consists of objects of RBAC");
      return { type, object };
    }),
  );
}

function insufficient(missing: string, chosen: readonly ToReview[], asked: string): Explanation {
  const names = chosen.map(({ bundle }) => bundle.name);
  return {
    code: "PermissionDenied",
    summary: summaryOf(`${names.join(" and ")} cannot be installed with --tier namespace-bounded; nothing was written`),
    facts: { tier: "namespace-bounded", bundles: names },
    derivation: [{ relation: "fact", subject: names[0] ?? "", text: missing }],
    remedies: [
      {
        summary: "install with an account that has the rights of the bundle, and no others",
        command: `purser install ${shellWord(asked)} --tier least-privilege`,
      },
    ],
  };
}
