import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { RegistryAuth } from "../registry-auth.ts";
import { PatientClock } from "../testing/patient-clock.ts";
import { parseAuthFile } from "./auth-file.ts";
import { chooseAuth } from "./choose-auth.ts";
import { findCredentials } from "./find-credentials.ts";
import { type Environment, imagePaths } from "./image-paths.ts";
import { pullSecretAuths } from "./pull-secret.ts";

const signal = new AbortController().signal;
const root = mkdtempSync(join(tmpdir(), "credentials-"));
after(() => rmSync(root, { recursive: true }));
const place = { registry: "registry.example", repository: "team/app" };
const secret = "s3cr3t-planted";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
/** A file with one entry for the registry. */
const authFile = (username: string, key = "registry.example"): string =>
  JSON.stringify({ auths: { [key]: { auth: base64(`${username}:${secret}`) } } });

let worlds = 0;
function world(files: Readonly<Record<string, string>>): string {
  const directory = join(root, String(worlds++));
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
    chmodSync(join(directory, name), 0o755);
  }
  return directory;
}

async function find(directory: string, environment: Environment = {}, given: readonly RegistryAuth[] = []) {
  const all = {
    HOME: join(directory, "home"),
    PATH: `${join(directory, "bin")}:${process.env["PATH"]}`,
    ...environment,
  };
  const { authFiles } = imagePaths(all, existsSync, join(directory, "etc"));
  const files = authFiles.filter(({ path }) => path.startsWith(directory));
  return findCredentials(place, { given, authFiles: files, environment: all, clock: systemClock }, signal);
}

const paths = {
  registryAuthFile: "named.json",
  dockerConfig: "docker/config.json",
  docker: "home/.docker/config.json",
  runtime: "run/containers/auth.json",
  config: "xdg/containers/auth.json",
  homeConfig: "home/.config/containers/auth.json",
  old: "home/.dockercfg",
} as const;

const orders: readonly {
  readonly rule: string;
  readonly files: readonly (keyof typeof paths)[];
  readonly set?: readonly ("REGISTRY_AUTH_FILE" | "DOCKER_CONFIG")[];
  readonly wins: keyof typeof paths | undefined;
}[] = [
  {
    rule: "REGISTRY_AUTH_FILE goes first",
    files: ["registryAuthFile", "dockerConfig", "docker", "runtime"],
    set: ["REGISTRY_AUTH_FILE", "DOCKER_CONFIG"],
    wins: "registryAuthFile",
  },
  {
    rule: "DOCKER_CONFIG goes before docker's own directory",
    files: ["dockerConfig", "docker", "runtime"],
    set: ["DOCKER_CONFIG"],
    wins: "dockerConfig",
  },
  {
    rule: "docker's config.json goes before that of container tools",
    files: ["docker", "runtime", "config"],
    wins: "docker",
  },
  {
    rule: "what the named file lacks is looked for in those of container tools",
    files: ["runtime", "docker"],
    set: ["REGISTRY_AUTH_FILE"],
    wins: "runtime",
  },
  { rule: "XDG_RUNTIME_DIR goes before XDG_CONFIG_HOME", files: ["runtime", "config"], wins: "runtime" },
  { rule: "XDG_CONFIG_HOME goes before .dockercfg", files: ["config", "old"], wins: "config" },
  { rule: "XDG_CONFIG_HOME stands in place of .config", files: ["homeConfig"], wins: undefined },
  { rule: ".dockercfg is read last", files: ["old"], wins: "old" },
];
for (const { rule, files, set = [], wins } of orders)
  test(rule, async () => {
    const texts = files.map((name) => {
      const text = authFile(name);
      return [paths[name], name === "old" ? JSON.stringify((JSON.parse(text) as { auths: object }).auths) : text];
    });
    const directory = world(Object.fromEntries(texts) as Record<string, string>);
    const found = await find(directory, {
      XDG_RUNTIME_DIR: join(directory, "run"),
      XDG_CONFIG_HOME: join(directory, "xdg"),
      ...(set.includes("REGISTRY_AUTH_FILE") && { REGISTRY_AUTH_FILE: join(directory, "named.json") }),
      ...(set.includes("DOCKER_CONFIG") && { DOCKER_CONFIG: join(directory, "docker") }),
    });
    assert.ok(found.ok);
    assert.equal(found.value?.username, wins);
  });

