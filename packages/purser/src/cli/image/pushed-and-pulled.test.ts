import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Result } from "@purser/kubernetes/result";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { createImages } from "../../image/create-images.ts";
import type { ImageProblem } from "../../image/image-problem.ts";
import { createImageVerifier, type Verdict } from "../../image/policy/verify-image.ts";
import type { PulledImage } from "../../image/pulled-image.ts";
import { commands } from "../commands.ts";
import type { Invocation } from "../command.ts";
import { parseArguments, runCommand } from "../program.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-pushed-"))));
after(() => rmSync(directory, { recursive: true, force: true }));
const { signal } = new AbortController();
const terminal = { progress: () => {}, paint: (_: string, text: string) => text } as unknown as Invocation["terminal"];

async function push(...args: readonly string[]): Promise<void> {
  const parsed = await parseArguments("purser", commands, ["catalog", "push", ...args]);
  assert.ok(parsed.kind === "run");
  const outcome = await runCommand(parsed, { terminal, signal });
  assert.equal(outcome.exitCode, 0, outcome.explanation?.summary);
}

/** Pulls an image under a policy that asks for a signature by `key` in the name of `quay.io/acme/catalog:v1`. */
async function pull(
  reference: string,
  key: { readonly publicKey: { export(options: { type: "spki"; format: "pem" }): string | Buffer } },
): Promise<{ readonly pulled: Result<PulledImage, ImageProblem>; readonly verdict: Verdict | undefined }> {
  const keyData = Buffer.from(key.publicKey.export({ type: "spki", format: "pem" })).toString("base64");
  const signedIdentity = { type: "exactReference", dockerReference: "quay.io/acme/catalog:v1" };
  const policy = join(mkdtempSync(join(directory, "policy-")), "policy.json");
  writeFileSync(policy, JSON.stringify({ default: [{ type: "sigstoreSigned", keyData, signedIdentity }] }));
  const verifyImage = createImageVerifier({ policyFiles: [policy] });
  let verdict: Verdict | undefined;
  const images = createImages({
    directory: mkdtempSync(join(directory, "store-")),
    clock: systemClock,
    openSource: () => assert.fail("no registry is asked"),
    verify: async (question, aborts) => {
      const verified = await verifyImage(question, aborts);
      if (!verified.ok) return verified;
      verdict = verified.value;
      return { ok: true, value: undefined };
    },
  });
  try {
    const pulled = await images.pull({ reference, wanted: "catalog", credentials: [], policy: [] }, { signal });
    if (pulled.ok) assert.ok(existsSync(pulled.value.directory));
    return { pulled, verdict };
  } finally {
    await images.close();
  }
}

test("a signed catalog is pulled from a layout and from an archive, and refused when another key is wanted", async () => {
  const catalog = join(directory, "catalog");
  mkdirSync(catalog);
  const text = smallCatalog("foo", ["1.0.0"]);
  writeFileSync(join(catalog, "catalog.yaml"), text);
  const [own, other] = [1, 2].map(() => generateKeyPairSync("ec", { namedCurve: "P-256" }));
  assert.ok(own !== undefined && other !== undefined);
  const key = join(directory, "key.pem");
  writeFileSync(key, own.privateKey.export({ type: "pkcs8", format: "pem" }));
  for (const reference of [`oci:${join(directory, "layout")}:v1`, `oci-archive:${join(directory, "a.tar")}:v1`]) {
    await push(catalog, reference, "--sign", key, "--sign-identity", "quay.io/acme/catalog:v1");
    const { pulled, verdict } = await pull(reference, own);
    assert.ok(pulled.ok, pulled.ok ? "" : pulled.problem.cause);
    assert.equal(readFileSync(join(pulled.value.directory, "catalog.yaml"), "utf8"), text);
    assert.equal(verdict?.scope, "default");
    assert.equal(verdict.signer?.kind, "key");
    const refused = await pull(reference, other);
    assert.ok(!refused.pulled.ok);
    assert.equal(refused.pulled.problem.kind, "signature");
    assert.match(refused.pulled.problem.cause, /: an unnamed key: no key of the policy has signed it$/);
  }
});

test("an unsigned catalog is refused before anything is unpacked", async () => {
  const catalog = join(directory, "unsigned");
  mkdirSync(catalog);
  writeFileSync(join(catalog, "catalog.yaml"), smallCatalog("foo", ["1.0.0"]));
  const reference = `oci:${join(directory, "unsigned-layout")}`;
  await push(catalog, reference);
  const { pulled } = await pull(reference, generateKeyPairSync("ec", { namedCurve: "P-256" }));
  assert.ok(!pulled.ok);
  assert.match(pulled.problem.cause, /: it has no signature$/);
});
