import { after, test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inClusterAccess } from "./in-cluster.ts";
import { describeKubeconfigProblem, loadKubeconfig, parseKubeconfig } from "./kubeconfig.ts";

const directory = mkdtempSync(join(tmpdir(), "kubeconfig-"));
after(() => rmSync(directory, { recursive: true }));
function aFile(name: string, content: string): string {
  mkdirSync(join(directory, name, ".."), { recursive: true });
  writeFileSync(join(directory, name), content);
  return join(directory, name);
}

const first = aFile(
  "first/config",
  `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: dev
  context: { cluster: one, user: ann, namespace: team }
- name: broken
  context: { cluster: nowhere, user: ann }
- name: userless
  context: { cluster: one, user: nobody }
clusters:
- name: one
  cluster:
    server: https://one.example:6443/
    certificate-authority: pki/ca.crt
    tls-server-name: api.example
users:
- name: ann
  user: { client-certificate: ann.crt, client-key-data: a2V5 }
`,
);
const second = aFile(
  "second/config",
  `
current-context: other
contexts:
- name: dev
  context: { cluster: two, user: bob }
- name: other
  context: { cluster: two, user: bob }
clusters:
- name: two
  cluster: { server: "http://two.example", insecure-skip-tls-verify: true, proxy-url: "http://proxy:3128" }
users:
- name: bob
  user:
    as: carol
    as-groups: [a, b]
    as-user-extra: { scope: [x] }
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./login
      args: [--now]
      env: [{ name: REGION, value: eu }]
      interactiveMode: Never
      provideClusterInfo: true
`,
);

test("file paths are relative to the kubeconfig's directory", () => {
  const loaded = loadKubeconfig({ path: first, env: {} });
  assert.ok(loaded.ok);
  assert.deepEqual(loaded.value, {
    server: "https://one.example:6443",
    context: "dev",
    namespace: "team",
    authority: { kind: "file", path: join(directory, "first/pki/ca.crt") },
    tlsServerName: "api.example",
    clientCertificate: {
      certificate: { kind: "file", path: join(directory, "first/ann.crt") },
      key: { kind: "inline", pem: "key" },
    },
  });
});

test("of several files in KUBECONFIG the first entry of a name is used, and missing files are ignored", () => {
  const env = { KUBECONFIG: `${join(directory, "absent")}:${first}:${second}`, HOME: "/nonexistent" };
  const current = loadKubeconfig({ env });
  assert.ok(current.ok);
  assert.equal(current.value.server, "https://one.example:6443");
  const other = loadKubeconfig({ env, context: "other" });
  assert.ok(other.ok);
  assert.deepEqual(other.value, {
    server: "http://two.example",
    context: "other",
    insecureSkipTlsVerify: true,
    proxyUrl: "http://proxy:3128",
    bearer: {
      kind: "exec",
      plugin: {
        command: join(directory, "second/login"),
        args: ["--now"],
        env: { REGION: "eu" },
        apiVersion: "client.authentication.k8s.io/v1",
        provideClusterInfo: true,
        interactiveMode: "Never",
      },
    },
    impersonate: { name: "carol", groups: ["a", "b"], extra: { scope: ["x"] } },
  });
});

test("without KUBECONFIG the file in the home directory is used", () => {
  aFile(
    "home/.kube/config",
    JSON.stringify({
      "current-context": "h",
      contexts: [{ name: "h", context: { cluster: "c" } }],
      clusters: [{ name: "c", cluster: { server: "https://h" } }],
    }),
  );
  const loaded = loadKubeconfig({ env: { HOME: join(directory, "home") } });
  assert.ok(loaded.ok);
  assert.deepEqual(loaded.value, { server: "https://h", context: "h" });
});

const contextC =
  'current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: {server: "https://k"}}]\n';
