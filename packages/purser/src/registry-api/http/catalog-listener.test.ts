import assert from "node:assert/strict";
import { request } from "node:http";
import { test, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { bytesBody } from "./body.ts";
import { type CatalogListenerOptions, serveCatalogs } from "./catalog-listener.ts";
import { servedBlobs, type ServedCatalog } from "./served-catalog.ts";

const catalog = servedBlobs(
  Array.from({ length: 300 }, (_, index) => ({
    schema: "olm.bundle",
    packageName: "kiln",
    name: `kiln.v${index}`,
    json: { schema: "olm.bundle", package: "kiln", name: `kiln.v${index}` },
  })),
  Date.UTC(2026, 0, 2),
);

async function listener(context: TestContext, options: Partial<CatalogListenerOptions> = {}): Promise<string> {
  const started = await serveCatalogs(
    {
      catalog: (name) => (name === "kiln" ? catalog : undefined),
      metas: true,
      clock: systemClock,
      entropy: new SeededEntropy(1),
      ...options,
    },
    { host: "127.0.0.1", port: 0 },
  );
  assert.ok(started.ok);
  context.after(() => started.value.stop());
  return started.value.origin;
}

test("all returns the whole content line by line, compressed for clients that accept gzip", async (context) => {
  const origin = await listener(context);
  const plain = await fetch(`${origin}/catalogs/kiln/api/v1/all`, { headers: { "Accept-Encoding": "identity" } });
  const text = await plain.text();
  assert.equal(plain.headers.get("content-type"), "application/jsonl");
  assert.equal(text.trimEnd().split("\n").length, 300);
  const raw = await new Promise<Buffer>((resolve, reject) => {
    const asked = request(
      `${origin}/catalogs/kiln/api/v1/all`,
      { headers: { "Accept-Encoding": "gzip" } },
      (answer) => {
        assert.equal(answer.headers["content-encoding"], "gzip");
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve(Buffer.concat(chunks)));
      },
    );
    asked.on("error", reject);
    asked.end();
  });
  assert.ok(raw.length < text.length / 4);
  assert.equal(gunzipSync(raw).toString(), text);
});

