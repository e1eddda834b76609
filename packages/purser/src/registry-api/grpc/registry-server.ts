import {
  type handleBidiStreamingCall,
  type Metadata,
  logVerbosity,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  setLogVerbosity,
  status,
  type UntypedHandleCall,
} from "@grpc/grpc-js";
import type { StoredIndex } from "../../catalog-store/open.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { writeAhead } from "./eager-call.ts";
import { experimentalMethods, healthMethods, type Method, type Refusal, registryMethods } from "./methods.ts";
import { answerReflection } from "./reflection.ts";
import { readFields } from "./request-fields.ts";

/** A finished call. */
export interface RegistryCall {
  /** `/api.Registry/GetPackage` */
  readonly path: string;
  readonly peer: string;
  /** Name of the gRPC status, such as `OK` or `UNKNOWN`. */
  readonly code: string;
  readonly message: string;
  readonly tookMs: number;
}

export interface RegistryServerOptions {
  /** Returns the index to answer from; called for every request. Undefined while nothing is served yet. */
  readonly index: () => StoredIndex | undefined;
  readonly clock: Clock;
  readonly onStart?: (path: string, peer: string) => void;
  readonly onEnd?: (call: RegistryCall) => void;
}

export interface RegistryServer {
  /** `HOST:PORT` of the listener. */
  readonly address: string;
  readonly port: number;
  /** Stops the server; running calls have `graceMs` milliseconds to finish. */
  stop(graceMs?: number): Promise<void>;
}

// Errors are returned as values; the library would also write them to stderr.
setLogVerbosity(logVerbosity.NONE);

/** The limit of upstream's server. */
const largestRequest = 4 * 1024 * 1024;
/** A stream ends when its client reads nothing for this time. */
const stalledMs = 60_000;

/**
 * Serves `api.Registry`, `api.ExperimentalRegistry`, health and reflection without TLS. Port 0 selects a free port. The
 * problem says why it cannot listen.
 */
export async function serveRegistry(
  options: RegistryServerOptions,
  listen: { readonly host: string; readonly port: number },
): Promise<Result<RegistryServer, string>> {
  const server = new Server({
    "grpc.max_receive_message_length": largestRequest,
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": 1000,
    interceptors: [writeAhead],
  });
  addService(server, "api.Registry", registryMethods, options);
  addService(server, "api.ExperimentalRegistry", experimentalMethods, options);
  addService(server, "grpc.health.v1.Health", healthMethods, options);
  addReflection(server);
  const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  const bound = await new Promise<Result<number, string>>((resolve) =>
    server.bindAsync(`${host}:${listen.port}`, ServerCredentials.createInsecure(), (error, port) =>
      resolve(error === null ? done(port) : failed(error.message)),
    ),
  );
  if (!bound.ok) {
    server.forceShutdown();
    return bound;
  }
  return done({
    address: `${host}:${bound.value}`,
    port: bound.value,
    stop: (graceMs = 5000) => stopServer(server, options.clock, graceMs),
  });
}

async function stopServer(server: Server, clock: Clock, graceMs: number): Promise<void> {
  const ended = new AbortController();
  const stopped = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  const forced = clock.sleep(graceMs, ended.signal).then(
    () => server.forceShutdown(),
    () => undefined,
  );
  await Promise.race([stopped, forced]);
  ended.abort();
  server.forceShutdown();
}

const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function definition(service: string, methods: readonly { name: string; streams: boolean; both?: boolean }[]) {
  return Object.fromEntries(
    methods.map(({ name, streams, both = false }) => [
      name,
      {
        path: `/${service}/${name}`,
        requestStream: both,
        responseStream: streams || both,
        requestSerialize: asIs,
        requestDeserialize: (bytes: Buffer) => bytes,
        responseSerialize: asIs,
        responseDeserialize: (bytes: Buffer) => bytes,
      },
    ]),
  ) satisfies ServiceDefinition;
}

function addService(
  server: Server,
  service: string,
  methods: Readonly<Record<string, Method>>,
  options: RegistryServerOptions,
): void {
  const described = Object.entries(methods).map(([name, { streams }]) => ({ name, streams }));
  const handlers = Object.entries(methods).map(([name, method]): [string, UntypedHandleCall] => {
    const path = `/${service}/${name}`;
    return [name, method.streams ? streaming(path, method, options) : unary(path, method, options)];
  });
  server.addService(definition(service, described), Object.fromEntries(handlers));
}

type Unary = Extract<Method, { streams: false }>;
type Streaming = Extract<Method, { streams: true }>;

