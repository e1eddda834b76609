import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { workInDirectory, write } from "../../testing/working-directory.ts";
import { FlagError, parseFlags } from "../flags.ts";
import { dockerfileName, generateBundle, metadataFlags } from "./generate-bundle.ts";

const directory = workInDirectory();
beforeEach(() => process.chdir(mkdtempSync(join(directory(), "test-"))));

const csv = (name: string, more = ""): string =>
  `apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: ${name}\nspec:\n  version: 1.0.0\n${more}`;

/** What was logged, or the refusal; the directory of the test is `DIR`. */
function generate(args: readonly string[], overwrite = false): readonly string[] {
  const lines: string[] = [];
  const here = (text: string): string => text.replaceAll(process.cwd(), "DIR");
  try {
    generateBundle(parseFlags(args, metadataFlags), overwrite, (message, level = "info") => {
      lines.push(`${level} ${here(message)}`);
    });
  } catch (error) {
    assert.ok(error instanceof FlagError);
    lines.push(`refused ${here(error.message)}`);
  }
  return lines;
}

const given = ["--package", "p", "--channels", "a,b", "--default", "b"];

test("annotations and a Dockerfile are written beside the manifests", () => {
  write("op/manifests/p.yaml", csv("p.v1"));
  assert.deepEqual(generate(["--directory", "op/manifests", ...given]), [
    "info Building annotations.yaml",
    "info Writing annotations.yaml in DIR/op/metadata",
    "info Building Dockerfile",
    "info Writing bundle.Dockerfile in DIR",
  ]);
  assert.deepEqual(readFileSync("op/metadata/annotations.yaml", "utf8").split("\n"), [
    "annotations:",
    "  operators.operatorframework.io.bundle.channel.default.v1: b",
    "  operators.operatorframework.io.bundle.channels.v1: a,b",
    "  operators.operatorframework.io.bundle.manifests.v1: manifests/",
    "  operators.operatorframework.io.bundle.mediatype.v1: registry+v1",
    "  operators.operatorframework.io.bundle.metadata.v1: metadata/",
    "  operators.operatorframework.io.bundle.package.v1: p",
    "",
  ]);
  assert.deepEqual(readFileSync(dockerfileName, "utf8").split("\n"), [
    "FROM scratch",
    "",
    "LABEL operators.operatorframework.io.bundle.mediatype.v1=registry+v1",
    "LABEL operators.operatorframework.io.bundle.manifests.v1=manifests/",
    "LABEL operators.operatorframework.io.bundle.metadata.v1=metadata/",
    "LABEL operators.operatorframework.io.bundle.package.v1=p",
    "LABEL operators.operatorframework.io.bundle.channels.v1=a,b",
    "LABEL operators.operatorframework.io.bundle.channel.default.v1=b",
    "",
    "COPY op/manifests /manifests/",
    "COPY op/metadata /metadata/",
    "",
  ]);
});

test("files that exist are kept, and written again when that is asked for", () => {
  write("op/manifests/p.yaml", csv("p.v1"));
  generate(["--directory", "op/manifests", ...given]);
  write(dockerfileName, "own");
  assert.deepEqual(generate(["--directory", "op/manifests", ...given]), [
    "info Building annotations.yaml",
    "info An annotations.yaml already exists in the directory: metadata/",
    "info Validating existing annotations.yaml",
    "info Building Dockerfile",
    "info A bundle.Dockerfile already exists in current working directory: DIR",
  ]);
  assert.equal(readFileSync(dockerfileName, "utf8"), "own");
  assert.deepEqual(generate(["--directory", "op/manifests", "--package", "q", "--channels", "a", "--default", "a"]), [
    "info Building annotations.yaml",
    "info An annotations.yaml already exists in the directory: metadata/",
    "info Validating existing annotations.yaml",
    'refused [Expect field "operators.operatorframework.io.bundle.channel.default.v1" to have value "a" instead of "b", Expect field "operators.operatorframework.io.bundle.channels.v1" to have value "a" instead of "a,b", Expect field "operators.operatorframework.io.bundle.package.v1" to have value "q" instead of "p"]',
  ]);
  assert.deepEqual(generate(["--directory", "op/manifests", "--package", "q", "--channels", "a,b", "--default", "b"]), [
    "info Building annotations.yaml",
    "info An annotations.yaml already exists in the directory: metadata/",
    "info Validating existing annotations.yaml",
    'refused Expect field "operators.operatorframework.io.bundle.package.v1" to have value "q" instead of "p"',
  ]);
  assert.deepEqual(
    generate(
      ["--directory", "op/manifests", "--package", "q", "--channels", "a", "--default", "a", "--base-image", "base:1"],
      true,
    ),
    [
      "info Building annotations.yaml",
      "info Writing annotations.yaml in DIR/op/metadata",
      "info Building Dockerfile",
      "info Writing bundle.Dockerfile in DIR",
    ],
  );
  assert.ok(readFileSync(dockerfileName, "utf8").startsWith("FROM base:1\n"));
  write("op/metadata/annotations.yaml", "[");
  assert.deepEqual(generate(["--directory", "op/manifests", ...given]), [
    "info Building annotations.yaml",
    "info An annotations.yaml already exists in the directory: metadata/",
    "info Validating existing annotations.yaml",
    "error Unable to parse existing annotations.yaml",
    "refused yaml: line 1: did not find expected node content",
  ]);
});

