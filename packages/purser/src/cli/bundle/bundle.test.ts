import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { smallBundle, smallCrd, smallCsv } from "../../bundle/testing/small-bundle.ts";
import type { BundleDirectory } from "../../bundle/bundle-files.ts";
import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import { documentsOf } from "@purser/kubernetes/text/documents";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { readBundleDirectory } from "../bundle-directory.ts";
import { type Invocation, type Outcome, UsageError } from "../command.ts";
import { runLongOpm, runOpm } from "../opm/run-opm.ts";
import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import { contentAt } from "../image/local-content.ts";
import { bundleValidateCommand } from "./validate-command.ts";
import { diffLocalBundles } from "./diff.ts";
import { renderLocalBundle } from "./render.ts";
import { validateLocalBundle } from "./validate.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-bundle-"))));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Writes a bundle into the directory of this test and returns its path. */
function written(name: string, bundle: BundleDirectory = smallBundle()): string {
  for (const { path, bytes } of bundle.files) {
    mkdirSync(dirname(join(directory, name, path)), { recursive: true });
    writeFileSync(join(directory, name, path), bytes);
  }
  return join(directory, name);
}

const terminal = { paint: (_meaning: string, text: string) => text } as unknown as Invocation["terminal"];
const invocation = (words: readonly string[], options: Invocation["options"] = {}): Invocation => ({
  arguments: words,
  options,
  terminal,
  signal: new AbortController().signal,
});

const clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
const validateBundleDirectory = (given: Invocation): Outcome =>
  validateLocalBundle(given, contentAt(given.arguments[0] ?? ""));
const renderBundleDirectory = (given: Invocation): Outcome =>
  renderLocalBundle(given, contentAt(given.arguments[0] ?? ""));
const diffBundleDirectories = (given: Invocation): Outcome => {
  const [old = "", next = ""] = given.arguments;
  return diffLocalBundles(given, contentAt(old), contentAt(next));
};
const codeOf = ({ explanation }: Outcome): string | undefined => explanation?.code;

test("validate reports one cause for a directory that holds no bundle, a catalog say", () => {
  const path = join(directory, "no-bundle");
  mkdirSync(path);
  writeFileSync(join(path, "catalog.yaml"), "schema: olm.package\nname: a\n");
  const { explanation, human } = validateBundleDirectory(invocation([path]));
  assert.equal(human, undefined);
  assert.equal(explanation?.code, "BundleInvalid");
  assert.equal(
    explanation.summary,
    `${path} holds no bundle: a bundle keeps its files in manifests/ and metadata/, and there are none`,
  );
  assert.deepEqual(
    explanation.remedies.map(({ command }) => command),
    [`purser catalog validate ${path}`],
  );
  mkdirSync(join(path, "metadata"));
  writeFileSync(join(path, "metadata/annotations.yaml"), "annotations: {}\n");
  assert.equal(validateBundleDirectory(invocation([path])).exitCode, 10);
});

test("validate exits with 10 for errors and 0 for warnings, and reports place, cause and remedy of each", () => {
  const fine = written("warned", smallBundle({ "manifests/csv.json": smallCsv({ minKubeVersion: "" }) }));
  assert.equal(validateBundleDirectory(invocation([fine])).exitCode, 0);
  const bad = validateBundleDirectory(
    invocation([written("bad", smallBundle({ "manifests/csv.json": smallCsv({ installModes: [] }) }))]),
  );
  assert.equal(bad.exitCode, 10);
  assert.match(
    bad.human ?? "",
    /bad\/manifests\/csv\.json:1:\d+ {2}error {2}csv-install-modes .*\n {3}why .*\n {3}do /,
  );
  const { summary } = bad.data as { readonly summary: unknown };
  assert.deepEqual(summary, { errors: 1, warnings: 0 });
});

test("validate runs additional suites only when they are named, and refuses unknown suites", () => {
  const path = written("hub", smallBundle({ "manifests/csv.json": smallCsv({ provider: {} }) }));
  assert.equal(validateBundleDirectory(invocation([path])).exitCode, 0);
  assert.equal(validateBundleDirectory(invocation([path], { suite: ["operatorhubv2"] })).exitCode, 10);
  assert.throws(() => validateBundleDirectory(invocation([path], { suite: ["operatorhubv3"] })), UsageError);
});

