import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import { conditionText } from "../../explanation/condition-text.ts";
import { resolveNow } from "../resolution.ts";
import type { ProvidedThings } from "./dependencies.ts";
import type { DependencyMode } from "./dependency-modes.ts";
import { installedOperator, requiredApis } from "./dependencies.ts";
import { judgeDependencies, type JudgedExtension } from "./judge-dependencies.ts";
import { resolveExtension } from "./resolve-extension.ts";

const catalog: ClusterCatalog = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterCatalog",
  metadata: { name: "c" },
  spec: { source: { type: "Image" } },
};
const now = Date.parse("2026-01-01T00:00:00Z");
const disk = { group: "g.io", version: "v1", kind: "Disk" };
const api = { type: "olm.gvk.required", value: disk };
const needs = (packageName: string, versionRange: string): JsonObject => ({
  type: "olm.package.required",
  value: { packageName, versionRange },
});
const rule = (value: JsonObject): JsonObject => ({ type: "olm.constraint", value });

const certified = rule({
  failureMessage: "needs a certified operator",
  cel: { rule: 'properties.exists(p, p.type == "certified" && p.value.level >= 2.0)' },
});

function packageOf(name: string, version: string, properties: readonly JsonObject[]): readonly JsonObject[] {
  const bundle = `${name}.v${version}`;
  return [
    { schema: "olm.package", name, defaultChannel: "stable" },
    { schema: "olm.channel", package: name, name: "stable", entries: [{ name: bundle }] },
    {
      schema: "olm.bundle",
      package: name,
      name: bundle,
      image: "example.com/x",
      properties: [{ type: "olm.package", value: { packageName: name, version } }, ...properties],
    },
  ];
}

/** How the requirements of package `app` are judged; `others` are further packages of its catalog. */
function judged(
  requires: readonly JsonObject[],
  others: readonly (readonly JsonObject[])[] = [],
  {
    packages = [],
    served = [] as readonly string[],
    annotation,
    extensions = [],
    mode = "verify",
    policy,
    wantedBy,
  }: Asked = {},
): JudgedExtension {
  const blobs = [...packageOf("app", "1.0.0", requires), ...others.flat()];
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  const index = indexOf(loadCatalog([{ file: "c.json", text }]).blobs);
  const outcome = resolveNow(
    resolveExtension({
      name: "ext",
      filter: { packageName: "app" },
      catalogs: [{ catalog, content: { kind: "present", index } }],
      judgesDependencies: true,
    }),
  );
  assert.equal(outcome.kind, "resolved");
  const extension: ClusterExtension = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: {
      name: "ext",
      annotations: {
        ...(annotation === undefined ? {} : { "purser.dev/dependencies": annotation }),
        ...(wantedBy === undefined ? {} : { "purser.dev/wanted-by": wantedBy }),
      },
    },
    spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "app" } } },
  };
  const serves: ProvidedThings["serves"] = ({ kind }) => served.includes(kind);
  return judgeDependencies(outcome, {
    extension,
    provided: { packages, serves },
    catalogs: [index],
    extensions,
    mode,
    now,
    ...(policy === undefined ? {} : { policy: { mode: policy, reference: "ClusterUpdatePolicy p" } }),
  });
}

interface Asked {
  readonly packages?: ProvidedThings["packages"];
  readonly served?: readonly string[];
  readonly annotation?: string;
  readonly extensions?: readonly ClusterExtension[];
  readonly mode?: DependencyMode;
  readonly policy?: DependencyMode;
  readonly wantedBy?: string;
}

function textOf(result: JudgedExtension): string {
  return result.kind === "met" ? "met" : conditionText(result.outcome.explanation);
}

const provider = packageOf("store", "1.2.0", [{ type: "olm.gvk", value: disk }]);
const subject = "ClusterExtension ext would get app.v1.0.0, which requires ";

const certifiedIn = (name: string, level: number): readonly JsonObject[] =>
  packageOf(name, "1.0.0", [{ type: "certified", value: { level } }]);

