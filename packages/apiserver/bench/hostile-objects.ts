// Objects of a size that a tenant decides, in the forms in which clients send them.
export const numbered = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

export const members = <Value>(count: number, value: Value, key = "k"): Readonly<Record<string, Value>> =>
  Object.fromEntries(numbered(count, (i) => [`${key}${i}`, value]));

export const configMap = (name: string, metadata: object = {}, data: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

export const deployment = (name: string, replicas: number, env: object): object => {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i", env }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
};

export const pod = (name: string, spec: object): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec,
});

export const variables = (value: string): object => numbered(20_000, (i) => ({ name: `ENV_${i}`, value }));

export const definition = (plural: string, kind: string, properties: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
      },
    ],
  },
});

/** A definition of so many versions with equal schemas. */
export const versioned = (count: number): object => {
  const one = definition("versioneds", "Versioned", members(15, { type: "string" })) as {
    readonly spec: { readonly versions: readonly object[] };
  };
  const versions = numbered(count, (i) => ({ ...one.spec.versions[0], name: `v${i + 1}`, storage: i === 0 }));
  return { ...one, spec: { ...one.spec, versions } };
};

export const wideDefinition = definition("wides", "Wide", {
  set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
  patterned: { type: "array", items: { type: "string", pattern: "^[a-z]+$" } },
  defaulted: {
    type: "array",
    items: { type: "object", properties: { a: { type: "string", default: "x" }, b: { type: "integer", default: 1 } } },
  },
  ruled: {
    type: "array",
    maxItems: 90_000,
    items: { type: "integer" },
    "x-kubernetes-validations": [{ rule: "self.all(x, x >= 0)" }],
  },
});

export const custom = (name: string, spec: object): object => ({
  apiVersion: "example.com/v1",
  kind: "Wide",
  metadata: { name },
  spec,
});

export const review = (groups: readonly string[]): object => ({
  apiVersion: "authorization.k8s.io/v1",
  kind: "SubjectAccessReview",
  spec: { user: "u", groups, resourceAttributes: { verb: "get", resource: "pods" } },
});

export const ruled = (name: string, rules: number): object => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name },
  rules: numbered(rules, (i) => ({ apiGroups: [`g${i}.example.com`], resources: ["things"], verbs: ["get"] })),
});

/** YAML in block style of about that many bytes. */
export const blockYaml = (name: string, bytes: number): string => {
  const lines = numbered(Math.floor(bytes / 20), (i) => `  key${i}: val${i}`.padEnd(19));
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${lines.join("\n")}\n`;
};

const varint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];

const field = (number: number, value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
};

/** A ConfigMap of so many keys in protobuf, as kube-apiserver's clients send it. */
export const protobufMap = (name: string, keys: number): Buffer => {
  const data = numbered(keys, (i) => field(2, Buffer.concat([field(1, `k${i}`), field(2, "x")])));
  const object = Buffer.concat([field(1, field(1, name)), ...data]);
  const type = Buffer.concat([field(1, "v1"), field(2, "ConfigMap")]);
  return Buffer.concat([Buffer.from("k8s\0"), field(1, type), field(2, object)]);
};
