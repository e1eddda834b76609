import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { after, test } from "node:test";

const directory = mkdtempSync(join(tmpdir(), "opm-build-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const entrance = resolve(import.meta.dirname, "../../main.ts");

/** A tool that writes down how it was called, prints a line on both outputs and ends with `code`. */
function tool(name: string, code: number): void {
  const script = `#!/bin/sh\npwd > "$0.called"\nfor word; do echo "$word" >> "$0.called"; done\necho built\necho noise >&2\nexit ${code}\n`;
  mkdirSync(join(directory, "bin"), { recursive: true });
  writeFileSync(join(directory, "bin", name), script);
  chmodSync(join(directory, "bin", name), 0o755);
}

function build(name: string, code: number): ReturnType<typeof spawnSync> & { readonly called: readonly string[] } {
  tool(name, code);
  const place = join(directory, name);
  mkdirSync(join(place, "manifests"), { recursive: true });
  writeFileSync(join(place, "manifests", "cm.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n");
  const path = `${join(directory, "bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  const args = [
    "opm",
    "alpha",
    "bundle",
    "build",
    "-d",
    "manifests",
    "-p",
    "kiln",
    "-c",
    "a",
    "-t",
    "example.com/k:1",
    "-b",
    name,
  ];
  const ran = spawnSync(process.execPath, [...process.execArgv, entrance, ...args], {
    cwd: place,
    env: { ...process.env, PATH: path },
    encoding: "utf8",
  });
  return {
    ...ran,
    called: readFileSync(join(directory, "bin", `${name}.called`), "utf8")
      .trim()
      .split("\n"),
  };
}

const last = ["-f", "bundle.Dockerfile", "-t", "example.com/k:1", "."];
for (const [name, words] of [
  ["docker", ["build", ...last]],
  ["podman", ["build", ...last]],
  ["buildah", ["bud", "--format=docker", ...last]],
] as const)
  test(`bundle build calls ${name} in the working directory and passes on what it prints`, () => {
    const { status, stdout, stderr, called } = build(name, 0);
    assert.equal(status, 0, String(stderr));
    assert.deepEqual(called, [join(directory, name), ...words]);
    assert.equal(stdout, "built\n");
    assert.match(String(stderr), /msg="Building bundle image"\nnoise\n$/);
    assert.match(readFileSync(join(directory, name, "bundle.Dockerfile"), "utf8"), /^COPY manifests \/manifests\/$/m);
  });

test("bundle build exits with 1 and prints the command line when the tool fails", () => {
  const { status, stderr } = build("podman", 3);
  assert.equal(status, 1);
  assert.match(
    String(stderr),
    /^Error: Failed to exec \[\]string\{"podman", "build", "-f", "bundle.Dockerfile", "-t", "example.com\/k:1", "."\}: exit status 3$/m,
  );
});