test("the caller's credentials go before a file with a more specific path", async () => {
  const directory = world({ [paths.docker]: authFile("file", "registry.example/team/app") });
  const found = await find(directory, {}, [{ path: "registry.example", username: "caller", password: "x" }]);
  assert.ok(found.ok);
  assert.equal(found.value?.username, "caller");
});

const choices: readonly {
  readonly rule: string;
  readonly paths: readonly string[];
  readonly wins: string | undefined;
}[] = [
  {
    rule: "a repository before its namespace",
    paths: ["registry.example/team/app", "registry.example/team", "registry.example"],
    wins: "registry.example/team/app",
  },
  {
    rule: "a namespace before its registry",
    paths: ["registry.example", "registry.example/team"],
    wins: "registry.example/team",
  },
  { rule: "a path ends at a slash", paths: ["registry.example/te", "registry.example/team/ap"], wins: undefined },
  { rule: "a port is part of the host", paths: ["registry.example:5000"], wins: undefined },
  { rule: "a star stands for a part of a label", paths: ["*.example", "reg*.example/team"], wins: "reg*.example/team" },
  { rule: "a star does not stand for several labels", paths: ["*"], wins: undefined },
  {
    rule: "a host without a star before one with it",
    paths: ["registry.example", "*.example"],
    wins: "registry.example",
  },
];
for (const { rule, paths: given, wins } of choices)
  test(`of several credentials the most specific is chosen: ${rule}`, () => {
    const auths = given.map((path) => ({ path, username: path, password: "" }));
    assert.equal(chooseAuth(place, auths)?.path, wins);
  });

const entries: readonly {
  readonly given: string;
  readonly entry: object;
  readonly key?: string;
  readonly auth: Partial<RegistryAuth> | undefined;
}[] = [
  {
    given: "auth in base64, with a colon in the password",
    entry: { auth: base64("ann:a:b") },
    auth: { username: "ann", password: "a:b" },
  },
  {
    given: "username and password",
    entry: { username: "ann", password: "pw" },
    auth: { username: "ann", password: "pw" },
  },
  {
    given: "auth that ends with zeros",
    entry: { auth: base64("ann:pw\0\0") },
    auth: { username: "ann", password: "pw" },
  },
  { given: "an identity token", entry: { identitytoken: "refresh" }, auth: { identityToken: "refresh" } },
  { given: "a registry token", entry: { registrytoken: "bearer" }, auth: { registryToken: "bearer" } },
  { given: "an empty entry", entry: {}, auth: undefined },
  {
    given: "an API URL of version 1",
    key: "https://registry.example/v1/",
    entry: { username: "ann" },
    auth: { path: "registry.example", username: "ann" },
  },
  {
    given: "Docker Hub's old address",
    key: "https://index.docker.io/v1/",
    entry: { username: "ann" },
    auth: { path: "docker.io", username: "ann" },
  },
];
for (const { given, entry, key = "registry.example", auth } of entries)
  test(`an entry with ${given} is read`, () => {
    const file = parseAuthFile(JSON.stringify({ auths: { [key]: entry } }), false);
    assert.ok(file.ok);
    const [found] = file.value.auths;
    assert.deepEqual(found, auth && { path: "registry.example", username: "", password: "", ...auth });
  });

const broken: readonly { readonly given: string; readonly text: string; readonly says: string }[] = [
  { given: "no JSON", text: `{"auths": {"a": {"auth": "${secret}"`, says: "is not valid JSON" },
  { given: "a list", text: `["${secret}"]`, says: "is not a JSON object" },
  { given: "auths as a text", text: `{"auths": "${secret}"}`, says: 'has "auths" that are not an object' },
  {
    given: "an entry that is a text",
    text: `{"auths": {"a": "${secret}"}}`,
    says: 'has an entry for "a" that is not valid',
  },
  {
    given: "auth without a colon",
    text: `{"auths": {"a": {"auth": "${base64(secret)}"}}}`,
    says: 'has an entry for "a" that is not valid',
  },
  {
    given: "a password that is a number",
    text: `{"auths": {"a": {"password": 5}}}`,
    says: 'has an entry for "a" that is not valid',
  },
];
for (const { given, text, says } of broken)
  test(`an auth file with ${given} is a problem that repeats nothing of it`, async () => {
    const directory = world({ [paths.docker]: text });
    const found = await find(directory);
    assert.ok(!found.ok);
    assert.ok(found.problem.startsWith(`${join(directory, paths.docker)}: ${says}`), found.problem);
    assert.ok(!found.problem.includes(secret) && !found.problem.includes(base64(secret)));
  });