const table: readonly (readonly [what: string, JudgedExtension, text: string])[] = [
  ["no requirement", judged([]), "met"],
  ["an API that is served", judged([api], [], { served: ["Disk"] }), "met"],
  [
    "an API that nothing has",
    judged([api]),
    `${subject}API Disk (g.io/v1), and the cluster has none. Add a catalog that has it, or install it without a catalog`,
  ],
  [
    "an API that one package has",
    judged([api], [provider]),
    `${subject}API Disk (g.io/v1), and the cluster has none. Install store, which provides API Disk (g.io/v1): purser install store -n ns --as-extension`,
  ],
  [
    "an installed package in range",
    judged([needs("db", ">=1.0.0")], [], { packages: [{ name: "db", version: "1.4.0+2" }] }),
    "met",
  ],
  [
    "an installed package out of range, whose catalog has a fitting one",
    judged([needs("db", ">=1.0.0 <2.0.0")], [packageOf("db", "1.1.0", [])], {
      packages: [{ name: "db", version: "0.9.0" }],
    }),
    `${subject}package db >=1.0.0 <2.0.0, and the cluster has none. Install db, which provides package db >=1.0.0 <2.0.0: purser install 'db@>=1.0.0 <2.0.0' -n ns --as-extension`,
  ],
  [
    "an installed package of another name",
    judged([needs("db", ">=1.0.0")], [], { packages: [{ name: "dbx", version: "1.4.0" }] }),
    `${subject}package db >=1.0.0, and the cluster has none. Add a catalog that has it, or install it without a catalog`,
  ],
  [
    "a package of which the catalog has no version in range",
    judged([needs("db", ">=1.0.0")], [packageOf("db", "0.1.0", [])]),
    `${subject}package db >=1.0.0, and the cluster has none. Add a catalog that has it, or install it without a catalog`,
  ],
  [
    "one of two, of which one is served",
    judged(
      [
        rule({
          failureMessage: "f",
          any: {
            constraints: [
              { failureMessage: "", gvk: { ...disk } },
              { failureMessage: "", package: { packageName: "db", versionRange: ">=1.0.0" } },
            ],
          },
        }),
      ],
      [],
      { served: ["Disk"] },
    ),
    "met",
  ],
  [
    "both of two, of which one is served",
    judged(
      [
        rule({
          failureMessage: "f",
          all: {
            constraints: [
              { failureMessage: "", gvk: { ...disk } },
              { failureMessage: "", package: { packageName: "db", versionRange: ">=1.0.0" } },
            ],
          },
        }),
      ],
      [],
      { served: ["Disk"] },
    ),
    `${subject}a bundle providing an API with group: g.io, version: v1, kind: Disk and with package: db and with version in range: >=1.0.0, and the cluster …. Add a catalog that has it, or install it without a catalog`,
  ],
  [
    "none of one that is served",
    judged([rule({ failureMessage: "f", not: { constraints: [{ failureMessage: "", gvk: { ...disk } }] } })], [], {
      served: ["Disk"],
    }),
    `${subject}a bundle providing an API with group: g.io, version: v1, kind: Disk, and the cluster has none. Add a catalog that has it, or install it without a catalog`,
  ],
  [
    "a rule in CEL",
    judged([rule({ failureMessage: "needs a disk", cel: { rule: "true" } })]),
    `${subject}"needs a disk", and the cluster has none. Add a catalog that has it, or install it without a catalog`,
  ],
  [
    "a rule in CEL that the properties of an installed bundle pass",
    judged([certified], [], {
      packages: [
        { name: "a", version: "1.0.0" },
        { name: "b", version: "1.0.0", properties: [{ type: "certified", value: { level: 3 } }] },
      ],
    }),
    "met",
  ],
  [
    "a rule in CEL that no single installed bundle passes",
    judged([certified], [], {
      packages: [{ name: "b", version: "1.0.0", properties: [{ type: "certified", value: { level: 1 } }] }],
    }),
    `${subject}"needs a certified operator", and the cluster has none. Add a catalog that has it, or install it without a catalog`,
  ],
  [
    "a label that an installed bundle has",
    judged([{ type: "olm.label.required", value: { label: "gpu" } }], [], {
      packages: [{ name: "b", version: "1.0.0", properties: [{ type: "olm.label", value: { label: "gpu" } }] }],
    }),
    "met",
  ],
  [
    "with propose, all that could be installed",
    judged([api, needs("db", ">=1.0.0")], [provider, packageOf("db", "1.0.0", [])], { mode: "propose" }),
    `${subject}API Disk (g.io/v1) and package db >=1.0.0, and the cluster has none; to install: store and db >=1.0.0. Install store, which provides API Disk (g.io/v1): purser install store -n ns --as-extension`,
  ],
  [
    "with propose, packages whose highest version passes a rule in CEL",
    judged([certified], [certifiedIn("low", 1), certifiedIn("high", 2), certifiedIn("higher", 3)], { mode: "propose" }),
    `${subject}"needs a certified operator", and the cluster has none; to install: high and higher. Install high, which satisfies "needs a certified operator": purser install high -n ns --as-extension`,
  ],
  [
    "with install, what is on its way",
    judged([api], [provider], { mode: "install" }),
    "app.v1.0.0 requires API Disk (g.io/v1); ClusterExtension store is being installed for it. Wait for it: purser status ext/store",
  ],
];
for (const [what, result, text] of table)
  test(`dependencies of a ClusterExtension: ${what}`, () => assert.equal(textOf(result), text));

