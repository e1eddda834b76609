import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { customResourceDefinitionKind } from "./extensions/extension-kinds.ts";
import { overlapWarnings } from "./pods/pod-path-warnings.ts";
import { portWarnings } from "./pods/pod-port-warnings.ts";
import { podWarnings } from "./pods/pod-warnings.ts";
import { validateQuota } from "./quotas/quota-validation.ts";
import { serviceKind } from "./services/service-kind.ts";
import { countedSteps } from "@purser/kubernetes/testing/counted-steps";

const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const version = (more: JsonObject): JsonObject => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object" } },
  ...more,
});

function definition(spec: JsonObject, names: JsonObject = {}): JsonObject {
  return {
    metadata: { name: "as.g.io" },
    spec: {
      group: "g.io",
      scope: "Namespaced",
      names: { plural: "as", singular: "a", kind: "A", listKind: "AList", ...names },
      conversion: { strategy: "None" },
      versions: [version({})],
      ...spec,
    },
    status: { storedVersions: ["v1"] },
  };
}

const ofDefinition = (object: JsonObject): ReturnType<typeof countedSteps<readonly unknown[]>> => {
  assert.ok(customResourceDefinitionKind.validateInSteps !== undefined);
  return countedSteps(customResourceDefinitionKind.validateInSteps(object, {} as never));
};

const webhook = (versions: string[]): JsonObject => ({
  strategy: "Webhook",
  webhook: { clientConfig: { url: "https://example.com/" }, conversionReviewVersions: versions },
});

for (const [what, object, errors] of [
  ["short names", definition({}, { shortNames: many(30_000, (index) => `x${index}`) }), 0],
  ["short names that are wrong", definition({}, { shortNames: many(30_000, () => "X") }), 30_000],
  ["categories", definition({}, { categories: many(30_000, (index) => `x${index}`) }), 0],
  [
    "columns",
    definition({
      versions: [
        version({ additionalPrinterColumns: many(30_000, () => ({ name: "a", type: "string", jsonPath: ".a" })) }),
      ],
    }),
    0,
  ],
  [
    "selectable fields",
    definition({ versions: [version({ selectableFields: many(30_000, (index) => ({ jsonPath: `.a${index}` })) })] }),
    30_000,
  ],
  ["versions of reviews", definition({ conversion: webhook(["v1", ...many(30_000, (index) => `v${index + 2}`)]) }), 0],
] as const)
  test(`a definition with 30,000 ${what} is validated with pauses`, () => {
    const { value, pauses } = ofDefinition(object);
    assert.equal(value.length, errors);
    assert.ok(pauses >= 25, `${pauses} pauses`);
  });

test("a selectable field with a path of a megabyte is validated between two pauses", () => {
  const long = many(5, (index) => ({ jsonPath: `.a${index}${".b".repeat(500_000)}` }));
  const [one, five] = [long.slice(0, 1), long].map(
    (selectableFields) => ofDefinition(definition({ versions: [version({ selectableFields })] })).pauses,
  );
  assert.ok((five ?? 0) >= (one ?? 0) + 4, `${one} and ${five} pauses`);
});

const quota = (spec: JsonObject): JsonObject => ({ metadata: { name: "q" }, spec: { hard: { pods: "1" }, ...spec } });

test("the refusals of a quota's scopes share the list that they show", () => {
  const { value, pauses } = countedSteps(
    validateQuota(quota({ scopes: many(10_000, (index) => `S${index}`) }), undefined),
  );
  assert.equal(value.length, 10_000);
  assert.equal(new Set(value).size, 1);
  assert.ok(pauses >= 35, `${pauses} pauses`);
});

test("a quota with thousands of scopes and thousands of amounts compares them once", () => {
  const hard = { services: "1", ...Object.fromEntries(many(4_000, (index) => [`count/a${index}.example.com`, "1"])) };
  let reads = 0;
  const counting = new Proxy<JsonObject>(hard, {
    ownKeys: (target) => {
      reads++;
      return Reflect.ownKeys(target);
    },
  });
  const scopes = many(4_000, () => "Terminating");
  const matchExpressions = many(4_000, () => ({ scopeName: "BestEffort", operator: "Exists" }));
  const { value, pauses } = countedSteps(
    validateQuota(quota({ hard: counting, scopes, scopeSelector: { matchExpressions } }), undefined),
  );
  assert.equal(value.length, 8_000);
  assert.ok(reads < 10, `${reads} reads of the amounts`);
  assert.ok(pauses >= 40, `${pauses} pauses`);
});

