import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { knowsNamespace } from "../../engine/snapshot/snapshot-file.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import { withObjects } from "../../engine/snapshot/decision-inputs.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { summaryOf } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import { installationsOf } from "../../installation/installation.ts";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { Invocation } from "../command.ts";
import { flagOption, listOption, textOption, UsageError } from "../command.ts";
import { exitCodeOf, exitCodes } from "../exit-code.ts";
import { assumedBundle, csvAt, extensionAt, subscriptionAt, withoutPackage } from "./assumed-installed.ts";
import { findInstallation } from "../cluster/installations.ts";
import type { Source } from "../cluster/package-request.ts";
import { chooseBundle, choosePackage, parsePackageArgument } from "../cluster/package-request.ts";
import { requestedExtension, requestedGroup, requestedSubscription } from "../cluster/requested-objects.ts";

/** The object of a decision, with the world that contains it. */
export type Subject = {
  readonly world: DecisionWorld;
  /** The installation that is assumed to exist, by its reference. */
  readonly installedAs?: string;
} & (
  | { readonly kind: "namespace"; readonly namespace: string; readonly reference: string; readonly assumed: boolean }
  | {
      readonly kind: "extension";
      readonly extension: ClusterExtension;
      readonly reference: string;
      readonly assumed: boolean;
    }
);

/** The name does not lead to anything that can be decided. */
export interface NoSubject {
  readonly isMissing: boolean;
  readonly reference: string;
  readonly explanation: Explanation;
}

type Found = Result<Subject, NoSubject>;

/**
 * Finds what the arguments name: a whole namespace (`-n` alone), an installation, or a package to be installed.
 * @throws UsageError when the arguments name nothing or are ambiguous
 */
export function findSubject(invocation: Invocation, world: DecisionWorld, onFiles: boolean): Found {
  const [name] = invocation.arguments;
  const namespace = textOption(invocation, "namespace");
  const from = textOption(invocation, "from");
  if (name === undefined) {
    if (from !== undefined)
      throw new UsageError(
        "--from assumes a version of a package, and none is named",
        "purser explain PACKAGE --from VERSION",
      );
    if (namespace === undefined)
      throw new UsageError(
        "nothing is named",
        "name an installation or a package, or a whole namespace with -n NAMESPACE",
      );
    return !knowsNamespace(world.snapshot, namespace)
      ? missingNamespace(namespace, world, onFiles)
      : ofNamespace(world, namespace, `namespace ${namespace}`);
  }
  if (from !== undefined)
    return packageSubject(invocation, withoutPackage(world, parsePackageArgument(name).packageName), name, []);
  const { subscriptions, clusterServiceVersions, installPlans, clusterExtensions } = world.snapshot;
  const installations = installationsOf({
    subscriptions,
    csvs: clusterServiceVersions,
    installPlans,
    extensions: clusterExtensions,
  });
  const found = installationNamed(name, installations, namespace, flagOption(invocation, "as-extension"));
  if (found.kind === "missing") return packageSubject(invocation, world, name, found.near);
  const { reference, api, namespace: where = "" } = found.installation;
  if (api === "v0") return ofNamespace(world, where, reference);
  const extension = clusterExtensions.find(({ metadata }) => metadata.name === found.installation.name);
  if (extension === undefined) throw new Error(`${reference} is an installation without an object`);
  return done({ kind: "extension", world, extension, reference, assumed: false });
}

/** With `-n`, Subscriptions and CSVs of that namespace take precedence over ClusterExtensions, which are cluster-scoped. */
function installationNamed(
  name: string,
  installations: readonly Installation[],
  namespace: string | undefined,
  asExtension: boolean,
): ReturnType<typeof findInstallation> {
  const extensions = installations.filter(({ api }) => api === "v1");
  if (asExtension) return findInstallation(name, extensions, undefined);
  if (namespace !== undefined) {
    const inside = findInstallation(
      name,
      installations.filter(({ api }) => api === "v0"),
      namespace,
    );
    if (inside.kind === "found") return inside;
  }
  return findInstallation(name, installations, namespace);
}

function ofNamespace(world: DecisionWorld, namespace: string, reference: string): Found {
  return done({ kind: "namespace", world, namespace, reference, assumed: false });
}

function missingNamespace(namespace: string, { snapshot }: DecisionWorld, onFiles: boolean): Found {
  const known = [
    ...snapshot.namespaces.map(({ metadata }) => metadata.name ?? ""),
    ...snapshot.subscriptions.map(({ metadata }) => metadata.namespace ?? ""),
  ];
  const nearest = nearestNames(namespace, known);
  const summary = onFiles
    ? `The snapshot has no object in namespace ${namespace}`
    : `The cluster has no namespace ${namespace}`;
  return failed({
    isMissing: true,
    reference: `namespace ${namespace}`,
    explanation: {
      code: "PackageNotFound",
      summary: summaryOf(summary),
      facts: { wanted: namespace, nearest },
      derivation: [{ relation: "fact", subject: `namespace ${namespace}`, text: summary }],
      remedies: nearest.map((near) => ({ summary: `Look at namespace ${near}`, command: `purser plan -n ${near}` })),
    },
  });
}