const problems: readonly { readonly given: string; readonly text: string; readonly says: string }[] = [
  {
    given: "no current context",
    text: "contexts: [{name: a, context: {}}]",
    says: 'The kubeconfig names no current context, choose one of "a"',
  },
  {
    given: "an unknown context",
    text: "current-context: x\ncontexts: []",
    says: 'The kubeconfig has no context "x", only none',
  },
  { given: "an unknown user", text: contextC, says: 'The context "c" names the user "u", which the kubeconfig lacks' },
  {
    given: "an auth provider",
    text: `${contextC}users: [{name: u, user: {auth-provider: {name: gcp}}}]`,
    says: 'The kubeconfig asks for the auth-provider of the user "u", which is not supported',
  },
  {
    given: "a SOCKS proxy",
    text: contextC.replace('"https://k"', '"https://k", proxy-url: "socks5://p:1"') + "users: [{name: u, user: {}}]",
    says: 'The kubeconfig asks for the proxy "socks5://p:1", which is not supported',
  },
  {
    given: "an unknown cluster",
    text: "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]",
    says: 'The context "c" names the cluster "k", which the kubeconfig lacks',
  },
  {
    given: "a cluster without a server",
    text: "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: ''}}]",
    says: 'The context "c" names the cluster "k", which the kubeconfig lacks',
  },
  { given: "a list", text: "[1]", says: "config: not a kubeconfig" },
];
for (const { given, text, says } of problems) {
  test(`${given} is reported as a problem`, () => {
    const parsed = parseKubeconfig(text, { file: "config", directory: "/" });
    assert.ok(!parsed.ok);
    assert.equal(describeKubeconfigProblem(parsed.problem), says);
  });
}

test("broken YAML is a problem with its line", () => {
  const parsed = parseKubeconfig("a: 1\nb: [", { file: "config", directory: "/" });
  assert.ok(!parsed.ok && parsed.problem.kind === "malformed");
  assert.equal(parsed.problem.place.file, "config");
  assert.ok((parsed.problem.place.line ?? 0) >= 2);
});

test("a requested file that does not exist is a problem, even inside a cluster", () => {
  const loaded = loadKubeconfig({ path: join(directory, "absent"), env: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } });
  assert.ok(!loaded.ok);
  assert.equal(loaded.problem.kind, "unreadable");
});

test("the problem for a missing configuration lists the searched places", () => {
  const loaded = loadKubeconfig({ env: { HOME: join(directory, "empty") } });
  assert.deepEqual(loaded, {
    ok: false,
    problem: { kind: "noConfiguration", looked: [join(directory, "empty/.kube/config")] },
  });
});

test("a pod uses the mounted token and authority", () => {
  for (const name of ["token", "ca.crt", "namespace"]) aFile(`mounted/${name}`, name === "namespace" ? "team\n" : "x");
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  assert.deepEqual(inClusterAccess(env, join(directory, "mounted")), {
    server: "https://[fd00::1]:443",
    bearer: { kind: "file", path: join(directory, "mounted/token") },
    authority: { kind: "file", path: join(directory, "mounted/ca.crt") },
    namespace: "team",
  });
  assert.equal(inClusterAccess({}, join(directory, "mounted")), undefined);
});

test("the sentences for what cannot be read name the file or the searched places", () => {
  const looked = (...files: readonly string[]) => describeKubeconfigProblem({ kind: "noConfiguration", looked: files });
  assert.equal(looked("/a", "/b"), "No kubeconfig found, looked for /a, /b");
  assert.equal(looked(), "No kubeconfig found, looked for none");
  assert.equal(
    describeKubeconfigProblem({ kind: "unreadable", file: "/a", message: "no rights" }),
    'Cannot read the kubeconfig "/a": no rights',
  );
});