const installsOf = (result: JudgedExtension): readonly string[] =>
  result.kind === "met" ? [] : result.installs.map((one) => JSON.stringify([one.metadata, one.spec]));

test("with install, one package that can meet a requirement becomes a ClusterExtension that names who wants it", () => {
  const db = packageOf("db", "1.0.0", []);
  assert.deepEqual(installsOf(judged([needs("db", ">=1.0.0")], [db], { mode: "install" })), [
    '[{"name":"db","annotations":{"purser.dev/wanted-by":"ext","purser.dev/dependencies":"install"}},{"namespace":"ns","source":{"sourceType":"Catalog","catalog":{"packageName":"db","version":">=1.0.0"}}}]',
  ]);
});

const proposed = (result: JudgedExtension): readonly string[] => {
  assert.equal(result.kind, "unmet");
  const { facts } = result.outcome.explanation;
  return (facts as { readonly unmet: readonly { readonly proposals: readonly string[] }[] }).unmet[0]?.proposals ?? [];
};

test("a rule in CEL proposes neither the package that states it nor an installed one, and at most ten", () => {
  const all = rule({ failureMessage: "f", cel: { rule: 'properties.exists(p, p.type == "certified")' } });
  const others = Array.from({ length: 12 }, (_, index) => certifiedIn(`p${String(index).padStart(2, "0")}`, 1));
  const packages = [{ name: "p00", version: "1.0.0" }];
  const own = { type: "certified", value: { level: 1 } };
  assert.deepEqual(
    proposed(judged([all, own], others, { packages, mode: "propose" })),
    Array.from({ length: 10 }, (_, index) => `p${String(index + 1).padStart(2, "0")}`),
  );
});

test("a rule in CEL is asked about the highest version alone, and one that costs too much proposes nothing", () => {
  const [head = {}, channel = {}, older = {}] = certifiedIn("db", 3);
  const newer = packageOf("db", "2.0.0", [])[2] ?? {};
  const entries = [{ name: "db.v1.0.0" }, { name: "db.v2.0.0", replaces: "db.v1.0.0" }];
  assert.deepEqual(proposed(judged([certified], [[head, { ...channel, entries }, older, newer]])), []);
  assert.deepEqual(proposed(judged([certified], [[head, channel, older]])), ["db"]);
  const numbers = `[${Array.from({ length: 60 }, (_, index) => index).join()}]`;
  const costly = `${numbers}.all(a, ${numbers}.all(b, a >= 0)) && properties.exists(p, p.type == "certified")`;
  assert.deepEqual(
    proposed(judged([rule({ failureMessage: "f", cel: { rule: costly } })], [certifiedIn("db", 3)])),
    [],
  );
});

