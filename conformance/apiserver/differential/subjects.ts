import type { JsonObject, JsonValue } from "../../../src/json.ts";
import type { Draw } from "./draw.ts";

/** A part of a body, drawn; parts of one body are merged. */
type Fragment = (draw: Draw) => JsonObject;

/** A kind that the sequences write. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  /** `{ns}` stands for the run's namespace. */
  readonly collection: string;
  readonly weight: number;
  /** What every body has. */
  readonly base: JsonObject;
  readonly fragments: readonly Fragment[];
  /** Bodies of the status endpoint; none where there is no such endpoint. */
  readonly status: readonly Fragment[];
  readonly scale?: boolean;
  readonly custom?: boolean;
  /** Controllers write its objects too: wait until they have. */
  readonly controlled?: boolean;
  /** Lists with a strategic merge key, as paths of member names. */
  readonly mergeLists?: readonly (readonly [path: readonly string[], key: string])[];
}

const texts = ["1", "2", "x", "", "y-1", "Ünï", "a b", "0"] as const;
const keys = ["a", "b", "c.d", "k"] as const;

function textMap(draw: Draw): JsonObject {
  return Object.fromEntries(draw.some([...keys], 0, 3).map((key) => [key, draw.one(texts)]));
}

const labelled: Fragment = (draw) => ({
  metadata: {
    labels: Object.fromEntries(
      draw
        .some(["app", "x.io/tier", "l", ...(draw.chance(0.05) ? ["bad key", "-"] : [])], 0, 3)
        .map((key) => [key, draw.one(["a", "b", "", ...(draw.chance(0.05) ? ["not ok"] : [])])]),
    ) as JsonObject,
  },
});

const annotated: Fragment = (draw) => ({ metadata: { annotations: textMap(draw) } });

const held: Fragment = (draw) => ({
  metadata: {
    finalizers: draw.some(["x.io/a", "x.io/b", ...(draw.chance(0.05) ? ["bare", "orphan"] : [])], 0, 2),
  },
});

const owned: Fragment = (draw) => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "anchor", uid: "{{anchor}}" };
  const full = { ...owner, controller: draw.chance(0.5), ...(draw.chance(0.3) ? { blockOwnerDeletion: true } : {}) };
  return {
    metadata: {
      ownerReferences: draw.chance(0.1) ? [owner, owner] : draw.chance(0.1) ? [{ ...full, uid: "" }] : [full],
    },
  };
};

const metadata: readonly Fragment[] = [labelled, annotated, held, owned];

function podSpec(draw: Draw): JsonObject {
  const container = (name: string): JsonObject => ({
    name,
    ...(draw.chance(0.95) ? { image: draw.one(["i", "i:v1", "i:latest"]) } : {}),
    ...(draw.chance(0.3) ? { args: draw.some(["x", "y", "z"], 0, 3) } : {}),
    ...(draw.chance(0.4)
      ? { env: draw.some(["A", "B", "C"], 0, 3).map((key) => ({ name: key, value: draw.one(texts) })) }
      : {}),
    ...(draw.chance(0.4)
      ? {
          ports: draw.some([80, 81, 443], 0, 3).map((port) => ({
            containerPort: port,
            ...(draw.chance(0.4) ? { protocol: draw.one(["TCP", "UDP"]) } : {}),
            ...(draw.chance(0.3) ? { name: `p${port}` } : {}),
          })),
        }
      : {}),
    ...(draw.chance(0.2) ? { resources: { limits: { cpu: draw.one(["1", "100m", 2]), memory: "1Gi" } } } : {}),
    ...(draw.chance(0.2) ? { volumeMounts: [{ name: "v", mountPath: draw.one(["/v", "/w"]) }] } : {}),
    ...(draw.chance(0.15) ? { readinessProbe: { httpGet: { port: draw.one([80, "p80"]) }, periodSeconds: 5 } } : {}),
  });
  return {
    containers: draw.some(["c1", "c2", "c3"], draw.chance(0.95) ? 1 : 0, 3).map(container),
    ...(draw.chance(0.4)
      ? {
          volumes: draw
            .some(["v", "w"], 0, 2)
            .map((name) => ({ name, ...draw.one([{ emptyDir: {} }, { configMap: { name: "m" } }, {}]) })),
        }
      : {}),
    ...(draw.chance(0.2) ? { tolerations: [{ key: draw.one(["t1", "t2"]), operator: "Exists" }] } : {}),
    ...(draw.chance(0.2) ? { imagePullSecrets: draw.some(["s1", "s2"], 0, 2).map((name) => ({ name })) } : {}),
    ...(draw.chance(0.1) ? { nodeSelector: textMap(draw) } : {}),
    ...(draw.chance(0.1) ? { terminationGracePeriodSeconds: draw.one([0, 10, 30]) } : {}),
  };
}

