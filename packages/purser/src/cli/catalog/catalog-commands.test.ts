import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { catalogSchema, templateSchema } from "../../catalog/schemas/editor-schemas.ts";
import { ruleTable } from "../../catalog/lint/rules.ts";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { realCatalogs } from "../../../conformance/real-data.ts";
import { readDocuments } from "@purser/kubernetes/text/documents";
import type { Outcome } from "../command.ts";
import { UsageError } from "../command.ts";
import { commands } from "../commands.ts";
import { parseArguments, runCommand } from "../program.ts";
import { workInDirectory, write } from "../testing/working-directory.ts";

const directory = workInDirectory();

async function purser(...args: readonly string[]): Promise<Outcome & { readonly errors: string }> {
  const parsed = await parseArguments("purser", commands, ["catalog", ...args]);
  assert.ok(parsed.kind === "run");
  const errors: string[] = [];
  const outcome = await runCommand(parsed, {
    signal: new AbortController().signal,
    terminal: {
      isInteractive: false,
      show: () => assert.fail("printed by the caller"),
      env: { PURSER_CACHE_DIR: join(directory(), "cache") },
      out: () => assert.fail("commands return what they print"),
      write: () => assert.fail("commands return what they print"),
      progress: () => undefined,
      err: (...lines) => void errors.push(...lines),
      paint: (_, text) => text,
      symbol: () => "-",
      ask: async () => undefined,
    },
  });
  return { ...outcome, errors: errors.join("\n") };
}
/** Replaces the duration in the output, which differs between runs. */
const timeless = (text: string | undefined): string => (text ?? "").replace(/\(\d+\.\d s\)$/, "(0.0 s)");

const twoHeads = smallCatalog("foo", ["1.3.0", "1.4.0", "1.5.0"]).replace(
  "- name: foo.v1.5.0\n  replaces: foo.v1.4.0\n",
  "- name: foo.v1.5.0\n",
);

test("validate reports place, cause and remedy of every finding and exits with 10", async () => {
  write(
    "heads/foo.yaml",
    `${twoHeads}---\nschema: olm.deprecations\npackage: foo\nentries:\n- reference: {schema: olm.bundle, name: foo.v1.3}\n  message: old\n`,
  );
  const { exitCode, human } = await purser("validate", "heads");
  assert.equal(exitCode, 10);
  assert.equal(
    timeless(human),
    [
      'heads/foo.yaml:13:3  error  PCH004  channel "stable" has two heads: foo.v1.4.0, foo.v1.5.0',
      "   why  nothing replaces or skips foo.v1.4.0",
      "   do   add to foo.v1.5.0: replaces: foo.v1.4.0                       --fix can do this",
      'heads/foo.yaml:54:35  error  PDP006  package "foo" has no bundle "foo.v1.3" to deprecate',
      "   why  the deprecated object is not in the catalog",
      "   do   correct it to foo.v1.3.0, or remove the entry",
      "2 errors, 0 warnings in 1 package, 3 bundles (0.0 s)",
    ].join("\n"),
  );
});

// Missing channels are not reported, because an unreadable document may be a channel.
test("all problems of a file are reported, also those after an error that ends a document", async () => {
  write(
    "many/foo.yaml",
    `---\nschema: [\n---\nschema: olm.package\nname: Foo\n---\nschema: olm.channel\npackage: 5\nname: 6\n---\nnothing: here\n`,
  );
  const { data } = await purser("validate", "many");
  const findings = isJsonObject(data) ? data["findings"] : undefined;
  assert.ok(Array.isArray(findings));
  assert.deepEqual(
    findings.map(
      (finding: JsonValue) =>
        isJsonObject(finding) && [finding["rule"], isJsonObject(finding["place"]) && finding["place"]["line"]],
    ),
    [
      ["PFL002", 3],
      ["PPK001", 5],
      ["PPK004", 4],
      ["PFL006", 8],
      ["PFL006", 9],
      ["PFL005", 11],
    ].sort((left, right) => Number(left[1]) - Number(right[1])),
  );
});

