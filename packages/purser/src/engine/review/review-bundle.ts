import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import { bundleRequest } from "../../controllers/v0/catalog-source/plan/catalog-request.ts";
import { explainConfiguration } from "../../controllers/v1/cluster-extension/plan/explain-configuration.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { shellWord, summaryOf } from "../../explanation/summary.ts";
import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { carriedBundle } from "../../resolver/v0/install-plan/carried-bundle.ts";
import { propertiesText } from "../../resolver/v0/properties.ts";
import type { ReviewedBundle } from "../../review/change-plan/change-plan.ts";
import type { SnapshotBundles } from "../snapshot/snapshot-bundles.ts";
import { extensionObjects } from "../../rollout/review/extension-objects.ts";
import {
  defaultTargets,
  operatorObjects,
  type OperatorOptions,
  staysWithoutCsv,
} from "../../rollout/review/operator-objects.ts";

/** The installation that a bundle is looked at for. */
export type ReviewedInstallation =
  | {
      readonly api: "v0";
      readonly namespace: string;
      readonly catalog: { readonly namespace: string; readonly name: string };
      /** Namespaces of its OperatorGroup, `[""]` for all; undefined: what the bundle's install modes give. */
      readonly targets?: readonly string[];
      readonly config?: OperatorOptions["config"];
    }
  | { readonly api: "v1"; readonly name: string; readonly namespace: string; readonly config?: JsonValue };

export interface BundleToReview {
  readonly bundle: BundleSummary;
  readonly index: CatalogIndex;
  /** The installed bundle that it replaces; "" for none. */
  readonly replaces: string;
  /** For pull secrets. */
  readonly source?: CatalogSource;
}

/** A bundle as the objects that the installation makes of it. `bundles` undefined: only what the catalog itself carries is read. */
export async function reviewBundle(
  { bundle, index, replaces, source }: BundleToReview,
  installation: ReviewedInstallation,
  bundles: Pick<SnapshotBundles, "read"> | undefined,
): Promise<Result<ReviewedBundle, Explanation>> {
  const deprecations = deprecationsOf(index, bundle);
  const { name, version } = bundle;
  const base = { name, package: bundle.package, version, deprecations };
  const properties = propertiesText(bundle.properties);
  if (bundle.image === "" && installation.api === "v0") {
    const carried = carriedBundle(index, bundle);
    if (!carried.ok) return failed(invalid(name, carried.problem, bundle.package));
    return operator(carried.value, { ...base, replaces, properties }, installation);
  }
  if (bundles === undefined)
    return failed(unread(name, "no --bundles directory is given, and images are pulled with --pull only"));
  const read = await bundles.read(bundleRequest(bundle, source));
  if (!read.ok) return failed(unread(name, read.problem));
  const { digest, objects } = read.value;
  if (installation.api === "v0") {
    const unpacked = await objects.unpacked();
    if (!unpacked.ok) return failed(invalid(name, unpacked.problem.message, bundle.package));
    return operator(unpacked.value, { ...base, digest, replaces, properties }, installation);
  }
  const registry = await objects.registry();
  if (!registry.ok)
    return failed(invalid(name, registry.problem.map(({ message }) => message).join("\n"), bundle.package));
  const rendered = extensionObjects(registry.value, version, installation);
  if (!rendered.ok) {
    const { text, faults } = rendered.problem;
    return failed(
      faults.length === 0
        ? invalid(name, text, bundle.package)
        : explainConfiguration(extensionOf(installation), faults),
    );
  }
  return done({
    ...base,
    digest,
    csv: registry.value.csv,
    objects: rendered.value,
    granted: rendered.value,
    // What is not in the new revision is deleted with the old one, CRDs too.
    stays: () => false,
  });
}

const extensionOf = ({ name, namespace, config }: Extract<ReviewedInstallation, { readonly api: "v1" }>) => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name },
  spec: {
    namespace,
    source: { sourceType: "Catalog" as const },
    ...(isJsonObject(config) ? { config: { configType: "Inline" as const, inline: config } } : {}),
  },
});

/** Deprecation messages of the catalog on the package, the channel and the bundle. */
export function deprecationsOf(index: CatalogIndex, bundle: BundleSummary): readonly string[] {
  const summary = index.package(bundle.package);
  const channel = summary?.channels.find(({ name }) => name === bundle.channel);
  return [summary?.deprecation, channel?.deprecation, bundle.deprecation].filter((message) => message !== undefined);
}

function operator(
  bundle: Parameters<typeof operatorObjects>[0],
  {
    replaces,
    properties,
    ...base
  }: Pick<ReviewedBundle, "name" | "version" | "digest" | "deprecations"> & {
    readonly package: BundleSummary["package"];
    readonly replaces: string;
    readonly properties: string;
  },
  { namespace, catalog, targets, config }: Extract<ReviewedInstallation, { readonly api: "v0" }>,
): Result<ReviewedBundle, Explanation> {
  const watched = targets ?? defaultTargets(bundle.csv, namespace);
  const options = { namespace, replaces, catalog, properties, targets: watched };
  const made = operatorObjects(bundle, config === undefined ? options : { ...options, config });
  return made.ok
    ? done({ ...base, ...made.value, stays: staysWithoutCsv })
    : failed(invalid(base.name, made.problem, base.package));
}

export function unread(bundle: string, cause: string): Explanation {
  return {
    code: "BundleUnavailable",
    summary: summaryOf(`The objects of ${bundle} are unknown: ${cause}`),
    facts: { bundle },
    derivation: [{ relation: "fact", subject: bundle, text: cause }],
    remedies: [
      { summary: "add --pull to read bundles from their images" },
      { summary: "add --bundles DIR to read them from directories <package>/<version>" },
    ],
  };
}

/** The refusal of a bundle that cannot be read or rendered; `problem` is the text of what is wrong with it. */
export function invalid(bundle: string, problem: string, packageName?: string): Explanation {
  return {
    code: "BundleInvalid",
    summary: summaryOf(`${bundle} cannot be installed: ${problem}`),
    facts: { bundle, problem },
    derivation: [{ relation: "fact", subject: bundle, text: problem }],
    remedies: [
      {
        summary: "choose another version, or repair the bundle",
        ...(packageName === undefined ? {} : { command: `purser show ${shellWord(packageName)} --versions` }),
      },
    ],
  };
}
