import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { smallAnnotations, smallBundle, smallCsv } from "../../bundle/testing/small-bundle.ts";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { type Outcome, UsageError } from "../command.ts";
import { commands } from "../commands.ts";
import { completions } from "../commands/completion.ts";
import { exitCodeOfOutcome } from "../command.ts";
import type { Terminal } from "../output/terminal.ts";
import { parseArguments, runCommand } from "../program.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-push-"))));
after(() => rmSync(directory, { recursive: true, force: true }));

type Ran = Outcome & { readonly progress: readonly string[] };
const purser = (...args: readonly string[]): Promise<Ran> => purserWith({}, ...args);

async function purserWith(terminal: Partial<Pick<Terminal, "env" | "ask">>, ...args: readonly string[]): Promise<Ran> {
  const parsed = await parseArguments("purser", commands, args);
  assert.ok(parsed.kind === "run");
  const progress: string[] = [];
  const outcome = await runCommand(parsed, {
    signal: new AbortController().signal,
    terminal: {
      isInteractive: false,
      show: () => assert.fail("printed by the caller"),
      env: {},
      out: () => assert.fail("commands return what they print"),
      write: () => assert.fail("commands return what they print"),
      progress: (text) => void progress.push(text),
      err: () => {},
      paint: (_, text) => text,
      symbol: () => "-",
      ask: () => Promise.resolve(undefined),
      ...terminal,
    },
  });
  return { ...outcome, progress };
}

function written(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
  return join(directory, path);
}
const catalogAt = (name: string, text = smallCatalog("foo", ["1.0.0", "1.1.0"])): string =>
  dirname(written(`${name}/catalog.yaml`, text));
function bundleAt(name: string, bundle = smallBundle()): string {
  for (const { path, bytes } of bundle.files) written(`${name}/${path}`, bytes);
  return join(directory, name);
}

const resultOf = ({ data }: Outcome): JsonObject => {
  assert.ok(isJsonObject(data));
  return data;
};
const blobOf = (layout: string, digest: unknown): Readonly<Record<string, unknown>> => {
  assert.ok(typeof digest === "string");
  const text = readFileSync(join(layout, "blobs", digest.replace(":", "/")), "utf8");
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
};

test("catalog push writes the image and returns reference, digest and size; a second push gives the same", async () => {
  const layout = join(directory, "layout");
  const reference = `oci:${layout}:v1`;
  const first = await purser("catalog", "push", catalogAt("catalog"), reference);
  assert.equal(exitCodeOfOutcome(first), 0);
  const { digest, size, ...rest } = resultOf(first);
  assert.ok(typeof digest === "string");
  assert.deepEqual(rest, { apiVersion: "purser.dev/v1alpha1", kind: "PushedImage", reference });
  assert.equal(first.human, `${reference}  2 KiB\n${digest}`);
  const { config, layers } = blobOf(layout, digest) as {
    config: { digest: string; size: number };
    layers: [{ size: number }];
  };
  const manifest = readFileSync(join(layout, "blobs", digest.replace(":", "/")));
  assert.equal(size, manifest.length + config.size + layers[0].size);
  assert.deepEqual(blobOf(layout, config.digest)["config"], {
    Labels: { "operators.operatorframework.io.index.configs.v1": "/configs" },
  });
  assert.match(first.progress.join("\n"), /^\npacking .* KiB\n(.*\n)*writing oci:.* of 2 KiB\n$/);
  assert.deepEqual(resultOf(await purser("catalog", "push", catalogAt("catalog"), reference)), resultOf(first));
});

test("bundle push takes the labels from metadata/annotations.yaml", async () => {
  const layout = join(directory, "bundles");
  const { digest } = resultOf(await purser("bundle", "push", bundleAt("bundle"), `oci:${layout}`));
  const { config } = blobOf(layout, digest) as { config: { digest: string } };
  const { annotations } = JSON.parse(smallAnnotations()) as { readonly annotations: object };
  assert.deepEqual(blobOf(layout, config.digest)["config"], { Labels: annotations });
});