test("SARIF names every rule once, points into the sources and counts from one", async () => {
  write("heads2/a b.yaml", twoHeads);
  const { exitCode, verbatim = "" } = await purser("validate", "heads2", "-o", "sarif");
  assert.equal(exitCode, 10);
  const log = JSON.parse(verbatim) as {
    readonly version: string;
    readonly runs: readonly {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly level: string;
        readonly locations: readonly object[];
      }[];
    }[];
  };
  assert.equal(log.version, "2.1.0");
  const [run] = log.runs;
  assert.deepEqual(
    run?.tool.driver.rules.map(({ id }) => id),
    ruleTable.map(({ id }) => id),
  );
  const [result] = run?.results ?? [];
  assert.equal(run?.tool.driver.rules[result?.ruleIndex ?? -1]?.id, "PCH004");
  assert.equal(result?.level, "error");
  assert.deepEqual(result?.locations, [
    {
      physicalLocation: {
        artifactLocation: { uri: "heads2/a%20b.yaml", uriBaseId: "SRCROOT" },
        region: { startLine: 13, startColumn: 3 },
      },
      logicalLocations: [
        { name: "foo", kind: "module" },
        { name: "stable", kind: "namespace" },
        { name: "foo.v1.5.0", kind: "resource" },
      ],
    },
  ]);
});

test("--fix changes the reported lines only, keeps mode and links, and reports each change", async () => {
  const file = write("fixable/real/foo.yaml", twoHeads);
  chmodSync(file, 0o640);
  symlinkSync("real/foo.yaml", "fixable/linked.yaml");
  write("fixable/.indexignore", "real\n");
  const { exitCode, errors, human } = await purser("validate", "fixable", "--fix");
  assert.equal(errors, "fixed  fixable/linked.yaml  document 2: set /entries/2/replaces to foo.v1.4.0");
  assert.equal(exitCode, 0);
  assert.equal(timeless(human), "0 errors, 0 warnings in 1 package, 3 bundles (0.0 s)");
  assert.equal(readFileSync(file, "utf8"), smallCatalog("foo", ["1.3.0", "1.4.0", "1.5.0"]));
  assert.equal(statSync(file).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync("fixable").sort(), [".indexignore", "linked.yaml", "real"]);
  assert.deepEqual(readdirSync("fixable/real"), ["foo.yaml"]);
});

test("--fix repairs what it can although other errors remain, which are reported", async () => {
  const text = twoHeads.replace("version: 1.3.0", "version: one");
  write("unfixable/foo.yaml", text);
  write("unfixable/bar/catalog.yaml", "schema: olm.package\nname: bar\n  oops: [\n");
  const { exitCode, errors, human = "" } = await purser("validate", "unfixable", "--fix");
  assert.equal(exitCode, 10);
  assert.equal(errors, "fixed  unfixable/foo.yaml  document 2: set /entries/2/replaces to foo.v1.4.0");
  assert.deepEqual(
    human.split("\n").filter((line) => / error /.test(line)),
    [
      "unfixable/bar/catalog.yaml:3:7  error  PFL002  the text cannot be read",
      'unfixable/foo.yaml:24:5  error  PBN007  bundle "foo.v1.3.0" has the version "one"',
    ],
  );
  assert.equal(
    readFileSync("unfixable/foo.yaml", "utf8"),
    smallCatalog("foo", ["1.3.0", "1.4.0", "1.5.0"]).replace("version: 1.3.0", "version: one"),
  );
  rmSync("unfixable", { recursive: true });
});

test("--fix reports what remains and writes nothing where no error can be repaired", async () => {
  const text = smallCatalog("foo", ["1.0.0"]).replace("version: 1.0.0", "version: one");
  write("unfixable/foo.yaml", text);
  const { exitCode, errors } = await purser("lint", "unfixable", "--fix");
  assert.equal(exitCode, 10);
  assert.equal(errors, "no finding can be fixed by --fix");
  assert.equal(readFileSync("unfixable/foo.yaml", "utf8"), text);
  rmSync("unfixable", { recursive: true });
});