/** A ClusterExtension of the package `store`. */
function held(
  status: ClusterExtension["status"],
  metadata: Partial<ClusterExtension["metadata"]> = {},
): ClusterExtension {
  const source = { sourceType: "Catalog", catalog: { packageName: "store" } };
  const base = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    spec: { namespace: "ns", source },
  };
  return {
    ...base,
    metadata: { name: "store", ...metadata },
    ...(status === undefined ? {} : { status }),
  } as ClusterExtension;
}

const pinned = (extension: ClusterExtension): ClusterExtension => {
  const source = { sourceType: "Catalog", catalog: { packageName: "store", version: "1.2.0" } } as const;
  return { ...extension, spec: { namespace: "ns", source } };
};

const readiness = (type: string, at: number, message = ""): ClusterExtension["status"] =>
  ({
    conditions: [{ type, status: "True", reason: "r", message, lastTransitionTime: new Date(at).toISOString() }],
    install: { bundle: { name: "store.v1.2.0", version: "1.2.0" } },
  }) as never;
const stall = "stuckSince 2026-01-01T00:00:00Z; blockedBy the image is missing; nextRetry later";
const lackingDisk = "app.v1.0.0 requires API Disk (g.io/v1)";
const isStuck = `${lackingDisk}; ClusterExtension store, which is to provide it, is stuck:`;
const waits = `${lackingDisk}; ClusterExtension store is being installed for it. Wait for it: purser status ext/store`;

const standings: readonly (readonly [
  what: string,
  extensions: readonly ClusterExtension[],
  says: string,
  isComing: boolean,
])[] = [
  ["was just created", [held(undefined)], waits, true],
  ["is rolled out", [held(readiness("Reconciling", now))], waits, true],
  ["became ready less than 10 s ago", [held(readiness("Ready", now - 9_999))], waits, true],
  [
    "is ready for 10 s and does not provide it",
    [held(readiness("Ready", now - 10_000))],
    `${isStuck} store.v1.2.0 does not provide it. See why it is not upgraded: purser explain ext/store`,
    false,
  ],
  [
    "is ready and pinned to a version that does not provide it",
    [pinned(held(readiness("Ready", now - 10_000)))],
    `${isStuck} store.v1.2.0 does not provide it. Let it be upgraded: purser set ext/store --version any`,
    false,
  ],
  [
    "is stalled",
    [held(readiness("Stalled", now, stall))],
    `${isStuck} the image is missing. See why: purser explain ext/store`,
    false,
  ],
  [
    "is paused",
    [held(undefined, { annotations: { "purser.dev/paused": "true" } })],
    `${isStuck} it is paused. Resume it: purser resume ext/store`,
    false,
  ],
  [
    "is stalled and being deleted, so that it is created again",
    [held(readiness("Stalled", now, stall), { deletionTimestamp: "2026-01-01T00:00:00Z" })],
    waits,
    true,
  ],
  [
    "has another name",
    [held(undefined, { name: "depot" })],
    `${lackingDisk}; ClusterExtension depot is being installed for it. Wait for it: purser status ext/depot`,
    true,
  ],
  [
    "could only be created under the name of another package's extension",
    [{ ...held(undefined), spec: undefined } as never],
    `${subject}API Disk (g.io/v1), and the cluster has none. Install store, which provides API Disk (g.io/v1): purser install store -n ns --as-extension`,
    false,
  ],
];
for (const [what, extensions, says, isComing] of standings)
  test(`with install, a ClusterExtension whose dependency ${what}`, () => {
    const result = judged([api], [provider], { mode: "install", extensions });
    assert.equal(result.kind, "unmet");
    assert.deepEqual([textOf(result), result.isComing, result.installs], [says, isComing, []]);
  });

test("with install, a dependency that is pinned below the range that is required is to take that range", () => {
  const extensions = [pinned(held(readiness("Ready", now - 10_000)))];
  const result = judged([needs("store", ">=1.3.0")], [packageOf("store", "1.3.0", [])], {
    mode: "install",
    extensions,
  });
  assert.match(
    textOf(result),
    /does not provide it\. Let it be upgraded: purser set ext\/store --version '>=1\.3\.0'$/,
  );
});

