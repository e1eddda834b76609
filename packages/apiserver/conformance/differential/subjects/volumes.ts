import type { Draw } from "../draw.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { condition, metadata, quantities } from "./fragments.ts";
import type { Subject } from "./subject.ts";

const modes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "Foo"];

const limit = (draw: Draw): JsonObject => {
  const resources = (): JsonObject => ({ [draw.one(["cpu", "memory", "x.io/a"])]: draw.one(quantities) });
  return {
    type: draw.one(["Container", "Pod", "PersistentVolumeClaim", "x.io/Foo", "Foo"]),
    ...(draw.chance(0.5) ? { max: resources() } : {}),
    ...(draw.chance(0.3) ? { min: resources() } : {}),
    ...(draw.chance(0.3) ? { default: resources() } : {}),
    ...(draw.chance(0.3) ? { defaultRequest: resources() } : {}),
    ...(draw.chance(0.1) ? { maxLimitRequestRatio: resources() } : {}),
  };
};

/** Storage, quotas and limits. Quotas and limits have their own namespace, where nothing else is created. */
export const volumeSubjects: readonly Subject[] = [
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    collection: "/api/v1/namespaces/{ns}/persistentvolumeclaims",
    weight: 1,
    controlled: true,
    base: {
      spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { accessModes: draw.some(modes, 0, 2) } }),
      (draw) => ({ spec: { resources: { requests: { storage: draw.one(quantities) } } } }),
      (draw) => (draw.chance(0.3) ? { spec: { volumeMode: draw.one(["Block", "Filesystem", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { selector: { matchLabels: { a: "b" } } } } : {}),
      (draw) =>
        draw.chance(0.2)
          ? { spec: { dataSource: { kind: draw.one(["PersistentVolumeClaim", "Foo"]), name: "d" } } }
          : {},
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    collection: "/api/v1/persistentvolumes",
    weight: 1,
    controlled: true,
    names: ["{ns}-x", "{ns}-y"],
    base: {
      spec: {
        storageClassName: "nobody",
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/p" },
      },
    },
    fragments: [
      ...metadata.slice(0, 3),
      (draw) => ({ spec: { accessModes: draw.some(modes, 0, 2) } }),
      (draw) => ({ spec: { capacity: { storage: draw.one(quantities) } } }),
      (draw) => (draw.chance(0.3) ? { spec: { volumeMode: draw.one(["Block", "Filesystem", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.3) ? { spec: { persistentVolumeReclaimPolicy: draw.one(["Retain", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { hostPath: { path: draw.one(["/q", "", "../x"]) } } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { mountOptions: ["ro"] } } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    collection: "/api/v1/namespaces/{ns}-limits/resourcequotas",
    weight: 1,
    controlled: true,
    base: {},
    fragments: [
      ...metadata.slice(0, 3),
      (draw) => ({
        spec: {
          hard: {
            [draw.one(["pods", "cpu", "requests.memory", "count/things.x.io", "x.io/a", "bad one", "nonsense"])]:
              draw.one(quantities),
          },
        },
      }),
      (draw) => (draw.chance(0.3) ? { spec: { scopes: draw.one([["BestEffort"], ["NotTerminating"], ["Foo"]]) } } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    collection: "/api/v1/namespaces/{ns}-limits/limitranges",
    weight: 1,
    base: {},
    fragments: [
      ...metadata.slice(0, 3),
      (draw) => ({ spec: { limits: Array.from({ length: draw.below(3) }, () => limit(draw)) } }),
    ],
    status: [],
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    collection: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    weight: 1,
    controlled: true,
    base: { spec: { minAvailable: 1, selector: { matchLabels: { none: "none" } } } },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { minAvailable: draw.one([1, "50%", "x", -1, "101%", null]) } }),
      (draw) => (draw.chance(0.4) ? { spec: { maxUnavailable: draw.one([1, "50%", "x", -1]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { unhealthyPodEvictionPolicy: draw.one(["AlwaysAllow", "Foo"]) } } : {}),
      (draw) =>
        draw.chance(0.3)
          ? { spec: { selector: { matchExpressions: [{ key: "k", operator: draw.one(["Exists", "In", "Foo"]) }] } } }
          : {},
    ],
    status: [(draw) => ({ status: { conditions: [condition(draw)] } })],
  },
];
