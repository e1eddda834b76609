// Loaded with `--import` before every test file where PURSER_TEST_DELAY_MS is set. The embedded API server answers its callers
// in this process within microseconds and always in the same order. With random delays requests, answers and events of
// different watches overtake one another, as on a busy machine: a test that depends on their order fails now and then.
import { registerHooks } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const server = pathToFileURL(`${import.meta.dirname}/../packages/apiserver/src/server.ts`).href;
const longestMs = Number(process.env["PURSER_TEST_DELAY_MS"] ?? 0);

interface Answer {
  readonly body?: { readonly kind: string; readonly events?: AsyncIterable<unknown> };
}

/** Most delays are short, so that a long one lets others overtake. */
const randomDelay = (): Promise<unknown> => pause(longestMs * Math.random() ** 4);

/** Delays each request, its answer and each event of a watch; events of one watch keep their order. */
export function lateTransport<Request extends readonly unknown[]>(
  transport: (...request: Request) => Promise<Answer>,
  delay: () => Promise<unknown> = randomDelay,
): (...request: Request) => Promise<Answer> {
  return async (...request) => {
    await delay();
    const answer = await transport(...request);
    await delay();
    const events = answer.body?.events;
    return events === undefined
      ? answer
      : { ...answer, body: { ...answer.body, kind: "events", events: late(events, delay) } };
  };
}

async function* late(events: AsyncIterable<unknown>, delay: () => Promise<unknown>): AsyncGenerator<unknown> {
  for await (const event of events) {
    await delay();
    yield event;
  }
}

/** Runs in the scope of the server's module: fails loudly where the class or its method has another name. */
const patch = `
import { lateTransport as $late } from ${JSON.stringify(import.meta.url)};
const $transport = EmbeddedServer.prototype.transport;
if ($transport.length > 1) throw new Error("checks/late-answers.ts delays EmbeddedServer.transport(user)");
EmbeddedServer.prototype.transport = function (...of) { return $late($transport.apply(this, of)); };
`;

if (longestMs > 0)
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const { source } = loaded;
      if (url !== server || source === undefined || source === null) return loaded;
      return {
        ...loaded,
        source: `${typeof source === "string" ? source : Buffer.from(source as Uint8Array).toString()}${patch}`,
      };
    },
  });
