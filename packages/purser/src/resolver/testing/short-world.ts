// Worlds in shorthand, for tests; see failing-worlds.yaml for examples.
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { BundleMetadata, CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import type { ExtensionCatalog, ExtensionInput } from "../v1/input.ts";
import type { NamespaceCatalog, NamespaceInput } from "../v0/input.ts";
import type { ShortCatalog } from "./short-catalog.ts";
import { propertiesOf, shortCatalog } from "./short-catalog.ts";

/** A catalog's content, or why there is none. */
type ShortContent = ShortCatalog | string;

export interface ShortNamespace {
  /** `NAMESPACE/NAME[ PRIORITY]` */
  readonly catalogs: Readonly<Record<string, ShortContent>>;
  /** `NAME PACKAGE[/CHANNEL][ from=NS/CATALOG][ start=CSV][ at=CSV]`; from defaults to olm/cat. */
  readonly subscriptions?: readonly string[];
  /** `NAME VERSION PACKAGE[ phase=P][ replaces=CSV] ...properties`; package `-` for none. */
  readonly installed?: readonly string[];
  /** `NAME[ excluded][ failforward]`; default one group. */
  readonly groups?: readonly string[];
  /** `PACKAGE[/CSV] REASON...` */
  readonly holds?: readonly string[];
}

const word = (line: string, key: string): string | undefined => new RegExp(` ${key}=(\\S+)`).exec(line)?.[1];

function subscriptionOf(line: string): Subscription {
  const [name = "", wanted = ""] = line.split(" ");
  const [packageName = "", channel] = wanted.split("/");
  const [sourceNamespace = "olm", source = "cat"] = word(line, "from")?.split("/") ?? [];
  const at = word(line, "at");
  const startingCSV = word(line, "start");
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { name, namespace: "ns" },
    spec: {
      name: packageName,
      source,
      sourceNamespace,
      ...(channel === undefined ? {} : { channel }),
      ...(startingCSV === undefined ? {} : { startingCSV }),
    },
    ...(at === undefined ? {} : { status: { installedCSV: at, currentCSV: at, lastUpdated: "" } }),
  };
}

function csvOf(line: string): ClusterServiceVersion {
  const [name = "", version = "", packageName = "-"] = line.split(" ");
  const properties = propertiesOf(line, packageName).filter(
    ({ type }) => packageName !== "-" || type !== "olm.package",
  );
  const replaces = word(line, "replaces");
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name,
      namespace: "ns",
      annotations: { "operatorframework.io/properties": JSON.stringify({ properties }) },
    },
    spec: {
      displayName: name,
      install: { strategy: "deployment" },
      version,
      ...(replaces === undefined ? {} : { replaces }),
    },
    status: { phase: (word(line, "phase") ?? "Succeeded") as "Succeeded" },
  };
}

function groupOf(line: string): OperatorGroup {
  const [name = "", ...marks] = line.split(" ");
  const excluded = { "olm.operatorframework.io/exclude-global-namespace-resolution": "true" };
  return {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { name, namespace: "ns", ...(marks.includes("excluded") ? { annotations: excluded } : {}) },
    spec: marks.includes("failforward") ? { upgradeStrategy: "TechPreviewUnsafeFailForward" } : {},
  };
}

export function shortNamespace(short: ShortNamespace): NamespaceInput {
  return {
    namespace: "ns",
    globalNamespace: "olm",
    catalogs: Object.entries(short.catalogs).map(([title, content]): NamespaceCatalog => {
      const [key = "", priority = "0"] = title.split(" ");
      const [namespace = "", name = ""] = key.split("/");
      return {
        key: { namespace, name },
        priority: Number(priority),
        content:
          typeof content === "string"
            ? { kind: "unavailable", cause: content }
            : { kind: "present", index: shortCatalog(content) },
      };
    }),
    subscriptions: (short.subscriptions ?? []).map(subscriptionOf),
    clusterServiceVersions: (short.installed ?? []).map(csvOf),
    operatorGroups: (short.groups ?? ["og"]).map(groupOf),
    holds: (short.holds ?? []).map((line) => {
      const [wanted = "", ...reason] = line.split(" ");
      const [packageName = "", csv] = wanted.split("/");
      return {
        code: "VersionHeld",
        package: packageName,
        reason: reason.join(" "),
        remedy,
        ...(csv === undefined ? {} : { bundles: [csv] }),
      };
    }),
  };
}

/** As a hold carries it. */
const remedy = { summary: "End the hold", command: "purser unhold NAME" };

export interface ShortExtension {
  /** `NAME[ PRIORITY][ off]` */
  readonly catalogs: Readonly<Record<string, ShortContent>>;
  readonly extension: CatalogFilter;
  readonly installed?: BundleMetadata;
  /** `CSV REASON...` */
  readonly holds?: readonly string[];
}

export function shortExtension(short: ShortExtension): ExtensionInput {
  return {
    name: "ext",
    namespace: "tools",
    filter: short.extension,
    ...(short.installed === undefined ? {} : { installed: short.installed }),
    holds: (short.holds ?? []).map((line) => {
      const [bundle = "", ...reason] = line.split(" ");
      return { code: "VersionHeld", bundles: [bundle], reason: reason.join(" "), remedy };
    }),
    catalogs: Object.entries(short.catalogs).map(([title, content]): ExtensionCatalog => {
      const [name = "", ...marks] = title.split(" ");
      const priority = marks.find((mark) => /^-?\d+$/.test(mark));
      const catalog: ClusterCatalog = {
        apiVersion: "olm.operatorframework.io/v1",
        kind: "ClusterCatalog",
        metadata: { name },
        spec: {
          source: { type: "Image" },
          ...(priority === undefined ? {} : { priority: Number(priority) }),
          availabilityMode: marks.includes("off") ? "Unavailable" : "Available",
        },
      };
      return {
        catalog,
        content:
          typeof content === "string"
            ? { kind: "unavailable", cause: content }
            : { kind: "present", index: shortCatalog(content) },
      };
    }),
  };
}
