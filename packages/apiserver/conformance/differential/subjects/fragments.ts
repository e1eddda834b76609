import type { JsonObject } from "@purser/kubernetes/json";
import type { Draw } from "../draw.ts";
import type { Fragment } from "./subject.ts";

export const texts = ["1", "2", "x", "", "y-1", "Ünï", "a b", "0"] as const;
export const keys = ["a", "b", "c.d", "k"] as const;

export function textMap(draw: Draw): JsonObject {
  return Object.fromEntries(draw.some([...keys], 0, 3).map((key) => [key, draw.one(texts)]));
}

export const labelled: Fragment = (draw) => ({
  metadata: {
    labels: Object.fromEntries(
      draw
        .some(["app", "x.io/tier", "l", ...(draw.chance(0.05) ? ["bad key", "-"] : [])], 0, 3)
        .map((key) => [key, draw.one(["a", "b", "", ...(draw.chance(0.05) ? ["not ok"] : [])])]),
    ) as JsonObject,
  },
});

export const annotated: Fragment = (draw) => ({ metadata: { annotations: textMap(draw) } });

export const held: Fragment = (draw) => ({
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

export const metadata: readonly Fragment[] = [labelled, annotated, held, owned];

export function podSpec(draw: Draw): JsonObject {
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

export function below(path: readonly string[]): readonly (readonly [readonly string[], string])[] {
  return podLists.map(([rest, key]) => [[...path, ...rest], key]);
}
export function condition(draw: Draw): JsonObject {
  return {
    type: draw.one(["Ready", "Done"]),
    status: draw.one(["True", "False", "Unknown"]),
    reason: draw.one(["A", "B"]),
    message: draw.one(["", "m"]),
    lastTransitionTime: draw.one(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]),
  };
}

export const selector = { matchLabels: { a: "b" } };

/** A Pod template whose labels match the selector. */
export function template(spec: JsonObject): JsonObject {
  return { metadata: { labels: { a: "b" } }, spec };
}

export const plainPod: JsonObject = { containers: [{ name: "c1", image: "i" }] };

/** Quantities in many spellings, some of them invalid. */
export const quantities = ["1", "100m", 2, "1Gi", "1024Mi", "0.5", "1e3", "nonsense", "-1", "1.5Gi", ""] as const;
