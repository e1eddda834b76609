import type { JsonObject } from "@purser/kubernetes/json";
import { packagesGroup, packagesVersion } from "../apis/v0/package-manifest.ts";
import { apiRoot, plural } from "./package-request.ts";

const text = (description: string): JsonObject => ({ type: "string", description });
const listOf = (items: JsonObject, description: string): JsonObject => ({ type: "array", items, description });
const objectOf = (properties: JsonObject, description: string, required: readonly string[] = []): JsonObject => ({
  type: "object",
  description,
  properties,
  ...(required.length === 0 ? {} : { required }),
});

const deprecation = objectOf(
  { message: text("Why it is deprecated and what to use instead.") },
  "Set when the catalog deprecates it.",
);
const link = (description: string): JsonObject =>
  objectOf({ name: text("Display name."), url: text("URL of the link.") }, description);

const namedApi = {
  name: text("`PLURAL.GROUP` of a CustomResourceDefinition, the plural of another API."),
  version: text("The API version."),
  kind: text("The kind of its objects."),
  displayName: text("Display name."),
  description: text("Purpose of its objects."),
};
const apis = (properties: JsonObject, description: string): JsonObject => {
  const item = objectOf(properties, "An API.", ["name", "version", "kind"]);
  return objectOf(
    { owned: listOf(item, "Details of the ClusterServiceVersion."), required: listOf(item, "What it needs.") },
    description,
  );
};

const description = objectOf(
  {
    displayName: text("Display name of the operator."),
    icon: listOf(
      objectOf({ base64data: text("The image."), mediatype: text("Its media type.") }, "An icon."),
      "Empty in lists and single reads: the subresource `icon` serves it.",
    ),
    version: { ...text("The version; 0.0.0 when the bundle has none."), format: "semver" },
    provider: link("Who publishes the operator."),
    annotations: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Annotations of the ClusterServiceVersion.",
    },
    keywords: listOf({ type: "string" }, "Words to search by."),
    links: listOf(link("A link."), "Further reading."),
    maintainers: listOf(
      objectOf({ name: text("The name."), email: text("The address.") }, "A person or organization."),
      "Who maintains the operator.",
    ),
    maturity: text("How mature the operator is."),
    description: text("The operator in Markdown."),
    installModes: listOf(
      objectOf(
        {
          type: text("OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces."),
          supported: { type: "boolean", description: "Whether the operator supports it." },
        },
        "An install mode.",
        ["type", "supported"],
      ),
      "The OperatorGroups that the operator can be a member of.",
    ),
    customresourcedefinitions: apis(namedApi, "CustomResourceDefinitions of the operator."),
    apiservicedefinitions: apis({ ...namedApi, group: text("The API group.") }, "Aggregated APIs of the operator."),
    nativeApis: listOf(
      objectOf({ group: text("The group."), version: text("The version."), kind: text("The kind.") }, "An API.", [
        "group",
        "version",
        "kind",
      ]),
      "APIs of the cluster that the operator needs.",
    ),
    minKubeVersion: text("The lowest Kubernetes version that the operator runs on."),
    relatedImages: listOf({ type: "string" }, "The images of the operator."),
  },
  "The ClusterServiceVersion at the head of the channel.",
);

const channel = objectOf(
  {
    name: text("The channel."),
    currentCSV: text("Name of the ClusterServiceVersion at the head of the channel."),
    currentCSVDesc: description,
    deprecation,
    entries: listOf(
      objectOf({ name: text("The bundle."), version: text("Its version."), deprecation }, "A bundle.", ["name"]),
      "The bundles of the channel, the highest version first.",
    ),
  },
  "A channel.",
  ["name", "currentCSV", "entries"],
);

const status = objectOf(
  {
    catalogSource: text("The CatalogSource that offers the package."),
    catalogSourceDisplayName: text("Display name of the CatalogSource."),
    catalogSourcePublisher: text("Who publishes it."),
    catalogSourceNamespace: text("Its namespace."),
    provider: link("Who publishes the operator."),
    packageName: text("The package, as a Subscription names it."),
    deprecation,
    channels: listOf(channel, "The channels of the package by name."),
    defaultChannel: text("The channel of a Subscription that names none."),
  },
  "Channels and description of the package.",
  [
    "catalogSource",
    "catalogSourceDisplayName",
    "catalogSourcePublisher",
    "catalogSourceNamespace",
    "packageName",
    "channels",
    "defaultChannel",
  ],
);

const kind = (name: string): readonly JsonObject[] => [{ group: packagesGroup, version: packagesVersion, kind: name }];
const typeMeta = { apiVersion: text("The API version of the object."), kind: text("The kind of the object.") };
const metadata: JsonObject = { type: "object", description: "Standard metadata of objects and lists." };
const model = "com.coreos.operators.packages.v1";

/** Schemas by name; `prefix` is where the document holds them. */
function schemas(prefix: string): JsonObject {
  return {
    [`${model}.PackageManifest`]: {
      ...objectOf(
        { ...typeMeta, metadata, spec: { type: "object", description: "Always empty." }, status },
        "A package that the catalogs of the cluster offer. Read-only.",
      ),
      "x-kubernetes-group-version-kind": kind("PackageManifest"),
    },
    [`${model}.PackageManifestList`]: {
      ...objectOf(
        {
          ...typeMeta,
          metadata,
          items: listOf({ $ref: `${prefix}${model}.PackageManifest` }, "The packages."),
        },
        "A list of packages.",
        ["items"],
      ),
      "x-kubernetes-group-version-kind": kind("PackageManifestList"),
    },
  };
}

interface Operation {
  readonly path: string;
  readonly action: "list" | "get";
  readonly parameters: readonly string[];
}

const operations: readonly Operation[] = [
  { path: `${apiRoot}/${plural}`, action: "list", parameters: [] },
  { path: `${apiRoot}/namespaces/{namespace}/${plural}`, action: "list", parameters: ["namespace"] },
  { path: `${apiRoot}/namespaces/{namespace}/${plural}/{name}`, action: "get", parameters: ["namespace", "name"] },
];

function paths(write: (operation: Operation, responseModel: string) => JsonObject): JsonObject {
  return Object.fromEntries(
    operations.map((operation) => {
      const responseModel = `${model}.PackageManifest${operation.action === "list" ? "List" : ""}`;
      const get = {
        description: operation.action === "list" ? "list objects of kind PackageManifest" : "read the PackageManifest",
        ...write(operation, responseModel),
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": kind("PackageManifest")[0] ?? {},
      };
      return [operation.path, { get }] as const;
    }),
  );
}

const info = { title: "Package API server", version: packagesVersion };

/** The OpenAPI 2 document. */
export const swagger: JsonObject = {
  swagger: "2.0",
  info,
  paths: paths(({ parameters }, responseModel) => ({
    produces: ["application/json"],
    parameters: parameters.map((name) => ({ name, in: "path", required: true, type: "string" })),
    responses: { "200": { description: "OK", schema: { $ref: `#/definitions/${responseModel}` } } },
  })),
  definitions: schemas("#/definitions/"),
};

/** The OpenAPI 3 document of the version. */
export const openApi3: JsonObject = {
  openapi: "3.0.0",
  info,
  paths: paths(({ parameters }, responseModel) => ({
    parameters: parameters.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    responses: {
      "200": {
        description: "OK",
        content: { "application/json": { schema: { $ref: `#/components/schemas/${responseModel}` } } },
      },
    },
  })),
  components: { schemas: schemas("#/components/schemas/") },
};
