import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { type Outcome, UsageError } from "../command.ts";
import { commands } from "../commands.ts";
import { parseArguments, runCommand } from "../program.ts";
import { workInDirectory, write } from "../testing/working-directory.ts";

const directory = workInDirectory();

/** What the command returns and notes; a wrong usage as its words. */
async function purser(...args: readonly string[]): Promise<unknown> {
  const notes: string[] = [];
  const outcome = await returned(args, notes);
  return notes.length === 0 ? outcome : { outcome, notes };
}

async function returned(args: readonly string[], notes: string[]): Promise<unknown> {
  try {
    const parsed = await parseArguments("purser", commands, ["catalog", ...args]);
    assert.ok(parsed.kind === "run");
    const outcome: Outcome = await runCommand(parsed, {
      signal: new AbortController().signal,
      terminal: {
        isInteractive: false,
        show: () => assert.fail("printed by the caller"),
        env: { PURSER_CACHE_DIR: join(directory(), "cache") },
        out: () => assert.fail("commands return what they print"),
        write: () => assert.fail("commands return what they print"),
        progress: () => undefined,
        err: (...lines) => void notes.push(...lines),
        paint: (_, text) => text,
        symbol: () => "-",
        ask: async () => undefined,
      },
    });
    return outcome.explanation ?? [outcome.exitCode, ...(outcome.verbatim ?? "").split("\n")];
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return [error.message, ...error.hints];
  }
}

const basic = (entries: string): string => `schema: olm.template.basic\nentries:\n${entries}`;
const whole = smallCatalog("p", ["1.0.0"])
  .split("\n---\n")
  .map((text) => text.replace(/^---\n/, "").trim())
  .filter((text) => text !== "");
const listed = whole.filter((text) => !text.includes("schema: olm.bundle"));
const items = listed.map((text) => `- ${text.replaceAll("\n", "\n  ")}\n`).join("");
const entries = `${items}- schema: olm.bundle\n  image: ./bundle\n`;

/** The bundle that the catalog lists, as a directory. */
function writeBundle(): void {
  write(
    "bundle/manifests/p.yaml",
    `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: p.v1.0.0}
spec:
  version: 1.0.0
  displayName: P
  install: {strategy: deployment, spec: {deployments: []}}
`,
  );
  const label = "operators.operatorframework.io.bundle";
  write("bundle/metadata/annotations.yaml", `annotations: {${label}.package.v1: p, ${label}.channels.v1: stable}\n`);
}

test("a template is expanded to the catalog that it stands for, in the format asked for", async () => {
  writeBundle();
  write("basic.yaml", basic(entries));
  assert.deepEqual(await purser("template", "expand", "basic.yaml"), {
    outcome: [
      0,
      "---",
      "defaultChannel: stable",
      "name: p",
      "schema: olm.package",
      "---",
      "entries:",
      "- name: p.v1.0.0",
      "name: stable",
      "package: p",
      "schema: olm.channel",
      "---",
      'image: ""',
      "name: p.v1.0.0",
      "package: p",
      "properties:",
      "- type: olm.package",
      "  value:",
      "    packageName: p",
      "    version: 1.0.0",
      "- type: olm.bundle.object",
      "  value:",
      "    data: eyJhcGlWZXJzaW9uIjoib3BlcmF0b3JzLmNvcmVvcy5jb20vdjFhbHBoYTEiLCJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwibWV0YWRhdGEiOnsibmFtZSI6InAudjEuMC4wIn0sInNwZWMiOnsiZGlzcGxheU5hbWUiOiJQIiwiaW5zdGFsbCI6eyJzcGVjIjp7ImRlcGxveW1lbnRzIjpbXX0sInN0cmF0ZWd5IjoiZGVwbG95bWVudCJ9LCJ2ZXJzaW9uIjoiMS4wLjAifX0=",
      "schema: olm.bundle",
      "",
    ],
    notes: [
      "- rendered without an image, so it cannot be installed: ./bundle",
      "  do    --image-template 'example.com/{{.Package}}:v{{.Version}}'",
    ],
  });
  const json = (await purser("template", "expand", "basic.yaml", "-o", "json")) as {
    readonly outcome: readonly string[];
  };
  assert.deepEqual(json.outcome.slice(0, 3), [0, "{", '    "schema": "olm.package",']);
  const mermaid = (await purser("template", "expand", "basic.yaml", "-o", "mermaid")) as {
    readonly outcome: readonly string[];
  };
  assert.deepEqual(mermaid.outcome.slice(0, 3), [0, "graph LR", "  classDef deprecated fill:#E8960F"]);
});