const script = (body: string): string => `#!/bin/sh\nread server\n${body}\n`;
const answer = (username: string): string =>
  script(`echo "{\\"ServerURL\\":\\"$server\\",\\"Username\\":\\"${username}\\",\\"Secret\\":\\"${secret}\\"}"`);
const helpers: readonly {
  readonly given: string;
  readonly config: object;
  readonly program: string;
  readonly found: Result<RegistryAuth | undefined, string>;
  /** Of the credentials; by default the helper `own`. */
  readonly source?: "entry";
}[] = [
  {
    given: "a helper of the registry goes before an entry",
    config: {
      credHelpers: { "registry.example": "own" },
      auths: { "registry.example": { username: "entry" } },
      credsStore: "other",
    },
    program: answer("helper"),
    found: done({ path: "registry.example", username: "helper", password: secret }),
  },
  {
    given: "an entry goes before the store",
    config: { credsStore: "own", auths: { "registry.example": { username: "entry", password: "pw" } } },
    program: answer("helper"),
    found: done({ path: "registry.example", username: "entry", password: "pw" }),
    source: "entry",
  },
  {
    given: "the store is asked for a registry with an empty entry",
    config: { credsStore: "own", auths: { "registry.example": {} } },
    program: answer("helper"),
    found: done({ path: "registry.example", username: "helper", password: secret }),
  },
  {
    given: "user name <token> means an identity token",
    config: { credsStore: "own" },
    program: answer("<token>"),
    found: done({ path: "registry.example", username: "", password: "", identityToken: secret }),
  },
  {
    given: "a helper gets the registry on its standard input",
    config: { credsStore: "own" },
    program: script(`echo "{\\"Username\\":\\"$server\\",\\"Secret\\":\\"x\\"}"`),
    found: done({ path: "registry.example", username: "registry.example", password: "x" }),
  },
  {
    given: "a helper without credentials is none",
    config: { credsStore: "own" },
    program: script("echo credentials not found in native keychain; exit 1"),
    found: done(undefined),
  },
  {
    given: "a store that is not installed is none",
    config: { credsStore: "missing" },
    program: script(""),
    found: done(undefined),
  },
  {
    given: "a helper of the registry that is not installed is a problem",
    config: { credHelpers: { "registry.example": "missing" } },
    program: script(""),
    found: failed("credential helper docker-credential-missing is not on the PATH"),
  },
  {
    given: "a helper that fails is a problem",
    config: { credsStore: "own" },
    program: script(`echo ${secret}; echo ${secret} >&2; exit 3`),
    found: failed("credential helper docker-credential-own failed with exit code 3"),
  },
  {
    given: "a helper that prints something else is a problem",
    config: { credsStore: "own" },
    program: script(`echo ${secret}`),
    found: failed("credential helper docker-credential-own printed something that is no credentials"),
  },
  {
    given: "a helper that prints without end is a problem",
    config: { credsStore: "own" },
    program: script(`while :; do echo ${secret}${secret}${secret}${secret}; done`),
    found: failed("credential helper docker-credential-own printed more than 65536 characters"),
  },
  {
    given: "a helper with a path is a problem",
    config: { credsStore: "../own" },
    program: script(""),
    found: failed('credential helper "../own" is not a program name'),
  },
];
for (const { given, config, program, found, source } of helpers)
  test(given, async () => {
    const directory = world({ [paths.docker]: JSON.stringify(config), "bin/docker-credential-own": program });
    const file = join(directory, paths.docker);
    const from = source === "entry" ? `auth file ${file}` : `credential helper docker-credential-own (${file})`;
    assert.deepEqual(
      await find(directory),
      found.ok && found.value !== undefined ? done({ ...found.value, source: from }) : found,
    );
  });

