import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { plainJson } from "@purser/kubernetes/json";
import type { PackageApi, PackageChannel, PackageManifest } from "../apis/v0/package-manifest.ts";

/**
 * The documents of a file-based catalog that say what PackageManifests say. The API has no upgrade edges: the head of each channel
 * skips all other entries, so that it is the head.
 */
export function documentsOfManifests(manifests: readonly PackageManifest[]): readonly JsonObject[] {
  return manifests.flatMap(({ status }): readonly JsonObject[] => {
    const { packageName, defaultChannel, deprecation } = status;
    // Older package servers name no entries.
    const channels = status.channels.map((one) => ({
      ...one,
      entries: (one as Partial<PackageChannel>).entries ?? [],
    }));
    const heads = new Map(channels.map((channel) => [channel.currentCSV, channel]));
    const bundles = new Map(
      channels.flatMap(({ currentCSV, currentCSVDesc, entries }) =>
        [{ name: currentCSV, version: currentCSVDesc.version }, ...entries].map(
          ({ name, version = "" }) => [name, version] as const,
        ),
      ),
    );
    const deprecations = [
      ...(deprecation === undefined ? [] : [entry({ schema: "olm.package" }, deprecation.message)]),
      ...channels.flatMap((channel) =>
        channel.deprecation === undefined
          ? []
          : [entry({ schema: "olm.channel", name: channel.name }, channel.deprecation.message)],
      ),
    ];
    return [
      { schema: "olm.package", name: packageName, defaultChannel },
      ...channels.map((channel) => channelDocument(packageName, channel)),
      ...[...bundles].map(([name, version]) => bundleDocument(packageName, name, version, heads.get(name))),
      ...(deprecations.length === 0
        ? []
        : [{ schema: "olm.deprecations", package: packageName, entries: deprecations }]),
    ];
  });
}

const entry = (reference: JsonObject, message = ""): JsonObject => ({ reference, message });

function channelDocument(packageName: string, { name, currentCSV, entries }: PackageChannel): JsonObject {
  const others = entries.map((one) => one.name).filter((one) => one !== currentCSV);
  const head = { name: currentCSV, ...(others.length === 0 ? {} : { skips: others }) };
  return {
    schema: "olm.channel",
    package: packageName,
    name,
    entries: [head, ...others.map((one) => ({ name: one }))],
  };
}

function bundleDocument(
  packageName: string,
  name: string,
  version: string,
  head: PackageChannel | undefined,
): JsonObject {
  const own = { type: "olm.package", value: { packageName, version } };
  return {
    schema: "olm.bundle",
    package: packageName,
    name,
    image: "",
    properties: [own, ...(head === undefined ? [] : headProperties(head))],
    ...(head?.currentCSVDesc.relatedImages === undefined
      ? {}
      : { relatedImages: head.currentCSVDesc.relatedImages.map((image) => ({ name: "", image })) }),
  };
}

function headProperties({ currentCSVDesc }: PackageChannel): readonly JsonObject[] {
  const {
    customresourcedefinitions,
    apiservicedefinitions,
    nativeApis,
    version: _version,
    relatedImages: _images,
    icon: _icon,
    ...said
  } = currentCSVDesc;
  const metadata = {
    ...(plainJson(said) as JsonObject),
    crdDescriptions: plainJson(customresourcedefinitions),
    apiServiceDefinitions: plainJson(apiservicedefinitions),
    ...(nativeApis === undefined ? {} : { nativeAPIs: plainJson(nativeApis) }),
  };
  return [
    ...(customresourcedefinitions.owned ?? []).map((api) => gvk("olm.gvk", api)),
    ...(customresourcedefinitions.required ?? []).map((api) => gvk("olm.gvk.required", api)),
    { type: "olm.csv.metadata", value: metadata as JsonValue },
  ];
}

/** `ledgers.logbook.example.com`, `v1`, `Ledger` as a property. */
function gvk(type: string, { name, version, kind }: PackageApi): JsonObject {
  return { type, value: { group: name.slice(name.indexOf(".") + 1), version, kind } };
}
