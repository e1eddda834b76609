import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Outcome } from "../command.ts";
import { UsageError } from "../command.ts";
import { commands } from "../commands.ts";
import { parseArguments, runCommand } from "../program.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-plan-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const bundle = (name: string, version: string, properties: readonly unknown[] = [], more: object = {}): object => ({
  schema: "olm.bundle",
  name: `${name}.v${version}`,
  package: name,
  image: `registry.example/${name}:${version}`,
  properties: [{ type: "olm.package", value: { packageName: name, version } }, ...properties],
  ...more,
});
const packageOf = (name: string, entries: readonly object[]): readonly object[] => [
  { schema: "olm.package", name, defaultChannel: "stable" },
  { schema: "olm.channel", name: "stable", package: name, entries },
];
const disk = { group: "g.io", version: "v1", kind: "Disk" };

function write(name: string, documents: readonly object[]): string {
  const file = join(directory, name);
  writeFileSync(file, documents.map((document) => JSON.stringify(document)).join("\n"));
  return file;
}

const catalog = write("catalog.json", [
  ...packageOf("app", [{ name: "app.v1.0.0" }, { name: "app.v1.1.0", replaces: "app.v1.0.0" }]),
  bundle("app", "1.0.0"),
  bundle("app", "1.1.0", [
    { type: "olm.gvk.required", value: disk },
    { type: "olm.csv.metadata", value: { minKubeVersion: "1.30.0" } },
  ]),
  ...packageOf("disk", [{ name: "disk.v1.0.0" }]),
  bundle("disk", "1.0.0", [{ type: "olm.gvk", value: disk }]),
  ...packageOf("tool", [{ name: "tool.v1.0.0" }, { name: "tool.v2.0.0", replaces: "tool.v1.0.0" }]),
  bundle("tool", "1.0.0"),
  bundle("tool", "2.0.0"),
]);

const v0 = "operators.coreos.com/v1alpha1";
const group = {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { name: "og", namespace: "ns" },
};
const subscription = (name: string, spec: object, status?: object): object => ({
  apiVersion: v0,
  kind: "Subscription",
  metadata: { name, namespace: "ns" },
  spec: { source: "cat", sourceNamespace: "olm", ...spec },
  ...(status === undefined ? {} : { status }),
});
const extension = (name: string, filter: object, installed?: object): object => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name },
  spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: filter } },
  ...(installed === undefined ? {} : { status: { install: { bundle: installed } } }),
});

interface Document {
  readonly outcome: string;
  readonly chosen: readonly { readonly name: string; readonly subscriptions: readonly string[] }[];
  readonly steps: readonly { readonly resource: { readonly kind: string; readonly name: string } }[];
  readonly lookups: readonly { readonly identifier: string; readonly path: string }[];
  readonly installPlan: { readonly generation: number; readonly approval: string } | null;
  readonly explanation: { readonly code: string } | null;
  readonly upstream: string | null;
  readonly warnings: readonly { readonly summary: string }[];
  readonly why?: { readonly kind: string };
  readonly timings: { readonly indexMs: number; readonly openMs: number };
}

interface Ran {
  readonly outcome: Outcome;
  readonly document: Document;
  readonly errors: string;
}

async function purser(...args: readonly string[]): Promise<Ran> {
  const parsed = await parseArguments("purser", commands, args);
  assert.equal(parsed.kind, "run");
  if (parsed.kind !== "run") assert.fail();
  const errors: string[] = [];
  const outcome = await runCommand(parsed, {
    signal: new AbortController().signal,
    terminal: {
      isInteractive: false,
      show: () => assert.fail("printed by the caller"),
      env: { PURSER_CACHE_DIR: join(directory, "cache") },
      out: () => assert.fail("commands return what they print"),
      progress: () => undefined,
      write: () => assert.fail("commands return what they print"),
      err: (...lines) => void errors.push(...lines),
      paint: (_, text) => text,
      symbol: () => "-",
      ask: async () => undefined,
    },
  });
  return { outcome, document: outcome.data as unknown as Document, errors: errors.join("\n") };
}

