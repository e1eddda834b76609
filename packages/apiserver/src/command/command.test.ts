import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { startApiServer } from "../start-api-server.ts";
import type { StartOptions } from "../start-api-server.ts";
import { runCommand } from "./run-command.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-apiserver-test-"));
after(() => rmSync(scratch, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command; `whenReady` gets what it printed, and the command is stopped after it. */
async function command(
  args: readonly string[],
  whenReady: (out: string) => Promise<void> = async () => {},
): Promise<Ended> {
  const stopping = new AbortController();
  let [out, err] = ["", ""];
  let visit: Promise<void> | undefined;
  const code = await runCommand(args, {
    out: (lines) => {
      out += `${lines}\n`;
      visit = whenReady(out).finally(() => stopping.abort());
    },
    err: (line) => (err += `${line}\n`),
    signal: stopping.signal,
  });
  await visit;
  return { code, out, err };
}

async function get(url: string, credentials: object): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((done, refuse) => {
    const asked = request(url, { ...credentials, agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => done({ status: response.statusCode ?? 0, body }));
    });
    asked.on("error", refuse).end();
  });
}

async function running(options: StartOptions) {
  const started = await startApiServer({ controllers: false, ...options });
  assert.ok(started.ok, JSON.stringify(started));
  return started.value;
}

suite("startApiServer", () => {
  test("gives credentials and a kubeconfig of an administrator, and serves until it is stopped", async () => {
    const server = await running({});
    const { status, body } = await get(`${server.url}/api/v1/namespaces/default`, server.credentials);
    assert.equal(status, 200, body);
    const { cert: _, key: __, ...anonymous } = server.credentials;
    assert.equal((await get(`${server.url}/api/v1/namespaces/default`, anonymous)).status, 403);
    assert.ok(server.kubeconfig.includes(`server: ${server.url}\n`));
    assert.ok(server.kubeconfig.includes(Buffer.from(server.credentials.cert).toString("base64")));
    await Promise.all([server.stop(), server.stop()]);
    await assert.rejects(get(server.url, server.credentials), { code: "ECONNREFUSED" });
  });

  test("keeps the state in a data directory, and a directory in use is refused until it is free", async () => {
    const data = join(scratch, "kept");
    const first = await running({ data });
    const refused = await startApiServer({ data });
    assert.deepEqual(refused.ok ? "started" : refused.problem, {
      kind: "storage",
      problem: {
        kind: "locked",
        file: join(data, "cluster.db"),
        message: "another process has this data directory open",
      },
    });
    await first.stop();
    const second = await running({ data });
    assert.deepEqual(second.credentials, first.credentials);
    await second.stop();
    const over = await running({ data: { path: data, fresh: true } });
    assert.notDeepEqual(over.credentials, first.credentials);
    await over.stop();
  });

  test("a taken port is refused, or replaced by a free one where that is wanted", async () => {
    const first = await running({});
    const data = join(scratch, "second");
    const refused = await startApiServer({ port: first.port, data });
    assert.deepEqual(refused.ok ? "started" : refused.problem, {
      kind: "portTaken",
      address: "127.0.0.1",
      port: first.port,
    });
    // The refused start has released the directory.
    const other = await running({ port: first.port, orFreePort: true, data });
    assert.notEqual(other.port, first.port);
    await Promise.all([first.stop(), other.stop()]);
  });

  test("an address of another machine is refused", async () => {
    const refused = await startApiServer({ address: "203.0.113.9" });
    assert.equal(refused.ok ? "started" : refused.problem.kind, "addressRefused");
  });

  test("the kubeconfig of a server on every address names the host that its certificate is for", async () => {
    const server = await running({ address: "0.0.0.0" });
    assert.match(server.kubeconfig, /^ {4}tls-server-name: localhost$/m);
    const trusted = { ...server.credentials, servername: "localhost" };
    assert.equal((await get(`${server.url}/readyz`, trusted)).status, 200);
    await server.stop();
  });

  test("reports that files of the data directory were removed", async () => {
    const data = join(scratch, "removed");
    let found: (message: string) => void = () => {};
    const message = new Promise<string>((done) => (found = done));
    const server = await running({ data, onDetached: (detached) => found(detached?.message ?? "back") });
    rmSync(data, { recursive: true });
    assert.match(await message, /cluster\.db" was removed/);
    assert.equal(server.detached()?.file, join(data, "cluster.db"));
    await server.stop();
  });
});

suite("purser-apiserver", () => {
  for (const [args, words] of [
    [["--nope"], /Unknown option '--nope'/],
    [["--port", "65536"], /--port is a number from 0 to 65535, not "65536"/],
    [["--controllers=some"], /--controllers is "all" or "none", not "some"/],
    [["--data="], /--data is empty/],
    [["extra"], /extra/],
  ] as const)
    test(`${args.join(" ")} is refused as wrong usage`, async () => {
      const { code, out, err } = await command(args);
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err, words);
      assert.match(err, /do {4}purser-apiserver --help/);
    });

  test("--help lists every option and exit code", async () => {
    const { code, out } = await command(["--help"]);
    assert.equal(code, 0);
    for (const option of ["--controllers", "--address", "--port", "--data", "--write-kubeconfig", "exit codes: 0 "])
      assert.ok(out.includes(option), option);
  });

  test("prints Ready and a kubeconfig that it removes when it is stopped, with exit code 0", async () => {
    let file = "";
    const { code, out } = await command(["--controllers=none"], async (printed) => {
      file = /^kubeconfig {2}(.*)$/m.exec(printed)?.[1] ?? "";
      assert.match(readFileSync(file, "utf8"), /server: https:\/\/127\.0\.0\.1:\d+\n/);
    });
    assert.equal(code, 0);
    assert.match(out, /^Ready {2}https:\/\/127\.0\.0\.1:\d+ {2}context purser\n/);
    assert.ok(!existsSync(file));
  });

  test("a data directory keeps its kubeconfig, and one that lost its data file is refused with exit code 1", async () => {
    const data = join(scratch, "command");
    const args = ["--controllers=none", "--data", data];
    await command(args);
    assert.ok(existsSync(join(data, "kubeconfig")));
    rmSync(join(data, "cluster.db"));
    const { code, err } = await command(args);
    assert.equal(code, 1);
    assert.match(err, /is incomplete.*cluster\.db": the file is missing, "kubeconfig"/);
    assert.match(err, /do {4}put the missing file back/);
  });

  test("a taken port is refused with exit code 1, the port and what to do", async () => {
    const server = await running({});
    const { code, err } = await command(["--port", String(server.port)]);
    await server.stop();
    assert.equal(code, 1);
    assert.ok(
      err.includes(`cannot listen on 127.0.0.1 port ${server.port}: the port is taken\n  do    choose another`),
    );
  });

  test("a kubeconfig that cannot be written ends the command with exit code 1", async () => {
    const { code, err } = await command(["--controllers=none", "--write-kubeconfig", join(scratch, "command")]);
    assert.equal(code, 1);
    assert.match(err, /cannot write the kubeconfig ".*command"/);
  });
});

test("a server whose Ready line cannot be written stops with exit code 1 and one line", (context) => {
  const full = openSync("/dev/full", "w");
  context.after(() => closeSync(full));
  const main = join(import.meta.dirname, "main.ts");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", main, "--controllers", "none"],
    {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    },
  );
  assert.deepEqual([status, stderr], [1, "cannot write to standard output: ENOSPC: no space left on device, write\n"]);
});