test("a bundle that does not exist or is a file is refused with an explanation", async () => {
  const outcome = await bundleValidateCommand.run(invocation([join(directory, "absent")]));
  assert.equal(codeOf(outcome), "BundleUnavailable");
  assert.equal(outcome.exitCode, 6);
  assert.equal(outcome.human, undefined);
  writeFileSync(join(directory, "file"), "");
  assert.equal(
    codeOf(renderBundleDirectory(invocation([join(directory, "file")], { namespace: "x" }))),
    "BundleInvalid",
  );
});

test("render prints what the controller would apply, as YAML or as a list", () => {
  const path = written("rendered");
  const yaml = renderBundleDirectory(invocation([path], { namespace: "tools" })).verbatim ?? "";
  const kinds = [...documentsOf(yaml)].map((document) =>
    document.ok ? (document.value.value as JsonObject)["kind"] : "",
  );
  assert.deepEqual(kinds, ["CustomResourceDefinition", "Deployment"]);
  const json = renderBundleDirectory(invocation([path], { namespace: "tools", output: "json" })).verbatim ?? "";
  assert.equal((JSON.parse(json) as { readonly items: readonly unknown[] }).items.length, 2);
  assert.throws(() => renderBundleDirectory(invocation([path])), UsageError);
});

test("render watches the namespaces named where the install modes allow it", () => {
  const modes = ["SingleNamespace", "MultiNamespace"].map((type) => ({ type, supported: true }));
  const path = written("modes", smallBundle({ "manifests/csv.json": smallCsv({ installModes: modes }) }));
  const targets = (watch: readonly string[]): string =>
    renderBundleDirectory(invocation([path], { namespace: "tools", watch })).verbatim ?? "";
  assert.match(targets(["data"]), /olm.targetNamespaces: data\n/);
  assert.match(targets(["a", "b"]), /olm.targetNamespaces: a,b\n/);
});

test("render names every field of a configuration that does not fit, and how to go on", () => {
  const own = { installModes: [{ type: "OwnNamespace", supported: true }] };
  const [all, alone] = [written("all"), written("own", smallBundle({ "manifests/csv.json": smallCsv(own) }))];
  const config = join(directory, "config.yaml");
  writeFileSync(config, "deploymentConfig: {env: 4, foo: 1}\ncolour: red\n");
  const said = (bundle: string, options: Invocation["options"]) => {
    const { explanation } = renderBundleDirectory(invocation([bundle], { namespace: "tools", ...options }));
    const lines = [explanation?.code, explanation?.summary, ...(explanation?.derivation ?? []).map(({ text }) => text)];
    const ways = (explanation?.remedies ?? []).map(({ summary, command = "-" }) => `${summary}: ${command}`);
    return [...lines, ...ways].join("\n").replaceAll(directory, "F");
  };
  assert.equal(
    said(all, { config }),
    `ConfigurationInvalid
The configuration does not fit F/all: config.deploymentConfig.env, config.deploymentConfig.foo and config.colour
config.deploymentConfig.env: invalid type for field "deploymentConfig.env": got number, want array (schema #/properties/deploymentConfig/properties/env/type)
config.deploymentConfig.foo: unknown field "foo" (schema #/properties/deploymentConfig/additionalProperties)
config.colour: unknown field "colour" (schema #/additionalProperties)
correct config.deploymentConfig.env, config.deploymentConfig.foo and config.colour in F/config.yaml: -
render it without a configuration: purser bundle render F/all -n tools`,
  );
  assert.equal(
    said(all, { watch: ["data"] }),
    `ConfigurationInvalid
The configuration does not fit F/all: config.watchNamespace
config.watchNamespace: unknown field "watchNamespace" (schema #/additionalProperties)
this operator watches all namespaces: name none: purser bundle render F/all -n tools`,
  );
  assert.equal(
    said(alone, {}),
    `ConfigurationInvalid
The configuration does not fit F/own: config.watchNamespace
config.watchNamespace: required field "watchNamespace" is missing (schema #/required)
name the namespace to watch: purser bundle render F/own -n tools --watch tools`,
  );
});

