import type { JsonValue } from "@purser/kubernetes/json";
import { plainJson } from "@purser/kubernetes/json";
import { headOf } from "../../discovery/package-facts.ts";
import { nextOf } from "./installed-next.ts";
import type { ShownPackage } from "./package-text.ts";

/** The document of `show -o json`: all facts that the overview and its parts print. */
export function packageDocument({
  summary,
  facts,
  source,
  channel,
  details,
  graph,
  lifecycle,
  installed,
}: ShownPackage): JsonValue {
  return plainJson({
    apiVersion: "purser.dev/v1alpha1",
    kind: "Package",
    name: summary.name,
    displayName: facts.displayName,
    provider: facts.provider,
    capability: facts.capability,
    source: {
      name: source.name,
      references: source.references,
      ...(source.readAt === undefined ? {} : { readAt: source.readAt }),
    },
    ...(summary.deprecation === undefined ? {} : { deprecation: summary.deprecation }),
    defaultChannel: summary.defaultChannel,
    channels: summary.channels.map((each) => {
      const head = headOf(each);
      return {
        name: each.name,
        ...(head === undefined ? {} : { head: head.name, version: head.version }),
        ...(each.deprecation === undefined ? {} : { deprecation: each.deprecation }),
      };
    }),
    versions: graph.bundles
      .filter(({ kind }) => kind === "bundle")
      .map(({ name, version, deprecation }) => ({
        name,
        ...(version === undefined ? {} : { version }),
        channels: summary.channels
          .filter(({ bundles }) => bundles.some((bundle) => bundle.name === name))
          .map((each) => each.name),
        ...(deprecation === undefined ? {} : { deprecation }),
      })),
    ...(lifecycle.kind === "stated" ? { lifecycle: lifecycle.versions } : {}),
    ...(details === undefined
      ? {}
      : {
          shown: {
            bundle: details.name,
            version: details.version,
            channel,
            image: details.image,
            provides: details.provides,
            requires: details.requires,
            examples: details.examples,
            ...(details.permissions === undefined ? {} : { permissions: details.permissions }),
            ...(details.description === undefined
              ? {}
              : {
                  installModes: (details.description.installModes ?? [])
                    .filter(({ supported }) => supported)
                    .map(({ type }) => type),
                  minKubeVersion: details.description.minKubeVersion ?? "",
                  images: details.description.relatedImages ?? [],
                }),
          },
        }),
    installed: installed.map((one) => {
      const { words, way } = nextOf(one, graph);
      return {
        reference: one.reference,
        ...(one.version === undefined ? {} : { version: one.version }),
        state: one.state,
        next: words.replace(/^[, ]+/, ""),
        ...(way === undefined ? {} : { way }),
      };
    }),
  });
}