const port = (more: JsonObject): JsonObject => ({ containerPort: 80, protocol: "TCP", ...more });

for (const [what, ports, warnings] of [
  ["are all the same", many(20_000, () => port({})), 1_000],
  ["differ in their host ports", many(20_000, (index) => port({ hostPort: index + 1 })), 0],
  ["differ in their addresses", many(20_000, (index) => port({ hostPort: 1, hostIP: `10.0.${index}` })), 0],
] as const)
  test(`20,000 ports that ${what} are compared with pauses, and never each with each`, () => {
    let reads = 0;
    const counting = ports.map((one) => ({
      ...one,
      get hostIP() {
        reads++;
        return one["hostIP"] ?? "";
      },
    }));
    const { value, pauses } = countedSteps(portWarnings({ containers: [{ name: "c", ports: counting }] }, "spec"));
    assert.equal(value.length, warnings);
    assert.ok(pauses >= 75, `${pauses} pauses`);
    assert.equal(reads, 20_000);
  });

test("a port clashes with those before it on its host port and on none, in their order", () => {
  const ports = [
    port({ hostPort: 8, hostIP: "10.0.0.1" }),
    port({}),
    port({ hostPort: 9 }),
    port({ hostPort: 8, hostIP: "10.0.0.2" }),
    port({ hostPort: 8 }),
    port({ hostPort: 8, hostIP: "10.0.0.2" }),
  ];
  const at = (index: number): string => `spec.containers[0].ports[${index}]`;
  assert.deepEqual(countedSteps(portWarnings({ containers: [{ name: "c", ports }] }, "spec")).value, [
    `${at(1)}: overlapping port definition with ${at(0)}`,
    `${at(2)}: overlapping port definition with ${at(1)}`,
    `${at(3)}: overlapping port definition with ${at(1)}`,
    `${at(4)}: dangerously ambiguous port definition with ${at(0)}`,
    `${at(4)}: overlapping port definition with ${at(1)}`,
    `${at(4)}: dangerously ambiguous port definition with ${at(3)}`,
    `${at(5)}: overlapping port definition with ${at(1)}`,
    `${at(5)}: duplicate port definition with ${at(3)}`,
    `${at(5)}: dangerously ambiguous port definition with ${at(4)}`,
  ]);
});

const volume = (paths: readonly string[]): JsonObject => ({
  volumes: [{ name: "v", configMap: { name: "c", items: paths.map((path) => ({ key: "k", path })) } }],
});

test("each path of a volume is compared with those that it may be within", () => {
  const paths = ["a/b", "c", "a", "a/b/", "a-b", "a/bc", "c"];
  const pair = (later: string, earlier: string): string =>
    `volume "v" (ConfigMap "c"): overlapping paths: "${later}" with "${earlier}"`;
  assert.deepEqual(countedSteps(overlapWarnings(volume(paths))).value, [
    pair("a", "a/b"),
    pair("a/b", "a/b"),
    pair("a/b", "a"),
    pair("a/bc", "a"),
    pair("c", "c"),
  ]);
});

test("20,000 paths of a volume are compared with pauses, and a thousand overlaps shown", () => {
  const apart = countedSteps(overlapWarnings(volume(many(20_000, (index) => `p${index}`))));
  assert.deepEqual(apart.value, []);
  assert.ok(apart.pauses >= 19, `${apart.pauses} pauses`);
  assert.equal(countedSteps(overlapWarnings(volume(many(20_000, () => "a")))).value.length, 1_000);
});

test("the warnings about 5,000 containers are found with pauses", () => {
  const containers = many(5_000, (index) => ({ name: `c${index}`, image: "i", env: [{ name: "A" }, { name: "A" }] }));
  const { value, pauses } = countedSteps(podWarnings({ spec: { containers } }, ""));
  assert.equal(value.length, 5_000);
  assert.ok(pauses >= 12, `${pauses} pauses`);
});

test("a Service is validated in thirteen steps, whatever its lists hold", () => {
  assert.ok(serviceKind.validateInSteps !== undefined);
  const service = serviceKind.defaults({
    metadata: { name: "s" },
    spec: { ports: [{ port: 80 }], externalIPs: many(100, () => "x") },
  });
  const { value, pauses } = countedSteps(serviceKind.validateInSteps(service, {} as never));
  assert.equal(value.length, 100);
  assert.equal(pauses, 13);
});
