import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { rootCertificates } from "node:tls";
import { hostCertificates } from "./host-certificates.ts";
import { RegistryConnections } from "./registry-connections.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-connections-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const url = (text: string): URL => new URL(text);
const [authority = "", another = ""] = rootCertificates;

/** Directories with these files, and connections that use them. */
function connections(files: Readonly<Record<string, string>> = {}, environment: Record<string, string> = {}) {
  const root = mkdtempSync(join(directory, "root-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const settings = { hostRoots: [join(root, "none"), root], authorities: [], environment };
  const opened = new RegistryConnections(settings);
  after(() => opened.close());
  const ask = (text: string, verify = true) => {
    const found = opened.dispatcher(url(text), verify);
    return found.ok ? found.value : found.problem.text.replaceAll(root, "ROOT");
  };
  return { opened, ask, root, settings };
}

test("hosts share connections as long as certificates, proxy and how much is trusted are the same", () => {
  const { ask, opened, root, settings } = connections({ "own.io/ca.crt": authority });
  const first = ask("https://a.io/v2/");
  assert.equal(ask("https://b.io/v2/"), first);
  assert.equal(ask("http://c.io/v2/"), first);
  assert.notEqual(ask("https://a.io/v2/", false), first);
  assert.equal(ask("https://a.io/v2/", false), ask("https://b.io/v2/", false));
  const own = ask("https://own.io/v2/");
  assert.notEqual(own, first);
  writeFileSync(join(root, "own.io/ca.crt"), another + another);
  const changed = ask("https://own.io/v2/");
  assert.notEqual(changed, own);
  assert.deepEqual(
    [opened.widen(url("https://a.io/")), opened.widen(url("https://a.io/")), opened.widen(url("http://b.io/"))],
    [true, false, false],
  );
  assert.notEqual(ask("https://a.io/v2/"), first);
  assert.equal(ask("https://b.io/v2/"), first);
  assert.equal(opened.proxyHost(url("https://a.io/")), undefined);
  settings.environment["HTTPS_PROXY"] = "proxy.io:3128";
  assert.equal(opened.proxyHost(url("https://a.io/")), "proxy.io:3128");
  assert.notEqual(ask("https://b.io/v2/"), first);
  assert.equal(ask("http://b.io/v2/"), first);
});

test("of seventeen ways to connect the oldest is closed", async () => {
  const { ask, settings } = connections();
  const through = (number: number): unknown => {
    settings.environment["HTTPS_PROXY"] = `http://proxy${number}.io`;
    return ask("https://a.io/");
  };
  const all = Array.from({ length: 16 }, (_, at) => through(at));
  assert.deepEqual(
    all.map((one, at) => through(at) === one),
    all.map(() => true),
  );
  const newest = through(16);
  const closed = all.map((one) => (one as { readonly closed: boolean }).closed);
  assert.deepEqual(closed, [true, ...Array.from({ length: 15 }, () => false)]);
  assert.equal(through(16), newest);
  assert.notEqual(through(0), all[0]);
});

test("what is known of a host counts until its time is over", () => {
  const { opened } = connections();
  const endpoint = { origin: "https://a.io", challenges: [], until: 100 };
  opened.rememberEndpoint("a.io", endpoint);
  assert.deepEqual(
    [opened.endpoint("a.io", 99), opened.endpoint("a.io", 100), opened.endpoint("b.io", 0)],
    [endpoint, undefined, undefined],
  );
});

test("settings that cannot be used are named, with the file and without its content", () => {
  const problems = (files: Readonly<Record<string, string>>, environment: Record<string, string> = {}) =>
    connections(files, environment).ask("https://a.io/v2/");
  assert.equal(
    problems({}, { HTTPS_PROXY: "ftp://x" }),
    "requests to a.io have no usable proxy: HTTPS_PROXY is not the URL of a http, https or socks5 proxy",
  );
  assert.equal(problems({ "a.io/ca.crt": "no" }), "a.io cannot be reached: ROOT/a.io/ca.crt holds no certificate");
  assert.equal(
    problems({ "a.io/client.cert": authority }),
    "a.io cannot be reached: ROOT/a.io/client.cert has no client.key beside it",
  );
  assert.equal(
    problems({ "a.io/client.key": "k" }),
    "a.io cannot be reached: ROOT/a.io/client.key has no client.cert beside it",
  );
  assert.equal(
    problems({ "a.io/client.cert": authority, "a.io/client.key": "k" }),
    "a.io cannot be reached: the client certificate ROOT/a.io/client.cert and the key beside it cannot be used (unsupported)",
  );
  assert.equal(
    problems({ "proxy.io/ca.crt": "no" }, { HTTPS_PROXY: "https://proxy.io" }),
    "the proxy for a.io cannot be used: ROOT/proxy.io/ca.crt holds no certificate",
  );
});

test("certificates of a host are read from the first directory that has it, and again when a file has changed", () => {
  const root = (name: string): string => join(directory, "hosts", name);
  for (const name of ["first", "second"]) mkdirSync(join(root(name), "a.io:5000"), { recursive: true });
  const files = { "b.crt": another, "a.crt": authority, "client.cert": "CERT", "client.key": "KEY", "notes.txt": "" };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root("first"), "a.io:5000", name), text);
  writeFileSync(join(root("second"), "a.io:5000", "c.crt"), "no");
  symlinkSync("nowhere", join(root("first"), "a.io:5000", "z.crt"));
  writeFileSync(join(directory, "shared.pem"), another);
  const places = {
    hostRoots: [join(directory, "missing"), root("first"), root("second")],
    authorities: [join(directory, "shared.pem")],
  };
  const found = hostCertificates("a.io:5000", places, undefined);
  assert.ok(found.ok);
  assert.deepEqual(found.value.authorities, [another, authority, another]);
  assert.deepEqual(found.value.client, {
    path: join(root("first"), "a.io:5000", "client.cert"),
    certificate: "CERT",
    key: "KEY",
  });
  const again = hostCertificates("a.io:5000", places, found.value);
  assert.equal(again.ok && again.value, found.value);
  writeFileSync(join(root("first"), "a.io:5000", "a.crt"), `${authority}\n`);
  const changed = hostCertificates("a.io:5000", places, found.value);
  assert.notEqual(changed.ok && changed.value, found.value);
  const plain = hostCertificates("b.io", { ...places, authorities: [] }, undefined);
  assert.deepEqual(plain, { ok: true, value: { fingerprint: "", authorities: [] } });
  const empty = join(directory, "empty");
  mkdirSync(empty);
  assert.deepEqual(hostCertificates("b.io", { ...places, authorities: [empty] }, undefined), {
    ok: false,
    problem: `no certificates found in ${empty}`,
  });
  const gone = hostCertificates("b.io", { ...places, authorities: [join(directory, "gone")] }, undefined);
  assert.match(gone.ok ? "" : gone.problem, /^certificates cannot be read: ENOENT/);
});
