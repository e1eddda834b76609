// plan and explain as a person runs them: a process with its standard input and output, on files and on a cluster.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { clusterCatalogs, clusterExtensions, operatorGroups, subscriptions } from "../../apis/olm-resources.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { JsonObject } from "@purser/kubernetes/json";
import { builtProduct } from "../../../e2e/built-product.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-decide-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const program = builtProduct();
const env = {
  ...process.env,
  KUBECONFIG: join(directory, "kubeconfig"),
  PURSER_CACHE_DIR: join(directory, "cache"),
  XDG_DATA_HOME: join(directory, "data"),
};

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function purser(args: readonly string[], input = ""): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env,
    input,
  });
  return { status, stdout, stderr };
}

const catalog = join(directory, "catalog.json");
writeFileSync(
  catalog,
  [
    { schema: "olm.package", name: "tool", defaultChannel: "stable" },
    { schema: "olm.channel", name: "stable", package: "tool", entries: [{ name: "tool.v1.0.0" }] },
    {
      schema: "olm.bundle",
      name: "tool.v1.0.0",
      package: "tool",
      image: "registry.example/tool:1",
      properties: [{ type: "olm.package", value: { packageName: "tool", version: "1.0.0" } }],
    },
  ]
    .map((blob) => JSON.stringify(blob))
    .join("\n"),
);

const group = {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { name: "og", namespace: "ns" },
  spec: {},
} as const;
const subscription = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { name: "my", namespace: "ns" },
  spec: { name: "tool", source: "cat", sourceNamespace: "olm" },
} as const;
const snapshot = [group, subscription, { apiVersion: "v1", kind: "Secret", metadata: { name: "x", namespace: "ns" } }]
  .map((object) => `---\n${JSON.stringify(object)}\n`)
  .join("");

test("a snapshot on standard input gives exactly one document on standard output, and the rest on standard error", () => {
  const { status, stdout, stderr } = purser(
    ["plan", "-n", "ns", "--snapshot", "-", "--catalog", `cat=${catalog}`, "-o", "json"],
    snapshot,
  );
  assert.equal(status, 0, stderr);
  const document = JSON.parse(stdout) as JsonObject;
  assert.equal(document["outcome"], "resolved");
  assert.match(stderr, /^ignored 1 object of other kinds: 1 Secret$/m);
});

const unreadable: readonly (readonly [sentence: string, args: readonly string[], input: string, said: RegExp])[] = [
  ["a snapshot that is no YAML", ["plan", "-n", "ns", "--snapshot", "-"], "a: [", /standard input/],
  [
    "an object without a kind",
    ["plan", "-n", "ns", "--snapshot", "-"],
    "metadata: {name: a}",
    /needs apiVersion and kind/,
  ],
  ["a flag that does not exist", ["explain", "my", "--snapsot", "-"], "", /--snapshot/],
];

for (const [sentence, args, input, said] of unreadable)
  test(`${sentence} leaves standard output empty and exits with 2`, () => {
    const { status, stdout, stderr } = purser([...args, "-o", "json"], input);
    assert.equal(status, 2);
    assert.equal(stdout, "");
    assert.match(stderr, said);
  });

test("on a live cluster both commands decide from its objects and the catalog indexes in the cache of this machine", async () => {
  const up = spawn(
    process.execPath,
    [
      program,
      "up",
      "--ephemeral",
      "--catalog-address",
      "none",
      "--catalog",
      `cat=${catalog}`,
      "--write-kubeconfig",
      env.KUBECONFIG,
    ],
    { env: { ...env, KUBECONFIG: "" }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = new Promise((done) => up.once("close", done));
  try {
    let said = "";
    await new Promise<void>((ready, refuse) => {
      up.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (/^kubeconfig |KUBECONFIG=/m.test(said)) ready();
      });
      up.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
      up.once("close", () => refuse(new Error(said)));
    });
    const access = loadKubeconfig({ env: {}, path: env.KUBECONFIG });
    assert.ok(access.ok, readFileSync(env.KUBECONFIG, "utf8"));
    const transport = httpTransport(access.value, { clock: systemClock });
    const client = createClient(transport, { userAgent: "test" });
    const create = async (type: ResourceType, object: KubeObject): Promise<void> => {
      const { signal } = new AbortController();
      assert.ok((await client.write({ verb: "create", type, object }, signal)).ok);
    };
    await create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } });
    await create(subscriptions, {
      ...subscription,
      spec: { ...subscription.spec, installPlanApproval: "Manual" },
    });
    await create(clusterExtensions, {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name: "ext" },
      spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "tool", version: "2.x" } } },
    });
    for (let serving = false; !serving;) {
      const found = await client.get(clusterCatalogs, { name: "cat" });
      serving = found?.status?.conditions?.some(({ type, status }) => type === "Serving" && status === "True") === true;
    }
    const codeOf = ({ stdout, stderr }: Ran): unknown => {
      assert.notEqual(stdout, "", stderr);
      const { explanation } = JSON.parse(stdout) as { readonly explanation: { readonly code: string } | null };
      return explanation?.code;
    };
    const missing = purser(["plan", "-n", "nowhere", "-o", "json"]);
    assert.equal(missing.status, 6, missing.stderr);
    const refused = purser(["explain", "ns/my", "-o", "json"]);
    assert.deepEqual([refused.status, codeOf(refused)], [1, "OperatorGroupMissing"]);
    const range = purser(["plan", "ext", "-o", "json"]);
    assert.deepEqual([range.status, codeOf(range)], [1, "NoVersionInRange"]);
    await create(operatorGroups, group);
    const planned = purser(["plan", "-n", "ns", "-o", "json"]);
    assert.equal(planned.status, 0, planned.stderr);
    const { chosen, timings } = JSON.parse(planned.stdout) as {
      readonly chosen: readonly { readonly name: string }[];
      readonly timings: { readonly indexMs: number };
    };
    assert.deepEqual(
      chosen.map(({ name }) => name),
      ["tool.v1.0.0"],
    );
    assert.equal(timings.indexMs, 0);
    transport.close();
  } finally {
    up.kill("SIGTERM");
    await ended;
  }
});
