// Facts of the demo world `default`: three small operators. `node build/demo.ts` writes them out as a catalog and bundle directories.
export interface DemoVersion {
  readonly version: string;
  readonly replaces?: string;
  /** What changed, so that a review of the upgrade has something to show. */
  readonly replicas: number;
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

export interface DemoOperator {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly fields: Readonly<
    Record<string, { readonly type: string; readonly description: string; readonly minimum?: number }>
  >;
  readonly example: Readonly<Record<string, unknown>>;
  readonly versions: readonly DemoVersion[];
  readonly defaultChannel: string;
  readonly channels: Readonly<Record<string, readonly string[]>>;
  readonly deprecations?: readonly { readonly reference: Readonly<Record<string, string>>; readonly message: string }[];
  readonly requires?: { readonly group: string; readonly version: string; readonly kind: string };
}

const configMaps = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create", "update"] };
const services = {
  apiGroups: [""],
  resources: ["services"],
  verbs: ["get", "list", "watch", "create", "update", "delete"],
};
const statefulSets = {
  apiGroups: ["apps"],
  resources: ["statefulsets"],
  verbs: ["get", "list", "watch", "create", "update", "delete"],
};
const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] };

export const demoOperators: readonly DemoOperator[] = [
  {
    name: "logbook-db",
    displayName: "Logbook DB",
    description:
      "Keeps append-only ledgers: declares a Ledger, and the operator runs its database, backups and compaction.",
    group: "logbook.demo.purser.dev",
    kind: "Ledger",
    plural: "ledgers",
    fields: {
      replicas: { type: "integer", description: "How many copies of the ledger run", minimum: 1 },
      retentionDays: { type: "integer", description: "Entries older than this are compacted away", minimum: 1 },
    },
    example: { replicas: 2, retentionDays: 30 },
    defaultChannel: "stable",
    channels: { stable: ["1.0.0", "1.1.0", "1.2.0"], candidate: ["1.1.0", "1.2.0", "2.0.0-rc.1"] },
    versions: [
      { version: "1.0.0", replicas: 1, rules: [configMaps, services] },
      { version: "1.1.0", replaces: "1.0.0", replicas: 1, rules: [configMaps, services, statefulSets] },
      { version: "1.2.0", replaces: "1.1.0", replicas: 2, rules: [configMaps, services, statefulSets] },
      { version: "2.0.0-rc.1", replaces: "1.2.0", replicas: 2, rules: [configMaps, services, statefulSets, secrets] },
    ],
  },
  {
    name: "ballast-cache",
    displayName: "Ballast Cache",
    description: "Runs in-memory caches that survive a restart: declares a Cache, and the operator keeps it warm.",
    group: "ballast.demo.purser.dev",
    kind: "Cache",
    plural: "caches",
    fields: {
      sizeMi: { type: "integer", description: "Memory of the cache in MiB", minimum: 16 },
      evict: { type: "string", description: "Which entries go first when it is full" },
    },
    example: { sizeMi: 128, evict: "oldest" },
    defaultChannel: "stable",
    channels: { stable: ["0.3.0", "0.4.0", "0.4.1"], legacy: ["0.2.0", "0.3.0"] },
    deprecations: [
      {
        reference: { schema: "olm.channel", name: "legacy" },
        message: "Channel legacy ends with 0.3.0; use stable, which continues from there.",
      },
    ],
    versions: [
      { version: "0.2.0", replicas: 1, rules: [configMaps] },
      { version: "0.3.0", replaces: "0.2.0", replicas: 1, rules: [configMaps, services] },
      { version: "0.4.0", replaces: "0.3.0", replicas: 1, rules: [configMaps, services] },
      { version: "0.4.1", replaces: "0.4.0", replicas: 1, rules: [configMaps, services] },
    ],
  },
  {
    name: "semaphore-gateway",
    displayName: "Semaphore Gateway",
    description:
      "Routes requests by flags: declares a Signal, and the operator configures gateways, with Ballast caches for their sessions.",
    group: "semaphore.demo.purser.dev",
    kind: "Signal",
    plural: "signals",
    fields: { host: { type: "string", description: "Host name the gateway answers for" } },
    example: { host: "signals.example" },
    defaultChannel: "stable",
    channels: { stable: ["1.0.0", "1.1.0"] },
    requires: { group: "ballast.demo.purser.dev", version: "v1", kind: "Cache" },
    versions: [
      { version: "1.0.0", replicas: 1, rules: [configMaps, services] },
      { version: "1.1.0", replaces: "1.0.0", replicas: 2, rules: [configMaps, services] },
    ],
  },
];