test("lint takes severities from flags over .purser.yaml over the rule; --strict makes warnings errors", async () => {
  write("tags/catalog/foo.yaml", smallCatalog("foo", ["1.0.0"]));
  const first = await purser("lint", "tags/catalog");
  assert.equal(first.exitCode, 0);
  assert.equal(
    timeless(first.human),
    [
      'tags/catalog/foo.yaml:15:1  warn  PBN101  bundle "foo.v1.0.0" of package "foo" names images by tag',
      "   why  example.com/foo:v1.0.0",
      "   do   refer to the image by digest",
      "0 errors, 1 warning in 1 package, 1 bundle (0.0 s)",
    ].join("\n"),
  );
  assert.equal((await purser("lint", "tags/catalog", "--strict")).exitCode, 10);
  assert.equal((await purser("lint", "tags/catalog", "--rule", "mutable-image=error")).exitCode, 10);
  write(".purser.yaml", "rules: {PBN101: off}\n");
  assert.equal(
    timeless((await purser("lint", "tags/catalog")).human),
    "0 errors, 0 warnings in 1 package, 1 bundle (0.0 s)",
  );
  assert.equal((await purser("lint", "tags/catalog", "--rule", "PBN101=error")).exitCode, 10);
  write(".purser.yaml", "rule: {}\n");
  await assert.rejects(
    purser("lint", "tags/catalog"),
    (error) => error instanceof UsageError && /has the key "rule"/.test(error.message),
  );
  rmSync(".purser.yaml");
});

