import type { JsonObject } from "@purser/kubernetes/json";
import type { Draw } from "../draw.ts";
import { annotated, condition, held, keys, labelled, metadata, textMap, texts } from "./fragments.ts";
import type { Fragment, Subject } from "./subject.ts";

const secretTypes = [
  "Opaque",
  "x.io/t",
  "kubernetes.io/tls",
  "kubernetes.io/basic-auth",
  "kubernetes.io/ssh-auth",
  "kubernetes.io/dockercfg",
  "kubernetes.io/dockerconfigjson",
  "kubernetes.io/service-account-token",
  "bootstrap.kubernetes.io/token",
  "",
] as const;

/** Data keys that secret types require, valid and invalid. */
const secretData: Fragment = (draw) => ({
  stringData: Object.fromEntries(
    draw
      .some(["tls.crt", "tls.key", "username", "password", "ssh-privatekey", ".dockercfg", ".dockerconfigjson"], 1, 4)
      .map((key) => [key, draw.one(["x", "{}", "", '{"auths":{}}'])]),
  ),
});

const servicePort = (draw: Draw, port: number): JsonObject => ({
  port: draw.chance(0.03) ? draw.one([0, 70000, -1]) : port,
  ...(draw.chance(0.8) ? { name: draw.chance(0.05) ? draw.one(["BAD", "p80", "a.b"]) : `p${port}` } : {}),
  ...(draw.chance(0.3) ? { targetPort: draw.one([8080, "http", 0, "", "Not-a-port", 70000]) } : {}),
  ...(draw.chance(0.3) ? { protocol: draw.one(["TCP", "UDP", "SCTP", "Foo"]) } : {}),
  ...(draw.chance(0.1) ? { appProtocol: draw.one(["http", "x.io/a", "BAD one"]) } : {}),
  ...(draw.chance(0.05) ? { nodePort: draw.one([0, 80]) } : {}),
});

const serviceSpecs: readonly Fragment[] = [
  (draw) => ({ ports: draw.some([80, 81, 443], 0, 3).map((port) => servicePort(draw, port)) }),
  (draw) => ({ selector: textMap(draw) }),
  (draw) => (draw.chance(0.3) ? { sessionAffinity: draw.one(["None", "ClientIP", "Foo"]) } : {}),
  (draw) =>
    draw.chance(0.1)
      ? {
          sessionAffinity: "ClientIP",
          sessionAffinityConfig: { clientIP: { timeoutSeconds: draw.one([1, 0, 99999]) } },
        }
      : {},
  (draw) => (draw.chance(0.2) ? { clusterIP: draw.one(["None", "nonsense", ""]) } : {}),
  (draw) =>
    draw.chance(0.4) ? { type: draw.one(["ClusterIP", "ExternalName", "NodePort", "LoadBalancer", "Foo"]) } : {},
  (draw) => (draw.chance(0.1) ? { externalName: draw.one(["x.example.com", "BAD!", ""]) } : {}),
  (draw) => (draw.chance(0.1) ? { publishNotReadyAddresses: true } : {}),
  (draw) => (draw.chance(0.1) ? { externalTrafficPolicy: draw.one(["Local", "Cluster", "Foo"]) } : {}),
  (draw) => (draw.chance(0.1) ? { internalTrafficPolicy: draw.one(["Local", "Cluster", "Foo"]) } : {}),
  (draw) =>
    draw.chance(0.1) ? { ipFamilyPolicy: draw.one(["SingleStack", "PreferDualStack", "RequireDualStack", "Foo"]) } : {},
  (draw) => (draw.chance(0.1) ? { ipFamilies: draw.one([["IPv4"], ["IPv6"], ["IPv4", "IPv6"], ["Foo"], []]) } : {}),
  (draw) => (draw.chance(0.05) ? { externalIPs: draw.one([["1.2.3.4"], ["x"], ["127.0.0.1"]]) } : {}),
  (draw) => (draw.chance(0.05) ? { loadBalancerClass: draw.one(["x.io/lb", "BAD one"]) } : {}),
  (draw) => (draw.chance(0.05) ? { loadBalancerSourceRanges: draw.one([["10.0.0.0/8"], ["x"]]) } : {}),
  (draw) => (draw.chance(0.05) ? { allocateLoadBalancerNodePorts: draw.chance(0.5) } : {}),
];