const onFiles = (snapshot: string): readonly string[] => ["--catalog", `olm/cat=${catalog}`, "--snapshot", snapshot];

test("a whole namespace is planned with its dependencies, and the second time without building an index", async () => {
  const world = write("whole.json", [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } },
    group,
    subscription("my", { name: "app", installPlanApproval: "Manual" }, { installPlanGeneration: 4 }),
  ]);
  const first = await purser("plan", "-n", "ns", ...onFiles(world), "--kube-version", "v1.29");
  assert.equal(first.outcome.exitCode, 0);
  const { document } = first;
  assert.equal(document.outcome, "resolved");
  assert.deepEqual(
    document.chosen.map(({ name, subscriptions }) => [name, subscriptions]),
    [
      ["app.v1.1.0", ["my"]],
      ["disk.v1.0.0", []],
    ],
  );
  assert.deepEqual(
    document.lookups.map(({ identifier, path }) => [identifier, path]),
    [
      ["app.v1.1.0", "registry.example/app:1.1.0"],
      ["disk.v1.0.0", "registry.example/disk:1.0.0"],
    ],
  );
  assert.deepEqual(
    document.steps.map(({ resource }) => `${resource.kind} ${resource.name}`),
    ["Subscription disk-stable-cat-olm"],
  );
  assert.equal(document.installPlan?.generation, 5);
  assert.equal(document.installPlan?.approval, "Manual");
  assert.deepEqual(
    document.warnings.map(({ summary }) => summary),
    ["app.v1.1.0 needs Kubernetes 1.30.0 or newer"],
  );
  assert.ok(document.timings.indexMs > 0);
  assert.match(first.errors, /ignored 1 object of other kinds: 1 ConfigMap/);

  const second = await purser("explain", "ns/my", ...onFiles(world));
  assert.equal(second.document.timings.indexMs, 0);
  assert.deepEqual(second.document.chosen, document.chosen);
  assert.deepEqual(second.document.warnings, []);
});

test("a catalog that changed is indexed again", async () => {
  const changing = write("changing.json", [...packageOf("one", [{ name: "one.v1.0.0" }]), bundle("one", "1.0.0")]);
  const plan = (): Promise<Ran> => purser("plan", "one", "--catalog", `cat=${changing}`);
  assert.deepEqual(
    (await plan()).document.chosen.map(({ name }) => name),
    ["one.v1.0.0"],
  );
  write("changing.json", [...packageOf("one", [{ name: "one.v1.0.1" }]), bundle("one", "1.0.1")]);
  const again = await plan();
  assert.deepEqual(
    again.document.chosen.map(({ name }) => name),
    ["one.v1.0.1"],
  );
  assert.ok(again.document.timings.indexMs > 0);
});

test("a refusal is a complete document with OLM's text and exit code 1", async () => {
  const world = write("refused.json", [group, subscription("my", { name: "app", channel: "beta" })]);
  const { outcome, document } = await purser("plan", "my", ...onFiles(world));
  assert.equal(outcome.exitCode, 1);
  assert.equal(document.outcome, "unsatisfiable");
  assert.equal(document.explanation?.code, "ChannelNotFound");
  assert.match(document.upstream ?? "", /^constraints not satisfiable: no operators found in channel beta/);
  assert.deepEqual(document.chosen, []);
});

test("an extension is decided from its installed bundle, and --why explains every other bundle", async () => {
  const world = write("extension.json", [
    extension("mine", { packageName: "tool" }, { name: "tool.v1.0.0", version: "1.0.0" }),
    extension("held", { packageName: "tool", version: "<1.5.0" }),
  ]);
  const mine = await purser("plan", "ext/mine", ...onFiles(world));
  assert.deepEqual(
    mine.document.chosen.map(({ name }) => name),
    ["tool.v2.0.0"],
  );
  const why = await purser("explain", "held", "--why", "tool.v2.0.0", ...onFiles(world));
  assert.equal(why.document.why?.kind, "excluded");
  assert.match(why.outcome.human ?? "", /^tool\.v2\.0\.0 cannot be chosen: .*NoVersionInRange/);
});