const refusedRules: readonly (readonly [flag: string, message: RegExp])[] = [
  ["PBN01=off", /there is no rule "PBN01"/],
  ["PBN101", /has no severity/],
  ["PBN101=fatal", /is not a severity/],
  ["PCH004=off", /makes a catalog unusable/],
  ["__proto__=off", /there is no rule/],
];
for (const [flag, message] of refusedRules) {
  test(`--rule ${flag} is refused`, async () => {
    await assert.rejects(
      purser("lint", ".", "--rule", flag),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}

const missing: readonly (readonly [args: readonly string[], code: string, summary: string])[] = [
  [["validate", "tag"], "CatalogNotFound", '"tag" does not exist'],
  [
    ["render", "foo/bar:v1"],
    "CatalogUnavailable",
    '"foo/bar:v1" does not exist; as an image reference it names no registry',
  ],
  [["prune", "tags/catalog", "--keep", "fooo", "--to", "out"], "PackageNotFound", 'the catalog has no package "fooo"'],
  [
    ["prune", "tags/catalog", "--keep", "foo@>=2", "--to", "out"],
    "NoVersionInRange",
    'package foo has no version in ">=2"',
  ],
  [["diff", "heads", "tags/catalog"], "CatalogInvalid", 'the catalog "heads" does not validate: 2 errors'],
  [["lint", "tags/catalog", "--against", "heads"], "CatalogInvalid", 'the catalog "heads" does not validate: 2 errors'],
];
for (const [args, code, summary] of missing) {
  before(() => {
    mkdirSync("bundled/manifests", { recursive: true });
    mkdirSync("bundled/metadata", { recursive: true });
  });
  test(`purser catalog ${args.join(" ")} reports the reason and prints no result`, async () => {
    const { explanation, data, human, verbatim } = await purser(...args);
    assert.deepEqual([explanation?.code, explanation?.summary], [code, summary]);
    assert.deepEqual([data, human, verbatim], [undefined, undefined, undefined]);
  });
}

test("diff reports the changes, and --exit-code sets the exit code", async () => {
  write("old/foo.yaml", smallCatalog("foo", ["1.0.0", "1.1.0"]));
  write("new/foo.yaml", smallCatalog("foo", ["1.0.0", "1.1.0", "1.2.0"]));
  write("new/bar.yaml", smallCatalog("bar", ["1.0.0"]));
  const { exitCode, human } = await purser("diff", "old", "new", "--exit-code");
  assert.equal(exitCode, 3);
  assert.equal(
    human,
    [
      "+ bar  new package, 1 version",
      "~ foo  +1.2.0 in stable (head)",
      "0 breaking, 2 changes. Pull-request comment: -o markdown",
    ].join("\n"),
  );
  assert.deepEqual(await purser("diff", "old", "old", "--exit-code").then((same) => [same.exitCode, same.human]), [
    0,
    "No changes.",
  ]);
});

test("prune writes a catalog that validates and renders to itself, and index builds it", async () => {
  const pruned = await purser("prune", "new", "--keep", "foo@>=1.1", "--to", "small");
  assert.equal(
    pruned.human,
    [
      "foo  kept 2 of 3 versions",
      "     dropped foo.v1.0.0: outside >=1.1",
      "dropped 1 package: bar",
      "1 package, 2 bundles written to small",
    ].join("\n"),
  );
  assert.equal((await purser("validate", "small", "--strict")).exitCode, 0);
  const rendered = await purser("render", "small", "-o", "yaml");
  assert.equal(rendered.verbatim, readFileSync("small/foo/catalog.yaml", "utf8"));
  await assert.rejects(purser("prune", "new", "--keep", "foo", "--to", "small"), /is not empty/);
  const { human = "" } = await purser("index", "small", "--to", "indexes");
  const [, digest] = /^sha256:([0-9a-f]{64}) {2}\d+ KiB {2}\d+\.\d s\n/.exec(human) ?? [];
  assert.deepEqual(readdirSync("indexes"), [`${digest}.index`]);
});

test("prune and index print their results as data when asked to", async () => {
  const pruned = await purser("prune", "new", "--keep", "bar", "--to", "smaller", "--format", "json");
  assert.deepEqual(pruned.data, {
    apiVersion: "purser.dev/v1alpha1",
    kind: "CatalogPrune",
    directory: "smaller",
    packages: [{ name: "bar", kept: ["bar.v1.0.0"], dropped: [], notes: [] }],
    droppedPackages: ["foo"],
    unmet: [],
  });
  assert.deepEqual(readdirSync("smaller/bar"), ["catalog.json"]);
  const { data } = await purser("index", "smaller", "--to", "indexes2");
  assert.ok(isJsonObject(data));
  assert.deepEqual(Object.keys(data), ["apiVersion", "kind", "digest", "file", "bytes", "seconds"]);
});

test("-o is how to print, also of commands that write into a directory", async () => {
  for (const args of [
    ["prune", "new", "--keep", "bar"],
    ["index", "new"],
  ]) {
    await assert.rejects(
      purser(...args, "-o", "out", "--to", "out"),
      (error) => error instanceof UsageError && /out.*table, json, yaml/.test(error.message),
    );
    await assert.rejects(
      purser(...args, "-o", "json"),
      new UsageError("the directory to write to is missing", "--to DIR"),
    );
  }
});

test("an unreadable file is a finding with its place, and the other files are still checked", async () => {
  write("links/foo.yaml", twoHeads);
  symlinkSync("nowhere.yaml", "links/a.yaml");
  symlinkSync("loop.yaml", "links/loop.yaml");
  symlinkSync("../heads/foo.yaml", "links/outside.yaml");
  write("links/bytes.yaml", "");
  writeFileSync("links/bytes.yaml", Buffer.from([0x73, 0x3a, 0xff, 0xfe, 0x0a]));
  const { data, exitCode } = await purser("validate", "links");
  assert.equal(exitCode, 10);
  const findings = isJsonObject(data) ? data["findings"] : undefined;
  assert.ok(Array.isArray(findings));
  assert.deepEqual(
    findings.map(
      (finding: JsonValue) =>
        isJsonObject(finding) && [finding["rule"], isJsonObject(finding["place"]) && finding["place"]["file"]],
    ),
    [
      ["PFL001", "links/a.yaml"],
      ["PFL002", "links/bytes.yaml"],
      ["PCH004", "links/foo.yaml"],
      ["PFL001", "links/loop.yaml"],
      ["PFL001", "links/outside.yaml"],
    ],
  );
});

test("an unchanged bundle directory is rendered once, and again when its cache entry is damaged", async () => {
  write(
    "bundle/metadata/annotations.yaml",
    "annotations:\n  operators.operatorframework.io.bundle.package.v1: foo\n  operators.operatorframework.io.bundle.channels.v1: stable\n  operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.metadata.v1: metadata/\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n",
  );
  const csv = (version: string) =>
    write(
      "bundle/manifests/foo.clusterserviceversion.yaml",
      `apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: foo.v${version}}\nspec:\n  version: ${version}\n  install: {strategy: deployment, spec: {deployments: []}}\n`,
    );
  csv("1.0.0");
  const template = "example.com/{{.Package}}:v{{.Version}}";
  const first = await purser("render", "bundle", "--image-template", template);
  assert.match(first.verbatim ?? "", /^---\nimage: example\.com\/foo:v1\.0\.0\nname: foo\.v1\.0\.0\n/);
  const kept = join("cache", "rendered-bundles");
  const [file = ""] = readdirSync(kept);
  const again = await purser("render", "bundle", "--image-template", template);
  assert.equal(again.verbatim, first.verbatim);
  assert.deepEqual(readdirSync(kept), [file]);
  writeFileSync(join(kept, file), "damaged");
  assert.equal((await purser("render", "bundle", "--image-template", template)).verbatim, first.verbatim);
  csv("1.1.0");
  assert.match(
    (await purser("render", "bundle", "--image-template", template)).verbatim ?? "",
    /example\.com\/foo:v1\.1\.0/,
  );
  assert.equal(readdirSync(kept).length, 2);
});

test("init writes a catalog that is valid except for values to be filled in, and refuses a directory that is not empty", async () => {
  write("about.md", "# Foo\n");
  write("foo.svg", '<svg xmlns="http://www.w3.org/2000/svg"></svg>');
  const { data } = await purser("init", "fresh", "--description", "about.md", "--icon", "foo.svg");
  assert.deepEqual(isJsonObject(data) ? data["files"] : undefined, [
    "fresh/catalog/catalog.yaml",
    "fresh/template.yaml",
    "fresh/README.md",
    "fresh/.purser.yaml",
    "fresh/.indexignore",
    "fresh/.schemas/catalog.schema.json",
    "fresh/.schemas/template.schema.json",
  ]);
  const blob = readDocuments(readFileSync("fresh/catalog/catalog.yaml", "utf8"));
  assert.ok(blob.ok && blob.value.length === 1);
  const value = blob.value[0]?.value ?? null;
  assert.ok(isJsonObject(value));
  assert.deepEqual(
    [value["name"], value["description"], isJsonObject(value["icon"] ?? null)],
    ["fresh", "# Foo\n", true],
  );
  assert.equal(
    readFileSync("fresh/.purser.yaml", "utf8"),
    '# Severities of the rules of purser catalog lint, by id or name: error, warn, "off".\nrules: {}\n#  PCH110: warn\n',
  );
  assert.equal(readFileSync("fresh/.indexignore", "utf8"), "/README.md\n/template.yaml\n/.purser.yaml\n/.schemas/\n");
  const [comment, ...rest] = readFileSync("fresh/template.yaml", "utf8").split("\n");
  assert.equal(comment, "# yaml-language-server: $schema=./.schemas/template.schema.json");
  assert.equal(rest.at(-1), "");
  assert.match(readFileSync("fresh/README.md", "utf8"), /^# fresh\n\nThe catalog of the operator package `fresh`\./);
  await assert.rejects(purser("init", "fresh"), /is not empty/);
  await assert.rejects(purser("init", "Fresh"), /cannot be the name of a package/);
  await assert.rejects(purser("init", "other", "--icon", "about.md"), /not an image/);
  assert.ok(!readdirSync(".").includes("other"));
});

/** Validates the subset of JSON Schema draft 7 that our schemas use. */
function accepts(schema: JsonValue | undefined, value: JsonValue): boolean {
  if (!isJsonObject(schema)) return true;
  const {
    type,
    required,
    properties,
    items,
    allOf,
    const: constant,
    enum: choices,
    minLength,
    additionalProperties,
  } = schema;
  const kind = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  if (typeof type === "string" && type !== (type === "integer" && Number.isInteger(value) ? "integer" : kind))
    return false;
  if (constant !== undefined && constant !== value) return false;
  if (Array.isArray(choices) && !choices.includes(value)) return false;
  if (typeof minLength === "number" && typeof value === "string" && value.length < minLength) return false;
  if (isJsonObject(value)) {
    if (Array.isArray(required) && required.some((key) => typeof key === "string" && !Object.hasOwn(value, key)))
      return false;
    const known = isJsonObject(properties) ? properties : {};
    for (const key of Object.keys(value)) {
      const rule = member(known, key) ?? additionalProperties;
      if (rule === false || (isJsonObject(rule) && !accepts(rule, member(value, key) ?? null))) return false;
    }
  }
  if (Array.isArray(value) && !value.every((item: JsonValue) => accepts(items, item))) return false;
  if (Array.isArray(allOf) && !allOf.every((part: JsonValue) => accepts(part, value))) return false;
  const { if: condition, then: consequence } = schema;
  return condition === undefined || !accepts(condition, value) || accepts(consequence, value);
}

const schemaCases: readonly (readonly [what: string, document: JsonValue, accepted: boolean])[] = [
  ["a package", { schema: "olm.package", name: "foo", defaultChannel: "stable" }, true],
  ["a package without default channel", { schema: "olm.package", name: "foo" }, false],
  ["a document without schema", { name: "foo" }, false],
  ["a custom blob with anything", { schema: "custom", value: [1, { a: null }] }, true],
  ["an entry without name", { schema: "olm.channel", name: "a", package: "foo", entries: [{ replaces: "b" }] }, false],
  [
    "skips that are no list",
    { schema: "olm.channel", name: "a", package: "foo", entries: [{ name: "a", skips: "b" }] },
    false,
  ],
  [
    "a deprecation without message",
    { schema: "olm.deprecations", package: "foo", entries: [{ reference: { schema: "olm.package" } }] },
    false,
  ],
  [
    "a version that is a number",
    {
      schema: "olm.bundle",
      name: "a",
      package: "foo",
      image: "x",
      properties: [{ type: "olm.package", value: { packageName: "foo", version: 1 } }],
    },
    false,
  ],
  ...[443, "443", 443.5].map((containerPort): readonly [string, JsonValue, boolean] => [
    `${typeof containerPort} ${containerPort} as the port of an API`,
    {
      schema: "olm.bundle",
      name: "a",
      package: "foo",
      image: "x",
      properties: [
        {
          type: "olm.csv.metadata",
          value: {
            apiServiceDefinitions: { owned: [{ name: "a", group: "g", version: "v1", kind: "A", containerPort }] },
          },
        },
      ],
    },
    containerPort === 443,
  ]),
  [
    "a property of an unknown type",
    { schema: "olm.bundle", name: "a", package: "foo", image: "x", properties: [{ type: "other", value: 1 }] },
    true,
  ],
];
for (const [what, document, accepted] of schemaCases) {
  test(`the schema for editors ${accepted ? "accepts" : "refuses"} ${what}`, () =>
    assert.equal(accepts(catalogSchema, document), accepted));
}

for (const kind of ["basic", "semver"] as const) {
  test(`the files that init writes satisfy the schemas that it writes (${kind})`, async () => {
    await purser("init", `with-${kind}`, "--template", kind);
    for (const [file, schema] of [
      ["catalog/catalog.yaml", catalogSchema],
      ["template.yaml", templateSchema(kind)],
    ] as const) {
      const read = readDocuments(readFileSync(join(`with-${kind}`, file), "utf8"));
      assert.ok(read.ok && read.value.length > 0);
      for (const { value } of read.value) assert.ok(accepts(schema, value), file);
    }
    const unknown = { schema: kind === "basic" ? "olm.template.basic" : "olm.semver", entries: [], unknown: 1 };
    assert.ok(!accepts(templateSchema(kind), unknown));
  });
}

const real = realCatalogs.at(-1) ?? "";
test("a real catalog satisfies rules and schemas", async () => {
  const { exitCode } = await purser("validate", real);
  assert.equal(exitCode, 0);
  for (const name of readdirSync(real).slice(0, 12))
    for (const file of readdirSync(join(real, name))) {
      const read = readDocuments(readFileSync(join(real, name, file), "utf8"));
      assert.ok(read.ok);
      for (const { value, place } of read.value) assert.ok(accepts(catalogSchema, value), `${name} ${place.line}`);
    }
});
