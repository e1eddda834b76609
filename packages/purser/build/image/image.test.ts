import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { layoutTarget } from "../../src/image/build/layout-writer.ts";
import { imageIndexOf } from "../../src/image/build/built-image.ts";
import { startLocalRegistry } from "../../src/image/build/testing/local-registry.ts";
import { missingTools } from "../../src/image/build/testing/tools-on-path.ts";
import { openTarget } from "../../src/cli/image/open-target.ts";
import { parseTarget } from "../../src/image/build/image-target.ts";
import { fetchPackages, type PinnedPackages } from "./debian-packages.ts";
import { type Architecture, readElf } from "./elf.ts";
import { imageRoot, type ImageInputs } from "./image-root.ts";
import { labelsOf, platformImage, runSettings } from "./platform-image.ts";
import type { RootFile } from "./root-files.ts";
import { madeElf } from "./testing/made-elf.ts";
import { writeRoot } from "./write-root.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-image-"))));
after(() => rmSync(directory, { recursive: true, force: true }));
const { signal } = new AbortController();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const pinned = JSON.parse(readFileSync(join(import.meta.dirname, "debian-packages.json"), "utf8")) as PinnedPackages;

function inputs(architecture: Architecture): ImageInputs {
  const libc: RootFile = {
    path: "usr/lib/x86_64-linux-gnu/libc.so.6",
    kind: "file",
    bytes: madeElf({ machine: architecture === "amd64" ? 62 : 183 }),
  };
  const of = (path: string, text: string): RootFile => ({ path, kind: "file", bytes: bytes(text) });
  const about = { name: "libc6", version: "2:1.0", architecture, sha256: "0".repeat(64) } as const;
  return {
    architecture,
    suite: "trixie",
    debian: [
      {
        about,
        control: "Package: libc6\n",
        files: [
          libc,
          of("usr/lib/x86_64-linux-gnu/libunused.so.1", "unused"),
          of("usr/bin/sh", "a shell"),
          of("usr/share/doc/libc6/copyright", "licence"),
          of("usr/share/doc/libc6/changelog.gz", "changes"),
          of("usr/share/ca-certificates/mozilla/B.crt", "B\n"),
          of("usr/share/ca-certificates/mozilla/A.crt", "A\n"),
          of("usr/share/zoneinfo/Asia/Tokyo", "zone"),
          of("usr/share/zoneinfo/right/Asia/Tokyo", "zone with leap seconds"),
        ],
      },
    ],
    node: {
      package: "node-linux",
      version: "24.0.0",
      program: madeElf({ machine: architecture === "amd64" ? 62 : 183, needed: ["libc.so.6"], behind: "symbols" }),
      license: bytes("MIT"),
    },
    product: {
      version: "0.1.0",
      files: [{ path: "dist/purser.js", kind: "file", bytes: bytes("run()"), executable: true }],
      bundled: [{ name: "@a/b", version: "1.2.3", license: "MIT" }],
    },
  };
}

async function built(architecture: Architecture) {
  const layers = imageRoot(inputs(architecture));
  assert.ok(layers.ok, layers.ok ? "" : layers.problem);
  return {
    layers: layers.value,
    image: await platformImage(layers.value, architecture, labelsOf("0.1.0", "abc"), signal),
  };
}