test("a catalog without content is unavailable, and so is one that says it is not being served", async () => {
  const catalogObject = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name: "cat" },
    spec: { source: { type: "Image" } },
    status: { conditions: [{ type: "Serving", status: "False", reason: "Unavailable", message: "no space" }] },
  };
  const source = { apiVersion: v0, kind: "CatalogSource", metadata: { name: "gone", namespace: "olm" } };
  const world = write("gone.json", [
    group,
    catalogObject,
    source,
    subscription("my", { name: "app", source: "gone" }),
    extension("mine", { packageName: "tool" }),
  ]);
  for (const name of ["my", "mine"]) {
    const { outcome, document } = await purser("plan", name, ...onFiles(world));
    assert.equal(outcome.exitCode, 1);
    assert.equal(document.outcome, "error");
    assert.equal(document.explanation?.code, "CatalogUnavailable");
  }
});

test("a package that is not installed is planned as if it was requested", async () => {
  const subscribed = await purser("plan", "app@1.0.0", "-n", "tools", "--catalog", `cat=${catalog}`);
  assert.deepEqual(
    subscribed.document.chosen.map(({ name }) => name),
    ["app.v1.0.0"],
  );
  assert.match(subscribed.errors, /namespace tools has no OperatorGroup/);
  const extended = await purser("plan", "tool@<2", "--as-extension", "--catalog", `cat=${catalog}`);
  assert.deepEqual(
    extended.document.chosen.map(({ name }) => name),
    ["tool.v1.0.0"],
  );
});

test("a package that several catalogs offer is planned from the one that is named, as install would ask for it", async () => {
  const offered = ["--catalog", `olm/one=${catalog}`, "--catalog", `olm/two=${catalog}`];
  const open = await purser("plan", "tool", "--as-extension", ...offered);
  assert.equal(open.document.explanation?.code, "AmbiguousCatalog");
  const named = await purser("plan", "tool", "--as-extension", ...offered, "--from-source", "two");
  assert.equal(named.document.outcome, "resolved");
  assert.deepEqual(
    named.document.chosen.map(({ name }) => name),
    ["tool.v2.0.0"],
  );
});

test("an unknown name prints a document with the nearest name and exits with 6", async () => {
  const world = write("names.json", [group]);
  for (const args of [["aap"], ["app", "--channel", "beta"], ["-n", "nowhere"]]) {
    const { outcome, document, errors } = await purser("plan", ...args, ...onFiles(world));
    assert.equal(outcome.exitCode, 6, args.join(" "));
    assert.equal(document.outcome, "error");
    assert.notEqual(errors, "");
  }
  assert.match(
    (await purser("plan", "aap", ...onFiles(world))).errors,
    /purser plan app --catalog olm\/cat=\S+ --snapshot \S+$/m,
  );
});

test("wrong usage and unreadable input print only an error message", async () => {
  const broken = join(directory, "broken.yaml");
  writeFileSync(broken, "kind: [");
  const invalid = write("invalid.json", packageOf("one", [{ name: "missing.v1" }]));
  const world = write("fine.json", [group]);
  const cases: readonly (readonly string[])[] = [
    ["plan", ...onFiles(world)],
    ["plan", "app", ...onFiles(join(directory, "absent.yaml"))],
    ["plan", "app", ...onFiles(broken)],
    ["plan", "app", "--catalog", `cat=${directory}/absent`],
    ["plan", "app", "--catalog", `cat=${invalid}`],
    ["plan", "app", "--catalog", `a=${catalog}`, "--catalog", `olm/a=${catalog}`],
    ["plan", "app", ...onFiles(world), "--kube-version", "new"],
  ];
  for (const args of cases) await assert.rejects(purser(...args), UsageError, args.join(" "));
});

const members = [
  "apiVersion",
  "kind",
  "subject",
  "outcome",
  "chosen",
  "updated",
  "steps",
  "lookups",
  "installPlan",
  "installPlans",
  "explanation",
  "upstream",
  "warnings",
  "timings",
];

