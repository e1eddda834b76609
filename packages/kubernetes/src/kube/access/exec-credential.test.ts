import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../json.ts";
import type { ExecPlugin } from "./cluster-access.ts";
import { type ExecCredential, runExecPlugin } from "./exec-credential.ts";

const plugin = (script: string, more: Partial<ExecPlugin> = {}): ExecPlugin => ({
  command: "/bin/sh",
  args: ["-c", script],
  env: {},
  apiVersion: "client.authentication.k8s.io/v1",
  provideClusterInfo: false,
  interactiveMode: "Never",
  ...more,
});

const env = { PATH: process.env["PATH"] };

/** What comes of a plugin that prints this. */
const given = (printed: string): Promise<ExecCredential> =>
  runExecPlugin(plugin(`printf %s "$PRINTED"`, { env: { PRINTED: printed } }), undefined, env, false);

const ofStatus = (status: JsonObject): Promise<ExecCredential> => given(JSON.stringify({ status }));

test("a credential has the parts that the plugin printed, and no others", async () => {
  assert.deepEqual(await ofStatus({ token: "t" }), { token: "t" });
  const pair = { clientCertificateData: "c", clientKeyData: "k" };
  assert.deepEqual(await ofStatus(pair), { certificatePem: "c", keyPem: "k" });
  assert.deepEqual(await ofStatus({ ...pair, token: "", expirationTimestamp: "2026-03-04T05:06:07Z" }), {
    certificatePem: "c",
    keyPem: "k",
    expiresAt: Date.UTC(2026, 2, 4, 5, 6, 7),
  });
  assert.deepEqual(await ofStatus({ token: "t", clientKeyData: "k", expirationTimestamp: "soon" }), {
    token: "t",
    keyPem: "k",
  });
});

test("an answer without a token, or with half a key pair, is refused", async () => {
  const refusal = {
    name: "ExecPluginError",
    message: 'The credential plugin "/bin/sh" gave neither token nor certificate',
  };
  for (const status of [{}, { token: 5 }, { token: "" }, { clientCertificateData: "c" }, { clientKeyData: "k" }])
    await assert.rejects(ofStatus(status), refusal);
  for (const answer of ["[]", "null", '{"status":"t"}', '{"token":"t"}']) await assert.rejects(given(answer), refusal);
  await assert.rejects(given("not JSON"), {
    name: "ExecPluginError",
    message: 'The credential plugin "/bin/sh" printed no JSON',
  });
});

test("a plugin that fails or does not exist is an error with its command, and the hint when it is not installed", async () => {
  await assert.rejects(runExecPlugin(plugin(`printf '{"status":{"token":"t"}}'; exit 3`), undefined, env, false), {
    name: "ExecPluginError",
    message: 'The credential plugin "/bin/sh" ended with code 3',
  });
  const missing = plugin("", { command: "/nowhere/login" });
  await assert.rejects(runExecPlugin(missing, undefined, env, false), {
    name: "ExecPluginError",
    message: 'Cannot run the credential plugin "/nowhere/login"',
  });
  await assert.rejects(runExecPlugin({ ...missing, installHint: "Install login." }, undefined, env, false), {
    message: 'Cannot run the credential plugin "/nowhere/login". Install login.',
  });
  // A directory is not run either, but it is not missing.
  await assert.rejects(
    runExecPlugin({ ...missing, command: "/tmp", installHint: "Install login." }, undefined, env, false),
    {
      message: 'Cannot run the credential plugin "/tmp"',
    },
  );
});

/** Prints as a token what the plugin is given in KUBERNETES_EXEC_INFO. */
const telling = `printf '{"status":{"token":"%s"}}' "$(printf %s "$KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')"`;

const toldTo = async (
  more: Partial<ExecPlugin>,
  cluster: JsonObject | undefined,
  hasTerminal: boolean,
): Promise<unknown> => {
  const { token = "" } = await runExecPlugin(plugin(telling, more), cluster, env, hasTerminal);
  return JSON.parse(Buffer.from(token, "base64").toString("utf8"));
};

test("a plugin learns whether it may ask, and the cluster if it wants to know it", async () => {
  const info = (spec: JsonObject): JsonObject => ({
    kind: "ExecCredential",
    apiVersion: "client.authentication.k8s.io/v1",
    spec,
  });
  const cluster = { server: "https://one" };
  assert.deepEqual(await toldTo({}, cluster, true), info({ interactive: false }));
  assert.deepEqual(await toldTo({ interactiveMode: "IfAvailable" }, cluster, false), info({ interactive: false }));
  assert.deepEqual(await toldTo({ interactiveMode: "IfAvailable" }, cluster, true), info({ interactive: true }));
  assert.deepEqual(await toldTo({ interactiveMode: "Always" }, cluster, true), info({ interactive: true }));
  const informed = { provideClusterInfo: true };
  assert.deepEqual(await toldTo(informed, cluster, false), info({ interactive: false, cluster }));
  assert.deepEqual(await toldTo(informed, undefined, false), info({ interactive: false }));
});

test("a plugin that must ask is not run without a terminal", async () => {
  await assert.rejects(runExecPlugin(plugin(telling, { interactiveMode: "Always" }), undefined, env, false), {
    name: "ExecPluginError",
    message: 'The credential plugin "/bin/sh" needs a terminal',
  });
});

test("the environment of a plugin is that of the program with its own on top", async () => {
  const script = `printf '{"status":{"token":"%s %s"}}' "$A" "$B"`;
  const { token } = await runExecPlugin(plugin(script, { env: { B: "own" } }), undefined, { A: "a", B: "b" }, false);
  assert.equal(token, "a own");
});

test("a plugin that may not ask reads nothing from standard input", async () => {
  const script = `printf '{"status":{"token":"<%s>"}}' "$(cat)"`;
  assert.deepEqual(await runExecPlugin(plugin(script), undefined, env, false), { token: "<>" });
});