test("a broken catalog or bundle is not written, and the report is that of validate", async () => {
  const layout = join(directory, "refused");
  const broken = catalogAt("broken", smallCatalog("foo", ["1.0.0"]).replace("version: 1.0.0", "version: one"));
  const bundle = bundleAt("bad", smallBundle({ "manifests/csv.json": smallCsv({ installModes: [] }) }));
  for (const [family, path] of [
    ["catalog", broken],
    ["bundle", bundle],
  ] as const) {
    const pushed = await purser(family, "push", path, `oci:${layout}`);
    const validated = await purser(family, "validate", path);
    assert.equal(pushed.exitCode, 10);
    const timeless = (text = ""): string => text.replace(/\(\d+\.\d s\)/, "");
    assert.equal(timeless(pushed.human), timeless(validated.human));
    assert.equal(existsSync(layout), false);
  }
});

const refused: readonly (readonly [args: readonly string[], exit: number, code: string, summary: RegExp])[] = [
  [["catalog", "push", "CATALOG", "acme/catalog:v1"], 2, "CatalogUnavailable", /it names no registry$/],
  [["bundle", "push", "BUNDLE", "quay.io/acme/bundle"], 2, "BundleUnavailable", /it names no tag$/],
  [["catalog", "push", "nowhere", "oci:OUT"], 6, "CatalogNotFound", /nowhere/],
  [["bundle", "push", "nowhere", "oci:OUT"], 6, "BundleUnavailable", /nowhere/],
  [["catalog", "push", "BUNDLE", "oci:OUT"], 1, "CatalogInvalid", /is a bundle directory/],
  [
    ["catalog", "push", "CATALOG", "oci:CATALOG/catalog.yaml"],
    1,
    "CatalogUnavailable",
    /: .*catalog.yaml is not a directory$/,
  ],
];
for (const [args, exit, code, summary] of refused)
  test(`purser ${args.join(" ")} is refused with ${code} and exit code ${exit}`, async () => {
    const paths = {
      CATALOG: catalogAt("refused-catalog"),
      BUNDLE: bundleAt("refused-bundle"),
      OUT: join(directory, "out"),
    };
    const real = args.map((arg) => arg.replaceAll(/CATALOG|BUNDLE|OUT/g, (name) => paths[name as keyof typeof paths]));
    const outcome = await purser(...real);
    assert.deepEqual([outcome.explanation?.code, exitCodeOfOutcome(outcome)], [code, exit]);
    assert.match(outcome.explanation?.summary ?? "", summary);
    assert.equal(existsSync(paths.OUT), false);
  });

test("--sign adds a signature that the policy accepts; pushing again keeps it, another key adds a second one", async () => {
  const layout = join(directory, "signed");
  const catalog = catalogAt("signed-catalog");
  const keys = ["a", "b"].map((name) => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const file = written(`${name}.pem`, privateKey.export({ type: "pkcs8", format: "pem" }));
    return { file, publicKey };
  });
  const [a, b] = keys;
  assert.ok(a !== undefined && b !== undefined);
  const push = async (key: string): Promise<JsonObject> =>
    resultOf(
      await purser("catalog", "push", catalog, `oci:${layout}:v1`, "--sign", key, "--sign-identity", "quay.io/a/b:v1"),
    );
  const { digest, signature } = await push(a.file);
  assert.ok(typeof digest === "string" && typeof signature === "string");
  assert.equal(signature, `${digest.replace(":", "-")}.sig`);
  const layersOf = (): readonly {
    readonly digest: string;
    readonly annotations: Readonly<Record<string, string>>;
  }[] => {
    const { manifests } = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as {
      readonly manifests: readonly {
        readonly digest: string;
        readonly annotations: Readonly<Record<string, string>>;
      }[];
    };
    // Nobody who follows the name may see the image without its signature.
    assert.equal(manifests.at(-1)?.digest, digest);
    const entry = manifests.find(({ annotations }) => annotations["org.opencontainers.image.ref.name"] === signature);
    return blobOf(layout, entry?.digest)["layers"] as ReturnType<typeof layersOf>;
  };
  const [first] = layersOf();
  await push(a.file);
  assert.deepEqual(layersOf(), [first]);
  await push(b.file);
  const [kept, added] = layersOf();
  assert.deepEqual(kept, first);
  assert.ok(first !== undefined && added !== undefined);
  const payload = readFileSync(join(layout, "blobs", first.digest.replace(":", "/")));
  const claim = JSON.parse(payload.toString()) as { readonly critical: object };
  assert.deepEqual(claim.critical, {
    identity: { "docker-reference": "quay.io/a/b:v1" },
    image: { "docker-manifest-digest": digest },
    type: "cosign container image signature",
  });
  for (const [key, layer] of [
    [a, first],
    [b, added],
  ] as const) {
    const bytes = Buffer.from(layer.annotations["dev.cosignproject.cosign/signature"] ?? "", "base64");
    assert.ok(verify("sha256", payload, key.publicKey, bytes));
  }
});

