import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { listOf, shellWord } from "../../explanation/summary.ts";
import { explained } from "./explain-refusal.ts";
import type { ExtensionCatalog, ExtensionInput } from "./input.ts";
import { nameOf, type NothingFound, passing } from "./nothing-found.ts";
import { packageContent } from "./package-content.ts";
import { patchExtension } from "./patch-extension.ts";

/** Those of the catalogs that offer a bundle which passes all that the extension asks for. */
function* offering(
  world: NothingFound,
  catalogs: readonly ExtensionCatalog[],
): Generator<undefined, readonly ExtensionCatalog[]> {
  const found: ExtensionCatalog[] = [];
  for (const catalog of catalogs) {
    if (catalog.content.kind !== "present") continue;
    const { index } = catalog.content;
    const releases = world.input.gates?.bundleReleaseSupport === true;
    const content = yield* packageContent(index, world.input.filter.packageName, releases);
    if (content === undefined) continue;
    if ((yield* passing({ ...world, offers: [{ catalog, content }] }, world.active)).length > 0) found.push(catalog);
  }
  return found;
}

/** Why the package is in none of the catalogs that the extension uses. */
export function* explainMissingPackage(world: NothingFound): Generator<undefined, Explanation> {
  const { input, upstream, selected, enabled } = world;
  const wanted = input.filter.packageName;
  const holders = input.catalogs.filter(
    ({ content }) => content.kind === "present" && content.index.package(wanted) !== undefined,
  );
  const packages = input.catalogs.flatMap(({ content }) =>
    content.kind === "present" ? content.index.packages() : [],
  );
  const nearest = nearestNames(wanted, packages).filter((name) => name !== wanted);
  const subject = `ClusterExtension ${input.name}`;
  const faulty = enabled.flatMap(({ catalog, content }) => {
    const fault =
      content.kind === "present" ? content.index.faults?.find(({ packageName }) => packageName === wanted) : undefined;
    return fault === undefined ? [] : [{ catalog: catalog.metadata.name ?? "", cause: fault.cause }];
  });
  const useful = yield* offering(world, holders);
  const off = useful.filter((holder) => selected.includes(holder) && !enabled.includes(holder));
  const outside = useful.filter((holder) => !selected.includes(holder));
  if (enabled.length === 0) {
    const why =
      input.catalogs.length === 0
        ? "there is no ClusterCatalog"
        : selected.length === 0
          ? "its selector takes no ClusterCatalog"
          : `${listOf(selected.map(nameOf))} ${selected.length === 1 ? "is" : "are"} switched off`;
    return explained(input, {
      code: selected.length === 0 ? "CatalogNotFound" : "CatalogUnavailable",
      summary: `${subject} finds no catalog to look for package ${wanted} in: ${why}`,
      facts: { wanted, catalogs: input.catalogs.map(nameOf), selected: selected.map(nameOf) },
      leaves: [{ relation: "elsewhere", subject, text: `No catalog is used: ${why}` }],
      remedies: waysTo(input, off, outside),
      upstream,
    });
  }
  const [fault] = faulty;
  if (fault !== undefined) {
    const text = `Package ${wanted} of ClusterCatalog ${fault.catalog} cannot be used: ${fault.cause}`;
    return explained(input, {
      code: "CatalogInvalid",
      summary: `${subject} asks for package ${wanted}, which cannot be used in ClusterCatalog ${fault.catalog}: ${fault.cause}`,
      facts: { wanted, faulty },
      leaves: [{ relation: "excluded", subject: `package ${wanted}`, text }],
      remedies: [
        {
          summary: `Correct package ${wanted} in catalog ${fault.catalog}; to see the source of its content`,
          command: `purser source show ${shellWord(`cc/${fault.catalog}`)}`,
        },
        ...waysTo(input, off, outside),
      ],
      upstream,
    });
  }
  const hint =
    holders.length > 0
      ? `; ${listOf(holders.map(nameOf))} ${holders.length === 1 ? "has it but is" : "have it but are"} not used`
      : nearest.length > 0
        ? `; did you mean ${listOf(nearest, 3, "or")}?`
        : "";
  return explained(input, {
    code: "PackageNotFound",
    summary: `${subject} asks for package ${wanted}, which ${listOf(enabled.map(nameOf))} ${enabled.length === 1 ? "does" : "do"} not have${hint}`,
    facts: {
      wanted,
      nearest: nearest.map((name) => ({ name })),
      searched: enabled.map(nameOf),
      elsewhere: holders.map(nameOf),
    },
    leaves: [
      {
        relation: "requested",
        subject,
        text: `It asks for package ${wanted}, which is in none of ${listOf(enabled.map(nameOf))}`,
      },
    ],
    remedies:
      nearest.length === 0 && off.length + outside.length === 0 && input.installed === undefined
        ? [removed(input)]
        : [...waysTo(input, off, outside), ...nearest.map((name) => otherPackage(input, name))],
    upstream,
  });
}

/** The package of an extension cannot be changed: one that has installed nothing makes room for another. */
function otherPackage(input: ExtensionInput, name: string): Remedy {
  const install = `purser install ${shellWord(name)} -n ${shellWord(input.namespace ?? "operators")} --as-extension`;
  if (input.installed !== undefined)
    return {
      summary: `Install package ${name} beside it; the package of an extension cannot be changed`,
      command: install,
    };
  return {
    summary: `Remove the extension, which has installed nothing and whose package cannot be changed (then run ${install})`,
    command: `purser uninstall ext/${shellWord(input.name)}`,
    deletes: "objects",
  };
}

const removed = (input: ExtensionInput): Remedy => ({
  summary: "Remove the extension, which has installed nothing",
  command: `purser uninstall ext/${shellWord(input.name)}`,
  deletes: "objects",
});

/** Commands that make a catalog with the package available to the extension. */
function waysTo(
  input: ExtensionInput,
  off: readonly ExtensionCatalog[],
  outside: readonly ExtensionCatalog[],
): readonly Remedy[] {
  return [
    ...off.map((catalog) => ({
      summary: `Switch catalog ${nameOf(catalog)} on`,
      command: `kubectl patch clustercatalogs.olm.operatorframework.io ${nameOf(catalog)} --type merge -p '{"spec":{"availabilityMode":"Available"}}'`,
      patch: { spec: { availabilityMode: "Available" } },
    })),
    ...outside.map((catalog) =>
      patchExtension(input.name, `Use catalog ${nameOf(catalog)}`, {
        selector: { matchLabels: { "olm.operatorframework.io/metadata.name": nameOf(catalog) } },
      }),
    ),
  ].slice(0, 3);
}