test("resolved, refused and unknown have the same members in one document, and both commands give it", async () => {
  const world = write("members.json", [
    group,
    subscription("my", { name: "app" }),
    subscription("bad", { name: "none" }),
  ]);
  const fine = write("members-fine.json", [group, subscription("my", { name: "app" })]);
  for (const [args, exitCode] of [
    [["my", ...onFiles(fine)], 0],
    [["my", ...onFiles(world)], 1],
    [["nothing", ...onFiles(world)], 6],
  ] as const) {
    const plan = await purser("plan", ...args);
    const explain = await purser("explain", ...args);
    assert.equal(plan.outcome.exitCode, exitCode);
    assert.equal(explain.outcome.exitCode, exitCode);
    for (const { document } of [plan, explain]) {
      assert.deepEqual(
        Object.keys(document).filter((name) => name !== "policy"),
        members,
      );
      assert.deepEqual(Object.keys(document.timings), ["indexMs", "openMs", "variablesMs", "solveMs"]);
      for (const milliseconds of Object.values(document.timings)) assert.ok(milliseconds >= 0);
    }
    assert.deepEqual({ ...plan.document, timings: 0 }, { ...explain.document, timings: 0 });
  }
});

const lists: readonly (readonly [name: string, text: (objects: readonly object[]) => string])[] = [
  ["YAML documents", (objects) => objects.map((object) => `---\n${JSON.stringify(object)}\n`).join("")],
  ["a v1 List in JSON", (items) => JSON.stringify({ apiVersion: "v1", kind: "List", items })],
  [
    "a v1 List in YAML",
    (items) => `apiVersion: v1\nkind: List\nitems:\n${items.map((item) => `- ${JSON.stringify(item)}\n`).join("")}`,
  ],
];

for (const [name, text] of lists)
  test(`a snapshot may be ${name}`, async () => {
    const file = join(directory, "list.yaml");
    writeFileSync(file, text([group, subscription("my", { name: "disk" })]));
    const { document } = await purser("plan", "-n", "ns", ...onFiles(file));
    assert.deepEqual(
      document.chosen.map(({ name }) => name),
      ["disk.v1.0.0"],
    );
  });

test("the global namespace is the one that is named, olm without", async () => {
  const world = write("global.json", [group, subscription("my", { name: "disk", sourceNamespace: "shared" })]);
  const catalogs = ["--catalog", `shared/cat=${catalog}`, "--snapshot", world];
  const without = await purser("plan", "-n", "ns", ...catalogs);
  assert.equal(without.document.explanation?.code, "CatalogNotFound");
  const named = await purser("plan", "-n", "ns", ...catalogs, "--global-namespace", "shared");
  assert.deepEqual(
    named.document.chosen.map(({ name }) => name),
    ["disk.v1.0.0"],
  );
});

test("labels, priority and availability of a ClusterCatalog in the snapshot count, and missing fields have their defaults", async () => {
  const clusterCatalog = (name: string, spec: object, labels: object = {}): object => ({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name, labels },
    spec: { source: { type: "Image", image: { ref: "r/c" } }, ...spec },
    status: { conditions: [{ type: "Serving", status: "True" }] },
  });
  const small = write("small.json", [...packageOf("tool", [{ name: "tool.v1.0.0" }]), bundle("tool", "1.0.0")]);
  const decide = async (spec: object, labels: object, filter: object): Promise<Ran> =>
    purser(
      "plan",
      "ext/mine",
      "--catalog",
      `big=${catalog}`,
      "--catalog",
      `small=${small}`,
      "--snapshot",
      write("catalogs.json", [
        clusterCatalog("big", {}),
        clusterCatalog("small", spec, labels),
        extension("mine", { packageName: "tool", ...filter }),
      ]),
    );
  const tied = await decide({}, {}, {});
  assert.equal(tied.document.explanation?.code, "AmbiguousCatalog");
  const chosen = async (...args: Parameters<typeof decide>): Promise<readonly string[]> =>
    (await decide(...args)).document.chosen.map(({ name }) => name);
  assert.deepEqual(await chosen({ priority: 1 }, {}, {}), ["tool.v1.0.0"]);
  assert.deepEqual(await chosen({ availabilityMode: "Unavailable" }, {}, {}), ["tool.v2.0.0"]);
  assert.deepEqual(await chosen({}, { tier: "gold" }, { selector: { matchLabels: { tier: "gold" } } }), [
    "tool.v1.0.0",
  ]);
});

