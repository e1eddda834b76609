import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import { bytesField, message, text } from "../../catalog-store/registry/message-writer.ts";
import { type AddressLimits, catalogAddress } from "./catalog-address.ts";
import type { SourceProblem, SourceReader } from "../source-reader.ts";
import { indexOf, type RawAnswers, serveIndex, serveRaw, statusError } from "../testing/registry-under-test.ts";
import { sourceContract } from "../testing/source-contract.ts";
import { StillClock } from "../testing/still-clock.ts";

const never = new AbortController().signal;
const hour = 60 * 60_000;

async function directoryOf(context: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "purser-address-"));
  context.after(() => rm(root, { recursive: true }));
  return root;
}

sourceContract("address", async (context) => {
  const indexes = await directoryOf(context);
  const clock = new StillClock();
  let served: StoredIndex | undefined;
  let stop = (): void | Promise<void> => {};
  context.after(() => stop());
  const first = await serveIndex(() => served);
  stop = () => first.stop(0);
  const again = async (listen: () => Promise<() => void | Promise<void>>): Promise<void> => {
    await stop();
    stop = await listen();
    clock.pass(hour);
  };
  return {
    reader: catalogAddress({ address: first.address, indexes, clock, environment: {} }),
    clock,
    async hold(versions) {
      served = await indexOf(smallCatalog("a", versions));
      await again(async () => {
        const server = await serveIndex(() => served, first.port);
        return () => server.stop(0);
      });
    },
    spoil: () =>
      again(async () => {
        const bundles: RawAnswers["bundles"] = (stream) => {
          stream.write(Buffer.from("no message"));
          stream.end();
        };
        return (await serveRaw({ bundles }, first.port)).stop;
      }),
    async remove() {
      await again(() => Promise.resolve(() => {}));
    },
  };
});

interface Opened {
  readonly reader: SourceReader<StoredIndex>;
  readonly clock: StillClock;
  readonly indexes: string;
  readonly address: string;
}

async function open(context: TestContext, answers: RawAnswers, limits: Partial<AddressLimits> = {}): Promise<Opened> {
  const indexes = await directoryOf(context);
  const server = await serveRaw(answers);
  const clock = new StillClock();
  const address = `127.0.0.1:${server.port}`;
  const reader = catalogAddress({ address, indexes, clock, environment: {}, limits });
  context.after(() => {
    reader.close?.();
    server.stop();
  });
  return { reader, clock, indexes, address };
}

async function problemOf(reader: SourceReader<StoredIndex>): Promise<SourceProblem> {
  const look = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === false, "the look found a problem");
  return look.found.problem;
}

const bundle = (name: string, packageName: string, ...rest: readonly ReturnType<typeof text>[]): Uint8Array =>
  message(text(1, name), text(2, packageName), text(3, "stable"), ...rest);
const sends =
  (...messages: readonly Uint8Array[]): RawAnswers["bundles"] =>
  (stream) => {
    for (const each of messages) stream.write(each);
    stream.end();
  };

/** Lets time pass as soon as somebody waits for that long. */
async function passWhenWaited(clock: StillClock, ms: number): Promise<void> {
  while (!clock.waiting.includes(ms)) await new Promise((resolve) => setImmediate(resolve));
  clock.pass(ms);
}