test("with install, a circle of requirements is stuck, and not awaited", () => {
  const between = held(undefined, { name: "between", annotations: { "purser.dev/wanted-by": "store" } });
  const extensions = [held(undefined), { ...between, spec: undefined } as never];
  const asks = (wantedBy: string): readonly [boolean, string] => {
    const given = { mode: "install", extensions, wantedBy } as const;
    const result = judged([api], [provider], given);
    assert.equal(result.kind, "unmet");
    return [result.isComing, textOf(result)];
  };
  const circle = `${isStuck} it requires ext itself. See what it requires: purser explain ext/store`;
  assert.deepEqual(
    [asks("store"), asks("between")],
    [
      [false, circle],
      [false, circle],
    ],
  );
  assert.deepEqual(asks("elsewhere"), [true, waits]);
});

test("with install, one requirement that is being installed beside one that a person has to meet is not enough", () => {
  const result = judged([api, needs("db", ">=1.0.0")], [provider], { mode: "install" });
  assert.equal(result.kind, "unmet");
  assert.deepEqual([result.isComing, installsOf(result).length], [false, 1]);
  assert.match(textOf(result), /ClusterExtension store is being installed for it\. Add a catalog that has it/);
});

test("nothing is created where several could meet a requirement", () => {
  const second = packageOf("other", "1.0.0", [{ type: "olm.gvk", value: disk }]);
  const ambiguous = judged([api], [provider, second], { mode: "install" });
  assert.deepEqual(installsOf(ambiguous), []);
  assert.match(textOf(ambiguous), /Install other, which provides API Disk/);
});

test("the annotation decides before the mode of the process, and a word that is none verifies", () => {
  const created = (annotation: string | undefined, mode: DependencyMode): number =>
    installsOf(judged([api], [provider], { mode, ...(annotation === undefined ? {} : { annotation }) })).length;
  assert.deepEqual(
    [created(undefined, "verify"), created(undefined, "install"), created("install", "verify")],
    [0, 1, 1],
  );
  assert.deepEqual([created("verify", "install"), created("Install", "install")], [0, 0]);
});

test("an installed operator states its package, what its installation recorded and what its catalog says, each once", () => {
  const label = { type: "olm.label", value: { label: "gpu" } };
  const text = packageOf("store", "1.2.0", [label])
    .map((blob) => JSON.stringify(blob))
    .join("\n");
  const index = indexOf(loadCatalog([{ file: "c.json", text }]).blobs);
  const own = { type: "olm.package", value: { packageName: "store", version: "1.2.0" } };
  const recorded = { type: "olm.maxOpenShiftVersion", value: "4.18" };
  const operator = { packageName: "store", version: "1.2.0", bundle: "store.v1.2.0" };
  assert.deepEqual(installedOperator(operator, [recorded], [index]).properties, [own, recorded, label]);
  assert.deepEqual(installedOperator({ ...operator, bundle: "store.v1.1.0" }, [], [index]).properties, [own]);
});

test("an update policy decides before the annotation and the mode of the process, and then no annotation is proposed", () => {
  const created = (policy: DependencyMode): number =>
    installsOf(judged([api], [provider], { mode: "verify", annotation: "install", policy })).length;
  assert.deepEqual([created("verify"), created("propose"), created("install")], [0, 0, 1]);
  const commandsOf = (policy: DependencyMode | undefined): string => {
    const result = judged([api], [provider], policy === undefined ? {} : { policy });
    assert.equal(result.kind, "unmet");
    return result.outcome.explanation.remedies.map(({ command }) => command).join("\n");
  };
  assert.match(commandsOf(undefined), /annotate/);
  assert.doesNotMatch(commandsOf("verify"), /annotate/);
});

test("the APIs to look for are those of every kind of requirement", () => {
  const nested = rule({ failureMessage: "f", any: { constraints: [{ failureMessage: "", gvk: { ...disk } }] } });
  const read = requiredApis([api, needs("db", ">=1.0.0"), nested] as never);
  assert.deepEqual(read, [disk, disk]);
});