const podLists: readonly (readonly [readonly string[], string])[] = [
  [["containers"], "name"],
  [["volumes"], "name"],
  [["imagePullSecrets"], "name"],
];

function below(path: readonly string[]): readonly (readonly [readonly string[], string])[] {
  return podLists.map(([rest, key]) => [[...path, ...rest], key]);
}

const rule: Fragment = (draw) => ({
  rules: draw.some([["get"], ["list", "watch"], ["*"], []], 0, 2).map((verbs) => ({
    verbs,
    apiGroups: draw.one([[""], ["apps"], []]),
    resources: draw.one([["pods"], ["configmaps", "secrets"]]),
    ...(draw.chance(0.2) ? { resourceNames: ["n"] } : {}),
  })),
});

const rbac = "rbac.authorization.k8s.io";

const builtIns: readonly Subject[] = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    collection: "/api/v1/namespaces/{ns}/configmaps",
    weight: 4,
    base: {},
    fragments: [
      ...metadata,
      (draw) => ({ data: textMap(draw) }),
      (draw) => ({ data: textMap(draw) }),
      (draw) => ({ binaryData: { [draw.one(["a", "bin"])]: draw.one(["AAE=", "", "not base64!"]) } }),
      (draw) => (draw.chance(0.1) ? { immutable: true } : {}),
      (draw) => (draw.chance(0.2) ? { data: { [draw.one(["bad key", "", "..", "/"])]: "v" } } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    collection: "/api/v1/namespaces/{ns}/secrets",
    weight: 3,
    base: {},
    fragments: [
      ...metadata,
      (draw) => ({ stringData: textMap(draw) }),
      (draw) => ({ data: { [draw.one(keys)]: draw.one(["AAE=", "eA==", "", "%"]) } }),
      (draw) =>
        draw.chance(0.3)
          ? { type: draw.one(["Opaque", "x.io/t", "kubernetes.io/tls", "kubernetes.io/basic-auth"]) }
          : {},
      (draw) => (draw.chance(0.1) ? { immutable: draw.chance(0.5) } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "Service",
    collection: "/api/v1/namespaces/{ns}/services",
    weight: 3,
    base: { spec: { ports: [{ port: 80 }] } },
    fragments: [
      ...metadata,
      (draw) => ({
        spec: {
          ports: draw.some([80, 81, 443], 0, 3).map((port) => ({
            port,
            ...(draw.chance(0.8) ? { name: `p${port}` } : {}),
            ...(draw.chance(0.3) ? { targetPort: draw.one([8080, "http"]) } : {}),
            ...(draw.chance(0.3) ? { protocol: draw.one(["TCP", "UDP", "SCTP"]) } : {}),
          })),
        },
      }),
      (draw) => ({ spec: { selector: textMap(draw) } }),
      (draw) => (draw.chance(0.3) ? { spec: { sessionAffinity: draw.one(["None", "ClientIP", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { clusterIP: draw.one(["None", "nonsense"]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { type: draw.one(["ClusterIP", "ExternalName", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.1) ? { spec: { externalName: "x.example.com" } } : {}),
      (draw) => (draw.chance(0.1) ? { spec: { publishNotReadyAddresses: true } } : {}),
    ],
    status: [
      (draw) => ({ status: { loadBalancer: { ingress: [{ ip: draw.one(["10.1.2.3", "nonsense"]) }] } } }),
      (draw) => ({ status: { conditions: [condition(draw)] } }),
    ],
    mergeLists: [[["spec", "ports"], "port"]],
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    collection: "/apis/apps/v1/namespaces/{ns}/deployments",
    weight: 3,
    controlled: true,
    scale: true,
    base: {
      spec: {
        replicas: 0,
        paused: true,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c1", image: "i" }] } },
      },
    },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { template: { spec: podSpec(draw) } } }),
      (draw) => ({ spec: { template: { metadata: { labels: { a: "b", ...textMap(draw) } } } } }),
      (draw) => ({
        spec: { strategy: draw.one([{ type: "Recreate" }, { rollingUpdate: { maxSurge: 1 } }, { type: "Foo" }]) },
      }),
      (draw) => (draw.chance(0.2) ? { spec: { minReadySeconds: draw.one([0, 1, -1]) } } : {}),
      (draw) => (draw.chance(0.1) ? { spec: { selector: { matchLabels: { a: "c" } } } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { revisionHistoryLimit: draw.one([0, 3]) } } : {}),
    ],
    status: [],
    mergeLists: below(["spec", "template", "spec"]),
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    collection: "/apis/batch/v1/namespaces/{ns}/cronjobs",
    weight: 2,
    base: {
      spec: {
        schedule: "0 0 1 1 *",
        suspend: true,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c1", image: "i" }] } } },
        },
      },
    },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { jobTemplate: { spec: { template: { spec: podSpec(draw) } } } } }),
      (draw) => ({ spec: { concurrencyPolicy: draw.one(["Allow", "Forbid", "Foo"]) } }),
      (draw) => (draw.chance(0.3) ? { spec: { schedule: draw.one(["*/5 * * * *", "nonsense", ""]) } } : {}),
      (draw) => (draw.chance(0.3) ? { spec: { successfulJobsHistoryLimit: draw.one([0, 1, -1]) } } : {}),
    ],
    status: [(draw) => ({ status: { lastScheduleTime: draw.one(["2026-01-01T00:00:00Z", "nonsense", null]) } })],
    mergeLists: below(["spec", "jobTemplate", "spec", "template", "spec"]),
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    collection: "/api/v1/namespaces/{ns}/serviceaccounts",
    weight: 1,
    base: {},
    fragments: [
      ...metadata,
      (draw) => ({ secrets: draw.some(["s1", "s2", "s3"], 0, 2).map((name) => ({ name })) }),
      (draw) => ({ imagePullSecrets: draw.some(["s1", "s2"], 0, 2).map((name) => ({ name })) }),
      (draw) => (draw.chance(0.3) ? { automountServiceAccountToken: draw.chance(0.5) } : {}),
    ],
    status: [],
    mergeLists: [
      [["secrets"], "name"],
      [["imagePullSecrets"], "name"],
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    collection: `/apis/${rbac}/v1/namespaces/{ns}/roles`,
    weight: 1,
    base: {},
    fragments: [...metadata, rule],
    status: [],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    collection: `/apis/${rbac}/v1/namespaces/{ns}/rolebindings`,
    weight: 1,
    base: { roleRef: { apiGroup: rbac, kind: "Role", name: "r" } },
    fragments: [
      ...metadata,
      (draw) => ({
        subjects: draw.some(["User", "Group", "ServiceAccount", "Foo"], 0, 2).map((kind) => ({ kind, name: "s" })),
      }),
      (draw) => (draw.chance(0.2) ? { roleRef: { name: draw.one(["r2", ""]) } } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    collection: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    weight: 1,
    base: {},
    fragments: [
      ...metadata,
      (draw) => ({ spec: { holderIdentity: draw.one(texts), leaseDurationSeconds: draw.one([1, 15, 0, -1]) } }),
      (draw) => ({ spec: { renewTime: draw.one(["2026-01-01T00:00:00.000001Z", "2026-01-01T00:00:00Z", "x"]) } }),
    ],
    status: [],
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    collection: "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
    weight: 1,
    base: { spec: { podSelector: {} } },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { podSelector: { matchLabels: { l: draw.one(["a", "b", "no good"]) } } } }),
      (draw) => ({ spec: { ingress: [{ ports: [{ port: draw.one([80, "http", 0]) }] }] } }),
      (draw) => ({ spec: { policyTypes: draw.one([["Ingress"], ["Egress"], ["Foo"]]) } }),
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "Namespace",
    collection: "/api/v1/namespaces",
    weight: 1,
    base: {},
    fragments: [labelled, annotated, held],
    status: [
      (draw) => ({ status: { phase: draw.one(["Active", "Foo"]) } }),
      (draw) => ({ status: { conditions: [condition(draw)] } }),
    ],
  },
];

function condition(draw: Draw): JsonObject {
  return {
    type: draw.one(["Ready", "Done"]),
    status: draw.one(["True", "False", "Unknown"]),
    reason: draw.one(["A", "B"]),
    message: draw.one(["", "m"]),
    lastTransitionTime: draw.one(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]),
  };
}

const item: Fragment = (draw) => ({
  ...(draw.chance(0.95) ? { k: draw.one(["k1", "k2", "k3"]) } : {}),
  ...(draw.chance(0.5) ? { v: draw.one(texts) } : {}),
  ...(draw.chance(0.2) ? { w: draw.one([1, 2, "x"]) } : {}),
});

const odd = ["x", 5, -1, 1.5, true, null, [], {}, ["a"], { a: 1 }, "2026-01-01T00:00:00Z"] as const;

function customSubject(group: string, kind: string, plural: string, hasStatus: boolean): Subject {
  const specs: readonly Fragment[] = [
    (draw) => ({ s: draw.one(["a", "bcd", "toolong", "", "Q"]) }),
    (draw) => ({ i: draw.one([0, 3, 10, 11, -1, 2.5, 7]) }),
    (draw) => ({ j: draw.one([0, 5, 9]) }),
    (draw) => ({ b: draw.chance(0.5) }),
    (draw) => ({ q: draw.one([5, "50%", "x", 1.5]) }),
    (draw) => ({ plain: draw.some(["x", "y", "x", "z"], 0, 4) }),
    (draw) => ({ set: draw.some(["p", "q", "r", ...(draw.chance(0.1) ? ["p"] : [])], 0, 3) }),
    (draw) => ({ mp: Array.from({ length: draw.below(3) }, () => item(draw)) }),
    (draw) => ({ am: textMap(draw) }),
    (draw) => ({ gm: textMap(draw) }),
    (draw) => ({ free: { a: draw.one(odd), m: { [draw.one(keys)]: draw.one(odd) } } }),
    (draw) => ({ n: draw.one([null, "x"]) }),
    (draw) => ({ e: draw.one(["One", "Two", "Three"]) }),
    (draw) => ({ nested: draw.one([{}, { deep: {} }, { deep: { x: 5 } }, null]) }),
    (draw) => ({ im: draw.one(["m1", "m2"]) }),
    (draw) => ({ t: draw.one(["2026-01-01T00:00:00Z", "nonsense"]) }),
    (draw) => ({ emb: draw.one([{ apiVersion: "v1", kind: "X", metadata: { name: "n" }, x: 1 }, { kind: "X" }, {}]) }),
    (draw) => (draw.chance(0.2) ? { unknown: draw.one(odd), nested: { bogus: 1 } } : {}),
  ];
  return {
    apiVersion: `${group}/v1`,
    kind,
    collection: `/apis/${group}/v1/namespaces/{ns}/${plural}`,
    weight: 4,
    base: { spec: { e: "One" } },
    fragments: [
      ...metadata,
      ...specs.map((spec): Fragment => (draw) => ({ spec: spec(draw) })),
    ],
    status: hasStatus
      ? [
          (draw) => ({ status: { phase: draw.one(["A", "B", 5]) } }),
          (draw) => ({ status: { conditions: [condition(draw)] } }),
        ]
      : [],
    custom: true,
    scale: hasStatus,
  };
}

const textSchema = { type: "string" };
const maps = { type: "object", additionalProperties: textSchema };

const specSchema = {
  type: "object",
  required: ["e"],
  properties: {
    s: { type: "string", default: "D", maxLength: 5, pattern: "^[a-zD]*$" },
    i: { type: "integer", minimum: 0, maximum: 10, default: 3 },
    j: { type: "integer", format: "int32" },
    b: { type: "boolean" },
    q: { "x-kubernetes-int-or-string": true },
    plain: { type: "array", items: textSchema, maxItems: 3 },
    set: { type: "array", items: textSchema, "x-kubernetes-list-type": "set" },
    mp: {
      type: "array",
      maxItems: 10,
      items: {
        type: "object",
        required: ["k"],
        properties: { k: textSchema, v: { type: "string", default: "V" }, w: { type: "integer" } },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    },
    am: { ...maps, "x-kubernetes-map-type": "atomic" },
    gm: { ...maps, maxProperties: 2 },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    n: { type: "string", nullable: true },
    e: { type: "string", enum: ["One", "Two"] },
    nested: {
      type: "object",
      default: {},
      properties: {
        deep: { type: "object", properties: { x: { type: "integer", default: 7 }, y: textSchema } },
        z: { type: "string", default: "Z" },
      },
    },
    im: {
      type: "string",
      maxLength: 10,
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "im is immutable" }],
    },
    t: { type: "string", format: "date-time" },
    emb: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.j) || self.j >= self.i",
      messageExpression: "self.i > 5 ? 'j must reach more than five' : 'j must reach i'",
      fieldPath: ".j",
    },
    { rule: "!has(self.mp) || self.mp.all(m, m.v != 'x')", message: "no x" },
  ],
};