test("a server that accepts the call and never answers is given up after the time of silence", async (context) => {
  const { reader, clock } = await open(context, { bundles: () => {} });
  const problem = problemOf(reader);
  await passWhenWaited(clock, 30_000);
  assert.match((await problem).cause, /^couldn't connect to registry - 127\.0\.0\.1:\d+: sent nothing for 30 seconds$/);
});

test("a server that sends one message after the other without an end is given up after ten minutes", async (context) => {
  const bundles: RawAnswers["bundles"] = (stream) => {
    const timer = setInterval(() => stream.write(bundle("a.v1", "a")), 1);
    stream.on("cancelled", () => clearInterval(timer));
  };
  const { reader, clock } = await open(context, { bundles }, { silenceMs: 2 * hour });
  const problem = problemOf(reader);
  await passWhenWaited(clock, 600_000);
  assert.match((await problem).cause, /did not complete its answer within 600 seconds$/);
});

test("a catalog beyond the limit of all messages, or with a message beyond its own, is refused", async (context) => {
  const large = bundle("a.v1", "a", text(9, "1".repeat(3000)));
  const total = await open(context, { bundles: sends(large, large) }, { totalBytes: 4096 });
  assert.match((await problemOf(total.reader)).cause, /cannot be read: serves more than 0\.00390625 MiB$/);
  const single = await open(context, { bundles: sends(large) }, { messageBytes: 2000 });
  assert.match((await problemOf(single.reader)).cause, /larger than max/);
  assert.deepEqual(await readdir(total.indexes), [], "what was written of it is removed");
});

test("an error of the server is reported with its text and code of an answer", async (context) => {
  const { reader } = await open(context, {
    bundles: (stream) => stream.emit("error", statusError("UNKNOWN", "no such table: channel_entry")),
  });
  const { cause, remedy } = await problemOf(reader);
  assert.match(cause, /^the registry at 127\.0\.0\.1:\d+ cannot be read: no such table: channel_entry$/);
  assert.match(remedy, /log of the registry server/);
});

test("a refused connection is one cause at every attempt, without times and ports of this process", async (context) => {
  const indexes = await directoryOf(context);
  const server = await serveRaw({ bundles: sends() });
  server.stop();
  const address = `127.0.0.1:${server.port}`;
  const reader = catalogAddress({ address, indexes, clock: new StillClock(), environment: {} });
  context.after(() => reader.close?.());
  const [first, second] = [await problemOf(reader), await problemOf(reader)];
  assert.deepEqual(first, second);
  assert.match(first.cause, new RegExp(`^couldn't connect to registry - ${address}: .*ECONNREFUSED`));
});

for (const [address, text_] of [
  ["registry", "address registry: missing port in address"],
  ["registry:http", "address registry:http: invalid port"],
  ["unix:/run/registry", "address unix:/run/registry: invalid port"],
  ["a:1:2", "address a:1:2: too many colons in address"],
] as const)
  test(`the address ${address} is refused until the spec changes`, async (context) => {
    const indexes = await directoryOf(context);
    const reader = catalogAddress({ address, indexes, clock: new StillClock(), environment: {} });
    const { cause, isFinal } = await problemOf(reader);
    assert.deepEqual([cause, isFinal], [`couldn't connect to registry - ${text_}`, true]);
  });

test("bundles of a package that the server does not know are left out, and the others are served", async (context) => {
  const { reader } = await open(context, {
    bundles: sends(
      bundle("a.v1", "a", text(6, "example.com/a:v1"), text(9, "1.0.0")),
      bundle("b.v1", "b", text(6, "x")),
    ),
    package: (request) =>
      request.includes("b") ? statusError("UNKNOWN", "package b not found") : message(text(1, "a"), text(3, "stable")),
  });
  const look = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === true);
  assert.deepEqual(look.found.value.packages(), ["a"]);
  look.found.value.close();
});

test("an unchanged catalog is checked every minute and read every quarter of an hour", async (context) => {
  const calls: string[] = [];
  const { reader, clock } = await open(context, {
    bundles: (stream) => {
      calls.push("read");
      sends(bundle("a.v1", "a", text(6, "x"), text(9, "1.0.0")))(stream);
    },
    health: () => {
      calls.push("check");
      return Uint8Array.of(8, 1);
    },
  });
  const first = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(first?.found?.ok === true);
  const at = async (ms: number): Promise<unknown> => {
    clock.pass(ms);
    return reader.look({ mark: first.mark, hasContent: true }, never);
  };
  for (const ms of [2000, 57_999, 1, 59_999, 1, 13 * 60_000]) assert.equal(await at(ms), undefined);
  assert.deepEqual(calls, ["read", "check", "check", "read"]);
  first.found.value.close();
});