const rule = (verbs: readonly string[]): JsonObject => ({
  install: {
    strategy: "deployment",
    spec: {
      deployments: [],
      clusterPermissions: [{ serviceAccountName: "kiln", rules: [{ apiGroups: [""], resources: ["secrets"], verbs }] }],
    },
  },
});

test("diff reports new verbs, breaking CRDs and new tags, restricted to the requested parts", () => {
  const version = { name: "v1", served: true, storage: true };
  const crd = (type: string): JsonObject => ({
    ...smallCrd,
    spec: {
      ...(smallCrd["spec"] as JsonObject),
      versions: [{ ...version, schema: { openAPIV3Schema: { type: "object", properties: { size: { type } } } } }],
    },
  });
  const image = (tag: string): JsonObject => ({ relatedImages: [{ name: "", image: `example.com/kiln:${tag}` }] });
  const old = written(
    "old",
    smallBundle({
      "manifests/crd.json": crd("string"),
      "manifests/csv.json": smallCsv({ ...rule(["get"]), ...image("1") }),
    }),
  );
  const next = written(
    "next",
    smallBundle({
      "manifests/crd.json": crd("integer"),
      "manifests/csv.json": smallCsv({ ...rule(["get", "delete"]), ...image("2") }),
    }),
  );
  const text = diffBundleDirectories(invocation([old, next])).human ?? "";
  assert.match(text, /~ cluster kiln: secrets\n {6}\+ delete\n/);
  assert.match(text, /~ v1 \.size\/type\n(?: {6}.*\n)* {6}! v1: \^\.size: type: /);
  assert.match(text, /~ example.com\/kiln\n {6}- example.com\/kiln:1\n {6}\+ example.com\/kiln:2\n/);
  assert.match(text, /3 changes, 1 API breaking stored objects$/);
  const only = diffBundleDirectories(
    invocation([old, next], { only: ["images"], output: "markdown", "exit-code": true }),
  );
  assert.equal(only.exitCode, 3);
  assert.equal(
    only.verbatim,
    "### Images\n\n- **changed** `example.com/kiln`\n  - `- example.com/kiln:1`\n  - `+ example.com/kiln:2`\n\n1 change\n",
  );
  assert.equal(diffBundleDirectories(invocation([old, old])).human, "No changes");
});

test("a link that leads out of a bundle is refused", () => {
  const path = written("linked");
  symlinkSync("/etc/hostname", join(path, "manifests", "z.yaml"));
  const read = readBundleDirectory(path);
  assert.match(read.ok ? "" : read.problem, /is a link to a file outside of the bundle$/);
});