const address = (draw: Draw): JsonObject => ({
  ip: draw.one(["10.1.2.3", "10.1.2.4", "nonsense", "127.0.0.1", "fd00::1"]),
  ...(draw.chance(0.2) ? { hostname: draw.one(["h", "BAD!"]) } : {}),
  ...(draw.chance(0.2) ? { targetRef: { kind: "Pod", name: "p" } } : {}),
});

const endpointPort = (draw: Draw): JsonObject => ({
  port: draw.one([80, 443, 0]),
  ...(draw.chance(0.6) ? { name: draw.one(["a", "b", "BAD!"]) } : {}),
  ...(draw.chance(0.3) ? { protocol: draw.one(["TCP", "UDP", "Foo"]) } : {}),
});

const event: readonly Fragment[] = [
  (draw) => ({ reason: draw.one(["A", "B", ""]), message: draw.one(texts) }),
  (draw) => ({ type: draw.one(["Normal", "Warning", "Foo"]), count: draw.one([1, 2, 0]) }),
  (draw) => ({ source: { component: "c", host: draw.one(["h", ""]) } }),
  (draw) => ({ firstTimestamp: draw.one(["2026-01-01T00:00:00Z", "x", null]) }),
  () => ({ lastTimestamp: "2026-02-01T00:00:00Z" }),
  (draw) => ({ eventTime: draw.one(["2026-01-01T00:00:00.000001Z", "2026-01-01T00:00:00Z"]) }),
  (draw) => ({ reportingComponent: draw.one(["x.io/c", "BAD one", ""]), reportingInstance: "i" }),
  () => ({ series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000001Z" } }),
  (draw) => ({ involvedObject: { kind: draw.one(["Pod", "Node"]), name: "n", fieldPath: draw.one(["", "spec"]) } }),
  (draw) => (draw.chance(0.3) ? { involvedObject: { namespace: draw.one(["default", "kube-system", ""]) } } : {}),
  (draw) => ({ action: draw.one(["a", ""]), related: { kind: "Pod", name: "r" } }),
];

/** Core kinds that no controller of the namespace writes. */
export const coreSubjects: readonly Subject[] = [
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
      (draw) => ({ binaryData: { [draw.one(["a", "bin", "c"])]: draw.one(["AAE=", "", "not base64!"]) } }),
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
      (draw) => (draw.chance(0.4) ? { type: draw.one(secretTypes) } : {}),
      (draw) => (draw.chance(0.4) ? secretData(draw) : {}),
      (draw) => (draw.chance(0.1) ? { immutable: draw.chance(0.5) } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "Service",
    collection: "/api/v1/namespaces/{ns}/services",
    weight: 4,
    base: { spec: { ports: [{ port: 80 }] } },
    fragments: [
      ...metadata,
      ...serviceSpecs.map((part): Fragment => (draw) => ({ spec: part(draw) })),
    ],
    status: [
      (draw) => ({ status: { loadBalancer: { ingress: [{ ip: draw.one(["10.1.2.3", "nonsense"]) }] } } }),
      (draw) => ({ status: { loadBalancer: { ingress: [{ hostname: draw.one(["x.example.com", "BAD!"]) }] } } }),
      (draw) => ({ status: { conditions: [condition(draw)] } }),
    ],
    mergeLists: [[["spec", "ports"], "port"]],
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
      (draw) =>
        draw.chance(0.1) ? { metadata: { annotations: { "kubernetes.io/enforce-mountable-secrets": "x" } } } : {},
    ],
    status: [],
    mergeLists: [
      [["secrets"], "name"],
      [["imagePullSecrets"], "name"],
    ],
  },
  {
    apiVersion: "v1",
    kind: "Endpoints",
    collection: "/api/v1/namespaces/{ns}/endpoints",
    weight: 1,
    names: ["ep-x", "ep-y"],
    base: {},
    fragments: [
      ...metadata,
      (draw) => ({
        subsets: Array.from({ length: draw.below(3) }, () => ({
          addresses: Array.from({ length: draw.below(3) }, () => address(draw)),
          ...(draw.chance(0.2) ? { notReadyAddresses: [address(draw)] } : {}),
          ...(draw.chance(0.8) ? { ports: Array.from({ length: draw.below(3) }, () => endpointPort(draw)) } : {}),
        })),
      }),
    ],
    status: [],
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    collection: "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
    weight: 1,
    names: ["es-x", "es-y"],
    base: { addressType: "IPv4", endpoints: [] },
    fragments: [
      ...metadata,
      (draw) => ({
        endpoints: Array.from({ length: draw.below(3) }, () => ({
          addresses: draw.some(["10.1.2.3", "10.1.2.4", "x", "fd00::1"], 0, 2),
          ...(draw.chance(0.5) ? { conditions: { ready: draw.chance(0.5) } } : {}),
          ...(draw.chance(0.2) ? { hints: { forZones: [{ name: "z" }] } } : {}),
          ...(draw.chance(0.2) ? { nodeName: draw.one(["n", "BAD!"]) } : {}),
        })),
      }),
      (draw) => ({ ports: Array.from({ length: draw.below(3) }, () => endpointPort(draw)) }),
      (draw) => (draw.chance(0.3) ? { addressType: draw.one(["IPv4", "IPv6", "FQDN", "Foo"]) } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "Event",
    collection: "/api/v1/namespaces/{ns}/events",
    weight: 1,
    names: ["ev-x", "ev-y"],
    base: { involvedObject: { namespace: "{ns}" } },
    fragments: [...metadata, ...event],
    status: [],
  },
  {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    collection: "/apis/events.k8s.io/v1/namespaces/{ns}/events",
    weight: 1,
    names: ["nev-x", "nev-y"],
    base: {
      eventTime: "2026-01-01T00:00:00.000001Z",
      reportingController: "x.io/c",
      reportingInstance: "i",
      action: "a",
      reason: "r",
      type: "Normal",
      regarding: { namespace: "{ns}" },
    },
    fragments: [
      ...metadata,
      (draw) => ({ note: draw.one(texts) }),
      (draw) => (draw.chance(0.3) ? { action: draw.one(["b", ""]), reason: draw.one(["s", ""]) } : {}),
      (draw) => (draw.chance(0.3) ? { type: draw.one(["Normal", "Warning", "Foo", ""]) } : {}),
      (draw) => ({ series: { count: draw.one([1, 2, 3]), lastObservedTime: "2026-01-01T00:00:00.000001Z" } }),
      (draw) => ({ regarding: { kind: draw.one(["Pod", "Node"]), name: "n" } }),
      (draw) => (draw.chance(0.2) ? { deprecatedCount: draw.one([0, 1]), deprecatedSource: { component: "c" } } : {}),
      (draw) => (draw.chance(0.2) ? { eventTime: draw.one([null, "2026-02-01T00:00:00.000000Z"]) } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "v1",
    kind: "Namespace",
    collection: "/api/v1/namespaces",
    weight: 1,
    names: ["{ns}-x", "{ns}-y"],
    undeletable: true,
    base: {},
    fragments: [labelled, annotated, held],
    status: [
      (draw) => ({ status: { phase: draw.one(["Active", "Foo"]) } }),
      (draw) => ({ status: { conditions: [condition(draw)] } }),
    ],
  },
];