test("a server that is lost between two looks is noticed at the next one", async (context) => {
  const indexes = await directoryOf(context);
  const clock = new StillClock();
  const bundles = sends(bundle("a.v1", "a", text(6, "x"), text(9, "1.0.0")));
  const server = await serveRaw({ bundles });
  const reader = catalogAddress({ address: `127.0.0.1:${server.port}`, indexes, clock, environment: {} });
  context.after(() => reader.close?.());
  const first = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(first?.found?.ok === true);
  server.stop();
  for (;;) {
    const look = await reader.look({ mark: first.mark, hasContent: true }, never);
    if (look?.found?.ok === false) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  first.found.value.close();
});

/** Passes bytes on, until it forgets the connections that it has. */
async function forgetfulNetwork(context: TestContext, port: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  let connections = 0;
  const relay = createServer((near) => {
    connections++;
    const far = connect(port, "127.0.0.1");
    pairs.add([near, far]);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    for (const socket of [...pairs].flat()) socket.destroy();
    relay.close();
  });
  return {
    address: `127.0.0.1:${(relay.address() as AddressInfo).port}`,
    connections: () => connections,
    forget() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.resume();
      }
    },
  };
}

test("a connection on which nothing comes any more is made anew, and the content stays", async (context) => {
  const server = await serveRaw({ bundles: sends(bundle("a.v1", "a", text(6, "x"), text(9, "1.0.0"))) });
  const network = await forgetfulNetwork(context, server.port);
  const clock = new StillClock();
  const { address } = network;
  const reader = catalogAddress({ address, indexes: await directoryOf(context), clock, environment: {} });
  context.after(() => {
    reader.close?.();
    server.stop();
  });
  const first = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(first?.found?.ok === true);
  context.after(() => first.found?.ok === true && first.found.value.close());
  const { mark } = first;
  network.forget();
  clock.pass(60_000);
  const looked = reader.look({ mark, hasContent: true }, never);
  await passWhenWaited(clock, 30_000);
  assert.equal(await looked, undefined, "neither other content nor a failure");
  assert.equal(network.connections(), 2);
});

test("content that a restarted process finds unchanged is not built again", async (context) => {
  const { reader, indexes, address } = await open(context, {
    bundles: sends(bundle("a.v1", "a", text(6, "x"), text(9, "1.0.0"))),
  });
  const first = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(first?.found?.ok === true);
  const builder = join(indexes, "no-builder.ts");
  const restarted = catalogAddress({ address, indexes, clock: new StillClock(), environment: {}, builder });
  context.after(() => restarted.close?.());
  const second = await restarted.look({ mark: undefined, hasContent: false }, never);
  assert.ok(second?.found?.ok === true);
  assert.equal(second.found.value.digest, first.found.value.digest);
  for (const look of [first, second]) if (look.found?.ok === true) look.found.value.close();
});

test("the same content in another order is no change", async (context) => {
  const messages = ["1", "2"].map((version) => bundle(`a.v${version}`, "a", text(6, "x"), text(9, `${version}.0.0`)));
  const { reader, clock } = await open(context, {
    bundles: (stream) => {
      sends(...messages)(stream);
      messages.reverse();
    },
  });
  const first = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(first?.found?.ok === true);
  clock.pass(hour);
  assert.equal(await reader.look({ mark: first.mark, hasContent: true }, never), undefined);
  first.found.value.close();
});