const exec = {
  args: [],
  env: {},
  apiVersion: "client.authentication.k8s.io/v1",
  provideClusterInfo: false,
  interactiveMode: "IfAvailable",
};
const users: readonly (readonly [user: string, bearer: unknown])[] = [
  ["{}", undefined],
  ["{token: t}", { kind: "token", token: "t" }],
  ["{token: ''}", undefined],
  ["{token: t, tokenFile: f}", { kind: "file", path: "/dir/f" }],
  ["{username: ann, password: p}", { kind: "basic", username: "ann", password: "p" }],
  ["{username: ann}", { kind: "basic", username: "ann", password: "" }],
  ["{password: p}", undefined],
  ["{token: t, username: ann}", { kind: "token", token: "t" }],
  ["{exec: {command: login}}", { kind: "exec", plugin: { ...exec, command: "login" } }],
  [
    "{username: ann, exec: {command: bin/login, interactiveMode: Always, installHint: 'get it', args: [1, a], env: [{name: A}, {value: b}, 1]}}",
    {
      kind: "exec",
      plugin: {
        ...exec,
        command: "/dir/bin/login",
        args: ["a"],
        env: { A: "" },
        interactiveMode: "Always",
        installHint: "get it",
      },
    },
  ],
  ["{exec: {command: login, interactiveMode: Sometimes}}", { kind: "exec", plugin: { ...exec, command: "login" } }],
  ["{exec: 1}", undefined],
];
for (const [user, bearer] of users)
  test(`the user ${user} ${bearer === undefined ? "has no credential" : "has its credential"}`, () => {
    const parsed = parseKubeconfig(`${contextC}users: [{name: u, user: ${user}}]`, { directory: "/dir" });
    assert.ok(parsed.ok);
    assert.deepEqual(parsed.value.bearer, bearer);
  });

test("impersonation has the uid and the texts among groups and extras", () => {
  const user = "{as: carol, as-uid: '7', as-groups: [a, 1], as-user-extra: {scope: [x, 2], one: y}}";
  const parsed = parseKubeconfig(`${contextC}users: [{name: u, user: ${user}}]`, { directory: "/dir" });
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value.impersonate, {
    name: "carol",
    uid: "7",
    groups: ["a"],
    extra: { scope: ["x"], one: [] },
  });
});

test("half a key pair is no certificate, and inline data goes before a file", () => {
  const certificateOf = (user: string) => {
    const parsed = parseKubeconfig(`${contextC}users: [{name: u, user: ${user}}]`, { directory: "/dir" });
    return parsed.ok ? parsed.value.clientCertificate : assert.fail();
  };
  assert.equal(certificateOf("{client-certificate: a.crt}"), undefined);
  assert.equal(certificateOf("{client-key: a.key}"), undefined);
  assert.deepEqual(certificateOf("{client-certificate: a.crt, client-certificate-data: YQ==, client-key: /a.key}"), {
    certificate: { kind: "inline", pem: "a" },
    key: { kind: "file", path: "/a.key" },
  });
});

test("a listed cluster is used, with its extensions that have a name and an object", () => {
  const extensions = "[1, {extension: {a: 1}}, {name: text, extension: x}, {name: kept, extension: {a: 1}}]";
  const given = contextC.replace(", user: u", "").replace('"https://k"', `"https://k//", extensions: ${extensions}`);
  assert.deepEqual(parseKubeconfig(given, { directory: "/" }), {
    ok: true,
    value: { server: "https://k", context: "c", extensions: { kept: { a: 1 } } },
  });
});

test("a pod without an authority and a namespace has the token alone; outside a pod there is no access", () => {
  const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" };
  aFile("bare/token", "x");
  const mounted = join(directory, "bare");
  assert.deepEqual(inClusterAccess(pod, mounted), {
    server: "https://10.0.0.1:6443",
    bearer: { kind: "file", path: join(mounted, "token") },
  });
  for (const env of [{ ...pod, KUBERNETES_SERVICE_HOST: "" }, { KUBERNETES_SERVICE_HOST: "10.0.0.1" }])
    assert.equal(inClusterAccess(env, mounted), undefined);
  assert.equal(inClusterAccess(pod, join(directory, "absent")), undefined);
});