test("the image holds what its programs need, belongs to root and has places to write for its user", async () => {
  const { image } = await built("amd64");
  const [, ...layers] = image.blobs;
  const entries = (
    await Promise.all(layers.map((layer) => unpackTar(gunzipSync(layer.bytes), { strict: true })))
  ).flat();
  const shown = entries
    .filter(({ header }) => header.type !== "directory" || header.uid !== 0 || header.mode !== 0o755)
    .map(
      ({ header }) =>
        `${(header.mode ?? 0).toString(8)} ${header.uid} ${header.name}${header.linkname ? ` -> ${header.linkname}` : ""}`,
    );
  assert.deepEqual(shown, [
    "644 0 etc/group",
    "644 0 etc/nsswitch.conf",
    "644 0 etc/passwd",
    "644 0 etc/ssl/certs/ca-certificates.crt",
    "777 0 lib -> usr/lib",
    "777 0 lib64 -> usr/lib64",
    "1777 0 tmp/",
    "644 0 usr/lib/x86_64-linux-gnu/libc.so.6",
    "644 0 usr/share/ca-certificates/mozilla/A.crt",
    "644 0 usr/share/ca-certificates/mozilla/B.crt",
    "644 0 usr/share/doc/libc6/copyright",
    "644 0 usr/share/zoneinfo/Asia/Tokyo",
    "1777 0 var/cache/purser/",
    "644 0 var/lib/dpkg/status.d/libc6",
    "755 0 usr/bin/node",
    "644 0 usr/share/doc/node/LICENSE",
    "777 0 usr/bin/purser -> ../lib/purser/dist/purser.js",
    "755 0 usr/lib/purser/dist/purser.js",
    "644 0 usr/share/purser/sbom.spdx.json",
  ]);
  const content = (name: string): string =>
    new TextDecoder().decode(entries.find(({ header }) => header.name === name)?.data);
  assert.equal(content("etc/ssl/certs/ca-certificates.crt"), "A\nB\n");
  const program = entries.find(({ header }) => header.name === "usr/bin/node")?.data ?? new Uint8Array();
  assert.equal(program.length, inputs("amd64").node.program.length - "symbols".length);
  const node = readElf(program);
  assert.deepEqual(node, { ok: true, value: { architecture: "amd64", needed: ["libc.so.6"] } });
  const sbom = JSON.parse(content("usr/share/purser/sbom.spdx.json")) as {
    readonly packages: readonly { readonly externalRefs: readonly { readonly referenceLocator: string }[] }[];
  };
  assert.deepEqual(
    sbom.packages.flatMap(({ externalRefs }) => externalRefs.map(({ referenceLocator }) => referenceLocator)),
    [
      "pkg:npm/purser@0.1.0",
      "pkg:npm/node-linux@24.0.0",
      "pkg:npm/%40a/b@1.2.3",
      "pkg:deb/debian/libc6@2%3A1.0?arch=amd64&distro=trixie",
    ],
  );
});

test("the same inputs give the same digest, another processor another one, and the configuration says how it is started", async () => {
  const [one, two, other] = [await built("amd64"), await built("amd64"), await built("arm64")];
  assert.equal(one.image.manifest.descriptor.digest, two.image.manifest.descriptor.digest);
  assert.notEqual(one.image.manifest.descriptor.digest, other.image.manifest.descriptor.digest);
  const config = JSON.parse(new TextDecoder().decode(other.image.blobs[0]?.bytes)) as Readonly<Record<string, unknown>>;
  assert.deepEqual(
    { ...config, rootfs: undefined, history: undefined },
    {
      created: "1970-01-01T00:00:00Z",
      architecture: "arm64",
      os: "linux",
      config: {
        ...runSettings,
        Labels: {
          "org.opencontainers.image.description": "Operator lifecycle manager for Kubernetes: OLM v0 and v1",
          "org.opencontainers.image.licenses": "Apache-2.0",
          "org.opencontainers.image.revision": "abc",
          "org.opencontainers.image.title": "purser",
          "org.opencontainers.image.version": "0.1.0",
        },
      },
      rootfs: undefined,
      history: undefined,
    },
  );
});

test("a program that needs a library no package has makes no image", () => {
  const given = inputs("amd64");
  assert.deepEqual(imageRoot({ ...given, debian: [] }), {
    ok: false,
    problem: "node needs libc.so.6, which no package has",
  });
});

test("a directory for the Containerfile has the same files, and one that holds something is refused", async () => {
  const { layers } = await built("amd64");
  const files = layers.flatMap((layer) => layer.files);
  const root = join(directory, "root");
  assert.equal(writeRoot(root, files), undefined);
  assert.equal(readFileSync(join(root, "usr/bin/purser"), "utf8"), "run()");
  assert.equal(writeRoot(root, files), `${root} is not empty`);
});