test("a range, a selection, an unknown catalog and a conditional request have upstream's responses", async (context) => {
  const origin = await listener(context);
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}/catalogs/${path}`, { headers });
  const part = await ask("kiln/api/v1/all", { Range: "bytes=2-8" });
  assert.deepEqual([part.status, await part.text()], [206, 'name":"']);
  const one = await ask("kiln/api/v1/metas?name=kiln.v7");
  assert.equal(await one.text(), '{"name":"kiln.v7","package":"kiln","schema":"olm.bundle"}\n');
  assert.equal((await ask("loom/api/v1/all")).status, 404);
  const again = await ask("kiln/api/v1/all", { "If-Modified-Since": one.headers.get("last-modified") ?? "" });
  assert.equal(again.status, 304);
});

test("identical, different and mixed requests at once each get their own whole response", async (context) => {
  const origin = await listener(context);
  const whole = await (await fetch(`${origin}/catalogs/kiln/api/v1/all`)).text();
  const line = (index: number): string => `{"name":"kiln.v${index}","package":"kiln","schema":"olm.bundle"}\n`;
  const kinds = [
    () => ["all", whole],
    (at: number) => [`metas?name=kiln.v${at}`, line(at)],
    () => ["metas?schema=olm.bundle&package=kiln", whole],
    () => ["metas?name=nothing", ""],
    () => ["metas?name=kiln.v7", line(7)],
  ] as const;
  const asked = Array.from({ length: 100 }, (_, at) => kinds[at % kinds.length]?.(at) ?? ["", ""]);
  const encodings = ["gzip", "identity"];
  const answers = await Promise.all(
    asked.map(async ([path], at) => {
      const headers = { "Accept-Encoding": encodings[at % 2] ?? "" };
      const answer = await fetch(`${origin}/catalogs/kiln/api/v1/${path}`, { headers });
      return [answer.status, await answer.text()];
    }),
  );
  assert.deepEqual(
    answers,
    asked.map(([, expected]) => [200, expected]),
  );
});

test("an error while content is sent closes the connection instead of completing the response", async (context) => {
  const problems: string[] = [];
  const broken: ServedCatalog = {
    modifiedMs: 0,
    *lines() {
      const names = { schema: "s", packageName: "", name: "" };
      yield { ...names, body: bytesBody(new Uint8Array(200_000)) };
      yield {
        ...names,
        body: {
          length: 10,
          pieces() {
            throw new Error("the catalog index was closed while it was read");
          },
        },
      };
    },
  };
  const origin = await listener(context, {
    catalog: () => broken,
    onAnswer: ({ status, problem }) => problems.push(`${status} ${problem}`),
  });
  await assert.rejects(async () => (await fetch(`${origin}/catalogs/kiln/api/v1/all`)).arrayBuffer());
  assert.deepEqual(problems, ["200 the catalog index was closed while it was read"]);
});

test("an error before anything is sent is a 500 that does not show the cause", async (context) => {
  const answers: string[] = [];
  const origin = await listener(context, {
    catalog: () => assert.fail("the disk is gone"),
    onAnswer: ({ method, target, status, problem }) => answers.push(`${method} ${target} ${status} ${problem}`),
  });
  const answer = await fetch(`${origin}/catalogs/kiln/api/v1/all`);
  assert.deepEqual(
    [answer.status, answer.headers.get("content-type"), await answer.text()],
    [500, "text/plain; charset=utf-8", "500 Internal Server Error\n"],
  );
  assert.deepEqual(answers, ["GET /catalogs/kiln/api/v1/all 500 the disk is gone"]);
});

test("an answer is reported with its status and without a problem", async (context) => {
  const answers: object[] = [];
  const clock = { ...systemClock, monotonic: () => 5 };
  const origin = await listener(context, { clock, onAnswer: (answer) => answers.push(answer) });
  await (await fetch(`${origin}/catalogs/loom/api/v1/all`)).text();
  assert.deepEqual(answers, [{ method: "GET", target: "/catalogs/loom/api/v1/all", status: 404, durationMs: 0 }]);
});

test("the connection of a client that does not read is closed when the listener stops", async () => {
  const endless: ServedCatalog = {
    modifiedMs: 0,
    lines: () => [{ schema: "s", packageName: "", name: "", body: { length: 1e9, pieces: () => endlessly() } }],
  };
  const options = { catalog: () => endless, metas: true, clock: systemClock, entropy: new SeededEntropy(1) };
  const started = await serveCatalogs(options, { host: "127.0.0.1", port: 0 });
  assert.ok(started.ok);
  const answer = await fetch(`${started.value.origin}/catalogs/kiln/api/v1/all`);
  await started.value.stop(50);
  await assert.rejects(answer.arrayBuffer());
});

function* endlessly(): Generator<Uint8Array> {
  for (;;) yield new Uint8Array(64 * 1024);
}

test("a port that is in use is reported differently from an unavailable address", async (context) => {
  const origin = await listener(context);
  const port = Number(new URL(origin).port);
  const options = { catalog: () => undefined, metas: true, clock: systemClock, entropy: new SeededEntropy(1) };
  const taken = await serveCatalogs(options, { host: "127.0.0.1", port });
  assert.ok(!taken.ok && taken.problem.taken);
  const foreign = await serveCatalogs(options, { host: "203.0.113.1", port: 0 });
  assert.ok(!foreign.ok && !foreign.problem.taken);
});

test("an IPv6 address is in brackets in the origin", async (context) => {
  const options = { catalog: () => catalog, metas: true, clock: systemClock, entropy: new SeededEntropy(1) };
  const started = await serveCatalogs(options, { host: "::1", port: 0 });
  if (!started.ok) {
    context.skip("no IPv6 on this machine");
    return;
  }
  context.after(() => started.value.stop());
  assert.equal(started.value.origin, `http://[::1]:${started.value.port}`);
  assert.equal((await fetch(`${started.value.origin}/catalogs/kiln/api/v1/all`)).status, 200);
});
