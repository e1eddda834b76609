// Passes of the ClusterExtension controller over a small cluster, for tests: the extension `ext` of the package `kiln`.
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import { failed } from "@purser/kubernetes/result";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Condition } from "@purser/kubernetes/apis/condition";
import { RecordingCluster } from "../../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterUpdatePolicySpec } from "../../../../apis/policy/cluster-update-policy.ts";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import {
  approvedPlanAnnotation,
  bundleDigestAnnotation,
  bundleNameAnnotation,
  certificateProviderAnnotation,
  extensionFinalizers,
  ownerNameLabel,
  revisionApprovalAnnotation,
} from "../../../../apis/v1/labels.ts";
import { readBundle } from "../../../../bundle/read-bundle.ts";
import { smallBundle, smallCsv } from "../../../../bundle/testing/small-bundle.ts";
import { bundleKey, sourceKey } from "../../../../catalog/content.ts";
import { loadCatalog } from "../../../../catalog/loading/load.ts";
import { indexOf } from "../../../../catalog/memory-index.ts";
import { smallCatalog } from "../../../../catalog/testing/small-catalog.ts";
import { improved } from "../../../../compat.ts";
import type { CatalogContent } from "../../../../content/content.ts";
import { SetContent } from "../../../../content/testing/set-content.ts";
import { SecretContents } from "../../../../rollout/memory/secret-contents.ts";
import type { Surroundings } from "../../../surroundings.ts";
import { passOf } from "../../../testing/passes.ts";
import { clusterExtensionController } from "../cluster-extension-controller.ts";

export const now = Date.parse("2026-01-01T00:00:00Z");

export function extensionOf(
  spec: Partial<NonNullable<ClusterExtension["spec"]>> = {},
  more: { readonly annotations?: Readonly<Record<string, string>>; readonly status?: ClusterExtension["status"] } = {},
): ClusterExtension {
  const { annotations = {}, status } = more;
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name: "ext", uid: "uid-ext", generation: 3, finalizers: extensionFinalizers, annotations },
    spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "kiln" } }, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

export const catalogOf = (name: string): KubeObject =>
  ({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name, labels: { "olm.operatorframework.io/metadata.name": name } },
    spec: { source: { type: "Image", image: { ref: `example.com/${name}:1` } } },
  }) as unknown as KubeObject;

/** A revision of `ext` whose conditions are `TYPE=STATUS REASON`; without objects. */
export function revisionOf(
  number: number,
  version: string,
  shown: readonly string[],
  { annotations = {}, ...metadata }: JsonObject = {},
): KubeObject {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: {
      name: `ext-${number}`,
      uid: `uid-${number}`,
      creationTimestamp: "2025-12-31T23:59:00Z",
      labels: { [ownerNameLabel]: "ext" },
      annotations: {
        "olm.operatorframework.io/bundle-name": `kiln.v${version}`,
        "olm.operatorframework.io/bundle-version": version,
        "olm.operatorframework.io/bundle-reference": `example.com/kiln:v${version}`,
        "olm.operatorframework.io/package-name": "kiln",
        ...(annotations as JsonObject),
      },
      ...metadata,
    },
    spec: { lifecycleState: "Active", revision: number, collisionProtection: "Prevent", phases: [] },
    status: {
      conditions: shown.map((text): Condition => {
        const [, type = "", status, reason = ""] = /^(\w+)=(\w+) (\w+)$/.exec(text) ?? [];
        return { type, status: status as Condition["status"], reason, message: "", lastTransitionTime: "" };
      }),
    },
  } as unknown as KubeObject;
}

/** A ClusterUpdatePolicy for every extension. */
export const policyOf = (spec: ClusterUpdatePolicySpec): KubeObject =>
  ({
    apiVersion: "purser.dev/v1alpha1",
    kind: "ClusterUpdatePolicy",
    metadata: { name: "policy" },
    spec,
  }) as KubeObject;

export const succeeded = ["Succeeded=True Succeeded", "Progressing=True Succeeded"];

export interface Given {
  readonly extension?: ClusterExtension;
  /** Beside the extension and the ClusterCatalog `cat`. */
  readonly objects?: readonly KubeObject[];
  /** Of the package in `cat`. */
  readonly versions?: readonly string[];
  /** In place of them. */
  readonly catalog?: CatalogContent;
  /** More documents of the catalog. */
  readonly extra?: string;
  /** Versions whose bundles are not read yet. */
  readonly unread?: readonly string[];
  /** Changes the CSV of every bundle. */
  readonly csv?: JsonObject;
  readonly files?: Readonly<Record<string, JsonObject | string | undefined>>;
  readonly surroundings?: Partial<Surroundings>;
  /** API versions that the cluster serves. */
  readonly serves?: readonly string[];
  readonly kubeVersion?: string;
  readonly forbidden?: readonly string[];
}

