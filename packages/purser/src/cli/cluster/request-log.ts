import { appendFileSync } from "node:fs";
import type { JsonValue } from "@purser/kubernetes/json";
import type { ApiBody, ApiRequest, Transport } from "@purser/kubernetes/kube/transport";
import type { Clock } from "@purser/kubernetes/clock";
import { redacted, redactedText } from "../../engine/support-bundle/plan/redact.ts";
import { flagOption, type Invocation, textOption, UsageError } from "../command.ts";

/** Longer bodies are not shown. */
const mostBytes = 16 * 1024;

/** What `-v` shows. */
export interface RequestLog {
  readonly bodies: boolean;
  readonly write: (line: string) => void;
}

/** The log that `-v`, `-vv` and `--log-file` ask for; undefined without them. @throws UsageError for a file that cannot be written */
export function requestLogOf(invocation: Invocation): RequestLog | undefined {
  const file = textOption(invocation, "log-file");
  const isVerbose = flagOption(invocation, "verbose");
  if (file === undefined && !isVerbose) return undefined;
  const append = (line: string): void => {
    if (file === undefined) return;
    try {
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
    } catch (error) {
      throw new UsageError(`--log-file ${file} cannot be written: ${error instanceof Error ? error.message : "?"}`);
    }
  };
  append(`# purser ${invocation.arguments.join(" ")}`.trimEnd());
  return {
    bodies: flagOption(invocation, "bodies"),
    write(line) {
      append(line);
      if (isVerbose) invocation.terminal.err(line);
    },
  };
}

/**
 * The transport, with a line for each answer: method, path, status, milliseconds. Headers are never shown; bodies only where they
 * are asked for, never those of Secrets and tokens, and without what a support bundle leaves out.
 */
export function loggedTransport(transport: Transport, { write, bodies }: RequestLog, clock: Clock): Transport {
  return async (request, signal) => {
    const started = clock.monotonic();
    const took = (): string => `${Math.round(clock.monotonic() - started)} ms`;
    const time = new Date(clock.now()).toISOString().slice(11, 23);
    const line = `${time} ${request.method} ${redactedText(targetOf(request))}`;
    try {
      const answer = await transport(request, signal);
      write(`${line} ${answer.status} ${took()}`);
      if (!bodies) return answer;
      const isHidden = hidesBodies(request);
      if (request.body?.kind === "object") write(`  > ${isHidden ? notShown : bodyText(request.body.value)}`);
      if (answer.body === undefined || request.query?.get("watch") === "true") return answer;
      return { ...answer, body: followed(answer.body, (text) => write(`  < ${isHidden ? notShown : text}`)) };
    } catch (error) {
      write(`${line} no answer after ${took()}: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  };
}

const notShown = "(not shown)";

const targetOf = ({ path, query }: ApiRequest): string => {
  const text = query?.toString() ?? "";
  return text === "" ? path : `${path}?${text}`;
};

/** Whether request or answer are credentials. */
const hidesBodies = ({ path }: ApiRequest): boolean => /\/(secrets|token|tokenreviews)(\/|$)/.test(path);

const bodyText = (value: JsonValue): string => JSON.stringify(redacted(value));

/** The body, whose text is given to `report` once it was read to its end. */
function followed(body: ApiBody, report: (text: string) => void): ApiBody {
  if (body.kind === "object") report(bodyText(body.value));
  if (body.kind === "bytes") report(textOf([body.bytes], body.bytes.length));
  if (body.kind !== "stream") return body;
  const { chunks } = body;
  return {
    kind: "stream",
    chunks: (async function* () {
      const kept: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of chunks) {
        length += chunk.length;
        if (length <= mostBytes) kept.push(chunk);
        yield chunk;
      }
      report(textOf(kept, length));
    })(),
  };
}

function textOf(chunks: readonly Uint8Array[], length: number): string {
  if (length > mostBytes) return `(${length} bytes)`;
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    return bodyText(JSON.parse(text) as JsonValue);
  } catch {
    return `(${length} bytes that are no JSON)`;
  }
}
