// Servers of the registry API for tests: ours over an index, and one that sends whatever a test wants.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials, type ServerWritableStream, status, type UntypedHandleCall } from "@grpc/grpc-js";
import { invariant } from "@purser/kubernetes/invariant";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { openIndex, type StoredIndex } from "../../catalog-store/open.ts";
import { writeIndex } from "../../catalog-store/write-index.ts";
import { type RegistryServer, serveRegistry } from "../../registry-api/grpc/registry-server.ts";

/** The index of a catalog text. */
export async function indexOf(text: string): Promise<StoredIndex> {
  const directory = await mkdtemp(join(tmpdir(), "purser-served-"));
  try {
    await writeFile(join(directory, "catalog.yaml"), text);
    const written = writeIndex(join(directory, "catalog.yaml"), directory);
    invariant(written.ok, "the catalog of the test is valid");
    const opened = openIndex(written.value.file);
    invariant(opened.ok, "the index of the test can be opened");
    return opened.value;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Our own server on a port of its own. */
export async function serveIndex(index: () => StoredIndex | undefined, port = 0): Promise<RegistryServer> {
  const served = await serveRegistry({ index, clock: systemClock }, { host: "127.0.0.1", port });
  invariant(served.ok, "the registry of the test listens");
  return served.value;
}

export interface RawAnswers {
  readonly bundles: (stream: ServerWritableStream<Buffer, Uint8Array>) => void;
  readonly package?: (request: Buffer) => Uint8Array | Error;
  /** Absent: no channel has a head. */
  readonly head?: (request: Buffer) => Uint8Array | Error;
  readonly health?: () => Uint8Array | Error;
}

/** A server whose answers are bytes of a test. */
export async function serveRaw(
  answers: RawAnswers,
  port = 0,
): Promise<{ readonly port: number; readonly stop: () => void }> {
  const server = new Server({ "grpc.max_send_message_length": -1 });
  const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  const method = (path: string, responseStream: boolean) => ({
    path,
    requestStream: false,
    responseStream,
    requestSerialize: asIs,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: asIs,
    responseDeserialize: (bytes: Buffer) => bytes,
  });
  type Reply = (error: Error | null, value?: Uint8Array) => void;
  const unary = (answer: (request: Buffer) => Uint8Array | Error): UntypedHandleCall =>
    ((call: { readonly request: Buffer }, reply: Reply) => {
      const value = answer(call.request);
      if (value instanceof Error) reply(value);
      else reply(null, value);
    }) as UntypedHandleCall;
  server.addService(
    {
      ListBundles: method("/api.Registry/ListBundles", true),
      GetPackage: method("/api.Registry/GetPackage", false),
      GetBundleForChannel: method("/api.Registry/GetBundleForChannel", false),
    },
    {
      ListBundles: answers.bundles as UntypedHandleCall,
      GetPackage: unary(answers.package ?? ((request) => request)),
      GetBundleForChannel: unary(answers.head ?? (() => statusError("UNKNOWN", "no head"))),
    },
  );
  server.addService(
    { Check: method("/grpc.health.v1.Health/Check", false) },
    { Check: unary(answers.health ?? (() => Uint8Array.of(8, 1))) },
  );
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, found) =>
      error === null ? resolve(found) : reject(error),
    ),
  );
  return { port: bound, stop: () => server.forceShutdown() };
}

/** An error that a server answers with. */
export function statusError(code: keyof typeof status, details: string): Error {
  return Object.assign(new Error(details), { code: status[code], details });
}
