import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { Clock } from "@purser/kubernetes/clock";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { done, failed } from "@purser/kubernetes/result";
import type { Answer } from "./answer.ts";
import { type BlobEnd, type BlobOrigin, openBlob, type OriginFailures } from "./blob-stream.ts";
import { defaultRegistryLimits } from "./registry-limits.ts";
import { defaultRetryPolicy } from "./retry.ts";

const content = "0123456789";
const descriptor = { mediaType: "application/octet-stream", digest: digestOf(content), size: content.length };

/** What an origin does when it is asked: headers and bytes, a break after them, or a refusal with a status. */
interface Sent {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly breaks?: boolean;
  readonly refuses?: number;
}

const rest = (from: number): Sent => ({
  status: 206,
  headers: { "content-range": `bytes ${from}-9/10` },
  text: content.slice(from),
});

class EndOfBlob extends Error {
  readonly end: BlobEnd;
  constructor(end: BlobEnd) {
    super("the blob ends early");
    this.end = end;
  }
}

/** Pauses before a new try end at once, the watch for stalled transfers never. */
const hasty: Clock = {
  now: () => 0,
  monotonic: () => 0,
  sleep: (durationMs) => (durationMs < defaultRegistryLimits.blobWindowMs ? Promise.resolve() : new Promise(() => {})),
};

/** Digests are shortened: `BLOB`, and `OTHER` for all but that of the blob. */
const words = (failures: OriginFailures): readonly string[] =>
  failures.map(({ name, failure }) =>
    `${name}: ${failure.text}`.replaceAll(descriptor.digest, "BLOB").replaceAll(/sha256:[0-9a-f]{64}/g, "OTHER"),
  );

/** Reads the blob from origins with scripts; the last line says how it ended. */
async function read(
  scripts: Readonly<Record<string, readonly Sent[]>>,
  limits: Partial<typeof defaultRegistryLimits> = {},
): Promise<{ readonly asked: readonly string[]; readonly end: readonly string[]; readonly wrong: readonly string[] }> {
  const asked: string[] = [];
  const origins = Object.entries(scripts).map(([name, script]): BlobOrigin => {
    let next = 0;
    return {
      name,
      open(from) {
        asked.push(`${name} ${from}`);
        const { status = 200, headers = {}, text = "", breaks = false, refuses } = script[next++] ?? { refuses: 404 };
        if (refuses !== undefined)
          return Promise.resolve(
            failed({ kind: "answer", text: `${refuses}`, remedy: "", isPassing: false, httpStatus: refuses } as never),
          );
        const chunks = async function* () {
          if (text !== "") yield Buffer.from(text);
          await Promise.resolve();
          if (breaks) throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
        };
        const answer: Answer = {
          status,
          header: (key) => headers[key],
          challenges: undefined,
          body: Readable.from(chunks()),
          host: name,
          url: new URL(`https://${name}/`),
        };
        return Promise.resolve(done(answer));
      },
    };
  });
  const parts = {
    clock: hasty,
    entropy: new SeededEntropy(1),
    limits: { ...defaultRegistryLimits, ...limits },
    retry: defaultRetryPolicy,
  };
  const opened = await openBlob(descriptor, origins, parts, (end) => new EndOfBlob(end), new AbortController().signal);
  if (!opened.ok) return { asked, end: words(opened.problem), wrong: [] };
  let text = "";
  try {
    for await (const chunk of opened.value) text += String(chunk);
    return { asked, end: [text], wrong: [] };
  } catch (error) {
    if (!(error instanceof EndOfBlob)) throw error;
    return { asked, end: words(error.end.failures), wrong: error.end.wrong };
  }
}

