import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { at } from "../../scene.ts";

const podSpec: JsonObject = {
  containers: [
    {
      name: "c",
      image: "i",
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
      ports: [
        { containerPort: 80, protocol: "TCP" },
        { containerPort: 80, protocol: "UDP" },
      ],
      volumeMounts: [{ name: "v", mountPath: "/v" }],
      args: ["x"],
    },
  ],
  volumes: [{ name: "v", configMap: { name: "m" } }],
  tolerations: [{ key: "t1", operator: "Exists" }],
  imagePullSecrets: [{ name: "s1" }],
  hostAliases: [{ ip: "10.0.0.1", hostnames: ["h"] }],
};

interface Merge {
  readonly name: string;
  /** Patch of the pod's spec. */
  readonly patch: JsonObject;
  /** The member of the first container or of the pod that shows the result. */
  readonly shown: readonly ["container" | "pod", string];
  readonly left: JsonValue;
}

const ofContainer = (members: JsonObject): JsonObject => ({ containers: [{ name: "c", ...members }] });

const table: readonly Merge[] = [
  {
    name: "env merges by name, new items first",
    patch: ofContainer({
      env: [
        { name: "A", value: "3" },
        { name: "C", value: "4" },
      ],
    }),
    shown: ["container", "env"],
    left: [
      { name: "A", value: "3" },
      { name: "C", value: "4" },
      { name: "B", value: "2" },
    ],
  },
  {
    name: "ports merge by containerPort only",
    patch: ofContainer({ ports: [{ containerPort: 80, name: "http" }] }),
    shown: ["container", "ports"],
    left: [
      { name: "http", containerPort: 80, protocol: "TCP" },
      { containerPort: 80, protocol: "UDP" },
    ],
  },
  {
    name: "mounts merge by path",
    patch: ofContainer({ volumeMounts: [{ name: "v", mountPath: "/v", readOnly: true }] }),
    shown: ["container", "volumeMounts"],
    left: [{ name: "v", readOnly: true, mountPath: "/v" }],
  },
  { name: "args are replaced", patch: ofContainer({ args: ["y"] }), shown: ["container", "args"], left: ["y"] },
  {
    name: "volumes merge by name, and $retainKeys changes the source",
    patch: { volumes: [{ name: "v", $retainKeys: ["name", "emptyDir"], emptyDir: {} }] },
    shown: ["pod", "volumes"],
    left: [{ name: "v", emptyDir: {} }],
  },
  {
    name: "tolerations are replaced",
    patch: { tolerations: [{ key: "t2", operator: "Exists" }] },
    shown: ["pod", "tolerations"],
    left: [{ key: "t2", operator: "Exists" }],
  },
  {
    name: "imagePullSecrets merge by name",
    patch: { imagePullSecrets: [{ name: "s2" }] },
    shown: ["pod", "imagePullSecrets"],
    left: [{ name: "s2" }, { name: "s1" }],
  },
  {
    name: "hostAliases merge by ip",
    patch: { hostAliases: [{ ip: "10.0.0.1", hostnames: ["g"] }] },
    shown: ["pod", "hostAliases"],
    left: [{ ip: "10.0.0.1", hostnames: ["g"] }],
  },
];

export const strategicRows: readonly Row[] = table.map(({ name, patch, shown: [where, member], left }) => ({
  row: 145,
  name: `strategic merge: ${name}`,
  run: async (scene) => {
    const path = `/apis/apps/v1/namespaces/${scene.ns}/deployments`;
    const labels = { a: "b" };
    const spec = { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
    await scene.ok({ method: "POST", path, body: { metadata: { name: "d" }, spec } });
    const answer = await scene.patch("strategic-merge-patch", `${path}/d`, { spec: { template: { spec: patch } } });
    assert.equal(answer.code, 200, answer.text);
    const pod = at(answer.object, "spec", "template", "spec") as JsonObject;
    const [container] = pod["containers"] as unknown as readonly JsonObject[];
    assert.deepEqual((where === "pod" ? pod : container)?.[member], left);
  },
}));