test("the passphrase of an encrypted key is COSIGN_PASSWORD, else it is asked for without an echo", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "open" });
  const file = written("encrypted.pem", key);
  const catalog = catalogAt("encrypted-key");
  const asked: unknown[] = [];
  const ask: Terminal["ask"] = (...question) => {
    asked.push(question);
    return Promise.resolve("open");
  };
  const push = (terminal: Parameters<typeof purserWith>[0], name: string): Promise<Ran> => {
    const target = `oci:${join(directory, name)}:v1`;
    return purserWith(
      terminal,
      "catalog",
      "push",
      catalog,
      target,
      "--sign",
      file,
      "--sign-identity",
      "quay.io/a/b:v1",
    );
  };
  const byVariable = await push({ env: { COSIGN_PASSWORD: "open" }, ask }, "by-variable");
  assert.deepEqual([exitCodeOfOutcome(byVariable), asked], [0, []]);
  const byQuestion = await push({ ask }, "by-question");
  assert.deepEqual([exitCodeOfOutcome(byQuestion), asked], [0, [[`Passphrase of ${file}: `, { isSecret: true }]]]);
  assert.equal(resultOf(byQuestion)["signature"], resultOf(byVariable)["signature"]);
  const refused = await push({ env: { COSIGN_PASSWORD: "TOPSECRET" }, ask }, "by-nobody");
  assert.equal(refused.explanation?.summary, `the key ${file} cannot be decrypted with the given passphrase`);
  assert.doesNotMatch(JSON.stringify(refused), /TOPSECRET/);
  assert.equal(existsSync(join(directory, "by-nobody")), false);
});

const secretMarks = "TOPSECRET";
const badKeys: readonly (readonly [name: string, content: () => string, cause: RegExp])[] = [
  [
    "cosign's own format",
    () => `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n${secretMarks}\n-----END`,
    /is encrypted, and no passphrase was given/,
  ],
  [
    "an encrypted key",
    () =>
      generateKeyPairSync("ec", { namedCurve: "P-256" })
        .privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
        .toString(),
    /is encrypted, and no passphrase was given/,
  ],
  [
    "another curve",
    () =>
      generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    /is not an ECDSA key on the curve P-256/,
  ],
  [
    "no key",
    () => `-----BEGIN PRIVATE KEY-----\n${secretMarks}\n-----END PRIVATE KEY-----`,
    /is not a PEM private key/,
  ],
];
for (const [name, content, cause] of badKeys)
  test(`--sign with ${name} writes nothing and shows nothing of the key`, async () => {
    const layout = join(directory, "unsigned");
    const flags = ["--sign", written("bad.pem", content()), "--sign-identity", "quay.io/a/b:v1"];
    const outcome = await purser("catalog", "push", catalogAt("unsigned-catalog"), `oci:${layout}:v1`, ...flags);
    assert.equal(exitCodeOfOutcome(outcome), 1);
    assert.match(outcome.explanation?.summary ?? "", cause);
    assert.doesNotMatch(JSON.stringify(outcome), new RegExp(secretMarks));
    assert.equal(existsSync(layout), false);
  });

test("--sign on a layout needs a name and an identity", async () => {
  const catalog = catalogAt("nameless");
  const key = written("k.pem", "");
  const push = (...args: readonly string[]) => purser("catalog", "push", catalog, ...args);
  await assert.rejects(push("oci:x", "--sign", key), UsageError);
  await assert.rejects(push("oci:x:v1", "--sign", key), UsageError);
  await assert.rejects(push("oci:x:v1", "--sign", key, "--sign-identity", "NO"), UsageError);
  await assert.rejects(push("oci:x:v1", "--sign-identity", "quay.io/a/b:v1"), UsageError);
});

test("push is completed, and its formats are table, json and yaml", async () => {
  assert.ok((await completions(commands, ["bundle", ""])).includes("push"));
  assert.ok((await completions(commands, ["catalog", "push", "--"])).includes("--output"));
  await assert.rejects(parseArguments("purser", commands, ["catalog", "push", "a", "b", "-o", "sarif"]), UsageError);
});
