import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { statusObject } from "@purser/kubernetes/apis/status";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ApiRequest, ApiResponse, WatchEvent } from "@purser/kubernetes/kube/transport";
import { isWide, jsonInPieces, type LongMember } from "@purser/kubernetes/text/json-pieces";
import { writeYaml, yamlInPieces } from "@purser/kubernetes/text/yaml/go-yaml";
import type { Handled } from "./handler.ts";
import { warningCut, warningTotal } from "./call.ts";
import { type Answer, type Item, type ItemEvent, sizeOf } from "./request/answer.ts";
import type { Encoding } from "./request/negotiation.ts";
import { refusalEncoding } from "./request/negotiation.ts";
import type { ExpiredStatus } from "./request/refusal.ts";
import { storedText, textsTogether } from "./storage/version.ts";
import { turns } from "./turns.ts";

function warningHeader(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  const cut = warnings.reduce((sum, text) => sum + text.length, 0) > warningTotal;
  const quoted: string[] = [];
  let written = 0;
  for (const text of warnings) {
    if (cut && written >= warningTotal) break;
    const plain = (cut ? text.slice(0, warningCut) : text).replaceAll(/\p{Cc}/gu, (control) =>
      control < "\u0080" ? " " : control,
    );
    written += plain.length;
    quoted.push(`299 - "${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
  }
  return { warning: quoted.join(", ") };
}

function refusalObject(status: ApiStatus): JsonObject {
  const object = statusObject(status);
  const { continueToken } = status as ExpiredStatus;
  return continueToken === undefined ? object : { ...object, metadata: { continue: continueToken } };
}

function common(warnings: readonly string[]): Record<string, string> {
  return { "cache-control": "no-cache, private", ...warningHeader(warnings) };
}

function wantsIndent({ query, headers }: ApiRequest): boolean {
  const asked = query?.get("pretty");
  if (asked !== undefined && asked !== null) return asked === "true" || asked === "1";
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers?.["user-agent"] ?? "");
}

function encode(object: JsonObject, encoding: Encoding, request: ApiRequest): string {
  if (encoding === "yaml") return writeYaml(object);
  return wantsIndent(request)
    ? `${JSON.stringify(object, undefined, 2)}\n`
    : `${storedText(object) ?? JSON.stringify(object)}\n`;
}

/** A list whose stored text is about as long is written in pieces: others have turns in between. */
const longText = 64 * 1024;
/** So is an object with more values than that, where no text is at hand. */
const manyValues = 2048;

/** An object whose last member, if it is `long`, may go out item by item. */
function encoded(
  code: number,
  object: JsonObject,
  { encoding, long, size }: { readonly encoding: Encoding; readonly long?: LongMember; readonly size?: number },
  request: ApiRequest,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const contentType = contentTypes[encoding];
  const isLong = (size ?? 0) >= longText || (!isAtHand(object, encoding, request) && isWide(object, manyValues));
  if (!isLong) {
    const whole = long === undefined ? object : { ...object, [long.name]: [...long.items] };
    return bytes(code, contentType, encode(whole, encoding, request), headers);
  }
  const texts =
    encoding === "yaml"
      ? yamlInPieces(object, long)
      : ended(jsonInPieces(object, wantsIndent(request) ? "  " : "", long));
  return { status: code, headers: { ...headers, "content-type": contentType }, body: { kind: "texts", texts } };
}

function* ended(pieces: Iterable<string>): Generator<string> {
  yield* pieces;
  yield "\n";
}

function isAtHand(object: JsonObject, encoding: Encoding, request: ApiRequest): boolean {
  return encoding === "json" && !wantsIndent(request) && storedText(object) !== undefined;
}

function bytes(
  code: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  return {
    status: code,
    headers: { ...headers, "content-type": contentType },
    body: { kind: "bytes", bytes: Buffer.from(text) },
  };
}

const contentTypes: Readonly<Record<Encoding, string>> = { json: "application/json", yaml: "application/yaml" };

/** The answer as it goes over a socket: bytes, or a stream of them. */
export function toWire({ result, warnings }: Handled, request: ApiRequest): ApiResponse {
  const headers = common(warnings);
  if (!result.ok) {
    const encoding = refusalEncoding(request.headers?.["accept"]);
    const retry = result.problem.details?.retryAfterSeconds;
    return bytes(
      result.problem.code,
      contentTypes[encoding],
      encode(refusalObject(result.problem), encoding, request),
      retry === undefined ? headers : { ...headers, "retry-after": String(retry) },
    );
  }
  const answer = result.value;
  switch (answer.kind) {
    case "object":
      return encoded(answer.code, answer.object, answer, request, headers);
    case "collection": {
      const long = { name: answer.member, items: answer.items };
      return encoded(200, answer.head, { encoding: answer.encoding, long, size: answer.size }, request, headers);
    }
    case "list":
      return listOnWire(answer, request, headers);
    case "watch":
      return {
        status: 200,
        headers: { ...headers, "content-type": "application/json" },
        body: { kind: "stream", chunks: eventLines(answer.events) },
      };
    case "proxied":
      return answer.response;
    case "text":
      return bytes(answer.code, answer.contentType, answer.text, { ...headers, ...answer.headers });
    case "document":
      return documentResponse(answer, headers);
  }
}

function documentResponse(
  { code, object, headers, indented }: Extract<Answer, { kind: "document" }>,
  shared: Readonly<Record<string, string>>,
): ApiResponse {
  const all = { ...shared, ...headers };
  if (object === undefined) return { status: code, headers: all };
  const text = indented === true ? JSON.stringify(object, undefined, 2) : JSON.stringify(object);
  return { status: code, headers: all, body: { kind: "bytes", bytes: Buffer.from(text) } };
}

function listOnWire(
  { head, items, bare, encoding }: Extract<Answer, { kind: "list" }>,
  request: ApiRequest,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  if (encoding === "yaml" || wantsIndent(request)) {
    const long = { name: "items", items: shownItems(items, bare) };
    return encoded(200, head, { encoding, long, size: sizeOf(items) }, request, headers);
  }
  const start = `${JSON.stringify(head).slice(0, -1)},"items":[`;
  const prefix = bare ? typePrefix(head, items) : "";
  if (items.length > itemsAtOnce || sizeOf(items) > textAtOnce)
    return {
      status: 200,
      headers: { ...headers, "content-type": "application/json" },
      body: { kind: "texts", texts: longList(start, items, prefix) },
    };
  const shown = [...longList(start, items, prefix)];
  return bytes(200, "application/json", shown.join(""), headers);
}

/** What one item of a long collection costs about, in characters. */
const workOfItem = 32 * 1024;

/** Longer lists go out in pieces: neither the whole text nor those of its items stay in memory. */
const itemsAtOnce = 500;
/** The same, in characters. */
const textAtOnce = 1024 * 1024;
/** Characters of a piece; not so large that it would live beyond the young generation. */
const pieceLength = 64 * 1024;
/** So many items are read together. */
const itemsTogether = 100;

function* longList(start: string, items: readonly Item[], prefix: string): Generator<string> {
  let piece = start;
  let separator = "";
  for (let from = 0; from < items.length; from += itemsTogether) {
    const group = items.slice(from, from + itemsTogether);
    const texts = textsTogether(group);
    for (const [index, item] of group.entries()) {
      piece += separator + itemText(item, texts[index] ?? item.text, prefix);
      separator = ",";
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = "";
    }
  }
  yield `${piece}]}\n`;
}

function* shownItems(items: readonly Item[], bare: boolean): Generator<JsonObject> {
  for (const item of items) {
    const { passing } = item;
    turns.add(item.size ?? 0);
    yield bare ? withoutType(passing) : asJson(passing);
  }
}

function withoutType(object: KubeObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = asJson(object);
  return rest;
}

/** How the texts of bare items begin: `kind` and `apiVersion` stand first in every object that this server made. */
function typePrefix(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  items: readonly Item[],
): string {
  const one = items[0]?.passing ?? { kind: kind.replace(/List$/, ""), apiVersion };
  return `{"kind":${JSON.stringify(one.kind)},"apiVersion":${JSON.stringify(one.apiVersion)},`;
}

/** The text of an item, without `prefix` when there is one. */
function itemText(item: Item, text: string, prefix: string): string {
  if (prefix === "") return text;
  return text.startsWith(prefix) ? `{${text.slice(prefix.length)}` : JSON.stringify(withoutType(item.passing));
}

/** An event's line, until newer ones take its room. */
interface Line {
  readonly type: string;
  line: Uint8Array | undefined;
}

/** Each event goes to every watcher of its table. An item may hold far more than its line: none is held here. */
const lines = new WeakMap<Item, Line>();
/** Those that still have their bytes, oldest first. */
const newest = new Set<Line>();
let linesLength = 0;
/** In bytes; a line that is longer is shared as long as it is the newest. */
const linesCapacity = 512 * 1024;

function eventLine({ type, item }: ItemEvent): Uint8Array {
  const known = lines.get(item);
  if (known?.type === type && known.line !== undefined) return known.line;
  if (known !== undefined) drop(known);
  const line = Buffer.from(`{"type":"${type}","object":${item.text}}\n`);
  const held: Line = { type, line };
  lines.set(item, held);
  newest.add(held);
  linesLength += line.length;
  for (const oldest of newest) {
    if (linesLength <= linesCapacity || oldest === held) break;
    drop(oldest);
  }
  return line;
}

function drop(held: Line): void {
  if (newest.delete(held)) linesLength -= held.line?.length ?? 0;
  held.line = undefined;
}

async function* eventLines(events: AsyncIterable<ItemEvent>): AsyncGenerator<Uint8Array> {
  for await (const event of events) yield eventLine(event);
}

async function* watchEvents(events: AsyncIterable<ItemEvent>): AsyncGenerator<WatchEvent> {
  for await (const { type, item } of events) yield { type, object: item.object };
}

/** The objects of a long list, read in several turns. */
async function treesOf(items: readonly Item[]): Promise<readonly JsonObject[]> {
  const trees: JsonObject[] = [];
  for (const item of items) {
    const wait = turns.before(item.size ?? 0);
    if (wait !== undefined) await wait;
    trees.push(asJson(item.passing));
  }
  return trees;
}

/** The items of a collection, made in several turns. */
async function collected({
  items,
  size,
}: Pick<Extract<Answer, { kind: "collection" }>, "items" | "size">): Promise<readonly JsonObject[]> {
  if (size < longText) return [...items];
  const all: JsonObject[] = [];
  for (const item of items) {
    all.push(item);
    await turns.before(workOfItem);
  }
  return all;
}

/** The answer as it is handed over within the process: objects and events themselves. */
export async function toProcess({ result, warnings }: Handled, request: ApiRequest): Promise<ApiResponse> {
  const headers = common(warnings);
  const json = { ...headers, "content-type": "application/json" };
  if (!result.ok)
    return {
      status: result.problem.code,
      headers: json,
      body: { kind: "object", value: refusalObject(result.problem) },
    };
  const answer = result.value;
  switch (answer.kind) {
    case "object":
      return answer.encoding === "json"
        ? { status: answer.code, headers: json, body: { kind: "object", value: answer.object } }
        : toWire({ result, warnings }, request);
    case "collection":
      return answer.encoding === "json"
        ? {
            status: 200,
            headers: json,
            body: { kind: "object", value: { ...answer.head, [answer.member]: await collected(answer) } },
          }
        : toWire({ result, warnings }, request);
    case "list":
      return answer.encoding === "json"
        ? {
            status: 200,
            headers: json,
            body: {
              kind: "object",
              value: { ...answer.head, items: await treesOf(answer.items) },
            },
          }
        : toWire({ result, warnings }, request);
    case "watch":
      return { status: 200, headers: json, body: { kind: "events", events: watchEvents(answer.events) } };
    case "document":
      return answer.object === undefined
        ? { status: answer.code, headers: { ...headers, ...answer.headers } }
        : {
            status: answer.code,
            headers: { ...headers, ...answer.headers },
            body: { kind: "object", value: answer.object },
          };
    case "proxied":
      return answer.response;
    case "text":
      return toWire({ result, warnings }, request);
  }
}