test("a template that cannot be read, or does not name its schema, is refused with its place and a way out", async () => {
  write("broken.yaml", "schema: [");
  write("unknown.yaml", "schema: olm.template.other\n");
  write("none.yaml", "a: 1\n");
  assert.deepEqual(await purser("template", "expand", "gone.yaml"), [
    "cannot read gone.yaml: open gone.yaml: no such file or directory",
  ]);
  assert.deepEqual(await purser("template", "expand", "broken.yaml"), {
    code: "CatalogInvalid",
    summary:
      "broken.yaml:1:10: auto-detecting template type: decoding template input: error converting YAML to JSON: yaml: line 1: did not find expected node content",
    facts: { template: "broken.yaml" },
    derivation: [
      {
        relation: "fact",
        subject: "broken.yaml",
        text: "auto-detecting template type: decoding template input: error converting YAML to JSON: yaml: line 1: did not find expected node content",
        upstream:
          "auto-detecting template type: decoding template input: error converting YAML to JSON: yaml: line 1: did not find expected node content",
      },
    ],
    remedies: [{ summary: "correct the template at the place named" }],
  });
  assert.deepEqual(await purser("template", "expand", "unknown.yaml"), {
    code: "CatalogInvalid",
    summary: "unknown.yaml:1: auto-detecting template type: unknown template schema: olm.template.other",
    facts: { template: "unknown.yaml" },
    derivation: [
      {
        relation: "fact",
        subject: "unknown.yaml",
        text: "auto-detecting template type: unknown template schema: olm.template.other",
        upstream: "auto-detecting template type: unknown template schema: olm.template.other",
      },
    ],
    remedies: [
      { summary: "begin the template with schema: olm.template.basic, olm.semver or olm.template.substitutes" },
    ],
  });
  assert.deepEqual(await purser("template", "expand", "none.yaml"), {
    code: "CatalogInvalid",
    summary: "none.yaml:1: auto-detecting template type: template input missing required 'schema' field",
    facts: { template: "none.yaml" },
    derivation: [
      {
        relation: "fact",
        subject: "none.yaml",
        text: "auto-detecting template type: template input missing required 'schema' field",
        upstream: "auto-detecting template type: template input missing required 'schema' field",
      },
    ],
    remedies: [
      { summary: "begin the template with schema: olm.template.basic, olm.semver or olm.template.substitutes" },
    ],
  });
  assert.deepEqual(await purser("template", "expand", "basic.yaml", "--migrate-level", "x"), [
    'option "--migrate-level LEVEL" argument "x" is invalid. Allowed: none, bundle-object-to-csv-metadata, all.',
    "purser catalog template expand --help",
  ]);
});

test("a catalog that breaks rules is not printed unless that is asked for", async () => {
  const headless = entries.replace("defaultChannel: stable", "defaultChannel: gone");
  write("invalid.yaml", basic(headless));
  assert.deepEqual(await purser("template", "expand", "invalid.yaml"), {
    outcome: {
      code: "CatalogInvalid",
      summary: "invalid.yaml: channel must contain at least one bundle",
      facts: { template: "invalid.yaml" },
      derivation: [
        {
          relation: "fact",
          subject: "invalid.yaml",
          text: "channel must contain at least one bundle",
          upstream: "channel must contain at least one bundle",
        },
      ],
      remedies: [{ summary: "correct the template, or look at the catalog with --no-validate" }],
    },
    notes: [
      "- rendered without an image, so it cannot be installed: ./bundle",
      "  do    --image-template 'example.com/{{.Package}}:v{{.Version}}'",
    ],
  });
  const printed = (await purser("template", "expand", "invalid.yaml", "--no-validate")) as {
    readonly outcome: readonly unknown[];
  };
  assert.deepEqual(printed.outcome.slice(0, 3), [0, "---", "defaultChannel: gone"]);
});

test("a reference that is no bundle directory is refused with its name", async () => {
  mkdirSync("empty");
  write("refers.yaml", basic(entries.replace("./bundle", "./empty")));
  assert.deepEqual(await purser("template", "expand", "refers.yaml"), {
    code: "CatalogInvalid",
    summary:
      'refers.yaml:11:3 /entries/2: rendering template: render reference "./empty": it is not a bundle directory: manifests/ and metadata/ are missing',
    facts: { template: "refers.yaml" },
    derivation: [
      {
        relation: "fact",
        subject: "refers.yaml",
        text: 'rendering template: render reference "./empty": it is not a bundle directory: manifests/ and metadata/ are missing',
        upstream:
          'rendering template: render reference "./empty": it is not a bundle directory: manifests/ and metadata/ are missing',
      },
    ],
    remedies: [{ summary: "name the image or the directory of a bundle" }],
  });
});

test("a catalog is converted to a template, and back", async () => {
  write("catalog/p.yaml", whole.join("\n---\n"));
  const converted = (await purser("template", "convert", "catalog")) as readonly (string | number)[];
  assert.deepEqual(converted, [
    0,
    "---",
    "entries:",
    "- defaultChannel: stable",
    "  name: p",
    "  schema: olm.package",
    "- entries:",
    "  - name: p.v1.0.0",
    "  name: stable",
    "  package: p",
    "  schema: olm.channel",
    "- image: example.com/p:v1.0.0",
    "  schema: olm.bundle",
    "schema: olm.template.basic",
    "",
  ]);
  const json = (await purser("template", "convert", "catalog", "-o", "json")) as readonly string[];
  assert.deepEqual(json.slice(0, 4), [0, "{", '    "schema": "olm.template.basic",', '    "entries": [']);
});

test("a catalog that cannot be read is not converted", async () => {
  write("bad/p.yaml", "schema: olm.package\nname: p\n---\n[");
  assert.deepEqual(await purser("template", "convert", "bad"), {
    code: "CatalogInvalid",
    summary: "bad/p.yaml:4:2: did not find expected node content",
    facts: { catalog: "bad" },
    derivation: [
      {
        relation: "fact",
        subject: "bad",
        text: "did not find expected node content",
        upstream: "did not find expected node content",
      },
    ],
    remedies: [{ summary: "see all findings", command: "purser catalog validate bad" }],
  });
  assert.deepEqual(await purser("template", "convert", "nowhere"), {
    code: "CatalogNotFound",
    summary: '"nowhere" does not exist',
    facts: { wanted: "nowhere", nearest: [] },
    derivation: [],
    remedies: [],
  });
});