test("of equally specific credentials of the caller the first count, of others the most specific", async () => {
  const auth = (username: string, path: string): RegistryAuth => ({ path, username, password: "" });
  const given = [auth("first", "registry.example"), auth("second", "registry.example")];
  const found = await find(world({}), {}, given);
  assert.deepEqual(found, done(given[0]));
  const specific = auth("team", "registry.example/team");
  assert.deepEqual(await find(world({}), {}, [...given, specific]), done(specific));
});

test("a helper that does not end is a problem after its time", async () => {
  const directory = world({
    [paths.docker]: `{"credsStore": "own"}`,
    "bin/docker-credential-own": script("exec sleep 1000"),
  });
  const { authFiles } = imagePaths({ HOME: join(directory, "home") }, existsSync, directory);
  const environment = { PATH: `${join(directory, "bin")}:${process.env["PATH"]}` };
  const files = authFiles.filter(({ path }) => path.startsWith(directory));
  // Its pauses, such as the time of a helper, end at once.
  const clock = new PatientClock(10 ** 9);
  const found = await findCredentials(place, { given: [], authFiles: files, environment, clock }, signal);
  assert.deepEqual(found, failed("credential helper docker-credential-own did not finish within 30 s"));
});

test("the helpers of registries.conf are asked in their order for what no file has", async () => {
  const directory = world({
    [paths.docker]: JSON.stringify({ auths: { "other.example": { username: "entry", password: "pw" } } }),
    "bin/docker-credential-none": script("echo credentials not found in native keychain; exit 1"),
    "bin/docker-credential-own": answer("helper"),
  });
  const environment = { PATH: `${join(directory, "bin")}:${process.env["PATH"]}` };
  const authFiles = [{ path: join(directory, paths.docker), isOldFormat: false }];
  const sources = { given: [], authFiles, helpers: ["none", "own"], environment, clock: systemClock };
  const asked = await findCredentials(place, sources, signal);
  const source = "credential helper docker-credential-own (registries.conf)";
  assert.deepEqual(asked, done({ path: "registry.example", username: "helper", password: secret, source }));
  const listed = await findCredentials({ ...place, registry: "other.example" }, sources, signal);
  assert.equal(listed.ok && listed.value?.username, "entry");
  const missing = await findCredentials(place, { ...sources, helpers: ["missing"] }, signal);
  assert.deepEqual(missing, failed("credential helper docker-credential-missing is not on the PATH"));
});

test("Docker Hub is asked for under the address that docker logs in to", async () => {
  const directory = world({
    "bin/docker-credential-own": script(`echo "{\\"Username\\":\\"$server\\",\\"Secret\\":\\"x\\"}"`),
    "a.json": `{"credsStore":"own"}`,
  });
  const environment = { PATH: `${join(directory, "bin")}:${process.env["PATH"]}` };
  const authFiles = [{ path: join(directory, "a.json"), isOldFormat: false }];
  const hub = { registry: "docker.io", repository: "library/app" };
  const found = await findCredentials(hub, { given: [], authFiles, environment, clock: systemClock }, signal);
  assert.ok(found.ok);
  assert.equal(found.value?.username, "https://index.docker.io/v1/");
});

test("pull secrets of both types are read", () => {
  const entry = { "registry.example": { username: "ann", password: "pw" } };
  const auths = done([{ path: "registry.example", username: "ann", password: "pw" }]);
  assert.deepEqual(pullSecretAuths({ data: { ".dockerconfigjson": base64(JSON.stringify({ auths: entry })) } }), auths);
  assert.deepEqual(pullSecretAuths({ data: { ".dockercfg": base64(JSON.stringify(entry)) } }), auths);
});

test("a Secret of another kind, and one that is broken, are problems", () => {
  assert.deepEqual(
    pullSecretAuths({ data: { password: base64(secret) } }),
    failed("has neither .dockerconfigjson nor .dockercfg"),
  );
  const result = pullSecretAuths({ data: { ".dockerconfigjson": base64(`{"auths": {"a": ${secret}`) } });
  assert.ok(!result.ok && result.problem.startsWith("key .dockerconfigjson is not valid JSON"));
  assert.ok(!JSON.stringify(result).includes(secret));
});
