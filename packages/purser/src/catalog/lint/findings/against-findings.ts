import { type CatalogView, type PackageView, placeIn } from "../../catalog-view.ts";
import { changedParts } from "../../diff/package-changes.ts";
import { lostPaths } from "../../diff/lost-paths.ts";
import type { Finding } from "../finding.ts";
import { listed, quoted } from "../finding-words.ts";

/** What users of the older catalog lose: published bundles, entries and upgrade paths. */
export function againstFindings(view: CatalogView, old: CatalogView): readonly Finding[] {
  return [...old.packages.values()].flatMap((before) => {
    const after = view.packages.get(before.name);
    // Removing a whole package is taken as a decision; `catalog diff` reports it.
    if (after?.blob === undefined) return [];
    return [...bundleFindings(before, after), ...entryFindings(before, after), ...pathFindings(before, after)].map(
      (finding) => ({ ...finding, packageName: before.name }),
    );
  });
}

const placeOfPackage = (one: PackageView) => (one.blob === undefined ? {} : placeIn(one.blob, "/name"));

function bundleFindings(before: PackageView, after: PackageView): readonly Finding[] {
  return [...before.bundles.values()].flatMap((bundle): Finding[] => {
    const now = after.bundles.get(bundle.name);
    if (now === undefined)
      return [
        {
          rule: "PBN121",
          message: `the published bundle ${quoted(bundle.name)} of package ${quoted(before.name)} was removed`,
          place: placeOfPackage(after),
          bundle: bundle.name,
        },
      ];
    const parts = changedParts(bundle, now);
    const image: readonly Finding[] = parts.includes("image")
      ? [
          {
            rule: "PBN122",
            message: `the published bundle ${quoted(bundle.name)} has another image`,
            why: `it was ${bundle.content.image === "" ? "none" : bundle.content.image}`,
            place: placeIn(now.blob, "/image"),
            bundle: bundle.name,
          },
        ]
      : [];
    const rest = parts.filter((part) => part !== "image");
    if (rest.length === 0) return [...image];
    return [
      ...image,
      {
        rule: "PBN123",
        message: `the published bundle ${quoted(bundle.name)} has other ${rest.join(" and ")}`,
        place: placeIn(now.blob, `/${rest[0] ?? ""}`),
        bundle: bundle.name,
      },
    ];
  });
}

function entryFindings(before: PackageView, after: PackageView): readonly Finding[] {
  return before.channels.flatMap((channel): Finding[] => {
    const now = after.channels.find(({ name }) => name === channel.name);
    if (now === undefined)
      return [
        {
          rule: "PCH121",
          message: `channel ${quoted(channel.name)} of package ${quoted(before.name)} was removed, and with it every upgrade of its users`,
          remedy: "keep the channel, and deprecate it",
          place: placeOfPackage(after),
          channel: channel.name,
        },
      ];
    const names = new Set(now.entries.map(({ name }) => name));
    const removed = channel.entries.filter(({ name, bundle }) => !names.has(name) && bundle !== undefined);
    if (removed.length === 0) return [];
    return [
      {
        rule: "PCH122",
        message: `channel ${quoted(channel.name)} no longer has ${listed(removed.map(({ name }) => name))}`,
        place: placeIn(now.blob, "/entries"),
        channel: channel.name,
      },
    ];
  });
}

function pathFindings(before: PackageView, after: PackageView): readonly Finding[] {
  return lostPaths(before, after).map(({ channel, entry, rules, end }) => {
    const now = after.channels.find(({ name }) => name === channel);
    const still = now?.entries.find(({ name }) => name === entry.name);
    return {
      rule: "PCH121",
      message: `users on ${entry.name} in channel ${quoted(channel)} lost their path (${rules.join(" and ")})`,
      why: end === entry.name ? "no update follows on it any more" : `their updates end at ${end}`,
      place: now === undefined ? placeOfPackage(after) : placeIn(now.blob, still?.pointer ?? "/entries"),
      channel,
      bundle: entry.name,
    };
  });
}