function definitionOf(group: string, kind: string, plural: string, hasStatus: boolean): JsonObject {
  const status = {
    type: "object",
    properties: {
      phase: textSchema,
      replicas: { type: "integer" },
      conditions: {
        type: "array",
        items: {
          type: "object",
          required: ["type", "status"],
          properties: {
            type: textSchema,
            status: { type: "string", enum: ["True", "False", "Unknown"] },
            reason: textSchema,
            message: textSchema,
            lastTransitionTime: { type: "string", format: "date-time" },
          },
        },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
      },
    },
  };
  const schema = { type: "object", properties: { spec: specSchema, status } } as unknown as JsonValue;
  const scale = { specReplicasPath: ".spec.i", statusReplicasPath: ".status.replicas" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...(hasStatus ? { subresources: { status: {}, scale } } : {}),
        },
      ],
    },
  };
}

/** The definitions that a run needs, in an API group of its own. */
export function definitionsIn(group: string): readonly JsonObject[] {
  return [definitionOf(group, "Thing", "things", true), definitionOf(group, "Plain", "plains", false)];
}

export function subjectsIn(group: string): readonly Subject[] {
  return [
    ...builtIns,
    customSubject(group, "Thing", "things", true),
    { ...customSubject(group, "Plain", "plains", false), weight: 2 },
  ];
}