test("a CatalogSource of the snapshot gives its priority to the content of --catalog", async () => {
  const source = (name: string, priority: number): object => ({
    apiVersion: v0,
    kind: "CatalogSource",
    metadata: { name, namespace: "olm" },
    spec: { sourceType: "grpc", priority },
  });
  const provider = write("provider.json", [
    ...packageOf("drive", [{ name: "drive.v1.0.0" }]),
    bundle("drive", "1.0.0", [{ type: "olm.gvk", value: disk }]),
  ]);
  const needy = write("needy.json", [
    ...packageOf("needy", [{ name: "needy.v1.0.0" }]),
    bundle("needy", "1.0.0", [{ type: "olm.gvk.required", value: disk }]),
  ]);
  const world = write("sources.json", [
    group,
    source("cat", 1),
    source("other", 2),
    subscription("my", { name: "needy", source: "needy" }),
  ]);
  const { document } = await purser(
    "plan",
    "-n",
    "ns",
    ...onFiles(world),
    "--catalog",
    `other=${provider}`,
    "--catalog",
    `needy=${needy}`,
  );
  assert.deepEqual(
    document.chosen.map(({ name }) => name),
    ["drive.v1.0.0", "needy.v1.0.0"],
  );
});

test("an InstallPlan of the snapshot counts for the next generation, a CSV for what is installed", async () => {
  const world = write("installed.json", [
    group,
    {
      apiVersion: v0,
      kind: "InstallPlan",
      metadata: { name: "install-x", namespace: "ns" },
      spec: { approval: "Automatic", approved: true, generation: 7, clusterServiceVersionNames: [] },
    },
    {
      apiVersion: v0,
      kind: "ClusterServiceVersion",
      metadata: { name: "tool.v1.0.0", namespace: "ns" },
      spec: { version: "1.0.0" },
    },
    subscription("my", { name: "tool" }, { installedCSV: "tool.v1.0.0", currentCSV: "tool.v1.0.0" }),
  ]);
  const { document } = await purser("plan", "-n", "ns", ...onFiles(world));
  assert.deepEqual(
    document.chosen.map(({ name }) => name),
    ["tool.v2.0.0"],
  );
  assert.equal(document.installPlan?.generation, 8);
});

test("what hangs together is planned as one InstallPlan, and with --compat=namespace-plans all of the namespace", async () => {
  const world = write("sets.json", [
    group,
    subscription("my", { name: "app", installPlanApproval: "Manual" }),
    subscription("other", { name: "tool" }),
  ]);
  const lines = async (...more: readonly string[]): Promise<readonly string[]> => {
    const { outcome } = await purser("plan", "-n", "ns", ...onFiles(world), ...more);
    return (outcome.human ?? "").split("\n").filter((line) => line.startsWith("InstallPlan"));
  };
  assert.deepEqual(await lines(), [
    "InstallPlan 1 of namespace ns, approval Manual: app.v1.1.0, disk.v1.0.0",
    "InstallPlan 2 of namespace ns, approval Automatic: tool.v2.0.0",
  ]);
  assert.deepEqual(await lines("--compat", "namespace-plans"), [
    "InstallPlan 1 of namespace ns, approval Manual: app.v1.1.0, disk.v1.0.0, tool.v2.0.0",
  ]);
});