/** A cluster whose passes share what the controller remembers. */
export function extensionCluster({ versions = ["1.0.0"], extra = "", unread = [], serves = [], ...given }: Given) {
  const content = new SetContent();
  const reads: string[] = [];
  const { blobs } = loadCatalog([{ file: "c", text: smallCatalog("kiln", versions, extra) }]);
  const source = { kind: "image", reference: "example.com/cat:1" } as const;
  const digest = digestOf("catalog");
  const ready = { state: { kind: "ready", digest }, index: { ...indexOf(blobs), digest } } as CatalogContent;
  content.setCatalog(sourceKey(source), given.catalog ?? ready);
  for (const version of versions.filter((one) => !unread.includes(one))) {
    const csv = smallCsv({ version, ...given.csv }, { name: `kiln.v${version}` });
    const read = readBundle(smallBundle({ "manifests/csv.json": csv, ...given.files }));
    const request = { reference: `example.com/kiln:v${version}`, packageName: "kiln", version };
    const registry = (): Promise<typeof read> => {
      reads.push(version);
      return Promise.resolve(read);
    };
    const objects = { registry, unpacked: () => Promise.reject(new Error("not of v1")) };
    content.setBundle(bundleKey({ ...request, credentials: [], policy: [] }), {
      state: { kind: "ready", digest: digestOf(version) },
      objects,
    });
  }
  const held = [given.extension ?? extensionOf(), catalogOf("cat"), ...(given.objects ?? [])];
  const cluster = new Live(held, given);
  const surroundings = {
    client: cluster,
    discovery: {
      serves: (version: string) => Promise.resolve(serves.includes(version)),
      lookUp: ({ group, version }: { readonly group: string; readonly version: string }) =>
        Promise.resolve({ kind: serves.includes(`${group}/${version}`) ? "served" : "absent" }),
    },
    content,
    compat: improved,
    systemNamespace: "olmv1-system",
    webhookCertificates: "auto",
    ...given.surroundings,
  } as unknown as Surroundings;
  const controller = clusterExtensionController(surroundings, new SecretContents());
  return {
    content,
    controller,
    held,
    /** Versions whose bundle was read, in order. */
    reads,
    /** Removes an object as others do. */
    drop: (type: ResourceType, name: string) => cluster.drop(type, { name }),
    /** What one pass writes, by `lineOf`, and the events that it emits. */
    async pass(): Promise<readonly string[]> {
      const before = cluster.requests.length;
      const { events, error } = await passOf(controller, { name: "ext" }, held, cluster);
      return [
        ...cluster.requests.slice(before).flatMap(linesOf),
        ...events.map((event) => `event ${event.replace(/: .*\n[^]*/, "")}`),
        ...(error === undefined ? [] : [error]),
      ];
    },
  };
}

const deploymentsResource = { name: "deployments", kind: "Deployment", namespaced: true };

/** A cluster whose revisions cannot get other phases. */
class Live extends RecordingCluster {
  readonly #version: string;

  constructor(held: readonly KubeObject[], { kubeVersion = "v1.36.0", forbidden = [] }: Given) {
    super(held, forbidden);
    this.#version = kubeVersion;
  }

  /** An API's resources, for discovery. */
  requestJson({ path }: { readonly path: string }): Promise<JsonObject> {
    return Promise.resolve({ resources: path === "/apis/apps/v1" ? [deploymentsResource] : [] });
  }

  version(): Promise<{ readonly gitVersion: string }> {
    return Promise.resolve({ gitVersion: this.#version });
  }

  override async write(write: ObjectWrite): ReturnType<RecordingCluster["write"]> {
    if (write.verb === "apply") {
      const { metadata } = write.object;
      const live = await this.get(write.type, { name: metadata.name ?? "" });
      if (live !== undefined && bundleIn(live) !== bundleIn(write.object))
        return failed({ kind: "invalid", status: { code: 422, reason: "Invalid", message: "phases are immutable" } });
      if (live !== undefined) return super.write({ ...write, object: kept(live, write.object) });
    }
    return super.write(write);
  }
}

/** What an apply leaves as it is. */
const kept = (live: KubeObject, { metadata, ...object }: KubeObject): KubeObject =>
  ({ ...live, ...object, metadata: { ...live.metadata, ...metadata } }) as KubeObject;

const bundleIn = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[bundleNameAnnotation];

/** Left out of lines, as they follow from others. */
const leftOut = /^(Ready|Reconciling|Stalled|\w*Deprecated)$/;

function linesOf(write: ObjectWrite): readonly string[] {
  if (write.verb === "patch")
    return write.type.kind === "Secret"
      ? ["own Secret"]
      : [`patch ${write.type.kind} ${write.key.name} ${JSON.stringify(write.patch)}`];
  if (write.verb === "delete") return [`delete ${write.type.kind} ${write.key.name}`];
  const { metadata } = write.object;
  const marks = [
    bundleNameAnnotation,
    certificateProviderAnnotation,
    approvedPlanAnnotation,
    revisionApprovalAnnotation,
  ].flatMap((name) => metadata.annotations?.[name] ?? []);
  if (write.verb !== "replace")
    return [
      [write.verb, write.type.kind, metadata.name?.replace(/-[0-9a-f]{16}$/, ""), ...marks].join(" ") +
        (metadata.annotations?.[bundleDigestAnnotation] === undefined ? "" : ", pinned"),
    ];
  const { conditions = [], install } = (write.object as ClusterExtension).status ?? {};
  return [
    ...conditions
      .filter(({ type }) => !leftOut.test(type))
      .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`),
    ...(install === undefined ? [] : [`installed ${install.bundle.name}`]),
  ];
}
