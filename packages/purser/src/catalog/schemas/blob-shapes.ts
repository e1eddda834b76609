import { bytes, flag, type GoShape, int32, list, map, raw, struct, text } from "./go-shape.ts";

const property = struct("property.Property", { type: text, value: raw }, ["type", "value"]);
const relatedImage = struct("declcfg.RelatedImage", { name: text, image: text }, ["name", "image"]);

export const packageShape = struct(
  "declcfg.Package",
  {
    schema: text,
    name: text,
    defaultChannel: text,
    icon: struct("declcfg.Icon", { base64data: bytes, mediatype: text }, ["base64data", "mediatype"], true),
    description: text,
    properties: list(property),
  },
  ["schema", "name", "defaultChannel"],
);

export const channelShape = struct(
  "declcfg.Channel",
  {
    schema: text,
    name: text,
    package: text,
    entries: list(
      struct("declcfg.ChannelEntry", { name: text, replaces: text, skips: list(text), skipRange: text }, ["name"]),
    ),
    properties: list(property),
  },
  ["schema", "name", "package", "entries"],
);

export const bundleShape = struct(
  "declcfg.Bundle",
  {
    schema: text,
    name: text,
    package: text,
    image: text,
    properties: list(property),
    relatedImages: list(relatedImage),
  },
  ["schema", "image"],
);

export const deprecationShape = struct(
  "declcfg.Deprecation",
  {
    schema: text,
    package: text,
    entries: list(
      struct(
        "declcfg.DeprecationEntry",
        {
          reference: struct("declcfg.PackageScopedReference", { schema: text, name: text }, ["schema"]),
          message: text,
        },
        ["reference", "message"],
      ),
    ),
  },
  ["schema", "package", "entries"],
);

export const link = struct("v1alpha1.AppLink", { name: text, url: text });
const descriptor = (type: string): GoShape =>
  struct(type, { path: text, displayName: text, description: text, "x-descriptors": list(text), value: raw }, ["path"]);
const descriptions = {
  resources: list(
    struct("v1alpha1.APIResourceReference", { name: text, kind: text, version: text }, ["name", "kind", "version"]),
  ),
  statusDescriptors: list(descriptor("v1alpha1.StatusDescriptor")),
  specDescriptors: list(descriptor("v1alpha1.SpecDescriptor")),
  actionDescriptors: list(descriptor("v1alpha1.ActionDescriptor")),
};
const crdDescription = struct(
  "v1alpha1.CRDDescription",
  { name: text, version: text, kind: text, displayName: text, description: text, ...descriptions },
  ["name", "version", "kind"],
);
const apiServiceDescription = struct(
  "v1alpha1.APIServiceDescription",
  {
    name: text,
    group: text,
    version: text,
    kind: text,
    deploymentName: text,
    containerPort: int32,
    displayName: text,
    description: text,
    ...descriptions,
  },
  ["name", "group", "version", "kind"],
);
const apiServices = struct("v1alpha1.APIServiceDefinitions", {
  owned: list(apiServiceDescription),
  required: list(apiServiceDescription),
});
const crds = struct("v1alpha1.CustomResourceDefinitions", {
  owned: list(crdDescription),
  required: list(crdDescription),
});
export const installModes = list(
  struct("v1alpha1.InstallMode", { type: { kind: "string", type: "v1alpha1.InstallModeType" }, supported: flag }, [
    "type",
    "supported",
  ]),
);
export const maintainers = list(struct("v1alpha1.Maintainer", { name: text, email: text }));
export const nativeApis = list(
  struct("v1.GroupVersionKind", { group: text, version: text, kind: text }, ["group", "version", "kind"]),
);

export const csvMetadataShape = struct(
  "property.CSVMetadata",
  {
    annotations: map(text),
    apiServiceDefinitions: apiServices,
    crdDescriptions: crds,
    description: text,
    displayName: text,
    installModes,
    keywords: list(text),
    labels: map(text),
    links: list(link),
    maintainers,
    maturity: text,
    minKubeVersion: text,
    nativeAPIs: nativeApis,
    provider: link,
  },
  ["apiServiceDefinitions", "crdDescriptions", "provider"],
);

/** What an `olm.csv.metadata` property is made from: the parts of a ClusterServiceVersion that it repeats. */
export const csvShape = struct("v1alpha1.ClusterServiceVersion", {
  metadata: struct("v1.ObjectMeta", { name: text, annotations: map(text), labels: map(text) }),
  spec: struct("v1alpha1.ClusterServiceVersionSpec", {
    apiservicedefinitions: apiServices,
    customresourcedefinitions: crds,
    description: text,
    displayName: text,
    installModes,
    keywords: list(text),
    links: list(link),
    maintainers,
    maturity: text,
    minKubeVersion: text,
    nativeAPIs: nativeApis,
    provider: link,
  }),
});

/** Value of each property type that upstream decodes into a type of its own; all others only have to be JSON. */
export const propertyShapes: ReadonlyMap<string, GoShape> = new Map([
  ["olm.package", struct("property.Package", { packageName: text, version: text, release: text })],
  ["olm.package.required", struct("property.PackageRequired", { packageName: text, versionRange: text })],
  ["olm.channel", struct("property.Channel", { channelName: text })],
  ["olm.gvk", struct("property.GVK", { group: text, kind: text, version: text })],
  ["olm.gvk.required", struct("property.GVKRequired", { group: text, kind: text, version: text })],
  ["olm.bundle.object", struct("property.BundleObject", { data: bytes })],
  ["olm.csv.metadata", csvMetadataShape],
]);
