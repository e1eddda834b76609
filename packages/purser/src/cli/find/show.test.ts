import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runPurser } from "../testing/run-purser.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-show-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const product = join(import.meta.dirname, "../../..");
const demoCatalog = join(product, "demo/default/catalog");
const demo = ["--catalog", `demo=${demoCatalog}`];
const community = ["--catalog", `community=${join(product, "conformance/catalogs/community")}`];

const env = { PURSER_CACHE_DIR: join(directory, "cache") };
const purser = async (args: readonly string[], width?: number) => {
  const ran = await runPurser(["show", ...args], { env, ...(width === undefined ? {} : { width }) });
  return { ...ran, data: ran.data as unknown as Record<string, unknown> };
};

test("a package of a real catalog is shown on one page", async () => {
  const { exitCode, text, errors } = await purser(["kube-green", ...community]);
  assert.deepEqual([exitCode, errors], [0, ""]);
  assert.equal(
    text,
    [
      "kube-green (kube-green)  by kube-green Community               source community",
      "  latest     0.7.1 in alpha (default)",
      "  installed  no                                                purser install kube-green -n operators --create-namespace",
      "  modes      all namespaces                                    needs Kubernetes 1.27.0 or newer",
      "  asks for   not stated by the catalog, which holds no install strategy",
      "  provides   SleepInfo",
      "  needs      no other package",
      "  images     2, 1 not pinned by digest",
    ].join("\n"),
  );
});

test("examples of its custom resources are printed as YAML documents, and are in the document", async () => {
  const { text, data } = await purser(["semaphore-gateway", "--examples", ...demo]);
  assert.deepEqual(text.split("\n"), [
    "apiVersion: semaphore.demo.purser.dev/v1",
    "kind: Signal",
    "metadata:",
    "  name: example-signal",
    "spec:",
    "  host: signals.example",
  ]);
  const { examples } = data["shown"] as { readonly examples: readonly { readonly kind: string }[] };
  assert.deepEqual(
    examples.map(({ kind }) => kind),
    ["Signal"],
  );
});

test("the support of its versions is shown as the catalog states it", async () => {
  const catalog = join(directory, "supported.json");
  const documents = [
    { schema: "olm.package", name: "p", defaultChannel: "stable" },
    { schema: "olm.channel", package: "p", name: "stable", entries: [{ name: "p.v1.2.3" }] },
    {
      schema: "olm.bundle",
      package: "p",
      name: "p.v1.2.3",
      image: "example.com/p:1",
      properties: [{ type: "olm.package", value: { packageName: "p", version: "1.2.3" } }],
    },
    {
      schema: "io.openshift.operators.lifecycles.v1alpha1",
      package: "p",
      versions: [
        {
          name: "1.2",
          platformCompatibility: [{ name: "openshift", versions: ["4.14", "4.15"] }],
          phases: [
            { name: "Full support", startDate: "2001-01-01", endDate: "2001-12-31" },
            { name: "Maintenance", startDate: "2002-01-01", endDate: "9998-12-31" },
            { name: "Extended", startDate: "9999-01-01" },
          ],
        },
      ],
    },
  ];
  writeFileSync(catalog, documents.map((one) => JSON.stringify(one)).join("\n"));
  const given = ["--catalog", `mine=${catalog}`];
  const { text, data } = await purser(["p", "--lifecycle", ...given]);
  assert.deepEqual(text.split("\n"), [
    "VERSION  PHASE         FROM        UNTIL       STATE   PLATFORMS",
    "1.2      Full support  2001-01-01  2001-12-31  past    openshift 4.14,4.15",
    "1.2      Maintenance   2002-01-01  9998-12-31  active  openshift 4.14,4.15",
    "1.2      Extended      9999-01-01  -           future  openshift 4.14,4.15",
  ]);
  assert.deepEqual(
    (data["lifecycle"] as readonly { readonly name: string }[]).map(({ name }) => name),
    ["1.2"],
  );
  assert.match((await purser(["p", ...given])).text, /^ {2}support {4}Maintenance until 9998-12-31, then Extended$/m);
  const { text: none } = await purser(["kube-green", "--lifecycle", ...community]);
  assert.equal(none, "The catalog states nothing about its support");
});

test("what does not fit beside a line comes below it", async () => {
  const { text } = await purser(["kube-green", ...community], 80);
  for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
  assert.match(text, /installed {2}no\n {13}purser install kube-green -n operators --create-namespace\n/);
});

test("a version and each part can be asked for", async () => {
  const { text } = await purser(["kube-green@0.7.0", "--apis", "--dependencies", ...community]);
  assert.equal(
    text,
    [
      "apis",
      "KIND       GROUP           VERSION   DESCRIPTION",
      "SleepInfo  kube-green.com  v1alpha1  SleepInfo is the Schema for the sleepinfos API",
      "",
      "dependencies",
      "It requires no other package",
    ].join("\n"),
  );
  const versions = (await purser(["logbook-db", "--versions", ...demo])).text.split("\n");
  assert.deepEqual(versions.slice(0, 3), [
    "VERSION     CHANNELS           BUNDLE                  NOTES",
    "2.0.0-rc.1  candidate          logbook-db.v2.0.0-rc.1  head of candidate",
    "1.2.0       candidate, stable  logbook-db.v1.2.0       head of stable",
  ]);
  assert.match(
    (await purser(["logbook-db", "--graph", ...demo])).text,
    /^stable \(default\) {4}candidate\n\* 1\.2\.0 head/,
  );
  assert.match((await purser(["kube-green", "--images", ...community])).text, /^bundle {2}quay\.io\S+\nruns {4}/);
});

