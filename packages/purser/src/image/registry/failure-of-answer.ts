import { decodeUtf8 } from "@purser/kubernetes/text/utf8";
import type { Answer } from "./answer.ts";
import { readBounded } from "./bounded-body.ts";
import type { ExchangeParts } from "./exchange.ts";
import { failureOfStatus, type RegistryFailure } from "./registry-failure.ts";
import { parseRetryAfter } from "./retry.ts";

const errorBytes = 64 * 1024;

/** The failure that an answer other than 2xx stands for; reads its body. Rejects when the signal aborts. */
export async function failureOfAnswer(
  answer: Answer,
  what: string,
  { clock, limits }: ExchangeParts,
  signal: AbortSignal,
): Promise<RegistryFailure> {
  const bounds = { maxBytes: errorBytes, maxMs: limits.errorMs, what: "an error" };
  const body = await readBounded(answer, bounds, clock, signal);
  const code = body.ok ? errorCode(body.value) : undefined;
  const retryAfterMs = parseRetryAfter(answer.header("retry-after"), clock.now());
  return failureOfStatus(answer.status, {
    host: answer.host,
    what,
    ...(code !== undefined && { code }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The code alone: messages are free text of the registry, and could repeat what was sent to it. */
function errorCode(body: Uint8Array): string | undefined {
  try {
    const { errors } = JSON.parse(decodeUtf8(body) ?? "") as { errors?: readonly { code?: unknown }[] };
    const code = errors?.[0]?.code;
    return typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? code : undefined;
  } catch {
    return undefined;
  }
}
