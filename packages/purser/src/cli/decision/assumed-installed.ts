import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { propertiesAnnotation } from "../../apis/v0/labels.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { BundleSummary, PackageSummary } from "../../catalog/catalog-index.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import { failed, done, type Result } from "@purser/kubernetes/result";
import { compareNewestFirst, precedenceOf } from "../../upgrade-graph/bundle-order.ts";

/** The bundle of the version, as the channel has it where it does; the problem names the versions that the package has. */
export function assumedBundle(
  { name, channels, defaultChannel }: PackageSummary,
  wantedChannel: string | undefined,
  version: string,
): Result<BundleSummary, Explanation> {
  const bundles = channels.flatMap((channel) => channel.bundles);
  const found = bundles.filter((bundle) => bundle.version === version || bundle.name === version);
  const bundle = found.find(({ channel }) => channel === (wantedChannel ?? defaultChannel)) ?? found[0];
  if (bundle !== undefined) return done(bundle);
  const versions = [...new Set(bundles.map((one) => one.version))].toSorted((left, right) =>
    compareNewestFirst(precedenceOf(left), precedenceOf(right)),
  );
  return failed({
    code: "VersionNotFound",
    summary: summaryOf(`No channel of package "${name}" has version "${version}", which --from names`),
    facts: { wanted: version, versions },
    derivation: [{ relation: "fact", subject: name, text: `its versions are ${listOf(versions, 8)}` }],
    remedies: nearestNames(version, versions).map((near) => ({
      summary: "a version that it has",
      command: `purser explain ${shellWord(name)} --from ${shellWord(near)}`,
    })),
  });
}

/** The world without what is installed of the package, so that another version of it can be assumed. */
export function withoutPackage(world: DecisionWorld, packageName: string): DecisionWorld {
  const { snapshot } = world;
  const isIts = ({ spec }: Subscription): boolean => spec.name === packageName;
  const csvs = new Set(
    snapshot.subscriptions
      .filter(isIts)
      .flatMap(({ metadata, status }) =>
        [status?.installedCSV, status?.currentCSV].map((csv) => `${metadata.namespace}/${csv}`),
      ),
  );
  return {
    ...world,
    snapshot: {
      ...snapshot,
      subscriptions: snapshot.subscriptions.filter((one) => !isIts(one)),
      clusterServiceVersions: snapshot.clusterServiceVersions.filter(
        ({ metadata }) => !csvs.has(`${metadata.namespace}/${metadata.name}`),
      ),
      clusterExtensions: snapshot.clusterExtensions.filter(
        ({ spec }) => spec?.source.catalog?.packageName !== packageName,
      ),
    },
  };
}

/** The Subscription as it is when the bundle is installed and nothing is under way. */
export function subscriptionAt({ spec, ...subscription }: Subscription, { name }: BundleSummary): Subscription {
  const { startingCSV: _, ...others } = spec;
  const status = { installedCSV: name, currentCSV: name, state: "AtLatestKnown", lastUpdated: "" } as const;
  return { ...subscription, spec: others, status };
}

/** The ClusterServiceVersion of the installed bundle, with what its catalog says that it provides and requires. */
export function csvAt(namespace: string, { name, version, properties }: BundleSummary): ClusterServiceVersion {
  const annotations = { [propertiesAnnotation]: JSON.stringify({ properties }) };
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name, namespace, annotations },
    spec: { version, displayName: name, install: { strategy: "deployment" } },
    status: { phase: "Succeeded" },
  };
}

/** The extension as it is when the bundle is installed and nothing is under way. */
export function extensionAt(extension: ClusterExtension, { name, version }: BundleSummary): ClusterExtension {
  return { ...extension, status: { install: { bundle: { name, version } } } };
}