test("the Containerfile starts the process as the image does", () => {
  const text = readFileSync(resolve(import.meta.dirname, "../../../../Containerfile"), "utf8");
  const last = text.slice(text.lastIndexOf("\nFROM "));
  const { User, Env, Entrypoint, Cmd, WorkingDir } = runSettings;
  assert.deepEqual(
    last.split("\n").filter((line) => /^(USER|ENV|ENTRYPOINT|CMD|WORKDIR) /.test(line)),
    [
      ...Env.map((line) => `ENV ${line}`),
      `USER ${User}`,
      `WORKDIR ${WorkingDir}`,
      `ENTRYPOINT ${JSON.stringify(Entrypoint).replaceAll(",", ", ")}`,
      `CMD ${JSON.stringify(Cmd)}`,
    ],
  );
});

test("every package of Debian is pinned by content, for both processors", () => {
  const names = new Map<string, string[]>();
  for (const { name, architecture, version, sha256 } of pinned.packages) {
    assert.match(sha256, /^[0-9a-f]{64}$/);
    assert.match(version, /^[0-9]/);
    names.set(name, [...(names.get(name) ?? []), architecture]);
  }
  for (const [name, architectures] of names)
    assert.ok(["all", "amd64,arm64"].includes(architectures.toSorted().join()), `${name}: ${architectures.join()}`);
});

test("packages that cannot be fetched are named with the ways out", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = directory;
  const one = { name: "libc6", version: "1:2.3", architecture: "arm64", sha256: "a".repeat(64) } as const;
  const fetched = await fetchPackages({ suite: "trixie", packages: [one] }, directory).finally(
    () => (process.env["PATH"] = path),
  );
  assert.deepEqual(fetched, {
    ok: false,
    problem: [
      "these packages of Debian trixie cannot be fetched: there is no apt-get",
      `  libc6_1%3a2.3_arm64.deb  sha256 ${"a".repeat(64)}`,
      "When Debian has newer versions by now, pin those: npm run -s image -- --update-packages",
      `Without a mirror of Debian or apt-get, put the files into ${directory}; or build with the Containerfile.`,
    ].join("\n"),
  });
});

test(
  "an index of two platforms reaches a layout and a registry whole",
  { skip: missingTools("docker-registry", "skopeo") },
  async () => {
    const images = await Promise.all(
      (["amd64", "arm64"] as const).map(async (architecture) => ({
        image: (await built(architecture)).image,
        os: "linux",
        architecture,
      })),
    );
    const index = imageIndexOf(images);
    const layout = join(directory, "layout");
    const written = await layoutTarget(layout, `oci:${layout}`).put(index, "purser", { signal });
    assert.ok(written.ok, written.ok ? "" : written.problem.cause);
    const raw = execFileSync("skopeo", ["inspect", "--raw", `oci:${layout}:purser`]);
    assert.deepEqual(new Uint8Array(raw), new Uint8Array(index.manifest.bytes));
    const isConfigured = (from: string): void => {
      for (const { image, architecture } of images) {
        const args = ["inspect", "--tls-verify=false", "--override-arch", architecture, "--config", "--raw", from];
        const config = new Uint8Array(execFileSync("skopeo", args));
        assert.deepEqual(config, new Uint8Array(image.blobs[0]?.bytes ?? new Uint8Array()));
      }
    };
    isConfigured(`oci:${layout}:purser`);
    const registry = await startLocalRegistry();
    try {
      const reference = `${registry.host}/purser:0.1.0`;
      const parsed = parseTarget(reference);
      assert.ok(parsed.ok);
      const configuration = join(directory, "registries.conf");
      writeFileSync(configuration, `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
      const target = await openTarget(parsed.value, reference, { CONTAINERS_REGISTRIES_CONF: configuration });
      assert.ok(target.ok);
      const put = await target.value.put(index, "0.1.0", { signal });
      await target.value.close();
      assert.ok(put.ok, put.ok ? "" : put.problem.cause);
      isConfigured(`docker://${reference}`);
    } finally {
      await registry.stop();
    }
  },
);
