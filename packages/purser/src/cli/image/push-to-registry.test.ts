import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { isJsonObject } from "@purser/kubernetes/json";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { startLocalRegistry } from "../../image/build/testing/local-registry.ts";
import { missingTools } from "../../image/build/testing/tools-on-path.ts";
import { FaultRegistry } from "../../image/testing/fault-registry.ts";
import { exitCodeOfOutcome, type Invocation, type Outcome } from "../command.ts";
import { commands } from "../commands.ts";
import { parseArguments, runCommand } from "../program.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-to-registry-"))));
after(() => rmSync(directory, { recursive: true, force: true }));

/** A home directory whose configuration allows plain HTTP to `host`, with credentials where given. */
function homeFor(host: string, login?: string): string {
  const home = mkdtempSync(join(directory, "home-"));
  mkdirSync(join(home, ".config/containers"), { recursive: true });
  writeFileSync(
    join(home, ".config/containers/registries.conf"),
    `[[registry]]\nlocation = "${host}"\ninsecure = true\n`,
  );
  mkdirSync(join(home, ".docker"));
  const auths = login === undefined ? {} : { [host]: { auth: Buffer.from(login).toString("base64") } };
  writeFileSync(join(home, ".docker/config.json"), JSON.stringify({ auths }));
  return home;
}

async function push(home: string, reference: string, ...flags: readonly string[]): Promise<Outcome> {
  const catalog = join(directory, "catalog");
  mkdirSync(catalog, { recursive: true });
  writeFileSync(join(catalog, "catalog.yaml"), smallCatalog("foo", ["1.0.0"]));
  const parsed = await parseArguments("purser", commands, ["catalog", "push", catalog, reference, ...flags]);
  assert.ok(parsed.kind === "run");
  const terminal = { env: { HOME: home }, progress: () => {}, paint: (_: string, text: string) => text };
  return runCommand(parsed, {
    terminal: terminal as unknown as Invocation["terminal"],
    signal: new AbortController().signal,
  });
}

function digestOf({ data, explanation }: Outcome): string {
  assert.ok(isJsonObject(data), explanation?.summary);
  assert.ok(typeof data["digest"] === "string");
  return data["digest"];
}

test("a registry with a password gets the signature before the tag, and no blob a second time", async () => {
  await using registry = await FaultRegistry.start({ auth: { kind: "basic", username: "jane", password: "hunter2" } });
  const home = homeFor(registry.host, "jane:hunter2");
  const key = join(directory, "key.pem");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  const reference = `${registry.host}/team/catalog:v1`;
  const digest = digestOf(await push(home, reference, "--sign", key));
  const writes = () => registry.requests.filter(({ method }) => method === "PUT" || method === "POST");
  const manifests = writes().flatMap(({ path }) => /\/manifests\/(.*)$/.exec(path)?.[1] ?? []);
  assert.deepEqual(manifests, [`${digest.replace(":", "-")}.sig`, "v1"]);
  registry.requests.length = 0;
  assert.equal(digestOf(await push(home, reference, "--sign", key)), digest);
  assert.deepEqual(
    writes().map(({ path }) => path),
    ["/v2/team/catalog/manifests/v1"],
  );
});

test("a refused push ends with 5, names the status, and shows no password", async () => {
  await using registry = await FaultRegistry.start({ auth: { kind: "basic", username: "jane", password: "hunter2" } });
  for (const login of [undefined, "jane:wrong-hunter"]) {
    const outcome = await push(homeFor(registry.host, login), `${registry.host}/team/catalog:v1`);
    assert.equal(exitCodeOfOutcome(outcome), 5);
    assert.equal(outcome.explanation?.code, "CatalogUnavailable");
    assert.equal(outcome.explanation.facts["httpStatus"], 401);
    assert.doesNotMatch(JSON.stringify(outcome), /hunter/);
  }
});

test("a registry that cannot be reached ends with 9", async () => {
  const registry = await FaultRegistry.start();
  const { host } = registry;
  await registry[Symbol.asyncDispose]();
  assert.equal(exitCodeOfOutcome(await push(homeFor(host), `${host}/team/catalog:v1`)), 9);
});

test(
  "skopeo finds the image in a registry under the digest that push reports",
  {
    skip: missingTools("skopeo", "docker-registry"),
  },
  async () => {
    const registry = await startLocalRegistry();
    try {
      const reference = `${registry.host}/team/catalog:v1`;
      const digest = digestOf(await push(homeFor(registry.host), reference));
      const flags = ["inspect", "--tls-verify=false", `docker://${reference}`];
      const { Digest } = JSON.parse((await promisify(execFile)("skopeo", flags)).stdout) as { readonly Digest: string };
      assert.equal(Digest, digest);
    } finally {
      await registry.stop();
    }
  },
);