/** The catalogs with content that an installation of the family in the namespace may use. */
export function sourcesIn(world: DecisionWorld, namespace: string, api: "v0" | "v1"): readonly Source[] {
  const { snapshot, contentOfCatalog, contentOfSource, globalNamespace } = world;
  if (api === "v1")
    return snapshot.clusterCatalogs.flatMap((catalog) => {
      const content = contentOfCatalog(catalog);
      return content.kind === "present" ? [{ name: catalog.metadata.name ?? "", index: content.index }] : [];
    });
  return snapshot.catalogSources.flatMap((source) => {
    const { namespace: where = "", name = "" } = source.metadata;
    const content = contentOfSource(source);
    const isVisible = where === namespace || where === globalNamespace;
    return content.kind === "present" && isVisible ? [{ namespace: where, name, index: content.index }] : [];
  });
}

/** A package that is not installed: decided as if `purser install` had just requested it. */
function packageSubject(
  invocation: Invocation,
  world: DecisionWorld,
  name: string,
  nearInstallations: readonly string[],
): Found {
  const { packageName, version } = parsePackageArgument(name);
  const namespace = textOption(invocation, "namespace") ?? "default";
  const api = flagOption(invocation, "as-extension") ? "v1" : "v0";
  const refused = (explanation: Explanation): Found => {
    if (nearInstallations.length > 0)
      invocation.terminal.err(`did you mean ${nearInstallations.map((near) => `"${near}"`).join(" or ")}?`);
    return failed({
      isMissing: exitCodeOf(explanation.code) === exitCodes.notFound,
      reference: name,
      explanation: {
        ...explanation,
        remedies: [
          ...nearInstallations.map((near) => ({
            summary: "an installation of a similar name",
            command: `purser plan ${near}`,
          })),
          ...explanation.remedies.map((remedy) =>
            remedy.command === undefined
              ? remedy
              : { ...remedy, command: remedy.command.replace(/^purser install /, "purser plan ") },
          ),
        ],
      },
    });
  };
  // A reference is never the name of a package.
  if (/^(ext|sub|csv)\//.test(name))
    return refused({
      code: "PackageNotFound",
      summary: summaryOf(`There is no installation "${name}"`),
      facts: { wanted: name, nearest: nearInstallations },
      derivation: [],
      remedies: [],
    });
  const sources = sourcesIn(world, namespace, api);
  const fromSource = textOption(invocation, "from-source");
  const chosen = choosePackage(packageName, sources, fromSource, api);
  if (!chosen.ok) return refused(chosen.problem);
  const channels = listOption(invocation, "channel");
  const from = textOption(invocation, "from");
  const installed = from === undefined ? done(undefined) : assumedBundle(chosen.value.summary, channels[0], from);
  if (!installed.ok) return refused(installed.problem);
  const reference = from === undefined ? `package ${name}` : `package ${name} at ${from}`;
  const namesSource = fromSource !== undefined;
  const request = { name: packageName, namespace, packageName, channels, version, namesSource };
  if (api === "v1") {
    const requested = requestedExtension(request, chosen.value);
    const extension = installed.value === undefined ? requested : extensionAt(requested, installed.value);
    return done({
      kind: "extension",
      world: withObjects(world, { clusterExtensions: [extension] }),
      extension,
      reference,
      assumed: true,
      ...(from === undefined ? {} : { installedAs: `ext/${packageName}` }),
    });
  }
  const bundle = chooseBundle(chosen.value, channels[0], version);
  if (!bundle.ok) return refused(bundle.problem);
  const requested = requestedSubscription(request, chosen.value, bundle.value);
  const subscription = installed.value === undefined ? requested : subscriptionAt(requested, installed.value);
  const hasGroup = world.snapshot.operatorGroups.some(({ metadata }) => metadata.namespace === namespace);
  if (!hasGroup)
    invocation.terminal.err(`namespace ${namespace} has no OperatorGroup: one for all namespaces is assumed`);
  const operatorGroups = hasGroup ? [] : [requestedGroup(namespace)];
  return done({
    kind: "namespace",
    world: withObjects(world, {
      subscriptions: [subscription],
      operatorGroups,
      ...(installed.value === undefined ? {} : { clusterServiceVersions: [csvAt(namespace, installed.value)] }),
    }),
    namespace,
    reference,
    assumed: true,
    ...(from === undefined ? {} : { installedAs: `sub/${namespace}/${packageName}` }),
  });
}
