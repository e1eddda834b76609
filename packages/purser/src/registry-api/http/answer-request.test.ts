import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { openIndex } from "../../catalog-store/open.ts";
import { writeIndex } from "../../catalog-store/write-index.ts";
import { answerCatalogRequest, type CatalogAnswer } from "./answer-request.ts";
import { parseRanges } from "./byte-ranges.ts";
import { bytesBody, bytesOf, noBody } from "./body.ts";
import { encoded } from "./compress.ts";
import { formatHttpDate, parseHttpDate } from "./http-date.ts";
import { cleanPath } from "./request-path.ts";
import { servedBlobs, servedIndex } from "./served-catalog.ts";

const blob = (schema: string, packageName: string, name: string) => ({
  schema,
  packageName,
  name,
  json: { schema, ...(packageName === "" ? {} : { package: packageName }), name },
});
const kiln = servedBlobs(
  [blob("olm.package", "", "kiln"), blob("olm.bundle", "kiln", "kiln.v1"), blob("olm.bundle", "loom", "loom.v1")],
  Date.UTC(2026, 0, 2, 3, 4, 5, 678),
);
const get = (target: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<CatalogAnswer> =>
  answerCatalogRequest(
    { method, target, headers: new Map(Object.entries(headers)) },
    { catalog: (name) => (name === "kiln" ? kiln : undefined), metas: true, boundary: () => "part" },
  );
const textOf = ({ body }: CatalogAnswer): string => new TextDecoder().decode(bytesOf(body));
const all = "/catalogs/kiln/api/v1/all";

test("all is the whole content with its date and length; HEAD has the same headers and no body", async () => {
  const { status, headers } = await get(all);
  assert.equal(status, 200);
  assert.equal(headers["Last-Modified"], "Fri, 02 Jan 2026 03:04:05 GMT");
  assert.equal(headers["Content-Length"], String(textOf(await get(all)).length));
  assert.deepEqual(await get(all, {}, "HEAD"), { status, headers, body: noBody });
});

const queries: readonly (readonly [query: string, names: string])[] = [
  ["", "kiln kiln.v1 loom.v1"],
  ["?schema=olm.bundle", "kiln.v1 loom.v1"],
  ["?schema=olm.bundle&package=loom", "loom.v1"],
  ["?schema=&name=kiln", "kiln"],
  ["?package=kiln&schema=olm.package", ""],
  ["?schema=olm%2Ebundle&name=kiln.v1&schema=olm.package", "kiln.v1"],
  ["?%zz&package=kiln", "kiln.v1"],
];
for (const [query, names] of queries)
  test(`metas${query} answers with ${names === "" ? "nothing" : names}`, async () => {
    const answer = await get(`/catalogs/kiln/api/v1/metas${query}`);
    assert.equal(answer.status, 200);
    assert.equal([...textOf(answer).matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name).join(" "), names);
  });

const refusals: readonly (readonly [string, string, number, RegExp])[] = [
  ["GET", "/catalogs/kiln/api/v1/metas?limit=3", 400, /^400 Bad Request\n$/],
  ["GET", "/catalogs/__proto__/api/v1/all", 400, /^invalid catalog name: a lowercase RFC 1123 subdomain/],
  ["GET", "/catalogs/a%2fb/api/v1/all", 400, /^invalid catalog name: /],
  ["GET", "/catalogs/constructor/api/v1/all", 404, /^404 Not Found\n$/],
  ["GET", "/catalogs/kiln/api/v1/all/", 404, /^404 page not found\n$/],
  ["PUT", all, 405, /^Method Not Allowed\n$/],
  ["GET", "/catalogs//api/v1/all?a=1&b", 307, /^<a href="\/catalogs\/api\/v1\/all\?a=1&amp;b">/],
];
for (const [method, target, status, body] of refusals)
  test(`${method} ${target} is answered with ${status}`, async () => {
    const answer = await get(target, {}, method);
    assert.equal(answer.status, status);
    assert.match(textOf(answer), body);
  });

test("ranges apply to all and not to metas; ranges that together exceed the content are ignored", async () => {
  assert.equal(textOf(await get(all, { range: "bytes=0-6" })), '{"name"');
  assert.equal((await get("/catalogs/kiln/api/v1/metas", { range: "bytes=0-6" })).status, 200);
  assert.equal((await get(all, { range: "bytes=0-,0-" })).status, 200);
  assert.match(textOf(await get(all, { range: "bytes=0-0,2-2" })), /^--part\r\nContent-Range: bytes 0-0\//);
});

test("only large responses are compressed, and every response has the header Vary", () => {
  const request = { method: "GET", target: all, headers: new Map([["accept-encoding", "br, gzip;q=0.5"]]) };
  const large = { status: 200, headers: { "Content-Length": "4096" }, body: bytesBody(new Uint8Array(4096)) };
  const sent = encoded(request, large);
  assert.deepEqual(sent.headers, { Vary: "Accept-Encoding", "Content-Encoding": "gzip" });
  assert.ok(sent.gzip);
  const small = encoded(request, { ...large, body: bytesBody(new Uint8Array(100)) });
  assert.deepEqual(small.headers, { ...large.headers, Vary: "Accept-Encoding" });
  assert.ok(!small.gzip);
});

test("parsed ranges are within the content for any header", () => {
  const part = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => `${a}-${b}`),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.nat(20), (parts, size) => {
      const ranges = parseRanges(`bytes=${parts.join(",")}`, size);
      if (!ranges.ok) return;
      for (const { start, length } of ranges.value) assert.ok(start >= 0 && length >= 0 && start + length <= size);
    }),
  );
});

test("cleanPath does not change a clean path, and a formatted date is parsed to the same second", () => {
  fc.assert(fc.property(fc.string(), (path) => assert.equal(cleanPath(cleanPath(path)), cleanPath(path))));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_799_999 }), (ms) =>
      assert.equal(parseHttpDate(formatHttpDate(ms)), Math.floor(ms / 1000) * 1000),
    ),
  );
});

test("a stored index is served in file order, with numbers as doubles and with blobs without a package", async (context) => {
  const root = mkdtempSync(join(tmpdir(), "purser-served-"));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "catalog"));
  mkdirSync(join(root, "indexes"));
  const lines = [
    '{"name":"free","schema":"acme.note","size":12345678901234567890}',
    '{"defaultChannel":"stable","name":"loom","schema":"olm.package"}',
    '{"entries":[{"name":"loom.v1"}],"name":"stable","package":"loom","schema":"olm.channel"}',
    '{"image":"example.com/loom:1","name":"loom.v1","package":"loom","properties":[{"type":"olm.package","value":{"packageName":"loom","version":"1.0.0"}}],"schema":"olm.bundle"}',
  ];
  writeFileSync(join(root, "catalog", "a.json"), lines.join("\n"));
  const written = writeIndex(join(root, "catalog"), join(root, "indexes"));
  assert.ok(written.ok, JSON.stringify(written));
  const index = openIndex(written.value.file);
  assert.ok(index.ok);
  context.after(() => index.value.close());
  const served = servedIndex(index.value, 0);
  const ask = async (target: string): Promise<string> =>
    textOf(
      await answerCatalogRequest(
        { method: "GET", target, headers: new Map() },
        { catalog: () => served, metas: true, boundary: () => "part" },
      ),
    );
  const wanted = lines.map((line) => `${line.replace("67890}", "67000}")}\n`);
  assert.equal(await ask(all), wanted.join(""));
  assert.equal(await ask("/catalogs/kiln/api/v1/metas?schema=acme.note"), wanted[0]);
});