function worldWith(version: string, status: object = {}): readonly string[] {
  const file = join(directory, `${version}.json`);
  const api = "operators.coreos.com/v1alpha1";
  const [name, namespace] = [`logbook-db.v${version}`, "demo"];
  const items = [
    {
      apiVersion: api,
      kind: "Subscription",
      metadata: { name: "db", namespace },
      spec: { name: "logbook-db", source: "demo", sourceNamespace: "olm", channel: "stable" },
      status: { installedCSV: name, currentCSV: name, ...status },
    },
    {
      apiVersion: api,
      kind: "ClusterServiceVersion",
      metadata: { name, namespace },
      spec: { version },
      status: { phase: "Succeeded" },
    },
  ];
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  return [...demo, "--snapshot", file];
}

const states: readonly (readonly [says: string, world: readonly string[], line: RegExp])[] = [
  [
    "the way to the head",
    worldWith("1.0.0"),
    /installed {2}demo 1\.0\.0 {2}-> {2}1\.2\.0 in 2 hops +purser plan sub\/demo\/db$/m,
  ],
  ["that nothing is newer", worldWith("1.2.0"), /installed {2}demo 1\.2\.0, the latest of its channel$/m],
];
for (const [says, world, line] of states)
  test(`an installation shows ${says}`, async () => {
    const { text, data } = await purser(["logbook-db", ...world]);
    assert.match(text, line);
    assert.match(JSON.stringify(data["installed"]), /"reference":"sub\/demo\/db"/);
  });

test("a package of several sources without priorities is refused with the command lines", async () => {
  const both = [...demo, "--catalog", `other=${demoCatalog}`];
  const { exitCode, errors } = await purser(["logbook-db", ...both]);
  assert.equal(exitCode, 2);
  assert.equal(
    errors,
    [
      'failed 2 catalogs offer "logbook-db", and none has a higher priority  AmbiguousCatalog',
      "  why   demo has it",
      "  why   other has it",
      `  do    purser show logbook-db --from-source demo ${both.join(" ")}      from demo`,
      `  or    purser show logbook-db --from-source other ${both.join(" ")}      from other`,
    ].join("\n"),
  );
  const chosen = await purser([
    "logbook-db",
    "--from-source",
    "cc/other",
    ...demo,
    "--catalog",
    `other=${demoCatalog}`,
  ]);
  assert.match(chosen.text, /source other\n/);
});

const unknown: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [["logbok-db"], /No catalog has a package "logbok-db" .*PackageNotFound[^]*purser show logbook-db/],
  [["logbook-db@9.9.9"], /has no version 9\.9\.9/],
  [["logbook-db", "--channel", "beta"], /has no channel beta/],
  [["logbook-db", "--from-source", "nowhere"], /No catalog "nowhere" has the package "logbook-db"/],
];
for (const [args, message] of unknown)
  test(`${args.join(" ")} is not found: exit code 6`, async () => {
    const { exitCode, errors } = await purser([...args, ...demo]);
    assert.equal(exitCode, 6);
    assert.match(errors, message);
  });

test("rights are shown in numbers, plain words and rule by rule", async () => {
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "kiln.v1.0.0" },
    spec: {
      version: "1.0.0",
      install: {
        strategy: "deployment",
        spec: {
          deployments: [
            { name: "kiln", spec: { template: { spec: { containers: [{ name: "a", image: "r/kiln@sha256:1" }] } } } },
          ],
          permissions: [
            { serviceAccountName: "kiln", rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }] },
          ],
          clusterPermissions: [
            {
              serviceAccountName: "kiln",
              rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }],
            },
          ],
        },
      },
    },
  };
  const file = join(directory, "kiln.json");
  const data = Buffer.from(JSON.stringify(csv)).toString("base64");
  writeFileSync(
    file,
    [
      { schema: "olm.package", name: "kiln", defaultChannel: "stable" },
      { schema: "olm.channel", name: "stable", package: "kiln", entries: [{ name: "kiln.v1.0.0" }] },
      {
        schema: "olm.bundle",
        name: "kiln.v1.0.0",
        package: "kiln",
        image: "r/bundle",
        properties: [
          { type: "olm.package", value: { packageName: "kiln", version: "1.0.0" } },
          { type: "olm.package.required", value: { packageName: "coal\u001b[2J", versionRange: ">=1" } },
          { type: "olm.bundle.object", value: { data } },
        ],
      },
    ]
      .map((blob) => JSON.stringify(blob))
      .join("\n"),
  );
  const catalog = ["--catalog", `own=${file}`];
  const { text } = await purser(["kiln", ...catalog]);
  assert.match(
    text,
    /asks for {3}1 cluster rule, 1 rule in its namespaces, reads Secrets everywhere {2}purser show kiln --permissions/,
  );
  assert.match(text, /images {5}1, pinned by digest/);
  assert.match(text, /needs {6}package coal\\u001b\[2J >=1$/m);
  assert.equal(
    (await purser(["kiln", "--permissions", ...catalog])).text,
    [
      "SCOPE      ACCOUNT  VERBS      ON",
      "namespace  kiln     list       pods",
      "cluster    kiln     get, list  secrets",
    ].join("\n"),
  );
  assert.equal((await purser(["kiln", "--dependencies", ...catalog])).text, "package coal\\u001b[2J >=1");
});