function unary(path: string, method: Unary, options: RegistryServerOptions): UntypedHandleCall {
  const handle = (call: BareCall & { request: Buffer }, reply: (error: Refused | null, value?: Uint8Array) => void) => {
    const end = began(path, call, options);
    const answer = answered(call, options, method);
    if (answer.ok) reply(null, answer.value);
    else reply(refused(answer.problem));
    end(answer.ok ? undefined : answer.problem);
  };
  return handle as UntypedHandleCall;
}

function streaming(path: string, method: Streaming, options: RegistryServerOptions): UntypedHandleCall {
  const handle = (call: ServerWritableStream<Buffer, Uint8Array>): void => {
    const end = began(path, call, options);
    const answer = answered(call, options, method);
    if (!answer.ok) {
      call.emit("error", refused(answer.problem));
      end(answer.problem);
      return;
    }
    void send(call, answer.value, options.clock).then((problem) => {
      if (problem === undefined) call.end();
      else if (!call.cancelled) call.emit("error", refused(problem));
      end(problem);
    });
  };
  return handle as UntypedHandleCall;
}

/** Writes messages as fast as the client reads them. Returns why it stopped early; undefined after the last message. */
async function send(
  call: ServerWritableStream<Buffer, Uint8Array>,
  messages: Iterable<Uint8Array>,
  clock: Clock,
): Promise<Problem | undefined> {
  try {
    for (const bytes of messages) {
      if (call.cancelled) return { code: "CANCELLED", message: "context canceled" };
      if (!call.write(bytes) && !(await drained(call, clock)))
        return call.cancelled
          ? { code: "CANCELLED", message: "context canceled" }
          : { code: "DEADLINE_EXCEEDED", message: `the client read nothing for ${stalledMs / 1000} seconds` };
    }
    return undefined;
  } catch (error) {
    // The index was closed during the stream: UNAVAILABLE allows the client to retry.
    return { code: "UNAVAILABLE", message: error instanceof Error ? error.message : String(error) };
  }
}

/** Waits until the client has read the written data; false when it cancelled or stalled for too long. */
async function drained(call: ServerWritableStream<Buffer, Uint8Array>, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onDrain = (): void => resolve(true);
  const onCancel = (): void => resolve(false);
  call.once("drain", onDrain);
  call.once("cancelled", onCancel);
  const stalled = clock.sleep(stalledMs, over.signal).then(
    () => resolve(false),
    () => undefined,
  );
  try {
    return await promise;
  } finally {
    over.abort();
    call.off("drain", onDrain);
    call.off("cancelled", onCancel);
    await stalled;
  }
}

interface Problem {
  readonly code: Refusal["code"] | "CANCELLED" | "DEADLINE_EXCEEDED" | "INTERNAL" | "UNAVAILABLE";
  readonly message: string;
}

interface BareCall {
  readonly metadata: Metadata;
  getPeer(): string;
}

function answered<Value>(
  call: BareCall & { readonly request: Buffer },
  { index }: RegistryServerOptions,
  method: { answer(call: Parameters<Method["answer"]>[0]): Result<Value, Refusal> },
): Result<Value, Problem> {
  try {
    const served = index();
    if (served === undefined) return failed({ code: "UNAVAILABLE", message: "no catalog is served yet" });
    const metadata = (key: string): readonly string[] => call.metadata.get(key).map(String);
    return method.answer({ index: served, request: readFields(call.request), metadata });
  } catch (error) {
    return failed({ code: "INTERNAL", message: error instanceof Error ? error.message : String(error) });
  }
}

function began(path: string, call: BareCall, options: RegistryServerOptions): (problem: Problem | undefined) => void {
  const { onStart, onEnd, clock } = options;
  if (onStart === undefined && onEnd === undefined) return () => undefined;
  const [peer, start] = [call.getPeer(), clock.monotonic()];
  onStart?.(path, peer);
  return (problem) =>
    onEnd?.({
      path,
      peer,
      code: problem?.code ?? "OK",
      message: problem?.message ?? "",
      tookMs: clock.monotonic() - start,
    });
}

type Refused = Error & { readonly code: status; readonly details: string };

function refused({ code, message }: Problem): Refused {
  return Object.assign(new Error(message), { code: status[code], details: message });
}

function addReflection(server: Server): void {
  for (const version of ["v1", "v1alpha"]) {
    const service = `grpc.reflection.${version}.ServerReflection`;
    const handle: handleBidiStreamingCall<Buffer, Uint8Array> = (call) => {
      call.on("data", (request: Buffer) => {
        try {
          call.write(answerReflection(request));
        } catch (error) {
          call.emit("error", refused({ code: "INTERNAL", message: String(error) }));
        }
      });
      call.on("end", () => call.end());
    };
    server.addService(definition(service, [{ name: "ServerReflectionInfo", streams: true, both: true }]), {
      ServerReflectionInfo: handle as UntypedHandleCall,
    });
  }
}
