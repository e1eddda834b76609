import { bytes, flag, type GoShape, int32, list, map, raw, struct, text } from "./go-shape.ts";

const property = struct("property.Property", { type: text, value: raw });
const relatedImage = struct("declcfg.RelatedImage", { name: text, image: text });

export const packageShape = struct("declcfg.Package", {
  schema: text,
  name: text,
  defaultChannel: text,
  icon: struct("declcfg.Icon", { base64data: bytes, mediatype: text }),
  description: text,
  properties: list(property),
});

export const channelShape = struct("declcfg.Channel", {
  schema: text,
  name: text,
  package: text,
  entries: list(struct("declcfg.ChannelEntry", { name: text, replaces: text, skips: list(text), skipRange: text })),
  properties: list(property),
});

export const bundleShape = struct("declcfg.Bundle", {
  schema: text,
  name: text,
  package: text,
  image: text,
  properties: list(property),
  relatedImages: list(relatedImage),
});

export const deprecationShape = struct("declcfg.Deprecation", {
  schema: text,
  package: text,
  entries: list(
    struct("declcfg.DeprecationEntry", {
      reference: struct("declcfg.PackageScopedReference", { schema: text, name: text }),
      message: text,
    }),
  ),
});

const link = struct("v1alpha1.AppLink", { name: text, url: text });
const descriptor = (type: string, withValue: boolean): GoShape =>
  struct(type, {
    path: text,
    displayName: text,
    description: text,
    "x-descriptors": list(text),
    ...(withValue ? { value: raw } : {}),
  });
const descriptions = {
  resources: list(struct("v1alpha1.APIResourceReference", { name: text, kind: text, version: text })),
  statusDescriptors: list(descriptor("v1alpha1.StatusDescriptor", true)),
  specDescriptors: list(descriptor("v1alpha1.SpecDescriptor", true)),
  actionDescriptors: list(descriptor("v1alpha1.ActionDescriptor", true)),
};
const crdDescription = struct("v1alpha1.CRDDescription", {
  name: text,
  version: text,
  kind: text,
  displayName: text,
  description: text,
  ...descriptions,
});
const apiServiceDescription = struct("v1alpha1.APIServiceDescription", {
  name: text,
  group: text,
  version: text,
  kind: text,
  deploymentName: text,
  containerPort: int32,
  displayName: text,
  description: text,
  ...descriptions,
});

/** Value of each property type that upstream decodes into a type of its own; all others only have to be JSON. */
export const propertyShapes: ReadonlyMap<string, GoShape> = new Map([
  ["olm.package", struct("property.Package", { packageName: text, version: text, release: text })],
  ["olm.package.required", struct("property.PackageRequired", { packageName: text, versionRange: text })],
  ["olm.channel", struct("property.Channel", { channelName: text })],
  ["olm.gvk", struct("property.GVK", { group: text, kind: text, version: text })],
  ["olm.gvk.required", struct("property.GVKRequired", { group: text, kind: text, version: text })],
  ["olm.bundle.object", struct("property.BundleObject", { data: bytes })],
  [
    "olm.csv.metadata",
    struct("property.CSVMetadata", {
      annotations: map(text),
      apiServiceDefinitions: struct("v1alpha1.APIServiceDefinitions", {
        owned: list(apiServiceDescription),
        required: list(apiServiceDescription),
      }),
      crdDescriptions: struct("v1alpha1.CustomResourceDefinitions", {
        owned: list(crdDescription),
        required: list(crdDescription),
      }),
      description: text,
      displayName: text,
      installModes: list(
        struct("v1alpha1.InstallMode", { type: { kind: "string", type: "v1alpha1.InstallModeType" }, supported: flag }),
      ),
      keywords: list(text),
      labels: map(text),
      links: list(link),
      maintainers: list(struct("v1alpha1.Maintainer", { name: text, email: text })),
      maturity: text,
      minKubeVersion: text,
      nativeAPIs: list(struct("v1.GroupVersionKind", { group: text, version: text, kind: text })),
      provider: link,
    }),
  ],
]);