test("the heads of channels have the ClusterServiceVersion that the registry makes of them", async (context) => {
  const metadata = { displayName: "Operator", provider: { name: "Example" } };
  const image = `example.com/a@sha256:${"0".repeat(64)}`;
  const documents = [
    { schema: "olm.package", name: "a", defaultChannel: "stable" },
    {
      schema: "olm.channel",
      package: "a",
      name: "stable",
      entries: [{ name: "a.v1" }, { name: "a.v2", replaces: "a.v1" }],
    },
    ...["1.0.0", "2.0.0"].map((version, at) => ({
      schema: "olm.bundle",
      package: "a",
      name: `a.v${at + 1}`,
      image,
      properties: [
        { type: "olm.package", value: { packageName: "a", version } },
        { type: "olm.csv.metadata", value: metadata },
      ],
    })),
  ];
  const given = await indexOf(documents.map((each) => JSON.stringify(each)).join("\n"));
  const server = await serveIndex(() => given);
  const options = { indexes: await directoryOf(context), clock: new StillClock(), environment: {} };
  const reader = catalogAddress({ address: server.address, ...options });
  context.after(async () => {
    reader.close?.();
    await server.stop(0);
  });
  const look = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === true);
  const read = look.found.value;
  assert.deepEqual(JSON.parse(read.csvJson("a", "stable", "a.v2")), JSON.parse(given.csvJson("a", "stable", "a.v2")));
  assert.equal(read.csvJson("a", "stable", "a.v1"), "");
  assert.equal(read.package("a")?.channels[0]?.bundles[1]?.image, image);
});

const headCsv = JSON.stringify({ kind: "ClusterServiceVersion", metadata: { name: "a.v1" }, spec: {} });

/** What is read from a registry with one head: its ClusterServiceVersion, and the digest of everything. */
async function withHead(context: TestContext, head: Uint8Array | Error): Promise<readonly [csv: string, string]> {
  const asked: Uint8Array[] = [];
  const { reader } = await open(context, {
    bundles: sends(bundle("a.v1", "a", text(6, "x"), text(9, "1.0.0"))),
    package: () => message(text(1, "a"), bytesField(2, message(text(1, "stable"))), text(3, "stable")),
    head: (request) => {
      asked.push(Uint8Array.from(request));
      return head;
    },
  });
  const look = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === true);
  assert.deepEqual(asked, [Uint8Array.from(message(text(1, "a"), text(2, "stable")))]);
  const { value } = look.found;
  const read = [value.csvJson("a", "stable", "a.v1"), value.digest] as const;
  value.close();
  return read;
}

test("a head with an image and a ClusterServiceVersion is kept", async (context) =>
  assert.equal((await withHead(context, bundle("a.v1", "a", text(4, headCsv), text(6, "x"))))[0], headCsv));

for (const [what, head] of [
  ["without an image", bundle("a.v1", "a", text(4, headCsv))],
  ["without a ClusterServiceVersion", bundle("a.v1", "a", text(6, "x"))],
  ["that is no message", Buffer.from("no message")],
] as const)
  test(`a head ${what} is left out, as one that the registry refuses`, async (context) => {
    const refused = await withHead(context, statusError("UNKNOWN", "no entry found"));
    assert.equal(refused[0], "");
    assert.deepEqual(await withHead(context, head), refused);
  });

test("an index that cannot be kept is a problem of this machine, and the catalog is built again", async (context) => {
  const indexes = await directoryOf(context);
  const full = join(indexes, "full.ts");
  await writeFile(full, `console.log('{"ok":false,"problem":[{"rule":"unwritable","message":"no room"}]}');`);
  const server = await serveRaw({ bundles: sends(bundle("a.v1.0.0", "a")) });
  const address = `127.0.0.1:${server.port}`;
  const clock = new StillClock();
  const reader = catalogAddress({ address, indexes, clock, environment: {}, builder: full });
  context.after(() => {
    reader.close?.();
    server.stop();
  });
  const look = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.deepEqual(look, {
    mark: "",
    found: {
      ok: false,
      problem: {
        cause: `the catalog of the registry at ${address} cannot be used: no room`,
        remedy: "Free space in the cache directory, or make it writable; the write is retried automatically.",
      },
    },
  });
});