test("with -n what lies in the namespace comes before an extension of that name, with --as-extension after it", async () => {
  const world = write("both.json", [
    group,
    subscription("tool", { name: "tool" }),
    extension("tool", { packageName: "tool", version: "1.x" }),
  ]);
  const here = await purser("plan", "tool", "-n", "ns", ...onFiles(world));
  assert.deepEqual(
    here.document.chosen.map(({ name }) => name),
    ["tool.v2.0.0"],
  );
  const cluster = await purser("plan", "tool", "--as-extension", ...onFiles(world));
  assert.deepEqual(
    cluster.document.chosen.map(({ name }) => name),
    ["tool.v1.0.0"],
  );
  await assert.rejects(purser("plan", "tool", ...onFiles(world)), /names 2 installations/);
});

test("a file in place of a name is refused with a hint to --snapshot", async () => {
  const file = write("sub.yaml", [group]);
  await assert.rejects(
    purser("plan", file),
    (error) => error instanceof UsageError && error.hints[0]?.includes(`--snapshot ${file}`) === true,
  );
});

test("an invalid catalog is refused with a line for each of its problems", async () => {
  const directory = mkdtempSync(join(tmpdir(), "purser-invalid-"));
  try {
    const file = join(directory, "c.yaml");
    writeFileSync(file, "schema: olm.package\nname: a\ndefaultChannel: x\n---\nschema: olm.bundle\nname: b\n");
    const world = write("sub.yaml", [group]);
    await assert.rejects(purser("plan", "a", "--catalog", `olm/cat=${directory}`, "--snapshot", world), (error) => {
      assert.ok(error instanceof UsageError);
      assert.equal(error.message, `the catalog "${directory}" is invalid`);
      assert.deepEqual(error.hints, [
        `${file}:5: package name must be set for bundle "b"`,
        `${file}:1: channel must contain at least one bundle`,
      ]);
      return true;
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("a Subscription without spec.name is reported", async () => {
  const world = write("nameless.json", [group, subscription("my", {})]);
  const { outcome } = await purser("explain", "ns/my", ...onFiles(world));
  assert.match(outcome.human ?? "", /Subscription my has no spec\.name/);
});

test("an installation that cannot go on shows since when, by what, and when that is tried again", async () => {
  const stall = { stuckSince: "2026-01-01T00:00:00Z", blockedBy: "b", nextRetry: "n" };
  const message = "stuckSince 2026-01-01T00:00:00Z; blockedBy b; nextRetry n";
  const world = write("stuck.json", [
    group,
    subscription("my", { name: "none" }, { conditions: [{ type: "Stalled", status: "True", reason: "r", message }] }),
  ]);
  const { outcome, document } = await purser("explain", "ns/my", ...onFiles(world));
  assert.match(outcome.human ?? "", /stuck since 2026-01-01T00:00:00Z by: b\nnext attempt: n/);
  assert.deepEqual((document as { readonly stuck?: unknown }).stuck, stall);
});

test("where a catalog cannot be read here, explain shows what the controllers decided, with their way out", async () => {
  const message = "VersionNotOffered: no channel has it (fix: use another channel: purser set my --channel x)";
  const resolution = { type: "ResolutionFailed", status: "True", reason: "ConstraintsNotSatisfiable", message };
  const gone = { apiVersion: v0, kind: "CatalogSource", metadata: { name: "gone", namespace: "olm" } };
  const decided = subscription("my", { name: "app", source: "gone" }, { conditions: [resolution] });
  const { outcome, document } = await purser(
    "explain",
    "ns/my",
    ...onFiles(write("decided.json", [group, gone, decided])),
  );
  assert.equal(document.explanation?.code, "CatalogUnavailable");
  assert.match(outcome.human ?? "", /\nthe cluster shows it as Blocked: .*no channel has it/);
  const { shown } = document as { readonly shown?: { readonly state: string; readonly why: string } };
  assert.equal(shown?.state, "Blocked");
  const head = await purser(
    "explain",
    "ns/my",
    ...onFiles(write("decidable.json", [group, subscription("my", { name: "app" })])),
  );
  assert.doesNotMatch(head.outcome.human ?? "", /the cluster shows/);
  assert.equal("shown" in head.document, false);
});

test("an installation at the head of its channel is reported as such, with its catalog", async () => {
  const world = write("head.json", [
    group,
    subscription("my", { name: "tool" }, { installedCSV: "tool.v2.0.0", currentCSV: "tool.v2.0.0" }),
    {
      apiVersion: v0,
      kind: "ClusterServiceVersion",
      metadata: { name: "tool.v2.0.0", namespace: "ns" },
      spec: { version: "2.0.0" },
      status: { phase: "Succeeded" },
    },
  ]);
  const { outcome } = await purser("explain", "ns/my", ...onFiles(world));
  assert.equal(outcome.exitCode, 0);
  assert.match(
    outcome.human ?? "",
    /tool\.v2\.0\.0 is installed, version 2\.0\.0: the head of channel stable .* olm\/cat/,
  );
});

test("explain --candidates lists every bundle of the package with its verdict, newest first", async () => {
  const tool = { packageName: "tool", version: "<2.0.0" };
  const world = write("candidates.json", [group, subscription("my", { name: "app" }), extension("held", tool)]);
  const tableOf = ({ outcome }: Ran): readonly string[] =>
    (outcome.human ?? "").split("\n\n").at(-1)?.split("\n") ?? [];
  assert.deepEqual(tableOf(await purser("explain", "sub/ns/my", "--candidates", ...onFiles(world))), [
    "CANDIDATE   CHANNELS  VERDICT   WHY",
    "app.v1.1.0  stable    chosen    Subscription my asks for package app, catalog olm/cat",
    "app.v1.0.0  stable    possible  app.v1.1.0 (stable of olm/cat) comes before app.v1.0.0 (stable of olm/cat) in the order of preference",
  ]);
  const catalogs = ["--catalog", `cat=${catalog}`, "--snapshot", world];
  const held = await purser("explain", "ext/held", "--candidates", ...catalogs);
  assert.deepEqual(tableOf(held), [
    "CANDIDATE    CHANNELS  VERDICT   WHY",
    "tool.v2.0.0  stable    excluded  ClusterExtension held asks for tool <2.0.0, but the catalog has 2.0.0",
    "tool.v1.0.0  stable    chosen    ClusterExtension held asks for package tool <2.0.0; this is the best of catalog cat",
  ]);
  const { candidates } = held.document as unknown as {
    readonly candidates: readonly Readonly<Record<string, unknown>>[];
  };
  assert.deepEqual(
    candidates.map(({ bundle, version, channels, kind }) => [bundle, version, channels, kind]),
    [
      ["tool.v2.0.0", "2.0.0", ["stable"], "excluded"],
      ["tool.v1.0.0", "1.0.0", ["stable"], "chosen"],
    ],
  );
  const csv = {
    apiVersion: v0,
    kind: "ClusterServiceVersion",
    metadata: { name: "line.v1.0.0", namespace: "ns" },
    spec: { version: "1.0.0" },
    status: { phase: "Succeeded" },
  };
  const installed = { installedCSV: "line.v1.0.0", currentCSV: "line.v1.0.0" };
  const line = write("line.json", [
    { schema: "olm.package", name: "line", defaultChannel: "stable" },
    {
      schema: "olm.channel",
      name: "stable",
      package: "line",
      entries: [
        { name: "line.v1.0.0" },
        { name: "line.v1.1.0", replaces: "line.v1.0.0" },
        { name: "line.v1.2.0", replaces: "line.v1.1.0" },
      ],
    },
    { schema: "olm.channel", name: "fast", package: "line", entries: [{ name: "line.v2.0.0" }] },
    ...["1.0.0", "1.1.0", "1.2.0", "2.0.0"].map((version) => bundle("line", version)),
  ]);
  const moving = write("moving.json", [group, subscription("my", { name: "line", channel: "stable" }, installed), csv]);
  const later = await purser(
    "explain",
    "sub/ns/my",
    "--candidates",
    "--catalog",
    `olm/cat=${line}`,
    "--snapshot",
    moving,
  );
  assert.deepEqual(
    tableOf(later)
      .slice(1, 4)
      .map((row) => row.split(/ {2,}/)),
    [
      ["line.v2.0.0", "fast", "not asked for", "channel stable, which is followed, does not have it"],
      ["line.v1.2.0", "stable", "not asked for", "channel stable has no upgrade to it from 1.0.0"],
      ["line.v1.1.0", "stable", "chosen", "Subscription my asks for package line, channel stable, catalog olm/cat"],
    ],
  );
  const refused = await purser("explain", "app@9.0.0", "-n", "ns", "--candidates", ...onFiles(world));
  assert.equal(refused.outcome.exitCode, 6);
});

test("explain --from decides as if the version were installed, whatever the world has of the package", async () => {
  const mine = extension("mine", { packageName: "tool" }, { name: "tool.v2.0.0", version: "2.0.0" });
  const world = write("from.json", [group, mine]);
  const explain = async (
    ...args: readonly string[]
  ): Promise<readonly [number | undefined, ...(readonly string[])]> => {
    const { outcome } = await purser("explain", ...args, "--snapshot", world);
    return [outcome.exitCode, ...(outcome.human ?? outcome.verbatim ?? "").split("\n")];
  };
  const v0Catalog = ["-n", "ns", "--catalog", `olm/cat=${catalog}`];
  const v1Catalog = ["--as-extension", "--catalog", `cat=${catalog}`];
  assert.deepEqual(await explain("app", "--from", "1.0.0", ...v0Catalog), [
    0,
    "package app at 1.0.0: nothing refuses it",
    "  app.v1.1.0 from olm/cat, channel stable, for Subscription app, replaces app.v1.0.0",
    "  disk.v1.0.0 from olm/cat, channel stable, a dependency",
  ]);
  assert.deepEqual(await explain("app", "--from", "1.1.0", ...v0Catalog, "-o", "tree"), [
    0,
    "package app at 1.1.0: app.v1.1.0 is installed, version 1.1.0: the head of channel stable of package app in catalog olm/cat, with nothing newer there.",
  ]);
  assert.deepEqual(await explain("tool", "--from", "1.0.0", ...v1Catalog), [
    0,
    "package tool at 1.0.0: nothing refuses it",
    "  tool.v2.0.0 from catalog cat, replaces tool.v1.0.0",
  ]);
  assert.deepEqual(await explain("tool@<2", "--from", "2.0.0", ...v1Catalog, "--candidates", "-o", "markdown"), [
    1,
    "### `package tool@<2 at 2.0.0`",
    "",
    "`ClusterExtension tool has tool.v2.0.0 installed, and no catalog offers an upgrade from it to 1.0.0` (NoUpgradePath)",
    "",
    "- `It asks for version <2`",
    "- `tool.v2.0.0 is installed, and the catalog must allow the upgrade from it`",
    "",
    "**Fixes**",
    "",
    "1. `Move to tool.v1.0.0 without an upgrade edge, at your own risk`: `purser set ext/tool --version 1.0.0 --upgrade-constraint-policy SelfCertified`",
    "2. `Allow every version`: `purser set ext/tool --version any`",
    "",
    "| CANDIDATE | CHANNELS | VERDICT | WHY |",
    "| --- | --- | --- | --- |",
    "| `tool.v2.0.0` | `stable` | `excluded` | `ClusterExtension tool asks for tool <2, but the catalog has 2.0.0` |",
    "| `tool.v1.0.0` | `stable` | `excluded` | `ClusterExtension tool has tool.v2.0.0 installed, and no catalog offers an upgrade from it to 1.0.0` |",
    "",
  ]);
  const unknown = await purser("explain", "app", "--from", "1.0.7", ...onFiles(world));
  assert.equal(unknown.outcome.exitCode, 6);
  assert.match(unknown.errors, /has version "1\.0\.7", which --from names[^]*purser explain app --from 1\.0\.0/);
  await assert.rejects(
    explain("-n", "ns", "--from", "1.0.0"),
    /--from assumes a version of a package, and none is named/,
  );
});