const half = { text: content.slice(0, 5), breaks: true };
const worlds: readonly (readonly [
  title: string,
  scripts: Readonly<Record<string, readonly Sent[]>>,
  asked: readonly string[],
  end: readonly string[],
  wrong?: readonly string[],
])[] = [
  ["comes whole from the first origin", { a: [{ text: content }], b: [] }, ["a 0"], [content]],
  ["is resumed where it broke", { a: [half, rest(5)] }, ["a 0", "a 5"], [content]],
  ["is resumed by an origin that sends all of it again", { a: [half, { text: content }] }, ["a 0", "a 5"], [content]],
  [
    "is asked for from its beginning after a 416",
    { a: [half, { refuses: 416 }, { text: content }] },
    ["a 0", "a 5", "a 0"],
    [content],
  ],
  [
    "is asked for from its beginning after a later range",
    { a: [half, rest(7), { text: content }] },
    ["a 0", "a 5", "a 0"],
    [content],
  ],
  [
    "is asked for from its beginning after a range without a place",
    { a: [half, { status: 206 }, { text: content }] },
    ["a 0", "a 5", "a 0"],
    [content],
  ],
  [
    "is not asked for again after a 416 to the whole",
    { a: [{ refuses: 416 }], b: [{ text: content }] },
    ["a 0", "b 0"],
    [content],
  ],
  [
    "is asked for elsewhere after a part that nobody asked for",
    { a: [rest(5)], b: [{ text: content }] },
    ["a 0", "b 0"],
    [content],
  ],
  [
    "is refused with the part that nobody asked for",
    { a: [rest(5)] },
    ["a 0"],
    ["a: a sends a part of blob BLOB that was not asked for"],
  ],
  [
    "goes on elsewhere after a refusal",
    { a: [half, { refuses: 403 }], b: [rest(5)] },
    ["a 0", "a 5", "b 5"],
    [content],
  ],
  [
    "is refused when nobody has it",
    { a: [{ refuses: 404 }], b: [{ refuses: 403 }] },
    ["a 0", "b 0"],
    ["a: 404", "b: 403"],
  ],
  [
    "is refused when its length differs",
    { a: [{ text: content, headers: { "content-length": "9" } }] },
    ["a 0"],
    ["a: a holds a blob of 9 bytes where the manifest says 10"],
  ],
  [
    "ends with the origin that sent other content",
    { a: [{ text: "9876543210" }], b: [{ text: content }] },
    ["a 0"],
    ["a: a sent content of digest OTHER as blob BLOB"],
    ["a"],
  ],
  [
    "ends with the origin that sent more",
    { a: [{ text: `${content}x` }] },
    ["a 0"],
    ["a: a sends more than the 10 bytes of blob BLOB"],
  ],
  [
    "ends with the first of two origins that sent wrong content",
    { a: [half, { refuses: 403 }], b: [{ ...rest(5), text: "xxxxx" }] },
    ["a 0", "a 5", "b 5"],
    ["a: 403", "b: b sent content of digest OTHER as blob BLOB"],
    ["a"],
  ],
  [
    "is given up after four breaks in one place",
    {
      a: [
        half,
        { ...rest(5), text: "", breaks: true },
        { ...rest(5), text: "", breaks: true },
        { ...rest(5), text: "", breaks: true },
        rest(5),
      ],
    },
    ["a 0", "a 5", "a 5", "a 5"],
    ["a: the connection to a failed (ECONNRESET)"],
  ],
];
for (const [title, scripts, asked, end, wrong = []] of worlds)
  test(`a blob ${title}`, async () => assert.deepEqual(await read(scripts), { asked, end, wrong }));

test("a blob is resumed no more often than the limit", async () => {
  const bytes = Array.from(content, (text, index) => ({ ...rest(index), text, breaks: true }));
  const limits = { resumes: 2, progressBytes: 1 };
  assert.deepEqual(await read({ a: [{ text: "0", breaks: true }, ...bytes.slice(1)], b: [] }, limits), {
    asked: ["a 0", "a 1", "a 2"],
    end: ["a: the connection to a failed (ECONNRESET)"],
    wrong: [],
  });
});