test("manifests are copied to another directory with their modes, those of subdirectories under the name of the directory above", () => {
  write("op/manifests/p.yaml", csv("p.v1"));
  write("op/manifests/run.sh", "echo");
  chmodSync("op/manifests/run.sh", 0o750);
  write("op/manifests/sub/more.yaml", "a: 1\n");
  write("out/manifests/p.yaml", "own");
  assert.deepEqual(generate(["--directory", "op/manifests", "--output-dir", "out", ...given]), [
    "info Building annotations.yaml",
    "info Generating output manifests directory",
    "info Writing annotations.yaml in DIR/out/metadata",
    "info Building Dockerfile",
    "info Writing bundle.Dockerfile in DIR",
  ]);
  assert.deepEqual(readdirSync("out", { recursive: true }).map(String).toSorted(), [
    "manifests",
    "manifests/manifests",
    "manifests/manifests/more.yaml",
    "manifests/p.yaml",
    "manifests/run.sh",
    "metadata",
    "metadata/annotations.yaml",
  ]);
  assert.equal(readFileSync("out/manifests/p.yaml", "utf8"), "own");
  assert.equal(statSync("out/manifests/run.sh").mode & 0o777, 0o750);
  assert.match(readFileSync(dockerfileName, "utf8"), /^COPY out\/manifests \/manifests\/$/m);
  generate(["--directory", "op/manifests", "--output-dir", "out", ...given], true);
  assert.equal(readFileSync("out/manifests/p.yaml", "utf8"), csv("p.v1"));
});

test("what cannot be a bundle is refused, and nothing is written", () => {
  mkdirSync("empty");
  write("file", "x");
  assert.deepEqual(
    ["gone", "empty", "file"].map((name) => generate(["--directory", name, ...given])),
    [
      ["refused stat DIR/gone: no such file or directory"],
      ["refused The directory DIR/empty contains no yaml files"],
      ["refused The directory DIR/file contains no yaml files"],
    ],
  );
  assert.equal(existsSync(dockerfileName), false);
});

test("a directory that cannot be written is named as by Go", () => {
  write("op/manifests/p.yaml", csv("p.v1"));
  write("op/metadata", "a file");
  assert.deepEqual(generate(["--directory", "op/manifests", ...given]), [
    "info Building annotations.yaml",
    "info Writing annotations.yaml in DIR/op/metadata",
    "refused open DIR/op/metadata/annotations.yaml: file exists",
  ]);
});