test("opm renders a bundle directory and refuses it where only catalogs are taken", () => {
  const path = written("opm");
  const { exit, stdout } = runOpm(["render", path, "--alpha-image-ref-template", "r/{{.Name}}", "--migrate"], clock);
  assert.equal(exit, 0);
  assert.match(stdout, /"image": "r\/kiln.v1.0.0"[^]*"olm.csv.metadata"/);
  assert.match(runOpm(["alpha", "list", "bundles", path], clock).stderr, /msg="cannot list non-index /);
  assert.match(runOpm(["alpha", "render-graph", path], clock).stderr, /cannot render bundle directory .*: not allowed/);
  assert.match(
    runOpm(["render", path, "--alpha-image-ref-template", "{{"], clock).stderr,
    /invalid image reference template: template: image-ref-template:1: unclosed action\n$/,
  );
});

test("opm alpha bundle validate joins all problems into one error", async () => {
  const said: string[] = [];
  const world = { clock, signal: new AbortController().signal, argv: ["opm"], env: {}, out: () => {} };
  const err = (text: string): void => void said.push(text);
  const validate = (...args: readonly string[]): Promise<OpmAnswer> =>
    runLongOpm(["alpha", "bundle", "validate", ...args], { ...world, err });
  const path = written("unsupported", smallBundle({ "metadata/annotations.yaml": undefined, "metadata/x": "a: 1" }));
  assert.match(
    (await validate("-t", path)).stderr,
    /^Error: Bundle validation errors: Could not find annotations file\n/,
  );
  assert.equal((await validate("-t", written("sound"))).exit, 0);
  assert.match((await validate()).stderr, /\nError: required flag\(s\) "tag" not set\n/);
});

test("opm alpha bundle generate copies manifests and writes annotations to the given directory", () => {
  const path = written("generated");
  const out = join(directory, "out");
  const here = process.cwd();
  process.chdir(directory);
  try {
    const args = ["-d", join(path, "manifests"), "-p", "kiln", "-c", "a,b", "-e", "a", "-u", out];
    const { exit, stderr } = runOpm(["alpha", "bundle", "generate", ...args], clock);
    assert.equal(exit, 0, stderr);
  } finally {
    process.chdir(here);
  }
  assert.match(readFileSync(join(out, "metadata", "annotations.yaml"), "utf8"), /channels.v1: a,b\n/);
  assert.match(
    readFileSync(join(directory, "bundle.Dockerfile"), "utf8"),
    /COPY out\/manifests \/manifests\/\nCOPY out\/metadata \/metadata\/\n$/,
  );
  assert.deepEqual(JSON.parse(readFileSync(join(out, "manifests", "csv.json"), "utf8")), plainJson(smallCsv()));
});

test("opm alpha bundle build keeps the files of an earlier run unless it is to overwrite them", async () => {
  const path = written("again");
  const place = join(directory, "again-here");
  const files = ["out/manifests/csv.json", "out/metadata/annotations.yaml", "bundle.Dockerfile"];
  const here = process.cwd();
  const world = { clock, signal: new AbortController().signal, argv: ["opm"], env: {}, out: () => {}, err: () => {} };
  const build = (...more: readonly string[]): Promise<OpmAnswer> => {
    const args = ["-d", join(path, "manifests"), "-p", "kiln", "-c", "a,b", "-e", "a", "-u", "out", "-t", "k:1"];
    return runLongOpm(["alpha", "bundle", "build", ...args, "-b", "none", ...more], world);
  };
  const texts = (): readonly string[] => files.map((file) => readFileSync(join(place, file), "utf8"));
  mkdirSync(place);
  process.chdir(place);
  try {
    assert.match((await build()).stderr, /none is not supported image builder/);
    const made = texts();
    const edited = made.map((text) => `${text}\n`);
    for (const [index, file] of files.entries()) writeFileSync(file, edited[index] ?? "");
    await build();
    assert.deepEqual(texts(), edited);
    await build("--overwrite");
    assert.deepEqual(texts(), made);
  } finally {
    process.chdir(here);
  }
});

test("opm alpha render-template reads types and files in upstream's order of checks", async () => {
  const world = { clock, signal: new AbortController().signal, argv: ["opm"], env: {}, out: () => {}, err: () => {} };
  const opm = (...args: readonly string[]): Promise<OpmAnswer> => runLongOpm(args, world);
  const file = join(directory, "t.yaml");
  writeFileSync(file, "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: kiln, defaultChannel: a}\n");
  const expanded = await opm("alpha", "render-template", "basic", file);
  assert.deepEqual(expanded, await opm("alpha", "render-template", file));
  assert.match(expanded.stdout, /"name": "kiln"/);
  assert.match(
    (await opm("alpha", "render-template", "x", file)).stderr,
    /^Error: invalid template type "x", must be one of: \[basic semver substitutes\]\n/,
  );
  assert.match(
    (await opm("alpha", "render-template", join(directory, "no"))).stderr,
    /^Error: unable to open ".*no": open .*no: no such file or directory\n/,
  );
  assert.match((await opm("alpha", "render-template", file, "-o", "xml")).stderr, /expected \(json\|yaml\|mermaid\)/);
  writeFileSync(file, `schema: olm.template.basic\nentries:\n- {schema: olm.bundle, image: '${written("local")}'}\n`);
  assert.match(
    (await opm("alpha", "render-template", file)).stderr,
    /cannot render bundle directory .*: not allowed\n/,
  );
});