test("package and channels are inferred from the package manifest above the manifests", () => {
  write("op/1.0.0/p.yaml", csv("p.v1"));
  write("op/2.0.0/p.yaml", csv("p.v2", "  replaces: p.v1\n  skips: [p.v1.5, 5]\n"));
  write(
    "op/p.package.yaml",
    "packageName: p\ndefaultChannel: stable\nchannels:\n- name: stable\n  currentCSV: p.v2\n- name: old\n  currentCSV: p.v1\n",
  );
  const inferred = [
    [],
    ["--channels", "own"],
    ["--package", "own"],
    ["--default", "own"],
    ["--channels", "a", "--package", "b"],
  ].map((more) => {
    rmSync("op/metadata", { recursive: true, force: true });
    const lines = generate(["--directory", "op/1.0.0", ...more], true).filter((line) => /nfer|refused/.test(line));
    return [
      ...lines,
      ...readFileSync("op/metadata/annotations.yaml", "utf8")
        .split("\n")
        .filter((line) => /package|channel/.test(line)),
    ];
  });
  assert.deepEqual(inferred, [
    [
      "info Bundle channels and package name information not provided, inferring from parent package directory",
      "info Inferred channels: old,stable",
      "info Inferred package name: p",
      "info Inferred default channel: stable",
      "  operators.operatorframework.io.bundle.channel.default.v1: stable",
      "  operators.operatorframework.io.bundle.channels.v1: old,stable",
      "  operators.operatorframework.io.bundle.package.v1: p",
    ],
    [
      "info Bundle package name information not provided, inferring from parent package directory",
      "info Inferred package name: p",
      "info Inferred default channel: stable",
      "  operators.operatorframework.io.bundle.channel.default.v1: stable",
      "  operators.operatorframework.io.bundle.channels.v1: own",
      "  operators.operatorframework.io.bundle.package.v1: p",
    ],
    [
      "info Bundle channels information not provided, inferring from parent package directory",
      "info Inferred channels: old,stable",
      "info Inferred default channel: stable",
      "  operators.operatorframework.io.bundle.channel.default.v1: stable",
      "  operators.operatorframework.io.bundle.channels.v1: old,stable",
      "  operators.operatorframework.io.bundle.package.v1: own",
    ],
    [
      "info Bundle channels and package name information not provided, inferring from parent package directory",
      "info Inferred channels: old,stable",
      "info Inferred package name: p",
      "  operators.operatorframework.io.bundle.channel.default.v1: own",
      "  operators.operatorframework.io.bundle.channels.v1: old,stable",
      "  operators.operatorframework.io.bundle.package.v1: p",
    ],
    ["  operators.operatorframework.io.bundle.channels.v1: a", "  operators.operatorframework.io.bundle.package.v1: b"],
  ]);
});

test("what cannot be inferred is refused with what is missing", () => {
  const problems: string[][] = [];
  const attempt = (): void => {
    problems.push(generate(["--directory", "op/1.0.0"], true).filter((line) => line.startsWith("refused")) as string[]);
  };
  write("op/1.0.0/p.yaml", csv("p.v1"));
  attempt();
  write(
    "op/p.package.yaml",
    "packageName: p\ndefaultChannel: stable\nchannels:\n- name: stable\n  currentCSV: other.v1\n",
  );
  attempt();
  write("op/p.package.yaml", "[");
  attempt();
  write("op/q.package.yaml", "a: 1\n");
  attempt();
  mkdirSync("op/none");
  attempt();
  rmSync("op/none", { recursive: true });
  write("op/1.0.0/q.yaml", csv("q.v1"));
  attempt();
  rmSync("op/1.0.0/p.yaml");
  write("op/1.0.0/q.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: s\n");
  attempt();
  assert.deepEqual(problems, [
    [
      "refused please manually input channels and packageName, error interpreting bundle from directory DIR/op/1.0.0, error parsing package.yaml file in the package root directory, valid PackageManifest YAML file not found in DIR/op, ",
    ],
    ["refused error interpreting channels, please manually input channels instead"],
    [
      "refused please manually input channels and packageName, error interpreting bundle from directory DIR/op/1.0.0, error parsing package.yaml file in the package root directory, valid PackageManifest YAML file not found in DIR/op, error parsing DIR/op/p.package.yaml as package.yaml file, could not decode contents into package manifest - error converting YAML to JSON: yaml: line 1: did not find expected node content",
    ],
    [
      "refused please manually input channels and packageName, error interpreting bundle from directory DIR/op/1.0.0, error parsing package.yaml file in the package root directory, valid PackageManifest YAML file not found in DIR/op, [error parsing DIR/op/p.package.yaml as package.yaml file, could not decode contents into package manifest - error converting YAML to JSON: yaml: line 1: did not find expected node content, error parsing DIR/op/q.package.yaml as package.yaml file, name of package (packageName) is missing]",
    ],
    [
      "refused please manually input channels and packageName, error interpreting bundle from directory DIR/op/1.0.0, error getting CSVs from bundles in the package directory, no ClusterServiceVersion object found in DIR/op/none",
    ],
    [
      "refused please manually input channels and packageName, error interpreting bundle from directory DIR/op/1.0.0, error loading CSV from bundle directory, more than one ClusterServiceVersion is found in bundle",
    ],
    [
      "refused please manually input channels and packageName, error interpreting bundle from directory DIR/op/1.0.0, error loading CSV from bundle directory, no ClusterServiceVersion object found in DIR/op/1.0.0",
    ],
  ]);
});
